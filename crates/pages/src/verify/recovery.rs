//! What a server has to do when it starts: whether the last one was shut down.

use super::report::FileReport;
use std::{
    collections::HashMap,
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

/// Says of every redo log that goes on behind its checkpoint what that means.
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
    for log in logs.values() {
        let (Some((at, lsn)), bytes @ 1..) = (log.checkpoint, log.pending_bytes()) else {
            continue;
        };
        if let Some((_, file)) = files.get_mut(at) {
            file.remarks.push(format!(
                "The server was not shut down: {bytes} bytes of log behind the checkpoint (LSN \
                 {lsn}) are applied when it starts."
            ));
        }
    }
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
    fn the_file_of_the_latest_checkpoint_says_it_for_all_of_its_directory() {
        let old = (Some(50), Some(512), 0);
        assert_eq!(said(&[old, (Some(600), Some(600), 0), (None, None, 0)]), [0, 0, 0]);
        assert_eq!(said(&[(None, Some(1100), 0), (Some(600), Some(1024), 0), old]), [0, 1, 0]);
    }
}
