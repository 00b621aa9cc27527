//! What was watched during a run, as rows and back.

use super::{
    packed,
    rows::{RowError, number},
};
use crate::record::{Series, Watch};
use rusqlite::{Connection, OptionalExtension as _, params};

/// Writes the rows, in place of earlier ones.
pub(super) fn write(
    connection: &Connection,
    run: i64,
    watch: Option<&Watch>,
) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM watches WHERE run = ?1", [run])?;
    connection.execute("DELETE FROM watch_series WHERE run = ?1", [run])?;
    let Some(watch) = watch else { return Ok(()) };
    let at_s: Vec<Option<f64>> = watch.at_s.iter().copied().map(Some).collect();
    connection.execute(
        "INSERT INTO watches VALUES (?1, ?2, ?3)",
        params![run, number(at_s.len()), packed::pack(&at_s)],
    )?;
    let mut insert =
        connection.prepare("INSERT INTO watch_series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for (place, series) in watch.series.iter().enumerate() {
        let told = || series.values.iter().flatten();
        let mean = told().sum::<f64>() / told().count() as f64;
        insert.execute(params![
            run,
            number(place),
            series.name,
            series.label,
            series.group,
            series.unit,
            series.source,
            // SQLite knows no number that is none.
            Some(mean).filter(|mean| mean.is_finite()),
            told().copied().reduce(f64::max),
            packed::pack(&series.values),
        ])?;
    }
    Ok(())
}

/// Puts axis and series back into what was read of the run.
pub(super) fn read(connection: &Connection, run: i64, watch: &mut Watch) -> Result<(), RowError> {
    let axis: Option<(i64, Vec<u8>)> = connection
        .query_row("SELECT samples, at_s FROM watches WHERE run = ?1", [run], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let (samples, at_s) = axis.ok_or_else(|| RowError::Missing("no axis of a watch".to_owned()))?;
    let samples = usize::try_from(samples).unwrap_or(usize::MAX);
    let unpacked = |name: &str, bytes: &[u8]| {
        packed::unpack(bytes, samples)
            .ok_or_else(|| RowError::Missing(format!("the values of {name} are damaged")))
    };
    watch.at_s = unpacked("a watch's axis", &at_s)?.into_iter().flatten().collect();
    let mut select = connection.prepare(
        "SELECT name, label, series_group, unit, source, packed FROM watch_series WHERE run = ?1
         ORDER BY place",
    )?;
    let mut rows = select.query([run])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let packed: Vec<u8> = row.get(5)?;
        let values = unpacked(&name, &packed)?;
        let (label, group) = (row.get(1)?, row.get(2)?);
        let (unit, source) = (row.get(3)?, row.get(4)?);
        watch.series.push(Series { name, label, group, unit, source, values });
    }
    Ok(())
}
