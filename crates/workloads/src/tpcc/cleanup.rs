//! Dropping a data set.

use super::{
    error::Error,
    state::{CHUNK_TABLE, DataSet, STATE_TABLE},
    table::Table,
};
use client::{Connection, Target};

/// Drops the tables of the data set in `target`'s database, whole or half loaded; the database
/// itself stays. Returns what was dropped, none where there was nothing of ours.
///
/// # Errors
/// A refusal of the server, sorted.
pub async fn cleanup(target: &Target) -> Result<Option<DataSet>, Error> {
    let database = target.database.as_deref().ok_or(Error::NoDatabaseNamed)?;
    let mut connection = Connection::connect(target).await.map_err(Error::sorted(
        "connecting",
        &target.user,
        database,
    ))?;
    let Some(data) = DataSet::read(&mut connection, target).await? else {
        return Ok(None);
    };
    let ours = Table::ALL.iter().rev().map(|table| table.name(data.profile));
    // The description goes last, so that a broken-off cleanup can be started again.
    let names: Vec<_> = ours.chain(["bmsql_config", CHUNK_TABLE, STATE_TABLE]).collect();
    connection
        .run("SET SESSION foreign_key_checks=0")
        .await
        .map_err(Error::database("preparing the session"))?;
    for name in names.into_iter().filter(|name| {
        *name != "bmsql_config" || data.profile == super::profile::Profile::BenchmarkSql
    }) {
        let dropped = connection.run(&format!("DROP TABLE IF EXISTS {name}")).await;
        dropped.map_err(Error::sorted("dropping the tables", &target.user, database))?;
    }
    connection.close().await;
    Ok(Some(data))
}
