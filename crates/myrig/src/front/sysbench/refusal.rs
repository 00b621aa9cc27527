//! What the workload refuses, in the words of sysbench's options.

use super::options::Options;
use workloads::{oltp::Error, tpcc};

/// Says what a person can mend with an option that they know.
pub(super) fn words(error: Error, options: &Options) -> String {
    let name = |modern: &'static str, legacy: &'static str| {
        if options.script.is_legacy { legacy } else { modern }
    };
    let tables = name("--tables", "--oltp-tables-count");
    let table_size = name("--table-size", "--oltp-table-size");
    match error {
        Error::MissingTable { database, number, tables: wanted, .. } => format!(
            "table `sbtest{number}` is missing from `{database}`: make it with the command prepare \
             and {tables}={wanted}, or use fewer {tables}"
        ),
        Error::TooFewRows { database, found, wanted } => format!(
            "the tables in `{database}` hold keys up to {found} only, not {wanted}: say \
             {table_size}={found}, or make larger ones with the commands cleanup and prepare"
        ),
        Error::NoDatabase { database } => format!(
            "there is no database `{database}` on this server: make it (CREATE DATABASE), or name \
             another with --mysql-db"
        ),
        Error::ForeignTable { database, number, why } => format!(
            "table `sbtest{number}` of `{database}` is not made like those of sysbench ({why}): \
             name another --mysql-db, or drop the table yourself"
        ),
        Error::OtherData { database, option, found, wanted } => format!(
            "`{database}` holds tables of sysbench with {option} {found}, not {wanted}: drop them \
             with the command cleanup, or name another --mysql-db"
        ),
        Error::HalfLoaded { database, .. } => format!(
            "the tables in `{database}` are half loaded: give the command prepare again, which \
             goes on where it stopped, or cleanup"
        ),
        Error::Common(tpcc::Error::TooManyConnections { wanted, allowed, in_use, enough }) => {
            format!(
                "{wanted} connections do not fit: the server allows max_connections={allowed} and \
             {in_use} are in use; use fewer --threads or SET GLOBAL max_connections={enough}"
            )
        }
        Error::TooManyStatements { wanted, allowed, in_use, enough } => format!(
            "{wanted} prepared statements do not fit: the server allows \
             max_prepared_stmt_count={allowed} and {in_use} are in use; use fewer --threads or \
             {tables}, say --db-ps-mode=disable, or SET GLOBAL max_prepared_stmt_count={enough}"
        ),
        other => other.to_string(),
    }
}

/// Words of the libraries with sysbench's options in place of myrig's.
pub(super) fn translated(words: &str) -> String {
    let pairs = [
        ("--tls-mode ", "--mysql-ssl="),
        ("--tls-", "--mysql-ssl-"),
        ("--host", "--mysql-host"),
        ("--connections", "--threads"),
        ("--database ", "--mysql-db="),
        (" (--reconnect-give-up)", ""),
    ];
    pairs.iter().fold(words.to_owned(), |words, (ours, theirs)| words.replace(ours, theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_sysbench() {
        assert_eq!(
            translated("allow plain text with --tls-mode preferred; see --tls-ca"),
            "allow plain text with --mysql-ssl=preferred; see --mysql-ssl-ca"
        );
    }
}
