//! What sessions do: by the states that the server gives them, and by what their threads wait for.

use super::class::Class;
use host::counters::{Activity, FileCall};
use std::path::Path;

/// What a session does, as the server says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// It waits for its client.
    Idle,
    /// It commits.
    Commit,
    /// It waits for a lock on a table or its definition.
    TableLock,
    /// It carries out a statement.
    Statement,
}

/// A session of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Session {
    /// The system's thread that works for it, 0 where the server does not tell.
    pub(super) thread: u32,
    pub(super) doing: Doing,
    /// In the server's words; empty while it is idle.
    pub(super) state: String,
}

impl Session {
    /// A session by its command and state in the process list; none for what is no client's:
    /// daemons and replication.
    pub(super) fn of(thread: u32, command: &str, state: &str) -> Option<Self> {
        let doing = match command {
            "Sleep" => Doing::Idle,
            "Query" | "Execute" | "Prepare" | "Fetch" | "Close stmt" | "Reset stmt" => sort(state),
            "Init DB" | "Connect" | "Change user" | "Quit" | "Ping" => Doing::Statement,
            _ => return None,
        };
        let state = match doing {
            Doing::Idle => String::new(),
            _ if state.is_empty() => command.to_lowercase(),
            _ => state.to_lowercase(),
        };
        Some(Self { thread, doing, state })
    }
}

/// States differ between flavours and releases; what they say in common is enough.
fn sort(state: &str) -> Doing {
    let state = state.to_lowercase();
    match () {
        () if state.contains("commit") => Doing::Commit,
        () if state.starts_with("waiting for") && state.contains("lock") => Doing::TableLock,
        () => Doing::Statement,
    }
}

/// What a session's thread that was looked at waits for. `binlog` is the path of the binary logs
/// without their numbers.
pub(super) fn class(activity: &Activity, binlog: Option<&str>) -> Class {
    match activity {
        Activity::Runnable => Class::Processor,
        Activity::Receive => Class::Idle,
        Activity::Send => Class::Network,
        Activity::Lock => Class::Latch,
        Activity::Pause => Class::Pause,
        Activity::Other => Class::Other,
        Activity::File(call, file) => file_class(*call, file, binlog),
    }
}

fn file_class(call: FileCall, file: &Path, binlog: Option<&str>) -> Class {
    let path = file.to_string_lossy();
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let data = || match call {
        FileCall::Read => Class::DataRead,
        FileCall::Write | FileCall::Sync => Class::DataWrite,
    };
    match &*name {
        name if name.starts_with("ib_logfile") || name.starts_with("#ib_redo") => Class::Redo,
        _ if binlog.is_some_and(|binlog| path.starts_with(binlog)) => Class::Binlog,
        name if name.ends_with(".dblwr") => Class::Doublewrite,
        name if name.starts_with("ibtmp") || name.starts_with("temp_") => Class::Temporary,
        name if name.starts_with("#sql") || name.ends_with("(deleted)") => Class::Temporary,
        name if name.ends_with(".ibd") || name.ends_with(".ibu") => data(),
        name if name.starts_with("ibdata") || name.starts_with("undo") => data(),
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn states_of_both_flavours_are_sorted() {
        let doing = |command, state| Session::of(7, command, state).map(|session| session.doing);
        assert_eq!(doing("Sleep", ""), Some(Doing::Idle));
        assert_eq!(doing("Query", "waiting for handler commit"), Some(Doing::Commit));
        assert_eq!(doing("Query", "Commit"), Some(Doing::Commit));
        assert_eq!(doing("Query", "Waiting for table metadata lock"), Some(Doing::TableLock));
        assert_eq!(doing("Execute", "statistics"), Some(Doing::Statement));
        assert_eq!(doing("Daemon", "Waiting on empty queue"), None);
        assert_eq!(doing("Binlog Dump", ""), None);
        assert_eq!(Session::of(7, "Execute", "Updating").unwrap().state, "updating");
    }

    #[test]
    fn files_are_known_by_their_names() {
        use FileCall::{Read, Sync, Write};
        let class =
            |call, path: &str| class(&Activity::File(call, path.into()), Some("/data/master-bin"));
        assert_eq!(class(Sync, "/data/ib_logfile0"), Class::Redo);
        assert_eq!(class(Write, "/data/#innodb_redo/#ib_redo8"), Class::Redo);
        assert_eq!(class(Sync, "/data/master-bin.000002"), Class::Binlog);
        assert_eq!(class(Write, "/data/#ib_16384_0.dblwr"), Class::Doublewrite);
        assert_eq!(class(Read, "/data/sbtest/sbtest1.ibd"), Class::DataRead);
        assert_eq!(class(Sync, "/data/undo_001"), Class::DataWrite);
        assert_eq!(class(Write, "/tmp/#sql-temptable-1"), Class::Temporary);
        assert_eq!(class(Write, "/data/general.log"), Class::Other);
    }
}
