//! What a server has to do when it starts: whether the last one was shut down.

use super::report::{BadRange, FileReport};
use crate::{Damage, Verdict};
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

/// The redo log in one directory.
#[derive(Clone, Copy, Debug, Default)]
struct Log {
    /// The report of the file that holds the latest checkpoint, and its LSN.
    checkpoint: Option<(usize, u64)>,
    end_lsn: u64,
    mini_transactions: u64,
}

impl Log {
    /// Bytes behind the checkpoint that are to be applied. A shutdown leaves none; where
    /// mini-transactions are told, it leaves the one that tells of the checkpoint itself.
    fn pending_bytes(&self) -> u64 {
        let bytes = self.checkpoint.map_or(0, |(_, lsn)| self.end_lsn.saturating_sub(lsn));
        if self.mini_transactions == 1 { 0 } else { bytes }
    }
}

/// Says of every redo log that goes on behind its checkpoint what that means, and passes over what
/// it mends.
pub(super) fn say(files: &mut [(usize, FileReport)]) {
    let mut logs: HashMap<PathBuf, Log> = HashMap::new();
    for (at, (_, file)) in files.iter().enumerate() {
        let Some(redo) = &file.redo else { continue };
        let directory = file.path.parent().unwrap_or(Path::new(""));
        let log = logs.entry(directory.to_owned()).or_default();
        log.end_lsn = log.end_lsn.max(redo.end_lsn.unwrap_or(0));
        log.mini_transactions += redo.mini_transactions;
        let checkpoint = redo.checkpoint_lsn.map(|lsn| (at, lsn));
        if checkpoint.is_some_and(|(_, lsn)| log.checkpoint.is_none_or(|(_, known)| known < lsn)) {
            log.checkpoint = checkpoint;
        }
    }
    let mut pending = HashSet::new();
    for (directory, log) in &logs {
        let (Some((at, lsn)), bytes @ 1..) = (log.checkpoint, log.pending_bytes()) else {
            continue;
        };
        // MySQL has its log in a directory of its own below that of the data.
        let is_own = directory.ends_with("#innodb_redo");
        pending.extend(directory.ancestors().nth(usize::from(is_own)));
        if let Some((_, file)) = files.get_mut(at) {
            file.remarks.push(format!(
                "The server was not shut down: {bytes} bytes of log behind the checkpoint (LSN \
                 {lsn}) are applied when it starts."
            ));
        }
    }
    let is_lost = |file: &&mut FileReport| file.first_is_lost;
    for file in files.iter_mut().map(|(_, file)| file).filter(is_lost) {
        if file.path.ancestors().skip(1).take(2).any(|directory| pending.contains(directory)) {
            excuse_first(file);
        }
    }
}

/// A server writes page 0 of a new file when it flushes it, perhaps after others.
fn excuse_first(file: &mut FileReport) {
    let zero = Verdict::Bad { damage: Damage::Header };
    let is_it = |range: &BadRange| range.first_page == 0 && range.verdict == zero;
    let is_first = file.bad.first().is_some_and(is_it);
    if !is_first {
        return;
    }
    match file.bad.first_mut().filter(|range| range.pages > 1) {
        Some(range) => {
            range.first_page += 1;
            range.pages -= 1;
            range.offset += file.space.map_or(0, |space| u64::from(space.physical_bytes));
        }
        None => drop(file.bad.remove(0)),
    }
    file.counts.bad -= 1;
    file.counts.empty += 1;
    file.remarks.push("Page 0 was not written yet: the server makes it from its log.".to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{file::Kind, redo::RedoSummary};

    /// What is said of files in one directory, with checkpoint, end and mini-transactions each.
    fn said(logs: &[(Option<u64>, Option<u64>, u64)]) -> Vec<usize> {
        let mut files: Vec<(usize, FileReport)> = logs
            .iter()
            .enumerate()
            .map(|(id, &(checkpoint_lsn, end_lsn, mini_transactions))| {
                let path = format!("data/#ib_redo{id}").into();
                let mut file = FileReport::blank(path, Kind::Redo, 4096);
                let redo = RedoSummary {
                    checkpoint_lsn,
                    end_lsn,
                    mini_transactions,
                    ..Default::default()
                };
                file.redo = Some(redo);
                (id, file)
            })
            .collect();
        say(&mut files);
        files.iter().map(|(_, file)| file.remarks.len()).collect()
    }

    #[test]
    fn a_log_that_goes_on_behind_its_checkpoint_is_to_be_applied() {
        assert_eq!(said(&[(Some(100), Some(100), 0)]), [0]);
        assert_eq!(said(&[(Some(100), Some(160), 0)]), [1]);
        assert_eq!(said(&[(Some(100), None, 0)]), [0], "nothing is known");
        // MariaDB: the one mini-transaction tells of the checkpoint.
        assert_eq!(said(&[(Some(100), Some(116), 1)]), [0]);
        assert_eq!(said(&[(Some(100), Some(180), 3)]), [1]);
    }

    #[test]
    fn a_first_page_that_was_not_written_yet_is_damage_only_without_a_log_that_makes_it() {
        for (end_lsn, bad) in [(100, 2), (160, 1)] {
            let mut log = FileReport::blank("data/#innodb_redo/#ib_redo1".into(), Kind::Redo, 4096);
            let checkpoint_lsn = Some(100);
            log.redo =
                Some(RedoSummary { checkpoint_lsn, end_lsn: Some(end_lsn), ..Default::default() });
            let mut table = FileReport::blank("data/d/t.ibd".into(), Kind::Table, 1 << 20);
            let verdict = Verdict::Bad { damage: Damage::Header };
            let range = BadRange { first_page: 0, pages: 2, offset: 0, verdict, copies: vec![] };
            table.counts.add(&range.verdict, 2);
            table.bad.push(range);
            table.first_is_lost = true;
            let mut files = [(0, log), (1, table)];
            say(&mut files);
            let table = &files[1].1;
            assert_eq!((table.counts.bad, table.counts.empty), (bad, 2 - bad));
            assert_eq!(table.bad.first().map(|range| range.first_page), Some(2 - bad));
        }
    }

    #[test]
    fn the_file_of_the_latest_checkpoint_says_it_for_all_of_its_directory() {
        let old = (Some(50), Some(512), 0);
        assert_eq!(said(&[old, (Some(600), Some(600), 0), (None, None, 0)]), [0, 0, 0]);
        assert_eq!(said(&[(None, Some(1100), 0), (Some(600), Some(1024), 0), old]), [0, 1, 0]);
    }
}
