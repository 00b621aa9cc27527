//! What an instance is doing, from its records and the process table.

use std::{fmt, fs, path::PathBuf, time::SystemTime};

use crate::{
    instance::Instance,
    lock::Holder,
    process::{Identity, ProcessTable},
    record::{self, RunRecord},
};

/// The verb under which a start holds the instance's lock.
pub(crate) const START: &str = "start";

/// A server that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serving {
    /// Its process.
    pub pid: u32,
    /// When the process started, where the system tells.
    pub since: Option<SystemTime>,
    /// Its port on 127.0.0.1.
    pub port: u16,
    /// Its UNIX socket.
    pub socket: PathBuf,
    /// Its version as it writes it.
    pub version: String,
}

/// What an instance is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing: it was never started, or has been shut down.
    Stopped,
    /// A start is waiting for its server to answer.
    Starting {
        /// The server's process.
        pid: u32,
    },
    /// Its server works.
    Running(Serving),
    /// Its server is gone without having shut down; the next start recovers the data.
    Crashed {
        /// The process that was, where it is known.
        pid: Option<u32>,
    },
    /// A server works on its data that no finished start accounts for: the start was killed, or
    /// somebody ran the server by hand. It can be stopped, or adopted.
    Orphaned {
        /// The server's process.
        pid: u32,
    },
}

impl Status {
    pub(crate) fn of(instance: &Instance, table: &ProcessTable) -> Self {
        match Finding::of(instance, table) {
            Finding::Ready(process) => Self::Running(instance.serving(process)),
            Finding::Unaccounted(process) => {
                let holder = Holder::of(&instance.layout.lock());
                match holder.is_some_and(|holder| holder.verb == START) {
                    true => Self::Starting { pid: process.pid },
                    false => Self::Orphaned { pid: process.pid },
                }
            }
            Finding::Dead(pid) => Self::Crashed { pid },
            Finding::Nothing => Self::Stopped,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("stopped"),
            Self::Starting { pid } => write!(f, "starting (process {pid})"),
            Self::Running(serving) => write!(f, "running (process {})", serving.pid),
            Self::Crashed { pid: Some(pid) } => write!(f, "crashed (was process {pid})"),
            Self::Crashed { pid: None } => f.write_str("crashed"),
            Self::Orphaned { pid } => write!(f, "orphaned (process {pid})"),
        }
    }
}

/// What there is of an instance's server, whoever else is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// A process that a finished start or adoption accounts for.
    Ready(Identity),
    /// A process that none accounts for.
    Unaccounted(Identity),
    /// Traces of a process that did not shut down.
    Dead(Option<u32>),
    /// Neither.
    Nothing,
}

impl Finding {
    pub(crate) fn of(instance: &Instance, table: &ProcessTable) -> Self {
        let layout = &instance.layout;
        // A damaged run record is as good as none: the process table is asked next.
        let run: Option<RunRecord> = record::read(&layout.run_record()).ok();
        match run {
            Some(run) if table.is_alive(run.process) && run.ready => {
                return Self::Ready(run.process);
            }
            Some(run) if table.is_alive(run.process) => return Self::Unaccounted(run.process),
            _ => {}
        }
        if let Some(process) = table.server_on(&layout.data()) {
            return Self::Unaccounted(process);
        }
        // A server that shuts down removes its pid file, whoever asked it to.
        match fs::read_to_string(layout.pid()) {
            Ok(text) => Self::Dead(text.trim().parse().ok().or(run.map(|run| run.process.pid))),
            Err(_) => Self::Nothing,
        }
    }

    /// The living process, if there is one.
    pub(crate) fn process(self) -> Option<Identity> {
        match self {
            Self::Ready(process) | Self::Unaccounted(process) => Some(process),
            Self::Dead(_) | Self::Nothing => None,
        }
    }
}
