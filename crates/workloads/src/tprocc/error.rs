//! What can keep TPROC-C from being loaded, run or checked, and the way out.

use super::profile::Profile;
use crate::tpcc;
use client::Target;

/// TPROC-C could not be loaded, run or checked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What TPC-C has a word for as well: the server's refusals, its limits, a full disk.
    #[error(transparent)]
    Common(tpcc::Error),
    /// Another load or cleanup holds the database.
    #[error(
        "another `myrig tprocc prepare` or `cleanup` is at work on database `{database}`: wait \
         for it, or stop it"
    )]
    Busy {
        /// The database's name.
        database: String,
    },
    /// No data set of ours is in the database.
    #[error(
        "database `{database}` holds no TPROC-C data of myrig's: load it with `myrig tprocc \
         prepare --database {database}`"
    )]
    NotLoaded {
        /// The database's name.
        database: String,
    },
    /// The load never ended.
    #[error(
        "the TPROC-C data in `{database}` is half loaded: finish it with `myrig tprocc prepare \
         --profile {profile} --warehouses {warehouses} --seed {seed}`, which goes on where it \
         stopped, or drop it with `myrig tprocc cleanup`"
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
    /// The data is of another profile, size, seed or kind of table than asked for.
    #[error(
        "`{database}` holds TPROC-C data of {option} {found}, not {wanted}: say --{option} \
         {found}, or drop it with `myrig tprocc cleanup`"
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
    /// The WAREHOUSE table has another number of rows than the load left there.
    #[error(
        "`{database}` was loaded with {expected} warehouses and has {found}: drop it with `myrig \
         tprocc cleanup` and load again"
    )]
    OtherWarehouses {
        /// The database's name.
        database: String,
        /// What the load left.
        expected: u32,
        /// What is there.
        found: i64,
    },
    /// A table of the data set is gone.
    #[error(
        "table `{table}` is missing from `{database}` although its load ended: drop the rest with \
         `myrig tprocc cleanup` and load again"
    )]
    MissingTable {
        /// The database's name.
        database: String,
        /// The table's name.
        table: String,
    },
    /// A table of the same name is there, and it is not ours.
    #[error(
        "database `{database}` has a table `{table}` that `myrig tprocc` did not make: load into \
         another --database, or drop the table yourself"
    )]
    ForeignTable {
        /// The database's name.
        database: String,
        /// The table's name.
        table: String,
    },
    /// A procedure is missing, or of another profile or version.
    #[error(
        "procedure {name} of `{database}` is {found}, not `{wanted}`: `myrig tprocc prepare \
         --database {database} --procedures-only` replaces the five and leaves the data alone"
    )]
    OtherProcedures {
        /// The database's name.
        database: String,
        /// The procedure's name.
        name: &'static str,
        /// What there is.
        found: String,
        /// The comment that it should have.
        wanted: String,
    },
    /// The account may not make procedures.
    #[error(
        "account `{user}` may not make procedures in `{database}` ({message}); grant it with: \
         GRANT CREATE ROUTINE, ALTER ROUTINE, EXECUTE ON `{database}`.* TO …"
    )]
    NoCreateRoutine {
        /// Account name.
        user: String,
        /// The database's name.
        database: String,
        /// The server's words.
        message: String,
    },
    /// The account may not call the procedures.
    #[error(
        "account `{user}` may not call the procedures of `{database}` ({message}); grant it with: \
         GRANT EXECUTE ON `{database}`.* TO …"
    )]
    NoExecute {
        /// Account name.
        user: String,
        /// The database's name.
        database: String,
        /// The server's words.
        message: String,
    },
    /// The server refuses the tables' storage engine or partitions.
    #[error(
        "the server makes no such tables ({message}): see --engine, --partitions and --history-key"
    )]
    TableOptions {
        /// The server's words.
        message: String,
    },
}

/// Access denied to a routine: ER_PROCACCESS_DENIED_ERROR.
const PROCEDURE_DENIED: u16 = 1370;
/// Access denied to a database, for want of CREATE ROUTINE there: ER_DBACCESS_DENIED_ERROR.
const DATABASE_DENIED: u16 = 1044;
/// A global privilege is missing: ER_SPECIFIC_ACCESS_DENIED_ERROR.
const PRIVILEGE_MISSING: u16 = 1227;

impl From<tpcc::Error> for Error {
    /// What would send its reader to another command gets this one's words.
    fn from(error: tpcc::Error) -> Self {
        match error {
            tpcc::Error::NoDatabase { database } => Self::NotLoaded { database },
            tpcc::Error::Busy { database } => Self::Busy { database },
            other => Self::Common(other),
        }
    }
}

impl Error {
    /// Wraps an error of the server with what was being done.
    pub(crate) fn database(doing: impl Into<String>) -> impl FnOnce(client::Error) -> Self {
        let wrap = tpcc::Error::database(doing);
        move |source| wrap(source).into()
    }

    /// Wraps an error of the server, giving those a name that a person can mend.
    pub(crate) fn sorted(
        doing: &str,
        target: &Target,
    ) -> impl FnOnce(client::Error) -> Self + use<> {
        let database = target.database.as_deref().unwrap_or_default();
        let wrap = tpcc::Error::sorted(doing, &target.user, database);
        move |source| wrap(source).into()
    }

    /// Wraps a refusal met while procedures are made or dropped.
    pub(super) fn routine(target: &Target, doing: String, source: client::Error) -> Self {
        match source.code() {
            PROCEDURE_DENIED | DATABASE_DENIED | PRIVILEGE_MISSING => Self::NoCreateRoutine {
                user: target.user.clone(),
                database: target.database.clone().unwrap_or_default(),
                message: source.to_string(),
            },
            _ => Self::database(doing)(source),
        }
    }

    /// Wraps a refusal met while a procedure is called.
    pub(super) fn call(target: &Target, source: client::Error) -> Self {
        match source.code() {
            PROCEDURE_DENIED => Self::NoExecute {
                user: target.user.clone(),
                database: target.database.clone().unwrap_or_default(),
                message: source.to_string(),
            },
            _ => Self::sorted("calling a procedure", target)(source),
        }
    }
}
