//! What write amplification adds to a run: figures of merit, and series for the charts.

use lab::record::{Amplification, Figure, RunRecord, Series, Watch};

/// The figure of the first drive, hints honoured; others have their drive's name after it.
pub(crate) const WAF: &str = "WAF";
/// The same without hints: what the load would have come to by itself.
const IGNORED: &str = "WAF, hints ignored";
/// Media bytes a byte of the host.
const UNIT: &str = "B/B";
/// What the series are shown together as.
const GROUP: &str = "flash";

/// Adds figures and series of `run.amplification`, the figures before all others: they are what
/// was asked for.
pub(super) fn add(run: &mut RunRecord) {
    let drives = std::mem::take(&mut run.amplification);
    let figures: Vec<Figure> =
        drives.iter().enumerate().filter_map(|(place, drive)| figure(run, place, drive)).collect();
    run.headline.splice(0..0, figures);
    let mut watch = run.watch.take().unwrap_or_default();
    if watch.at_s.is_empty() {
        watch.at_s = run.intervals.iter().map(|interval| interval.at_s).collect();
    }
    let series: Vec<Series> =
        drives.iter().enumerate().map(|(place, drive)| series(&watch, place, drive)).collect();
    watch.series.extend(series);
    (run.watch, run.amplification) = (Some(watch), drives);
}

/// Of simulated drives those that honour hints, and the first that does not.
fn figure(run: &RunRecord, place: usize, drive: &Amplification) -> Option<Figure> {
    let value = drive.measured(run).factor()?;
    let name = match (place, drive.honours_hints) {
        (0, _) => WAF.to_owned(),
        (1, Some(false)) => IGNORED.to_owned(),
        (_, Some(false)) => return None,
        _ => format!("{WAF}, {}", drive.drive),
    };
    Some(Figure { name, value, unit: UNIT.to_owned(), ci95: None })
}

/// Each sample has the factor of the interval that it lies in.
fn series(watch: &Watch, place: usize, drive: &Amplification) -> Series {
    let value = |at_s: &f64| {
        let row = drive.rows.iter().find(|row| row.from_s < *at_s && *at_s <= row.until_s + 0.5)?;
        row.factor()
    };
    let hints = match drive.honours_hints {
        Some(true) => ", hints honoured",
        Some(false) => ", hints ignored",
        None => "",
    };
    Series {
        name: format!("{GROUP}.{place}"),
        label: format!("WAF: {}{hints}", drive.drive),
        group: GROUP.to_owned(),
        unit: UNIT.to_owned(),
        source: drive.source.clone(),
        values: watch.at_s.iter().map(value).collect(),
    }
}
