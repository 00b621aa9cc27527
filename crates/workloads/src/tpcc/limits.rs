//! Limits of the server that a run could meet, asked for before it starts.

use super::error::Error;
use client::{Connection, Target};

/// Asks whether `connections` sessions with so many prepared statements each have room beside
/// what is there.
///
/// # Errors
/// [`Error::TooManyConnections`] or [`Error::TooManyStatements`].
pub(crate) async fn room(
    target: &Target,
    connections: u32,
    statements_each: u64,
) -> Result<(), Error> {
    let database = target.database.as_deref().unwrap_or_default();
    let mut connection = Connection::connect(target).await.map_err(Error::sorted(
        "connecting",
        &target.user,
        database,
    ))?;
    let mut ask = async |sql: &str| -> Result<u64, Error> {
        let row = connection.query_one(sql).await.map_err(Error::database("asking limits"))?;
        // The value is in the last column of SHOW, in the only one of SELECT.
        Ok(row.and_then(|row| row.int(row.len() - 1).ok()).unwrap_or(0).max(0) as u64)
    };
    // Members of a cluster have their own limits; the share of one is what counts here.
    let wanted = u64::from(connections).div_ceil(target.endpoints.len().max(1) as u64);
    let allowed = ask("SELECT @@GLOBAL.max_connections").await?;
    // This very connection is among them and will be gone.
    let in_use = ask("SHOW GLOBAL STATUS LIKE 'Threads_connected'").await?.saturating_sub(1);
    if in_use + wanted > allowed {
        let enough = in_use + wanted + 1;
        return Err(Error::TooManyConnections { wanted, allowed, in_use, enough });
    }
    let wanted = wanted * statements_each;
    let allowed = ask("SELECT @@GLOBAL.max_prepared_stmt_count").await?;
    let in_use = ask("SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'").await?;
    connection.close().await;
    if in_use + wanted > allowed {
        let enough = in_use + wanted;
        return Err(Error::TooManyStatements { wanted, allowed, in_use, enough });
    }
    Ok(())
}
