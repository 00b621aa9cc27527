//! Dropping the tables.

use super::{error::Error, state::State, tables};
use crate::tpcc::lock;
use client::{Connection, Target};

/// Drops every table of `target`'s database that is called `sbtest` and a number and is made like
/// those of sysbench, whoever made it, whole or half loaded; the database itself stays. Returns how
/// many they were.
///
/// # Errors
/// [`Error::Busy`] while a load is at work on it; [`Error::ForeignTable`] before anything is
/// dropped; a refusal of the server, sorted.
pub async fn cleanup(target: &Target) -> Result<u32, Error> {
    let connected = Connection::connect(target).await;
    let mut connection = connected.map_err(Error::of_target("connecting", target))?;
    // A load that goes on would fill tables that are being dropped.
    lock::take(&mut connection, target, lock::PATIENCE_OF_CLEANUP, || Ok(())).await?;
    let found = tables::list(&mut connection, target).await?;
    tables::refuse_foreign(target, &found)?;
    for number in found.keys() {
        let dropped = connection.run(&format!("DROP TABLE IF EXISTS sbtest{number}")).await;
        dropped.map_err(Error::of_target("dropping the tables", target))?;
    }
    let removed = State::remove(&mut connection).await;
    removed.map_err(Error::of_target("dropping the tables", target))?;
    connection.close().await;
    Ok(found.len() as u32)
}
