//! What a session can be about: the classes of waits, and what each means.

/// What a session spends its time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// On a processor.
    Processor,
    /// Ready to run, and no processor is free.
    RunQueue,
    /// For a row that another transaction has locked.
    RowLock,
    /// For a table or its definition that another session has locked.
    TableLock,
    /// Writing or syncing the redo log itself.
    Redo,
    /// Writing or syncing the binary log itself.
    Binlog,
    /// In a commit that another thread carries out.
    Commit,
    /// Reading pages into the buffer pool.
    DataRead,
    /// Writing or syncing data files itself.
    DataWrite,
    /// Writing the doublewrite buffer itself.
    Doublewrite,
    /// Files of temporary tables and sorts.
    Temporary,
    /// For another thread of the server.
    Latch,
    /// For a time to pass.
    Pause,
    /// Until the client takes more of its result.
    Network,
    /// Something else.
    Other,
    /// Carrying out a statement, where no more is known.
    Statement,
    /// For the client's next request.
    Idle,
}

/// Words on a class.
struct Words {
    name: &'static str,
    label: &'static str,
    meaning: &'static str,
}

impl Class {
    /// All of them, those of work first.
    pub const ALL: [Self; 17] = [
        Self::Processor,
        Self::RunQueue,
        Self::RowLock,
        Self::TableLock,
        Self::Redo,
        Self::Binlog,
        Self::Commit,
        Self::DataRead,
        Self::DataWrite,
        Self::Doublewrite,
        Self::Temporary,
        Self::Latch,
        Self::Pause,
        Self::Network,
        Self::Other,
        Self::Statement,
        Self::Idle,
    ];

    /// Its place in [`Self::ALL`].
    pub(super) fn index(self) -> usize {
        self as usize
    }

    /// Its name in data, `run-queue`.
    pub fn name(self) -> &'static str {
        self.words().name
    }

    /// Its name for a reader.
    pub fn label(self) -> &'static str {
        self.words().label
    }

    /// What it means, a sentence.
    pub fn meaning(self) -> &'static str {
        self.words().meaning
    }

    fn words(self) -> Words {
        let words = |name, label, meaning| Words { name, label, meaning };
        match self {
            Self::Processor => words("processor", "on a processor", "Running."),
            Self::RunQueue => {
                words("run-queue", "run queue", "Ready to run, and no processor was free.")
            }
            Self::RowLock => {
                words("row-lock", "row locks", "Another transaction had locked the row.")
            }
            Self::TableLock => words(
                "table-lock",
                "table locks",
                "Another session had locked the table or its definition.",
            ),
            Self::Redo => {
                words("redo", "redo log", "The session itself wrote or synced the redo log.")
            }
            Self::Binlog => {
                words("binlog", "binary log", "The session itself wrote or synced the binary log.")
            }
            Self::Commit => words(
                "commit",
                "commit",
                "Committing, while another thread wrote and synced the redo and binary logs.",
            ),
            Self::DataRead => {
                words("data-read", "data file reads", "Pages were not in the buffer pool.")
            }
            Self::DataWrite => words(
                "data-write",
                "data file writes",
                "The session itself wrote data files: no page was free, or the redo log was nearly \
                 full.",
            ),
            Self::Doublewrite => words(
                "doublewrite",
                "doublewrite",
                "The session itself wrote the doublewrite buffer.",
            ),
            Self::Temporary => {
                words("temporary", "temporary files", "Files of temporary tables and sorts.")
            }
            Self::Latch => words(
                "latch",
                "other threads",
                "Mutexes, latches and conditions: another thread of the server held or did what \
                 was wanted.",
            ),
            Self::Pause => words(
                "pause",
                "pauses",
                "The server let it sleep: back-off, purge lag, throttling.",
            ),
            Self::Network => words("network", "sending", "The client was slow to take its result."),
            Self::Other => words("other", "other", "Another call into the kernel."),
            Self::Statement => words(
                "statement",
                "in a statement",
                "Carrying out a statement: running, reading and waiting are not told apart.",
            ),
            Self::Idle => words("idle", "waiting for the client", "No request was there."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn classes_are_in_their_places_and_have_names_of_their_own() {
        for (index, class) in Class::ALL.into_iter().enumerate() {
            assert_eq!(class.index(), index);
        }
        let names: BTreeSet<_> = Class::ALL.map(Class::name).into();
        assert_eq!(names.len(), Class::ALL.len());
    }
}
