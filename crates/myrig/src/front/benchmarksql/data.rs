//! The data set that a run finds: myrig's, or one that BenchmarkSQL has loaded itself.

use super::options::Options;
use crate::runtime::block_on;
use client::{Connection, Target};
use std::collections::BTreeMap;
use workloads::tpcc::{DataSet, Error, Profile, Table, random::NuRandConstants};

/// Seeds that are looked through for one with a given constant of 256.
const SEEDS: u64 = 100_000;

/// Finds the data, and makes sure that it has at least the warehouses that are to be used.
///
/// # Errors
/// What is missing and the way out.
pub(super) fn find(options: &Options) -> Result<DataSet, String> {
    let target = &options.target;
    let found = block_on(DataSet::expect(target, Some(Profile::BenchmarkSql)));
    let data = match found.map_err(|failure| failure.to_string())? {
        Ok(data) => data,
        Err(Error::NotLoaded { .. }) => foreign(target)?,
        Err(error) => return Err(words(error)),
    };
    if options.warehouses > data.warehouses {
        return Err(format!(
            "warehouses={}: numWarehouses cannot be greater than the warehouses loaded in the \
             database, {}; say warehouses={} or load more with build",
            options.warehouses, data.warehouses, data.warehouses
        ));
    }
    Ok(data)
}

/// What the workload refuses, in the words of BenchmarkSQL's commands.
pub(super) fn words(error: Error) -> String {
    match error {
        Error::NoDatabase { database } => format!(
            "there is no database `{database}` on this server: load it with build, or correct conn"
        ),
        Error::NotLoaded { database } => {
            format!("database `{database}` holds no BenchmarkSQL tables: load them with build")
        }
        Error::HalfLoaded { database, .. } => format!(
            "the tables in `{database}` are half loaded: give build again, which goes on where it \
             stopped, or destroy"
        ),
        Error::OtherData { database, option, found, wanted } => format!(
            "`{database}` holds TPC-C data of {option} {found}, not {wanted}: correct the \
             properties, name another database in conn, or drop the data with destroy"
        ),
        Error::MissingTable { database, table } => format!(
            "table `{table}` is missing from `{database}`: drop the rest with destroy and load \
             again with build"
        ),
        Error::ForeignTable { database, table } => format!(
            "database `{database}` has a table `{table}` already that was not made here: drop it \
             with destroy, or name another database in conn"
        ),
        Error::TooManyConnections { wanted, allowed, in_use, enough } => format!(
            "{wanted} connections do not fit: the server allows max_connections={allowed} and \
             {in_use} are in use; use fewer terminals or SET GLOBAL max_connections={enough}"
        ),
        Error::TooManyStatements { wanted, allowed, in_use, enough } => format!(
            "{wanted} prepared statements do not fit: the server allows \
             max_prepared_stmt_count={allowed} and {in_use} are in use; use fewer terminals or SET \
             GLOBAL max_prepared_stmt_count={enough}"
        ),
        Error::Busy { database } => format!(
            "another build or destroy is at work on database `{database}`: wait for it, or stop it"
        ),
        other => translated(&other.to_string()),
    }
}

/// Words of the libraries with parameters of the URL in place of myrig's options.
pub(super) fn translated(words: &str) -> String {
    let pairs = [
        ("--tls-mode ", "in conn sslMode="),
        ("--host", "a host in conn"),
        (" (--reconnect-give-up)", ""),
        (" (--failures-in-a-row)", ""),
    ];
    pairs.iter().fold(words.to_owned(), |words, (ours, theirs)| words.replace(ours, theirs))
}

/// Reads what BenchmarkSQL's own loader has written down.
fn foreign(target: &Target) -> Result<DataSet, String> {
    let database = target.database.clone().unwrap_or_default();
    let not_loaded = || words(Error::NotLoaded { database: database.clone() });
    let config = block_on(config(target)).map_err(|failure| failure.to_string())?;
    let config = config.map_err(|error| match error.code() {
        // No such table.
        1146 => not_loaded(),
        _ => error.to_string(),
    })?;
    let missing = block_on(missing_table(target)).map_err(|failure| failure.to_string())?;
    if let Some(table) = missing.map_err(|error| error.to_string())? {
        return Err(words(Error::MissingTable { database, table: table.into() }));
    }
    let value = |name: &str| config.get(name).and_then(|value| value.parse::<u32>().ok());
    let (warehouses, c_last) = (value("warehouses"), value("nURandCLast"));
    let warehouses = warehouses.filter(|count| *count > 0).ok_or_else(not_loaded)?;
    let c_last = c_last.ok_or_else(not_loaded)?;
    let seed = (0..SEEDS).find(|seed| NuRandConstants::for_load(*seed).c_last == c_last);
    let seed = seed.ok_or_else(|| {
        format!("bmsql_config says nURandCLast={c_last}, which is not from 0 to 255")
    })?;
    Ok(DataSet { profile: Profile::BenchmarkSql, warehouses, seed, ready: true })
}

async fn config(target: &Target) -> Result<BTreeMap<String, String>, client::Error> {
    let mut connection = Connection::connect(target).await?;
    let rows = connection.query("SELECT cfg_name, cfg_value FROM bmsql_config").await?;
    let pairs = rows.iter().filter_map(|row| Some((row.text(0)?, row.text(1)?))).collect();
    connection.close().await;
    Ok(pairs)
}

/// The first table that is not there.
async fn missing_table(target: &Target) -> Result<Option<&'static str>, client::Error> {
    let mut connection = Connection::connect(target).await?;
    let rows = connection.query("SHOW TABLES").await?;
    let there: Vec<String> = rows.iter().filter_map(|row| row.text(0)).collect();
    connection.close().await;
    let mut names = Table::ALL.iter().map(|table| table.name(Profile::BenchmarkSql));
    Ok(names.find(|name| !there.iter().any(|table| table == name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_of_a_load_has_a_seed() {
        for c_last in 0..=255 {
            let seed = (0..SEEDS).find(|seed| NuRandConstants::for_load(*seed).c_last == c_last);
            assert!(seed.is_some(), "{c_last}");
        }
    }
}
