//! What must hold of the tables after any number of transactions.

use super::{data_set::DataSet, error::Error, tables};
use crate::{
    ConditionResult,
    tpcc::{self, CheckProgress},
};
use client::{Connection, Target};
use std::sync::atomic::Ordering;
use tokio::runtime;

/// What the tables are held against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Rows that each table must have; none for the number of the first.
    pub table_size: Option<u32>,
    /// Rows were inserted or deleted on purpose: only the indexes are looked at.
    pub rows_changed: bool,
}

/// Checks all tables that are there, one after the other. Blocks until it is done.
///
/// # Errors
/// [`Error::MissingTable`] where there is none; that `progress.stop` was set (see
/// [`Error::is_stopped`]); a refusal of the server, sorted.
pub fn check(
    target: &Target,
    options: CheckOptions,
    progress: &CheckProgress,
) -> Result<Vec<ConditionResult>, Error> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(check_all(target, options, progress))
}

async fn check_all(
    target: &Target,
    options: CheckOptions,
    progress: &CheckProgress,
) -> Result<Vec<ConditionResult>, Error> {
    let database = target.database.clone().ok_or(tpcc::Error::NoDatabaseNamed)?;
    let found = DataSet::find(target).await?;
    let smaller = String::new();
    let missing = Error::MissingTable { database, number: 1, tables: 1, smaller };
    let data = found.ok_or(missing)?;
    progress.steps.store(data.tables, Ordering::Relaxed);
    let connected = Connection::connect(target).await;
    let mut connection = connected.map_err(Error::of_target("connecting", target))?;
    let indexed = tables::list(&mut connection, target).await?;

    let mut rows =
        ConditionResult::new("rows", "every table has as many rows as asked for, or as the first");
    let mut keys = ConditionResult::new("keys", "keys go from 1 without a gap, none comes twice");
    let mut sums = ConditionResult::new("index", "the index on k holds what the rows hold");
    let mut sound = ConditionResult::new("check", "CHECK TABLE finds no fault");
    let mut expected = options.table_size.map(i64::from);
    for number in 1..=data.tables {
        if progress.stop.load(Ordering::Relaxed) {
            return Err(tpcc::Error::Stopped.into());
        }
        let mut table = Table { connection: &mut connection, target, number };
        if !options.rows_changed {
            let [count, least, greatest, distinct] = table.keys(data.secondary).await?;
            let expected = *expected.get_or_insert(count);
            rows.see(
                (count != expected)
                    .then(|| format!("sbtest{number} has {count} rows, not {expected}")),
            );
            let whole = (least, greatest, distinct) == (count.min(1), count, count);
            keys.see(
                (!whole)
                    .then(|| format!("sbtest{number}: {distinct} keys from {least} to {greatest}")),
            );
        }
        if indexed.get(&number).is_some_and(tables::Found::is_k_indexed) {
            sums.see(table.index_differs().await?);
        }
        sound.see(table.fault().await?);
        progress.done.fetch_add(1, Ordering::Relaxed);
    }
    connection.close().await;
    let all = [rows, keys, sums, sound];
    Ok(all.into_iter().filter(|condition| condition.examined > 0).collect())
}

/// One table under examination.
struct Table<'a> {
    connection: &'a mut Connection,
    target: &'a Target,
    number: u32,
}

impl Table<'_> {
    /// Rows, least and greatest key (0 where there is none), and distinct keys.
    async fn keys(&mut self, secondary: bool) -> Result<[i64; 4], Error> {
        // A primary key is unique, and counting what is distinct takes memory.
        let distinct = if secondary { "COUNT(DISTINCT id)" } else { "COUNT(*)" };
        let sql = format!(
            "SELECT COUNT(*), COALESCE(MIN(id), 0), COALESCE(MAX(id), 0), {distinct} \
             FROM sbtest{}",
            self.number
        );
        self.numbers(&sql).await
    }

    /// Rows and their sum of k, by the index and without it.
    async fn index_differs(&mut self) -> Result<Option<String>, Error> {
        let number = self.number;
        let of = |index: &str| {
            format!(
                "SELECT COUNT(*), COALESCE(SUM(k), 0) \
                 FROM sbtest{number} {index} INDEX (k_{number})"
            )
        };
        let by_index: [i64; 2] = match self.numbers(&of("FORCE")).await {
            // The index goes by another name than sysbench's.
            Err(Error::Common(tpcc::Error::Database { source, .. })) if source.code() == 1176 => {
                return Ok(None);
            }
            other => other?,
        };
        let by_rows: [i64; 2] = self.numbers(&of("IGNORE")).await?;
        Ok((by_index != by_rows).then(|| {
            format!(
                "sbtest{number}: {} entries with sum {} in the index, {} rows with sum {}",
                by_index[0], by_index[1], by_rows[0], by_rows[1]
            )
        }))
    }

    /// What CHECK TABLE says, where it is not OK.
    async fn fault(&mut self) -> Result<Option<String>, Error> {
        let number = self.number;
        let rows = self.connection.query(&format!("CHECK TABLE sbtest{number}")).await;
        let rows = rows.map_err(Error::of_target("checking a table", self.target))?;
        let text = |row: client::Row<'_>, at| row.text(at).unwrap_or_default();
        let bad = |kind: &str| ["error", "warning"].contains(&kind.to_ascii_lowercase().as_str());
        let fault = rows.iter().find(|row| bad(&text(*row, 2)));
        Ok(fault.map(|row| format!("sbtest{number}: {}", text(row, 3))))
    }

    /// The only row of a query, whole numbers.
    async fn numbers<const N: usize>(&mut self, sql: &str) -> Result<[i64; N], Error> {
        let doing = format!("checking sbtest{}", self.number);
        let refused = || Error::of_target(&doing, self.target);
        let row = self.connection.query_one(sql).await.map_err(refused())?;
        let mut numbers = [0; N];
        for (at, number) in numbers.iter_mut().enumerate() {
            *number = row.map_or(Ok(0), |row| row.int(at)).map_err(refused())?;
        }
        Ok(numbers)
    }
}
