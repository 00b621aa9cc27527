//! How each group of series is shown: the list, in the order of the page.

/// How a group is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// On top of each other, over the whole width.
    Wide,
    /// On top of each other: the parts of a whole.
    Stacked,
    /// A line each.
    Lines,
}

/// A group of series in one chart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<'a> {
    pub(super) name: &'a str,
    pub(super) title: &'a str,
    pub(super) caption: &'static str,
    pub(super) form: Form,
    /// Seen at once.
    pub(super) first: bool,
}

impl<'a> Group<'a> {
    /// What a later version may have watched.
    pub(super) fn unknown(name: &'a str) -> Self {
        Self { name, title: name, caption: "", form: Form::Lines, first: false }
    }

    pub(super) fn is_stacked(&self) -> bool {
        self.form != Form::Lines
    }

    /// A part of an identifier; a name from a record may hold anything.
    pub(super) fn id(&self) -> String {
        self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
    }
}

const fn group(
    name: &'static str,
    title: &'static str,
    caption: &'static str,
    form: Form,
) -> Group<'static> {
    Group { name, title, caption, form, first: false }
}

const fn first(name: &'static str, title: &'static str, form: Form) -> Group<'static> {
    Group { name, title, caption: "", form, first: true }
}

use Form::{Lines, Stacked, Wide};

/// Every group that is watched.
pub(super) const GROUPS: &[Group<'static>] = &[
    group(
        "waits",
        "What the sessions were at",
        "Average active sessions by class, on top of each other; sessions that waited for their \
         client are left out.",
        Wide,
    ),
    first("flash", "Write amplification, bytes on the media a byte of the host", Lines),
    first("processor", "Processors of the machine, by mode", Stacked),
    first("rows", "Rows a second", Lines),
    first("disk-bytes", "Disk of the data, bytes a second", Lines),
    first("logs", "Logs written, bytes a second", Lines),
    first("pool", "Pages of the buffer pool a second", Lines),
    first("threads", "Sessions of the server", Lines),
    group("statements", "Statements a second", "", Lines),
    group("commits", "Commits a second", "", Lines),
    group("server-processor", "Processors that the server kept busy", "", Stacked),
    group("throttling", "Hot processors slowed down, times a second", "", Lines),
    group("disk-operations", "Disk of the data, requests a second", "", Lines),
    group("disk-latency", "Disk of the data, time of a request, ms", "", Lines),
    group("disk-busy", "Disk of the data, busy, %", "Time with a request under way.", Lines),
    group("disk-queue", "Disk of the data, requests under way", "", Lines),
    group("data-files", "InnoDB's calls on data files a second", "", Lines),
    group("redo-operations", "Redo log, calls a second", "", Lines),
    group(
        "checkpoint",
        "Checkpoint age, bytes",
        "Redo that a crash would have to be \
         recovered from; at its limit, writes wait for the flushing of pages.",
        Lines,
    ),
    group("dirty", "Buffer pool, bytes", "", Lines),
    group("hits", "Requests that found their page in the pool, %", "", Lines),
    group("history", "History list, transactions not yet purged", "", Lines),
    group("row-locks", "Row locks: waits, deadlocks, timeouts a second", "", Lines),
    group("row-lock-waiters", "Sessions that wait for a row lock", "", Lines),
    group("temporary", "Temporary tables a second", "", Lines),
    group(
        "file-time",
        "Threads in calls on files",
        "All threads, background threads included, by the performance schema's clock.",
        Stacked,
    ),
    group("latch-time", "Threads waiting for mutexes and latches", "", Stacked),
    group("server-io", "Disk traffic of the server's process, bytes a second", "", Lines),
    group("server-memory", "Memory of the server's process, bytes", "", Lines),
    group("network", "Network, bytes a second", "", Lines),
    group("memory", "Memory of the machine, bytes", "", Lines),
    group("pressure", "Time with somebody short of a resource, %", "", Lines),
    group("idle", "Sessions that wait for their client", "", Lines),
];
