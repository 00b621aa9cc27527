//! What can keep OLTP from being loaded, run or checked, and the way out.

/// OLTP could not be loaded, run or checked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An option makes no sense; the sentence names it.
    #[error("{0}")]
    Options(String),
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
        "there is no database `{database}` on this server: make tables with `myrig oltp prepare \
         --database {database}`"
    )]
    NoDatabase {
        /// The database's name.
        database: String,
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
    /// A table is not there.
    #[error(
        "table `sbtest{number}` is missing from `{database}`: make it with `myrig oltp prepare \
         --tables {tables} --database {database}`{smaller}"
    )]
    MissingTable {
        /// The database's name.
        database: String,
        /// The table's number.
        number: u32,
        /// Tables that are needed.
        tables: u32,
        /// `, or say --tables N` where some are there.
        smaller: String,
    },
    /// The tables are smaller than said.
    #[error(
        "the tables in `{database}` hold keys up to {found} only, not {wanted}: say --table-size \
         {found}, or make larger ones with `myrig oltp cleanup` and `prepare --table-size {wanted}`"
    )]
    TooFewRows {
        /// The database's name.
        database: String,
        /// The greatest key that all tables have.
        found: u32,
        /// What was asked for.
        wanted: u32,
    },
    /// A table of that name is there and none of sysbench's.
    #[error(
        "table `sbtest{number}` of `{database}` is not made like those of sysbench ({why}): use \
         another --database, or drop the table yourself"
    )]
    ForeignTable {
        /// The database's name.
        database: String,
        /// The table's number.
        number: u32,
        /// What is different.
        why: String,
    },
    /// Other tables are in the way of those that are to be made.
    #[error(
        "`{database}` holds tables with {option} {found}, not {wanted}: drop them with `myrig oltp \
         cleanup --database {database}`, or use another --database"
    )]
    OtherData {
        /// The database's name.
        database: String,
        /// The option that differs, without its dashes.
        option: &'static str,
        /// What the tables have.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// The load never ended.
    #[error(
        "the tables in `{database}` are half loaded: finish them with `myrig oltp prepare --tables \
         {tables} --table-size {table_size} --seed {seed}`, which goes on where it stopped, or \
         drop them with `myrig oltp cleanup`"
    )]
    HalfLoaded {
        /// The database's name.
        database: String,
        /// Tables that there will be.
        tables: u32,
        /// Rows that each will have.
        table_size: u32,
        /// Seed that they are made from.
        seed: u64,
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
         --tables, --protocol text, or SET GLOBAL max_prepared_stmt_count={enough}"
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
        "another `myrig oltp prepare` or `cleanup` is at work on database `{database}`: wait for \
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
    #[error("a loading thread panicked: please report it")]
    Panicked,
    /// The system would not give a thread or a runtime.
    #[error("cannot start a loading thread: {0}")]
    Thread(#[from] std::io::Error),
}

impl Error {
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
            _ if crate::tpcc::error::is_disk_full(&source) => Self::DiskFull { doing, source },
            _ => Self::Database { doing, source },
        }
    }
}
