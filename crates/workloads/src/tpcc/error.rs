//! What can keep TPC-C from being loaded, run or checked, and the way out.

use super::profile::Profile;

/// TPC-C could not be loaded, run or checked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server refused, or the connection broke.
    #[error("{doing}: {source}")]
    Database {
        /// What was being done.
        doing: String,
        /// What the server or the network said.
        source: client::Error,
    },
    /// The server has no room left for its files.
    #[error("{doing}: the server's disk is full, make room on it ({source})")]
    DiskFull {
        /// What was being done.
        doing: String,
        /// What the server said.
        source: client::Error,
    },
    /// No database was named.
    #[error("no database was named: say --database NAME")]
    NoDatabaseNamed,
    /// The database does not exist.
    #[error(
        "there is no database `{database}` on this server: load one with `myrig tpcc prepare \
         --database {database}`"
    )]
    NoDatabase {
        /// The database's name.
        database: String,
    },
    /// No data set of ours is in the database.
    #[error(
        "database `{database}` holds no TPC-C data: load it with `myrig tpcc prepare --database \
         {database}`"
    )]
    NotLoaded {
        /// The database's name.
        database: String,
    },
    /// The load never ended.
    #[error(
        "the TPC-C data in `{database}` is half loaded: finish it with `myrig tpcc prepare \
         --profile {profile} --warehouses {warehouses} --seed {seed}`, which goes on where it \
         stopped, or drop it with `myrig tpcc cleanup`"
    )]
    HalfLoaded {
        /// The database's name.
        database: String,
        /// Profile of the data.
        profile: Profile,
        /// Warehouses that it will have.
        warehouses: u32,
        /// Seed that it is made from.
        seed: u64,
    },
    /// The data is of another profile, size or seed than asked for.
    #[error(
        "`{database}` holds TPC-C data of {option} {found}, not {wanted}: say --{option} {found}, \
         or drop it with `myrig tpcc cleanup`"
    )]
    OtherData {
        /// The database's name.
        database: String,
        /// The option that differs.
        option: &'static str,
        /// What the data has.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// A table of the data set is gone.
    #[error(
        "table `{table}` is missing from `{database}` although its load ended: drop the rest with \
         `myrig tpcc cleanup` and load again"
    )]
    MissingTable {
        /// The database's name.
        database: String,
        /// The table's name.
        table: String,
    },
    /// A table of the same name is there, and it is not ours.
    #[error(
        "database `{database}` has a table `{table}` that myrig did not make: load into another \
         --database, or drop the table yourself"
    )]
    ForeignTable {
        /// The database's name.
        database: String,
        /// The table's name.
        table: String,
    },
    /// The account may not do what is needed.
    #[error(
        "account `{user}` lacks a privilege ({message}); grant it with: GRANT ALL ON \
         `{database}`.* TO …"
    )]
    Denied {
        /// Account name.
        user: String,
        /// The database's name.
        database: String,
        /// The server's words.
        message: String,
    },
    /// The server has no room for so many connections.
    #[error(
        "{wanted} connections do not fit: the server allows max_connections={allowed} and {in_use} \
         are in use; use fewer --connections or SET GLOBAL max_connections={enough}"
    )]
    TooManyConnections {
        /// Connections that the run needs.
        wanted: u64,
        /// The server's `max_connections`.
        allowed: u64,
        /// `Threads_connected`.
        in_use: u64,
        /// A value that would do.
        enough: u64,
    },
    /// The server has no room for the prepared statements.
    #[error(
        "{wanted} prepared statements do not fit: the server allows \
         max_prepared_stmt_count={allowed} and {in_use} are in use; use fewer --connections or \
         SET GLOBAL max_prepared_stmt_count={enough}"
    )]
    TooManyStatements {
        /// Statements that the run needs.
        wanted: u64,
        /// The server's limit.
        allowed: u64,
        /// `Prepared_stmt_count`.
        in_use: u64,
        /// A value that would do.
        enough: u64,
    },
    /// Another load or cleanup holds the database.
    #[error(
        "another `myrig tpcc prepare` or `cleanup` is at work on database `{database}`: wait for \
         it, or stop it"
    )]
    Busy {
        /// The database's name.
        database: String,
    },
    /// The server refuses LOAD DATA LOCAL although it was asked for by name.
    #[error(
        "the server allows no LOAD DATA LOCAL (local_infile=OFF): say --load-method insert, or \
         SET GLOBAL local_infile=ON"
    )]
    NoLocalInfile,
    /// The load was asked to stop.
    #[error("stopped; the same command goes on where it was")]
    Stopped,
    /// A thread of ours ended in a way that it must not: a fault of myrig's.
    #[error("a loading or checking thread panicked: please report it")]
    Panicked,
    /// The system would not give a thread or a runtime.
    #[error("cannot start a loading thread: {0}")]
    Thread(#[from] std::io::Error),
}

impl Error {
    /// Wraps an error of the server with what was being done.
    pub(crate) fn database(doing: impl Into<String>) -> impl FnOnce(client::Error) -> Self {
        let doing = doing.into();
        move |source| match is_disk_full(&source) {
            true => Self::DiskFull { doing, source },
            false => Self::Database { doing, source },
        }
    }

    /// Wraps an error of the server, giving those a name that a person can mend.
    pub(crate) fn sorted(
        doing: &str,
        user: &str,
        database: &str,
    ) -> impl FnOnce(client::Error) -> Self + use<> {
        let (doing, user, database) = (doing.to_owned(), user.to_owned(), database.to_owned());
        move |source| match source.code() {
            1049 => Self::NoDatabase { database },
            1044 | 1142 | 1143 | 1227 => {
                Self::Denied { user, database, message: source.to_string() }
            }
            _ => Self::database(doing)(source),
        }
    }
}

/// A write that failed (3), a file that cannot grow (14, what MariaDB's InnoDB says of a full
/// disk), a full disk (20, 1021), a failed write (1026), a full table (1114), or the system's
/// words.
pub(crate) fn is_disk_full(error: &client::Error) -> bool {
    let client::Error::Server { code, message, .. } = error else { return false };
    matches!(code, 3 | 14 | 20 | 1021 | 1026 | 1114) || message.contains("No space left on device")
}
