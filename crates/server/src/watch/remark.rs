//! What could not be watched, said once.

use std::fmt;

/// Something that was not seen, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remark {
    /// The server cannot be asked at all.
    NoServer,
    /// The server is on another machine, or does not tell which process it is.
    NoProcess,
    /// The data directory is on no block device.
    NoDisk,
    /// The performance schema is off or unknown.
    NoSchema,
    /// The performance schema does not time mutexes.
    NoLatches,
    /// The instruments of the performance schema may not be read.
    NoInstruments,
    /// The metrics of InnoDB may not be read.
    NoMetrics,
    /// The sessions may not be listed.
    NoSessions,
    /// What the server's threads do may not be seen.
    NoThreads,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoServer => {
                "The server could not be asked for its counters: series of it are missing."
            }
            Self::NoProcess => {
                "The server runs on another machine, or does not tell its process: processor, \
                 memory and network are those of the load's machine, and what the server waited \
                 for is known by the states of its sessions alone."
            }
            Self::NoDisk => {
                "The data directory is on no block device of this machine (memory, network, or a \
                 file system over several devices): the disk's counters are missing."
            }
            Self::NoSchema => {
                "performance_schema is off: time in mutexes and latches is not told apart from \
                 other waits between threads, and background threads' file access is not timed."
            }
            Self::NoLatches => {
                "The performance schema does not time mutexes and latches (instruments \
                 wait/synch/% are off, as they are by default): which of them was waited for is \
                 not known."
            }
            Self::NoInstruments => {
                "This account may not read performance_schema: file access is not timed by the \
                 server."
            }
            Self::NoMetrics => {
                "This server has no information_schema.INNODB_METRICS, or does not let this \
                 account read it (privilege PROCESS): some series of InnoDB are missing."
            }
            Self::NoSessions => {
                "This server does not list its sessions to this account (privilege PROCESS): what \
                 they waited for is not known."
            }
            Self::NoThreads => {
                "What the server's threads wait for could not be looked at in /proc (it takes the \
                 server's user or root, and a thread for each connection): waits are known by the \
                 states of its sessions alone."
            }
        })
    }
}
