//! `benchmarksql destroy`: what runDatabaseDestroy.sh does.

use super::{data, log::Log, options::Options};
use crate::{failure::Status, runtime::block_on};
use client::{Connection, Target};
use workloads::tpcc::{self, Profile, Table};

/// Drops the tables, whoever made them.
///
/// # Errors
/// What the server says.
pub(super) fn destroy(options: &Options, log: Log<'_>) -> Result<Status, String> {
    let target = &options.target;
    let ours = block_on(tpcc::cleanup(target)).map_err(|failure| failure.to_string())?;
    ours.map_err(data::words)?;
    let dropped = block_on(drop_tables(target, log)).map_err(|failure| failure.to_string())?;
    dropped.map(|()| Status::Good).map_err(|error| error.to_string())
}

async fn drop_tables(target: &Target, log: Log<'_>) -> Result<(), client::Error> {
    let mut connection = Connection::connect(target).await?;
    connection.run("SET SESSION foreign_key_checks=0").await?;
    let tables = Table::ALL.iter().map(|table| table.name(Profile::BenchmarkSql));
    for table in tables.chain(["bmsql_config"]) {
        let sql = format!("drop table if exists {table}");
        log.plain(&format!("{sql};\n"));
        connection.run(&sql).await?;
    }
    connection.close().await;
    Ok(())
}
