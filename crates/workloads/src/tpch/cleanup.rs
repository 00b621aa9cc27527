//! Dropping a data set.

use super::{
    data_set::{DataSet, STATE_TABLE},
    error::Error,
    load::CHUNK_TABLE,
};
use crate::tpcc::lock;
use client::{Connection, Target};

/// Drops the tables of the data set in `target`'s database, whole or half loaded; the database
/// itself stays. Returns what was dropped, none where there was nothing of ours.
///
/// # Errors
/// [`Error::Busy`] while a load is at work on it; a refusal of the server, sorted.
pub async fn cleanup(target: &Target) -> Result<Option<DataSet>, Error> {
    let connected = Connection::connect(target).await;
    let mut connection = connected.map_err(Error::of_target("connecting", target))?;
    let Some(data) = DataSet::read(&mut connection, target).await? else {
        return Ok(None);
    };
    // A load that goes on would fill tables that are being dropped.
    lock::take(&mut connection, target, lock::PATIENCE_OF_CLEANUP, || Ok(())).await?;
    let ours = data.tables.iter().rev().map(|table| table.name());
    // The description goes last, so that a broken-off cleanup can be started again.
    for name in ours.chain([CHUNK_TABLE, STATE_TABLE]) {
        let dropped = connection.run(&format!("DROP TABLE IF EXISTS {name}")).await;
        dropped.map_err(Error::of_target("dropping the tables", target))?;
    }
    connection.close().await;
    Ok(Some(data))
}
