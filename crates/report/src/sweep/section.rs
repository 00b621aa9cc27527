//! The tables of a sweep.

use super::words;
use crate::{
    format, summary,
    table::{Row, Table, Tone},
};
use lab::{
    record::RunStatus,
    sweep::{SweepRecord, SweepStep, Varied},
};

/// Characters of the longest bar.
const BAR: usize = 16;

/// The steps side by side; the last column marks peak and knee, behind a bar where one is wanted.
pub(super) fn steps(sweep: &SweepRecord, bars: bool) -> Table {
    let first = sweep.steps.iter().find_map(SweepStep::figure).map(|figure| figure.name.as_str());
    // On a page the first cell heads its row and stands to the left.
    let across = match (sweep.varied, bars) {
        (Varied::Connections, true) => "#Connections",
        (Varied::Connections, false) => "Connections",
        (Varied::Rate, true) => "#Due 1/s",
        (Varied::Rate, false) => "Due 1/s",
    };
    let titles = [
        across,
        summary::figure_title(first),
        "#±",
        "#p50 ms",
        "#p95 ms",
        "#p99 ms",
        "#client µs",
        "#server CPUs",
        if bars { "Throughput" } else { "Mark" },
    ];
    let mut table = Table::new("The steps, each a run of its own", &titles);
    let figures = sweep.steps.iter().filter_map(SweepStep::figure);
    let most = figures.map(|figure| figure.value).fold(0.0, f64::max);
    for (index, step) in sweep.steps.iter().enumerate() {
        let mut last = mark(sweep, index);
        if bars {
            let value = step.figure().map_or(0.0, |figure| figure.value);
            last = format!("{:<BAR$} {last}", bar(value, most)).trim_end().to_owned();
        }
        let mut row = Row::new(cells(sweep, step, last));
        if let Some(words) = words::trouble(step) {
            row.notes.push(words);
        }
        let bad =
            step.check_good == Some(false) || matches!(step.status, RunStatus::Partial { .. });
        table.rows.push(if bad { row.toned(Tone::Bad, 0) } else { row });
    }
    table
}

fn cells(sweep: &SweepRecord, step: &SweepStep, last: String) -> Vec<String> {
    let none = || "–".to_owned();
    let figure = step.figure();
    let half = figure.and_then(|figure| {
        let (low, high) = step.interval()?;
        Some(format::percent((high - low) / 2.0 / figure.value))
    });
    let ms = |value: f64| if step.response.count > 0 { format::ms(value) } else { none() };
    vec![
        format::short(sweep.value(step)),
        figure.map_or_else(none, |figure| format::figure(figure.value)),
        half.unwrap_or_else(none),
        ms(step.response.p50_ms),
        ms(step.response.p95_ms),
        ms(step.response.p99_ms),
        step.client_cpu_us.map_or_else(none, format::figure),
        step.server_cpus.map_or_else(none, format::figure),
        last,
    ]
}

/// `peak`, `knee`, both, or that the step cannot be told from the peak.
fn mark(sweep: &SweepRecord, index: usize) -> String {
    let mut marks = Vec::new();
    if let Some(peak) = &sweep.peak {
        if peak.step == index {
            marks.push("peak");
        } else if peak.not_different.contains(&index) {
            marks.push("≈ peak");
        }
    }
    if sweep.knee.as_ref().is_some_and(|knee| knee.step == index) {
        marks.push("knee");
    }
    marks.join(", ")
}

/// A bar of blocks and eighths of a block.
fn bar(value: f64, most: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = if most > 0.0 { (value / most).clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (share * BAR as f64 * 8.0).round() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// The 95th percentile of each transaction type, a row a step; empty for a single type.
pub(super) fn types(sweep: &SweepRecord) -> Table {
    let mut table = Table::new(
        "Response time of each transaction, ms",
        &["Transaction", "Step", "#Count", "#mean", "#p50", "#p95", "#p99", "#max"],
    );
    let types = sweep.steps.first().map_or(0, |step| step.transactions.len());
    if types < 2 {
        return table;
    }
    for index in 0..types {
        let of_type =
            sweep.steps.iter().filter_map(|step| Some((step, step.transactions.get(index)?)));
        for (number, (step, kind)) in of_type.enumerate() {
            let name = if number == 0 { kind.name.clone() } else { String::new() };
            let r = &kind.response;
            let mut cells = vec![name, words::at(sweep, step), format::count(r.count)];
            cells.extend([r.mean_ms, r.p50_ms, r.p95_ms, r.p99_ms, r.max_ms].map(format::ms));
            table.rows.push(Row { part: number > 0, ..Row::new(cells) });
        }
    }
    table
}

/// What was waited for between the steps, and which run each is.
pub(super) fn runs(sweep: &SweepRecord) -> Table {
    let mut table = Table::new("Before each step", &["Step", "Run", "How the server came to rest"]);
    for step in &sweep.steps {
        let rest = match &step.settling {
            Some(settling) => settling.words.clone(),
            None => "The first step: what came before it is what rest is.".to_owned(),
        };
        let row = Row::new(vec![words::at(sweep, step), step.run.clone(), rest]);
        let settled = step.settling.as_ref().is_none_or(|settling| settling.settled);
        table.rows.push(if settled { row } else { row.toned(Tone::Bad, 2) });
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_in_proportion() {
        assert_eq!(bar(1.0, 1.0), "█".repeat(BAR));
        assert_eq!(bar(0.5, 1.0), "█".repeat(BAR / 2));
        assert_eq!(bar(1.0, 128.0), "▏");
        assert_eq!((bar(0.0, 1.0), bar(1.0, 0.0)), (String::new(), String::new()));
    }
}
