//! The parts of a report, ready to be shown: every view takes them from here.

use crate::{
    format,
    table::{Row, Table, Tone},
};
use lab::{
    headline::measured_phase,
    histogram::LatencyHistogram,
    record::{Outcomes, RunRecord},
};

mod facts;
mod waits;

pub(crate) use facts::{
    Facts, facts, host_facts, of_group, of_sweep, settings_facts, variables_facts,
};
pub(crate) use waits::{wait_details, waits, waits_in_short, watch_cost};

/// Percentiles of the latency tables.
const PERCENTILES: [f64; 5] = [50.0, 90.0, 95.0, 99.0, 99.9];

/// How the transactions of the measured phase ended.
pub(crate) fn outcomes(record: &RunRecord) -> Table {
    let mut table = Table::new(
        "Outcomes in the measured phase",
        &[
            "Transaction",
            "#Committed",
            "#per min",
            "#Share",
            "#Rolled back",
            "#Retried",
            "#Failed",
            "#In doubt",
        ],
    );
    let minutes = measured_phase(record).map(|phase| (phase.until_s - phase.from_s) / 60.0);
    let sum = record.transactions.iter().map(|t| t.measured).fold(Outcomes::default(), add);
    let row = |name: &str, outcomes: Outcomes| {
        let rate = minutes.map(|minutes| outcomes.committed as f64 / minutes);
        let row = Row::new(vec![
            name.to_owned(),
            format::count(outcomes.committed),
            rate.map_or_else(|| "–".to_owned(), format::figure),
            format::percent(ended(outcomes) as f64 / ended(sum) as f64),
            format::count(outcomes.rolled_back),
            format::count(outcomes.retried),
            format::count(outcomes.failed),
            format::count(outcomes.in_doubt),
        ]);
        row.toned(tone_of(outcomes.failed), 6)
    };
    table.rows.extend(record.transactions.iter().map(|t| row(&t.name, t.measured)));
    if table.rows.len() > 1 {
        table.rows.push(Row { total: true, ..row("All", sum) });
    }
    table
}

fn tone_of(failed: u64) -> Tone {
    if failed > 0 { Tone::Bad } else { Tone::Plain }
}

fn ended(outcomes: Outcomes) -> u64 {
    outcomes.committed.saturating_add(outcomes.rolled_back).saturating_add(outcomes.failed)
}

fn add(a: Outcomes, b: Outcomes) -> Outcomes {
    Outcomes {
        committed: a.committed.saturating_add(b.committed),
        rolled_back: a.rolled_back.saturating_add(b.rolled_back),
        failed: a.failed.saturating_add(b.failed),
        retried: a.retried.saturating_add(b.retried),
        in_doubt: a.in_doubt.saturating_add(b.in_doubt),
    }
}

/// True when transactions could wait for a connection.
pub(crate) fn open_loop(record: &RunRecord) -> bool {
    record.arrivals.is_some() || record.transactions.iter().any(|t| t.queue.count() > 0)
}

/// Latencies by transaction type; queue and service apart where there was a queue.
pub(crate) fn latencies(record: &RunRecord) -> Table {
    let open = open_loop(record);
    let caption = match open {
        true => "Latency in the measured phase, ms (response: queue and service)",
        false => "Response time in the measured phase, ms",
    };
    let mut titles = vec!["Transaction"];
    if open {
        titles.push("Latency");
    }
    titles.extend(["#Count", "#mean", "#p50", "#p90", "#p95", "#p99", "#p99.9", "#max"]);
    let mut table = Table::new(caption, &titles);
    for transaction in &record.transactions {
        if open {
            let kinds = [
                (transaction.name.as_str(), "response", &transaction.response),
                ("", "queue", &transaction.queue),
                ("", "service", &transaction.service),
            ];
            for (name, kind, histogram) in kinds {
                let mut cells = vec![name.to_owned(), kind.to_owned()];
                cells.extend(latency_cells(histogram));
                table.rows.push(Row { part: name.is_empty(), ..Row::new(cells) });
            }
        } else {
            let mut cells = vec![transaction.name.clone()];
            cells.extend(latency_cells(&transaction.response));
            table.rows.push(Row::new(cells));
        }
    }
    table
}

fn latency_cells(histogram: &LatencyHistogram) -> Vec<String> {
    let mut cells = vec![format::count(histogram.count())];
    if histogram.count() == 0 {
        cells.resize(PERCENTILES.len() + 3, "–".to_owned());
        return cells;
    }
    cells.push(format::ms(histogram.mean_ms()));
    cells.extend(PERCENTILES.map(|percent| format::ms(histogram.percentile_ms(percent))));
    cells.push(format::ms(histogram.max_ms()));
    cells
}

/// What went wrong, by transaction type and error number.
pub(crate) fn errors(record: &RunRecord) -> Table {
    let titles = ["Transaction", "#Error", "#Retried", "#Failed", "Message"];
    let mut table = Table::new("Errors in the whole run", &titles);
    for error in &record.errors {
        let row = Row::new(vec![
            error.transaction.clone(),
            error.code.to_string(),
            format::count(error.retried),
            format::count(error.failed),
            error.message.clone(),
        ]);
        table.rows.push(row.toned(tone_of(error.failed), 3));
    }
    table
}

/// The consistency conditions and whether they hold.
pub(crate) fn conditions(record: &RunRecord) -> Table {
    let titles = ["Condition", "Verdict", "#Examined", "#Violations", "What must hold"];
    let mut table = Table::new("Consistency conditions after the run", &titles);
    for condition in record.check.iter().flat_map(|check| &check.conditions) {
        let good = condition.violations == 0;
        let mut row = Row::new(vec![
            condition.id.clone(),
            if good { "✓ holds" } else { "✗ violated" }.to_owned(),
            format::count(condition.examined),
            format::count(condition.violations),
            condition.text.clone(),
        ]);
        row.notes.clone_from(&condition.examples);
        table.rows.push(row.toned(if good { Tone::Good } else { Tone::Bad }, 1));
    }
    table
}
