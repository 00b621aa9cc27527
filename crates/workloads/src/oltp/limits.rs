//! Limits of the server that a run could meet, asked for before it starts.

use super::error::Error;
use crate::tpcc;
use client::Connection;

/// Asks whether so many sessions and prepared statements have room beside what is there.
///
/// # Errors
/// [`Error::TooManyConnections`] or [`Error::TooManyStatements`].
pub(super) async fn check(
    connection: &mut Connection,
    connections: u64,
    statements: u64,
) -> Result<(), Error> {
    let allowed = ask(connection, "SELECT @@GLOBAL.max_connections").await?;
    // This very connection is among them and will be gone.
    let in_use = ask(connection, "SHOW GLOBAL STATUS LIKE 'Threads_connected'").await?;
    let in_use = in_use.saturating_sub(1);
    if in_use + connections > allowed {
        let enough = in_use + connections + 1;
        let wanted = connections;
        return Err(tpcc::Error::TooManyConnections { wanted, allowed, in_use, enough }.into());
    }
    let allowed = ask(connection, "SELECT @@GLOBAL.max_prepared_stmt_count").await?;
    let in_use = ask(connection, "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'").await?;
    if statements > 0 && in_use + statements > allowed {
        let enough = in_use + statements;
        return Err(Error::TooManyStatements { wanted: statements, allowed, in_use, enough });
    }
    Ok(())
}

async fn ask(connection: &mut Connection, sql: &str) -> Result<u64, Error> {
    let asked = connection.query_one(sql).await;
    let row = asked.map_err(tpcc::Error::database("asking for limits"))?;
    // The value is in the last column of SHOW, in the only one of SELECT.
    Ok(row.and_then(|row| row.int(row.len() - 1).ok()).unwrap_or(0).max(0) as u64)
}
