//! A record as rows, and back.

use super::{StoreError, watches};
use crate::{
    export::{self, ExportError},
    histogram::LatencyHistogram,
    record::{Interval, IntervalTransactions, RunRecord, RunStatus, TransactionRecord, Watch},
};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::path::Path;

/// The names of a type's histograms in the table, and where they belong.
const LATENCIES: [&str; 3] = ["service", "queue", "response"];

/// Either half of a save can fail.
pub(super) enum RowError {
    Sql(rusqlite::Error),
    Run(ExportError),
    Missing(String),
}

impl RowError {
    pub(super) fn sort(self, path: &Path, waited_s: f64) -> StoreError {
        match self {
            Self::Sql(error) => StoreError::sort(path, waited_s, error),
            Self::Run(error) => error.into(),
            Self::Missing(detail) => StoreError::Corrupt { path: path.to_owned(), detail },
        }
    }
}

impl From<rusqlite::Error> for RowError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<ExportError> for RowError {
    fn from(error: ExportError) -> Self {
        Self::Run(error)
    }
}

/// Writes every row of `record`, in place of the rows of an earlier version of it.
pub(super) fn write(connection: &Connection, record: &RunRecord) -> Result<(), RowError> {
    let run = write_run(connection, record)?;
    for table in ["transactions", "histograms", "intervals", "interval_transactions"] {
        connection.execute(&format!("DELETE FROM {table} WHERE run = ?1"), [run])?;
    }
    for (index, transaction) in record.transactions.iter().enumerate() {
        write_transaction(connection, run, index, transaction)?;
    }
    write_intervals(connection, run, &record.intervals)?;
    watches::write(connection, run, record.watch.as_ref())?;
    Ok(())
}

fn write_run(connection: &Connection, record: &RunRecord) -> Result<i64, RowError> {
    let server = format!("{} {}", record.server.flavour, record.server.version);
    let status = match record.status {
        RunStatus::Complete => "complete",
        RunStatus::Partial { .. } => "partial",
    };
    let headline = record.headline.first();
    let sql = "
        INSERT INTO runs (id, label, started_at, workload, profile, server, status,
                          headline_name, headline_value, headline_unit, record)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        ON CONFLICT (id) DO UPDATE SET
            label = ?2, started_at = ?3, workload = ?4, profile = ?5, server = ?6, status = ?7,
            headline_name = ?8, headline_value = ?9, headline_unit = ?10, record = ?11
        RETURNING run";
    let parameters = params![
        record.id,
        record.label,
        record.started_at,
        record.workload.name,
        record.workload.profile,
        server.trim(),
        status,
        headline.map(|figure| &figure.name),
        headline.map(|figure| figure.value),
        headline.map(|figure| &figure.unit),
        export::compact(&without_rows(record))?,
    ];
    Ok(connection.query_row(sql, parameters, |row| row.get(0))?)
}

/// The record without what has tables of its own.
fn without_rows(record: &RunRecord) -> RunRecord {
    let without_histograms = |transaction: &TransactionRecord| TransactionRecord {
        name: transaction.name.clone(),
        measured: transaction.measured,
        total: transaction.total,
        service: LatencyHistogram::empty(),
        queue: LatencyHistogram::empty(),
        response: LatencyHistogram::empty(),
    };
    RunRecord {
        schema: record.schema.clone(),
        id: record.id.clone(),
        label: record.label.clone(),
        started_at: record.started_at.clone(),
        status: record.status.clone(),
        workload: record.workload.clone(),
        settings: record.settings.clone(),
        server: record.server.clone(),
        host: record.host.clone(),
        client: record.client.clone(),
        phases: record.phases.clone(),
        headline: record.headline.clone(),
        transactions: record.transactions.iter().map(without_histograms).collect(),
        errors: record.errors.clone(),
        intervals: Vec::new(),
        outages: record.outages.clone(),
        arrivals: record.arrivals.clone(),
        warnings: record.warnings.clone(),
        check: record.check.clone(),
        server_cpus: record.server_cpus,
        watch: record.watch.as_ref().map(without_series),
        amplification: record.amplification.clone(),
    }
}

/// What was watched, but for what has tables of its own.
fn without_series(watch: &Watch) -> Watch {
    Watch {
        at_s: Vec::new(),
        series: Vec::new(),
        waits: watch.waits.clone(),
        remarks: watch.remarks.clone(),
        cost: watch.cost,
    }
}

fn write_transaction(
    connection: &Connection,
    run: i64,
    index: usize,
    transaction: &TransactionRecord,
) -> Result<(), RowError> {
    let outcomes = transaction.measured;
    connection
        .prepare_cached("INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?
        .execute(params![
            run,
            number(index),
            transaction.name,
            outcomes.committed.cast_signed(),
            outcomes.rolled_back.cast_signed(),
            outcomes.failed.cast_signed(),
            outcomes.retried.cast_signed(),
            outcomes.in_doubt.cast_signed(),
        ])?;
    let histograms = [&transaction.service, &transaction.queue, &transaction.response];
    for (latency, histogram) in LATENCIES.into_iter().zip(histograms) {
        let bytes = histogram.to_v2().map_err(ExportError::from)?;
        let count = histogram.count().cast_signed();
        connection
            .prepare_cached("INSERT INTO histograms VALUES (?, ?, ?, ?, ?)")?
            .execute(params![run, number(index), latency, count, bytes])?;
    }
    Ok(())
}

fn write_intervals(
    connection: &Connection,
    run: i64,
    intervals: &[Interval],
) -> rusqlite::Result<()> {
    let mut second = connection.prepare("INSERT INTO intervals VALUES (?, ?, ?, ?, ?, ?)")?;
    let mut of_type = connection
        .prepare("INSERT INTO interval_transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for (index, interval) in intervals.iter().enumerate() {
        second.execute(params![
            run,
            number(index),
            interval.at_s,
            interval.length_s,
            interval.connected,
            interval.client_cpu,
        ])?;
        for (kind, counts) in interval.transactions.iter().enumerate() {
            of_type.execute(params![
                run,
                number(index),
                number(kind),
                counts.committed.cast_signed(),
                counts.rolled_back.cast_signed(),
                counts.failed.cast_signed(),
                counts.retries.cast_signed(),
                counts.p50_ms,
                counts.p95_ms,
                counts.p99_ms,
                counts.max_ms,
            ])?;
        }
    }
    Ok(())
}

/// The record whose id is `id`.
pub(super) fn read(connection: &Connection, id: &str) -> Result<RunRecord, RowError> {
    let (run, json): (i64, String) =
        connection.query_row("SELECT run, record FROM runs WHERE id = ?1", [id], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let mut record = export::parse(&json)?;
    for (index, transaction) in record.transactions.iter_mut().enumerate() {
        let [service, queue, response] =
            LATENCIES.map(|latency| read_histogram(connection, run, index, latency));
        (transaction.service, transaction.queue, transaction.response) =
            (service?, queue?, response?);
    }
    record.intervals = read_intervals(connection, run)?;
    if let Some(watch) = &mut record.watch {
        watches::read(connection, run, watch)?;
    }
    Ok(record)
}

fn read_histogram(
    connection: &Connection,
    run: i64,
    index: usize,
    latency: &str,
) -> Result<LatencyHistogram, RowError> {
    let bytes: Option<Vec<u8>> = connection
        .prepare_cached(
            "SELECT hdr_v2 FROM histograms WHERE run = ?1 AND type = ?2 AND latency = ?3",
        )?
        .query_row((run, number(index), latency), |row| row.get(0))
        .optional()?;
    let bytes = bytes
        .ok_or_else(|| RowError::Missing(format!("no {latency} histogram of type {index}")))?;
    LatencyHistogram::from_v2(&bytes).map_err(|error| RowError::Missing(error.to_string()))
}

fn read_intervals(connection: &Connection, run: i64) -> Result<Vec<Interval>, RowError> {
    let mut seconds = connection.prepare(
        "SELECT at_s, length_s, connected, client_cpu FROM intervals WHERE run = ?1
         ORDER BY second",
    )?;
    let mut intervals = seconds
        .query_map([run], |row| {
            Ok(Interval {
                at_s: row.get(0)?,
                length_s: row.get(1)?,
                transactions: Vec::new(),
                connected: row.get(2)?,
                client_cpu: row.get(3)?,
            })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let mut of_type = connection.prepare(
        "SELECT second, committed, rolled_back, failed, retries, p50_ms, p95_ms, p99_ms, max_ms
         FROM interval_transactions WHERE run = ?1 ORDER BY second, type",
    )?;
    let mut rows = of_type.query([run])?;
    while let Some(row) = rows.next()? {
        let second: usize = row.get::<_, i64>(0)?.try_into().unwrap_or(usize::MAX);
        let interval = intervals
            .get_mut(second)
            .ok_or_else(|| RowError::Missing(format!("no interval {second}")))?;
        interval.transactions.push(IntervalTransactions {
            committed: row.get::<_, i64>(1)?.cast_unsigned(),
            rolled_back: row.get::<_, i64>(2)?.cast_unsigned(),
            failed: row.get::<_, i64>(3)?.cast_unsigned(),
            retries: row.get::<_, i64>(4)?.cast_unsigned(),
            p50_ms: row.get(5)?,
            p95_ms: row.get(6)?,
            p99_ms: row.get(7)?,
            max_ms: row.get(8)?,
        });
    }
    Ok(intervals)
}

/// A place in a list as SQLite keeps it; no list is longer than memory.
pub(super) fn number(index: usize) -> i64 {
    index as i64
}
