//! What can go wrong with a server, and the way out where there is one.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    home::InstanceName,
    log::{Cause, LogTail},
};

/// A server that was not found, or an instance that could not be brought where it should be.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No server program in any of the places.
    #[error(
        "no {wanted} server was found (looked in {searched}): name one with --mysqld or \
         --basedir, or install one (Debian, Ubuntu: `apt-get install mariadb-server-core \
         mariadb-client-core`; Fedora, RHEL: `dnf install mariadb-server` or `mysql-server`)"
    )]
    NoServer {
        /// The flavour that was asked for, or "MySQL or MariaDB".
        wanted: String,
        /// The places, separated by commas.
        searched: String,
    },
    /// A named program is not a server, or it does not run.
    #[error("{path} is not a MySQL or MariaDB server: {reason}; see --mysqld and --basedir")]
    NotAServer {
        /// The program.
        path: PathBuf,
        /// What it did instead of telling its version.
        reason: String,
    },
    /// The server lacks a file that initialisation needs.
    #[error(
        "{path} is missing, and without it no {release} instance can be made: the installation \
         is incomplete (Debian: package mariadb-server-core); see --basedir"
    )]
    Incomplete {
        /// The missing file.
        path: PathBuf,
        /// The server in words.
        release: String,
    },
    /// Not a name for an instance.
    #[error("`{name}` cannot name an instance: {reason}")]
    Name {
        /// The text.
        name: String,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// A server setting that an instance cannot take.
    #[error("server setting `{name}` cannot be used: {reason}")]
    Setting {
        /// The setting as it was given.
        name: String,
        /// Why, and what to use instead.
        reason: String,
    },
    /// The directory tree cannot be written.
    #[error("cannot keep servers in {path}: {source}; choose another directory with --home")]
    Home {
        /// The directory that resisted.
        path: PathBuf,
        /// How.
        source: io::Error,
    },
    /// The server's UNIX socket would have a path longer than the kernel takes.
    #[error(
        "socket path {path} is {bytes} bytes long and the system takes at most {limit}; \
         choose a shorter directory with --home"
    )]
    SocketPath {
        /// The path.
        path: PathBuf,
        /// Its length.
        bytes: usize,
        /// The longest that works.
        limit: usize,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// A verb: read, write, remove …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// One of our own files does not hold what it should.
    #[error("{path} is damaged: {reason}")]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The device is full.
    #[error("no space left on the device that holds {path}; free some, or use --home{log}")]
    DiskFull {
        /// The file or directory that could not grow.
        path: PathBuf,
        /// What the server said, if it was the server that noticed.
        log: LogTail,
    },
    /// `init` of a name that is taken.
    #[error("instance `{0}` exists already; remove it first, or use another name")]
    Exists(InstanceName),
    /// No such instance.
    #[error("there is no instance `{name}` in {servers}; `init` makes one")]
    NoInstance {
        /// The name.
        name: InstanceName,
        /// The directory that would hold it.
        servers: PathBuf,
    },
    /// Another command is at work on the instance.
    #[error("instance `{name}` is busy: `{verb}` by process {pid} is under way; try again later")]
    Busy {
        /// The instance.
        name: String,
        /// What the other command does.
        verb: String,
        /// The other command's process, as text ("?" in the instant before it has said).
        pid: String,
    },
    /// Somebody else listens on the instance's port.
    #[error(
        "port {port} on 127.0.0.1 is in use by another program; \
         choose another for `{name}` with --port"
    )]
    PortInUse {
        /// The instance.
        name: InstanceName,
        /// The port.
        port: u16,
    },
    /// No free port was found.
    #[error("no free port between {first} and {last}; choose one with --port")]
    NoFreePort {
        /// Lowest port tried.
        first: u16,
        /// Highest port tried.
        last: u16,
    },
    /// The server could not make its data directory.
    #[error("{release} could not initialise `{name}` ({ended}){log}")]
    Init {
        /// The instance.
        name: InstanceName,
        /// The server in words.
        release: String,
        /// How its process ended.
        ended: String,
        /// The end of its log.
        log: LogTail,
    },
    /// The server's process ended during the start.
    #[error("`{name}` died while starting ({ended}){log}")]
    Died {
        /// The instance.
        name: InstanceName,
        /// How its process ended.
        ended: String,
        /// The end of its log.
        log: LogTail,
    },
    /// The server did not answer in time; its process has been killed.
    #[error("`{name}` did not answer within {deadline:?} and was killed{log}")]
    NotReady {
        /// The instance.
        name: InstanceName,
        /// How long it had.
        deadline: Duration,
        /// The end of its log.
        log: LogTail,
    },
    /// The server answers but refuses our account.
    #[error(
        "`{name}` refuses the password in {password_file}: {source}; was it changed in the server?"
    )]
    Refused {
        /// The instance.
        name: InstanceName,
        /// The file with the password of root.
        password_file: PathBuf,
        /// The server's words.
        source: client::Error,
    },
    /// `start`, `adopt` or `remove` of an instance that runs.
    #[error("`{name}` is running already as process {pid}; `stop` ends it")]
    Running {
        /// The instance.
        name: InstanceName,
        /// Its server's process.
        pid: u32,
    },
    /// A server that no finished `start` accounts for works on the instance's data.
    #[error(
        "process {pid} works on the data of `{name}` though no finished start accounts for it; \
         `stop` ends it"
    )]
    Orphaned {
        /// The instance.
        name: InstanceName,
        /// The process.
        pid: u32,
    },
    /// A size that no kernel could hold a server to.
    #[error("the size of an instance: {0}")]
    Size(#[from] host::SizeError),
    /// A setting that the machine, or the instance's limits, cannot hold.
    #[error("{0}")]
    Beyond(crate::sizing::Excess),
    /// No room for a buffer pool.
    #[error(
        "{memory} are too little for {release} with {connections} connections: {missing} are \
         missing for the least of buffer pools; give it more memory, or fewer connections"
    )]
    TooSmall {
        /// What there is.
        memory: String,
        /// The server.
        release: String,
        /// How many connections were counted.
        connections: u32,
        /// How much is missing.
        missing: String,
    },
    /// Limits that cannot be set, or are not kept.
    #[error("the size of an instance: {0}")]
    Limit(#[from] host::cgroup::CgroupError),
    /// The kernel has killed the server for taking more memory than its size allows.
    #[error(
        "`{name}` was killed by its memory limit ({size}): give it more with --memory, or a \
         smaller innodb_buffer_pool_size"
    )]
    OutOfMemory {
        /// The instance.
        name: InstanceName,
        /// Its limits.
        size: host::Size,
    },
    /// Processors or NUMA nodes that this machine does not have.
    #[error("the place of an instance: {0}")]
    Placement(#[from] host::PlacementError),
    /// A directory for data that will not do.
    #[error("the data directory {path}: {reason}")]
    Data {
        /// The directory.
        path: PathBuf,
        /// Why not, and what to do.
        reason: &'static str,
    },
    /// There is no process where one is needed.
    #[error("`{0}` is not running")]
    NotRunning(InstanceName),
    /// The server did not end in time; it has been left alone.
    #[error("`{name}` (process {pid}) did not end within {deadline:?}; wait longer, or kill it")]
    StillRunning {
        /// The instance.
        name: InstanceName,
        /// Its server's process.
        pid: u32,
        /// How long it had.
        deadline: Duration,
    },
    /// The system would not let us watch or signal a process.
    #[error("cannot reach process {pid} of `{name}`: {source}; whose is it?")]
    Process {
        /// The instance.
        name: InstanceName,
        /// The process.
        pid: u32,
        /// Why.
        source: io::Error,
    },
}

impl Error {
    /// An I/O error with its place; a full device is told apart.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull => Self::DiskFull { path, log: LogTail::default() },
            _ => Self::Io { action, path, source },
        }
    }

    /// An I/O error in making the directory tree, which another `--home` would mend.
    pub(crate) fn home(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull => Self::io("create", path, source),
            _ => Self::Home { path: path.to_owned(), source },
        }
    }

    /// What the log says went wrong, where that is one of the cases with a known way out.
    pub(crate) fn from_log(
        cause: Cause,
        name: &InstanceName,
        port: u16,
        path: &Path,
        log: LogTail,
    ) -> Self {
        match cause {
            Cause::PortInUse => Self::PortInUse { name: name.clone(), port },
            Cause::DiskFull => Self::DiskFull { path: path.to_owned(), log },
        }
    }
}
