//! Whether the tables hold what the generator makes.

use super::{
    data_set::DataSet,
    error::Error,
    rows::{count, last_order_key},
    table::Table,
};
use crate::{
    ConditionResult,
    tpcc::{self, CheckProgress},
};
use client::{Connection, Target};
use std::sync::atomic::Ordering;
use tokio::runtime;

/// Checks all tables of the data set, one after the other, and says what it is. Blocks until it
/// is done.
///
/// # Errors
/// [`Error::NotLoaded`], [`Error::HalfLoaded`]; that `progress.stop` was set (see
/// [`Error::is_stopped`]); a refusal of the server, sorted.
pub fn check(
    target: &Target,
    progress: &CheckProgress,
) -> Result<(DataSet, Vec<ConditionResult>), Error> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(check_all(target, progress))
}

async fn check_all(
    target: &Target,
    progress: &CheckProgress,
) -> Result<(DataSet, Vec<ConditionResult>), Error> {
    let (data, mut connection) = DataSet::expect(target).await?;
    progress.steps.store(data.tables.len().try_into().unwrap_or(u32::MAX), Ordering::Relaxed);
    let mut rows =
        ConditionResult::new("rows", "every table has as many rows as the generator makes");
    let mut keys = ConditionResult::new("keys", "keys go from the first to the last of them");
    let mut sound = ConditionResult::new("check", "CHECK TABLE finds no fault");
    for &table in &data.tables {
        if progress.stop.load(Ordering::Relaxed) {
            return Err(tpcc::Error::Stopped.into());
        }
        let [found, least, greatest] = numbers(&mut connection, target, table).await?;
        let expected = count(table, data.scale_factor);
        let differs = u64::try_from(found) != Ok(expected);
        rows.see(differs.then(|| format!("{table} has {found} rows, not {expected}")));
        let [first, last] = ends(table, data.scale_factor);
        let differs = [least, greatest] != [first, last];
        keys.see(differs.then(|| {
            format!("{table} has keys from {least} to {greatest}, not from {first} to {last}")
        }));
        sound.see(fault(&mut connection, target, table).await?);
        progress.done.fetch_add(1, Ordering::Relaxed);
    }
    connection.close().await;
    Ok((data, vec![rows, keys, sound]))
}

/// The first and the last value of the first column of the key.
fn ends(table: Table, scale_factor: f64) -> [i64; 2] {
    let rows = |table| i64::try_from(count(table, scale_factor)).unwrap_or(i64::MAX);
    match table {
        Table::Region | Table::Nation => [0, rows(table) - 1],
        Table::PartSupp => [1, rows(Table::Part)],
        Table::Orders | Table::LineItem => [1, last_order_key(scale_factor)],
        Table::Part | Table::Supplier | Table::Customer => [1, rows(table)],
    }
}

/// Rows, and the least and greatest key.
async fn numbers(
    connection: &mut Connection,
    target: &Target,
    table: Table,
) -> Result<[i64; 3], Error> {
    let key = table.key()[0];
    let sql =
        format!("SELECT COUNT(*), COALESCE(MIN({key}), 0), COALESCE(MAX({key}), 0) FROM {table}");
    let refused = || Error::of_target(&format!("counting {table}"), target);
    let row = connection.query_one(&sql).await.map_err(refused())?;
    let mut numbers = [0; 3];
    for (at, number) in numbers.iter_mut().enumerate() {
        *number = row.map_or(Ok(0), |row| row.int(at)).map_err(refused())?;
    }
    Ok(numbers)
}

/// What CHECK TABLE says, where it is not OK.
async fn fault(
    connection: &mut Connection,
    target: &Target,
    table: Table,
) -> Result<Option<String>, Error> {
    let rows = connection.query(&format!("CHECK TABLE {table}")).await;
    let rows = rows.map_err(Error::of_target("checking a table", target))?;
    let text = |row: client::Row<'_>, at| row.text(at).unwrap_or_default();
    let bad = |kind: &str| ["error", "warning"].contains(&kind.to_ascii_lowercase().as_str());
    let fault = rows.iter().find(|row| bad(&text(*row, 2)));
    Ok(fault.map(|row| format!("{table}: {}", text(row, 3))))
}
