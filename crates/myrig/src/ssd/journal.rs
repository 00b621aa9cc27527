//! What `myrig ssd watch` keeps: rows, lines and the last reading, so that neither a kill nor a
//! full disk loses a row or writes one twice.
//!
//! A reading is first kept in the state file, by rename, with what is still to be appended and
//! where; then it is appended. Whoever comes next completes what is missing.

use anyhow::{Context, bail};
use flash::drive::watch::Taken;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

const SCHEMA: &str = "myrig.ssd-watch-state/1";

/// Files of a directory.
#[derive(Debug)]
pub(super) struct Journal {
    dir: PathBuf,
    state: Option<State>,
    /// Held as long as this lives: a second watcher would write rows between ours.
    _lock: File,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    schema: String,
    last: Taken,
    /// What belongs to that reading and may not have been appended yet.
    pending: Vec<Append>,
}

/// Text for the end of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Append {
    file: String,
    /// Length of the file before.
    at: u64,
    text: String,
}

impl Journal {
    /// The rows of the procedure.
    pub(super) const ROWS: &'static str = "result_WA.txt";
    /// A JSON object a line.
    pub(super) const LINES: &'static str = "waf.jsonl";
    const STATE: &'static str = "waf.state.json";

    /// Opens the files of a directory, which is made where it does not exist, and completes what
    /// another process has left unfinished.
    pub(super) fn open(dir: &Path) -> anyhow::Result<Self> {
        let shown = dir.display().to_string();
        fs::create_dir_all(dir).with_context(|| shown.clone())?;
        let lock = File::create(dir.join(".waf.lock")).with_context(|| shown.clone())?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            bail!(
                "{shown}: another `myrig ssd watch` keeps its rows there; give --output another \
                   directory"
            );
        }
        let path = dir.join(Self::STATE);
        let state: Option<State> = match fs::read(&path) {
            Ok(bytes) => Some(serde_json::from_slice(&bytes).with_context(|| {
                format!("{}: not a state of ours; delete it to begin anew", path.display())
            })?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        let mut journal = Self { dir: dir.to_owned(), state, _lock: lock };
        journal.settle().with_context(|| shown)?;
        Ok(journal)
    }

    /// The last reading that was kept.
    pub(super) fn last(&self) -> Option<&Taken> {
        self.state.as_ref().map(|state| &state.last)
    }

    /// Keeps a reading with its row, if it has one, and its line. After an error of which
    /// [`Journal::last`] is this reading it is kept, and appended with the next one.
    pub(super) fn keep(&mut self, taken: Taken, row: Option<&str>, line: &str) -> io::Result<()> {
        self.settle()?;
        let rows = row.map(|row| (Self::ROWS, row));
        let mut pending = Vec::new();
        for (file, text) in rows.into_iter().chain([(Self::LINES, line)]) {
            let at = match fs::metadata(self.dir.join(file)) {
                Ok(there) => there.len(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
                Err(error) => return Err(error),
            };
            pending.push(Append { file: file.to_owned(), at, text: format!("{text}\n") });
        }
        let state = State { schema: SCHEMA.to_owned(), last: taken, pending };
        self.write(&state)?;
        self.state = Some(state);
        self.settle()
    }

    /// Appends what is still to be appended.
    fn settle(&mut self) -> io::Result<()> {
        let Some(state) = self.state.as_mut().filter(|state| !state.pending.is_empty()) else {
            return Ok(());
        };
        for append in &state.pending {
            append.complete(&self.dir)?;
        }
        let settled = State { pending: Vec::new(), ..state.clone() };
        self.write(&settled)?;
        self.state = Some(settled);
        Ok(())
    }

    /// Writes the state so that there is always a whole one.
    fn write(&self, state: &State) -> io::Result<()> {
        let draft = self.dir.join(".waf.state.json.new");
        let mut file = File::create(&draft)?;
        file.write_all(&serde_json::to_vec_pretty(state)?)?;
        file.sync_all()?;
        fs::rename(draft, self.dir.join(Self::STATE))?;
        File::open(&self.dir)?.sync_all()
    }

    /// A line that belongs to no reading: what went wrong. It is told on standard error as well,
    /// so that one which cannot be written is no loss.
    pub(super) fn remark(&self, line: &str) {
        let file = File::options().append(true).create(true).open(self.dir.join(Self::LINES));
        let _told_elsewhere =
            file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    }
}

impl Append {
    /// Makes the file end with the text, however much of it is there.
    fn complete(&self, dir: &Path) -> io::Result<()> {
        let path = dir.join(&self.file);
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut there = Vec::new();
        // A file that is shorter than it was has been put away, and begins anew.
        if file.seek(SeekFrom::End(0))? >= self.at {
            file.seek(SeekFrom::Start(self.at))?;
            (&file).take(self.text.len() as u64).read_to_end(&mut there)?;
        }
        let text = self.text.as_bytes();
        if there == text {
            return Ok(());
        }
        // Half of it: a disk was full. Anything else is somebody else's, and stays.
        let is_ours = !there.is_empty() && text.starts_with(&there);
        let rest = if is_ours { &text[there.len()..] } else { text };
        file.seek(SeekFrom::End(0))?;
        file.write_all(rest)?;
        file.sync_all()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use flash::{drive::Source, waf::Reading};

    fn taken(unix_ms: u64) -> Taken {
        let reading = Reading { host_bytes: u128::MAX, media_bytes: 5 };
        Taken { serial: "A".to_owned(), source: Source::Fdp { group: 1 }, unix_ms, reading }
    }

    fn rows(dir: &Path) -> String {
        fs::read_to_string(dir.join(Journal::ROWS)).unwrap_or_default()
    }

    #[test]
    fn a_restart_goes_on_where_the_last_one_ended() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(dir.path()).unwrap();
        assert_eq!(journal.last(), None);
        journal.keep(taken(1), None, "{}").unwrap();
        journal.keep(taken(2), Some("1 1 1.00000"), "{}").unwrap();
        let second = Journal::open(dir.path()).unwrap_err();
        assert!(second.to_string().contains("another `myrig ssd watch`"), "{second}");
        drop(journal);
        let journal = Journal::open(dir.path()).unwrap();
        assert_eq!(journal.last(), Some(&taken(2)));
        assert_eq!(rows(dir.path()), "1 1 1.00000\n");
    }

    #[test]
    fn a_row_is_neither_lost_nor_doubled_wherever_a_process_ended() {
        let text = "150 100 1.50000\n".to_owned();
        let before = "1 1 1.00000\n";
        let append = Append { file: Journal::ROWS.to_owned(), at: 12, text: text.clone() };
        for written in 0..=text.len() {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join(Journal::ROWS), before.to_owned() + &text[..written])
                .unwrap();
            let pending = vec![append.clone()];
            let state = State { schema: SCHEMA.to_owned(), last: taken(3), pending };
            let state = serde_json::to_vec(&state).unwrap();
            fs::write(dir.path().join(Journal::STATE), state).unwrap();
            for _ in 0..2 {
                drop(Journal::open(dir.path()).unwrap());
                assert_eq!(rows(dir.path()), format!("{before}{text}"), "{written}");
            }
        }
    }

    #[test]
    fn rows_that_were_put_away_or_added_by_hand_are_left_alone() {
        for there in ["", "a line that somebody has added at the end\n"] {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join(Journal::ROWS), there).unwrap();
            let append = Append { file: Journal::ROWS.to_owned(), at: 9, text: "row\n".to_owned() };
            append.complete(dir.path()).unwrap();
            assert_eq!(rows(dir.path()), format!("{there}row\n"));
        }
    }

    #[test]
    fn a_state_that_is_none_is_refused_with_the_way_out() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(Journal::STATE), "{}").unwrap();
        let error = Journal::open(dir.path()).unwrap_err().to_string();
        assert!(error.contains("waf.state.json: not a state of ours; delete it"), "{error}");
    }
}
