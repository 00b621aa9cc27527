//! `sysbench … cleanup`.

use super::{Fatal, Screen, options::Options, refusal};
use crate::{failure::Status, runtime::block_on};
use client::Connection;
use workloads::oltp::{self, DataSet, Error};

/// Drops the tables that are named by their number. A load that was broken off goes as a whole.
///
/// # Errors
/// What the server says.
pub(super) fn cleanup(options: &Options, screen: &Screen<'_>) -> Result<Status, Fatal> {
    let found = block_on(DataSet::find(&options.target)).map_err(|failure| failure.to_string())?;
    if matches!(found, Err(Error::HalfLoaded { .. })) {
        let dropped = block_on(oltp::cleanup(&options.target));
        let dropped = dropped.map_err(|failure| failure.to_string())?;
        dropped.map_err(|error| refusal::words(error, options))?;
    }
    let dropped = block_on(drop_tables(options, screen)).map_err(|failure| failure.to_string())?;
    dropped.map(|()| Status::Good).map_err(|error| error.to_string())
}

async fn drop_tables(options: &Options, screen: &Screen<'_>) -> Result<(), client::Error> {
    let mut connection = Connection::connect(&options.target).await?;
    for number in 1..=options.data.tables {
        screen.always(&format!("Dropping table 'sbtest{number}'...\n"));
        connection.run(&format!("DROP TABLE IF EXISTS sbtest{number}")).await?;
    }
    connection.close().await;
    Ok(())
}
