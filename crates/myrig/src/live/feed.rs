//! Writing a feed.

use super::{Begin, End, Event, State, directory, path, sweeping};
use std::{
    fs::{DirBuilder, File, OpenOptions},
    io::Write,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
    time::SystemTime,
};

/// A feed that is being written. Nothing that goes wrong with it is told or ends anything: who
/// looks on misses a line. Dropped before its end was told, it says that it could not be carried
/// out.
#[derive(Debug)]
pub(crate) struct Feed {
    file: Option<File>,
    /// The last line may be there in part.
    is_torn: bool,
    has_ended: bool,
}

impl Feed {
    /// Begins a feed in `home`, and clears those away that are long over.
    pub(crate) fn begin(home: &Path, begin: Begin) -> Self {
        let directory = directory(home);
        // Without a directory there is no file, which is what is looked at.
        let _without = DirBuilder::new().recursive(true).mode(0o700).create(&directory);
        sweeping::sweep(&directory, SystemTime::now());
        let mut options = OpenOptions::new();
        // An experiment that is gone on with begins its feed anew.
        options.create(true).write(true).truncate(true).mode(0o600);
        let file = path(home, &begin.id).and_then(|path| options.open(path).ok());
        let mut feed = Self { file, is_torn: false, has_ended: false };
        feed.tell(&Event::Begin(Box::new(begin)));
        feed
    }

    /// Adds a line.
    pub(crate) fn tell(&mut self, event: &Event) {
        let (Some(file), Ok(json)) = (&mut self.file, serde_json::to_vec(event)) else { return };
        let mut line = Vec::with_capacity(json.len() + 2);
        if self.is_torn {
            line.push(b'\n');
        }
        line.extend(json);
        line.push(b'\n');
        self.is_torn = file.write_all(&line).is_err();
    }

    /// Adds the last line.
    pub(crate) fn end(mut self, end: End) {
        self.tell(&Event::End(end));
        self.has_ended = true;
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        if !self.has_ended {
            let reason = "it could not be carried out; the command says why".into();
            self.tell(&Event::End(End { state: State::Failed, reason, figures: Vec::new() }));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::live::{Kind, Tail};

    fn begin(id: &str) -> Begin {
        Begin::of(Kind::Run, id, "a title", "2026-11-22T06:00:00Z")
    }

    #[test]
    fn what_is_told_is_read_in_order() {
        let home = tempfile::tempdir().unwrap();
        let mut feed = Feed::begin(home.path(), begin("a-1"));
        feed.tell(&Event::Note { text: "one\nline".into() });
        feed.end(End { state: State::Complete, reason: String::new(), figures: Vec::new() });
        let mut tail = Tail::open(&path(home.path(), "a-1").unwrap()).unwrap();
        let events: Vec<Event> = tail.events().unwrap();
        let [Event::Begin(first), Event::Note { text }, Event::End(end)] = &events[..] else {
            panic!("{events:?}")
        };
        assert_eq!((first.id.as_str(), text.as_str()), ("a-1", "one\nline"));
        assert!(first.writer.is_alive());
        assert_eq!(end.state, State::Complete);
    }

    #[test]
    fn what_is_gone_on_with_begins_anew() {
        let home = tempfile::tempdir().unwrap();
        let mut killed = begin("a-4");
        killed.writer.pid_start += 1;
        std::mem::forget(Feed::begin(home.path(), killed));
        let feed = Feed::begin(home.path(), begin("a-4"));
        let first = Tail::open(&path(home.path(), "a-4").unwrap()).unwrap().first();
        assert!(matches!(first, Some(Event::Begin(first)) if first.writer.is_alive()));
        drop(feed);
    }

    #[test]
    fn a_feed_that_is_dropped_says_that_it_failed() {
        let home = tempfile::tempdir().unwrap();
        drop(Feed::begin(home.path(), begin("a-2")));
        let mut tail = Tail::open(&path(home.path(), "a-2").unwrap()).unwrap();
        let events = tail.events().unwrap();
        assert!(matches!(events.last(), Some(Event::End(End { state: State::Failed, .. }))));
    }

    #[test]
    fn a_full_disk_costs_lines_and_nothing_else() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut feed = Feed { file: Some(full), is_torn: false, has_ended: false };
        feed.tell(&Event::Note { text: "lost".into() });
        assert!(feed.is_torn, "the next line begins anew");
        let mut nowhere = Feed::begin(Path::new("/proc/no/such/place"), begin("a-3"));
        nowhere.tell(&Event::Note { text: "unheard".into() });
        assert!(nowhere.file.is_none());
    }
}
