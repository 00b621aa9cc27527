//! Dropping a data set and its procedures.

use super::{
    error::Error,
    procedures,
    state::{self, CHUNK_TABLE, DataSet, STATE_TABLE},
};
use crate::tpcc::{self, Table, lock};
use client::Target;

/// Drops the tables and procedures of the data set in `target`'s database, whole or half loaded;
/// the database itself stays. Returns what was dropped, none where there was nothing of ours.
///
/// # Errors
/// [`Error::Busy`] while a load is at work on it; a refusal of the server, sorted.
pub async fn cleanup(target: &Target) -> Result<Option<DataSet>, Error> {
    let mut connection = state::open(target).await?;
    let Some(data) = DataSet::read(&mut connection, target).await? else {
        return Ok(None);
    };
    // A load that goes on would fill tables that are being dropped.
    lock::take(&mut connection, target, lock::PATIENCE_OF_CLEANUP, || Ok(())).await?;
    procedures::drop_all(&mut connection, target).await?;
    let ours = Table::ALL.iter().rev().map(|table| table.name(tpcc::Profile::Spec));
    // The description goes last, so that a broken-off cleanup can be started again.
    for name in ours.chain([CHUNK_TABLE, STATE_TABLE]) {
        let dropped = connection.run(&format!("DROP TABLE IF EXISTS {name}")).await;
        dropped.map_err(Error::sorted("dropping the tables", target))?;
    }
    connection.close().await;
    Ok(Some(data))
}
