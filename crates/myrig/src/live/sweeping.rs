//! Feeds that are over go away after some minutes.

use super::{Event, Tail, glance::LAST_BYTES};
use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

/// How long a feed is kept after its last line.
const KEPT: Duration = Duration::from_secs(600);

/// Removes the feeds whose last line is older than that, and whose writer is gone or done.
pub(crate) fn sweep(directory: &Path, now: SystemTime) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_feed = path.extension().is_some_and(|extension| extension == "jsonl");
        let written = path.metadata().and_then(|facts| facts.modified());
        let is_old = written.is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > KEPT));
        if is_feed && is_old && is_over(&path) {
            // Another command may have been quicker.
            let _gone = fs::remove_file(&path);
        }
    }
}

/// Whether nobody will write to a feed any more. One that cannot be read is nobody's.
fn is_over(path: &Path) -> bool {
    let first = Tail::open(path).ok().and_then(Tail::first);
    let Some(Event::Begin(begin)) = first else { return true };
    let last = Tail::open(path).and_then(|mut tail| {
        tail.skip_to_last(LAST_BYTES)?;
        tail.events()
    });
    let has_ended = matches!(last.unwrap_or_default().last(), Some(Event::End(_)));
    has_ended || !begin.writer.is_alive()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::live::{Begin, End, Feed, Kind, State, directory};

    fn begin(id: &str) -> Begin {
        Begin::of(Kind::Run, id, "t", "2026-11-22T06:00:00Z")
    }

    #[test]
    fn what_is_over_goes_after_a_while_and_what_is_on_stays() {
        let home = tempfile::tempdir().unwrap();
        let on = Feed::begin(home.path(), begin("on"));
        let ended = End { state: State::Complete, reason: String::new(), figures: Vec::new() };
        Feed::begin(home.path(), begin("over")).end(ended);
        let mut killed = begin("killed");
        killed.writer.pid_start += 1;
        std::mem::forget(Feed::begin(home.path(), killed));
        let directory = directory(home.path());
        fs::write(directory.join("other.txt"), "not ours").unwrap();
        let left = |later: u64| {
            sweep(&directory, SystemTime::now() + Duration::from_secs(later));
            let names = fs::read_dir(&directory).unwrap().flatten();
            let mut names: Vec<_> = names.map(|it| it.file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(left(60).len(), 4, "a minute is no while");
        assert_eq!(left(601), ["on.jsonl", "other.txt"]);
        drop(on);
    }
}
