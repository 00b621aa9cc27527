//! The database that is loaded, and what is in it.

use crate::tpcc::{Error, state::quoted};
use client::{Connection, Target};
use std::collections::HashSet;

/// There is no such database.
const UNKNOWN_DATABASE: u16 = 1049;

/// Connects to the server of `target` and uses its database. One that does not exist is made with
/// `attributes`, such as a character set.
///
/// # Errors
/// [`Error::NoDatabaseNamed`]; a refusal of the server, sorted.
pub(crate) async fn connect(target: &Target, attributes: &str) -> Result<Connection, Error> {
    let database = target.database.as_deref().ok_or(Error::NoDatabaseNamed)?;
    let sorted = |doing: &str| Error::sorted(doing, &target.user, database);
    let server = Target { database: None, ..target.clone() };
    let mut connection = Connection::connect(&server).await.map_err(sorted("connecting"))?;
    let name = quoted(database);
    let mut used = connection.run(&format!("USE {name}")).await;
    if matches!(&used, Err(error) if error.code() == UNKNOWN_DATABASE) {
        let create = format!("CREATE DATABASE IF NOT EXISTS {name} {attributes}");
        connection.run(&create).await.map_err(sorted("making the database"))?;
        used = connection.run(&format!("USE {name}")).await;
    }
    used.map_err(sorted("using the database"))?;
    Ok(connection)
}

/// The numbers of the pieces whose markers are in `chunk_table`.
///
/// # Errors
/// A refusal of the server, sorted.
pub(crate) async fn pieces_done(
    connection: &mut Connection,
    target: &Target,
    chunk_table: &str,
) -> Result<HashSet<u64>, Error> {
    let database = target.database.as_deref().unwrap_or_default();
    let rows = connection.query(&format!("SELECT id FROM {chunk_table}")).await;
    let rows = rows.map_err(Error::sorted("reading what is loaded", &target.user, database))?;
    let ids = rows.iter().filter_map(|row| row.int(0).ok());
    Ok(ids.filter_map(|id| id.try_into().ok()).collect())
}
