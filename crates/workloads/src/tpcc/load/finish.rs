//! The end of a load: indexes, foreign keys, statistics, and the word 'ready'.

use super::{LoadOptions, LoadProgress};
use crate::tpcc::{
    error::Error,
    profile::Profile,
    random::NuRandConstants,
    schema::{Addition, BENCHMARKSQL_CONFIG, additions},
    state::DataSet,
    table::Table,
};
use client::{Connection, Target};

pub(super) async fn finish(
    connection: &mut Connection,
    target: &Target,
    options: &LoadOptions,
    progress: &LoadProgress,
) -> Result<(), Error> {
    let database = target.database.as_deref().ok_or(Error::NoDatabaseNamed)?;
    // The rows are consistent by construction and `check` proves it; with the checks on, adding
    // a foreign key would copy the whole table.
    let sql = "SET SESSION foreign_key_checks=0";
    connection.run(sql).await.map_err(Error::database("preparing the session"))?;
    for addition in additions(options.profile) {
        progress.stopped()?;
        if is_there(connection, database, options.profile, addition).await? {
            continue;
        }
        progress.enter(addition.name);
        let added = connection.run(&addition.statement(options.profile)).await;
        let doing = format!("adding {}", addition.name);
        added.map_err(Error::sorted(&doing, &target.user, database))?;
    }
    if options.profile == Profile::BenchmarkSql {
        let written = write_config(connection, options).await;
        written.map_err(Error::database("writing bmsql_config"))?;
    }
    progress.enter("statistics");
    let names: Vec<_> = Table::ALL.iter().map(|table| table.name(options.profile)).collect();
    let analyzed = connection.query(&format!("ANALYZE TABLE {}", names.join(", "))).await;
    analyzed.map_err(Error::database("gathering statistics"))?;
    let LoadOptions { profile, warehouses, seed, .. } = *options;
    let ready = DataSet { profile, warehouses, seed, ready: true };
    ready.write(connection).await.map_err(Error::database("marking the data set as ready"))
}

/// A resumed load finds what an earlier one added.
async fn is_there(
    connection: &mut Connection,
    database: &str,
    profile: Profile,
    addition: &Addition,
) -> Result<bool, Error> {
    let (view, schema, name) = if addition.is_foreign_key() {
        ("TABLE_CONSTRAINTS", "CONSTRAINT_SCHEMA", "CONSTRAINT_NAME")
    } else {
        ("STATISTICS", "TABLE_SCHEMA", "INDEX_NAME")
    };
    let sql = format!(
        "SELECT COUNT(*) FROM information_schema.{view} WHERE {schema} = '{}' \
         AND TABLE_NAME = '{}' AND {name} = '{}'",
        database.replace('\\', "\\\\").replace('\'', "''"),
        addition.table.name(profile),
        addition.name
    );
    let doing = || format!("looking for {}", addition.name);
    let row = connection.query_one(&sql).await.map_err(Error::database(doing()))?;
    let count = row.map_or(Ok(0), |row| row.int(0)).map_err(Error::database(doing()))?;
    Ok(count > 0)
}

/// What BenchmarkSQL keeps about its data.
async fn write_config(
    connection: &mut Connection,
    options: &LoadOptions,
) -> Result<(), client::Error> {
    let constants = NuRandConstants::for_load(options.seed);
    connection
        .run(&format!(
            "CREATE TABLE IF NOT EXISTS {BENCHMARKSQL_CONFIG} (cfg_name VARCHAR(30) \
                 PRIMARY KEY, cfg_value VARCHAR(50)) ENGINE=InnoDB"
        ))
        .await?;
    let sql = format!(
        "REPLACE INTO {BENCHMARKSQL_CONFIG} VALUES ('warehouses', '{}'), ('nURandCLast', '{}'), \
         ('nURandCC_ID', '{}'), ('nURandCI_ID', '{}')",
        options.warehouses, constants.c_last, constants.c_id, constants.item
    );
    connection.run(&sql).await.map(drop)
}
