//! Dropping a data set.

use super::{
    error::Error,
    lock, schema,
    state::{CHUNK_TABLE, DataSet, STATE_TABLE},
};
use client::{Connection, Target};

/// Drops the tables of the data set in `target`'s database, whole or half loaded; the database
/// itself stays. Returns what was dropped, none where there was nothing of ours.
///
/// # Errors
/// [`Error::Busy`] while a load is at work on it; a refusal of the server, sorted.
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
    // A load that goes on would fill tables that are being dropped.
    lock::take(&mut connection, target, lock::PATIENCE_OF_CLEANUP, || Ok(())).await?;
    let ours = schema::names(data.profile).into_iter().rev();
    // The description goes last, so that a broken-off cleanup can be started again.
    let names = ours.chain([CHUNK_TABLE, STATE_TABLE]);
    connection
        .run("SET SESSION foreign_key_checks=0")
        .await
        .map_err(Error::database("preparing the session"))?;
    for name in names {
        let dropped = connection.run(&format!("DROP TABLE IF EXISTS {name}")).await;
        dropped.map_err(Error::sorted("dropping the tables", &target.user, database))?;
    }
    connection.close().await;
    Ok(Some(data))
}
