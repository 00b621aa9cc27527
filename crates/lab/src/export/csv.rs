//! Comma-separated values as RFC 4180 has them, with a header line and `\n` at each end.

use crate::{
    headline::measured_phase,
    record::{Outcomes, RunRecord, RunStatus},
};
use std::fmt::{Display, Write as _};

/// One row a second and transaction type.
pub fn series_csv(record: &RunRecord) -> String {
    let mut text = String::from(
        "run,at_s,length_s,phase,transaction,committed,rolled_back,failed,retries,p50_ms,p95_ms,\
         p99_ms,max_ms,connected,client_cpu\n",
    );
    for interval in &record.intervals {
        let middle_s = interval.at_s - interval.length_s / 2.0;
        let phase = record.phases.iter().find(|p| p.from_s <= middle_s && middle_s < p.until_s);
        for (index, t) in interval.transactions.iter().enumerate() {
            let name = record.transactions.get(index).map_or("", |t| t.name.as_str());
            row(
                &mut text,
                &[
                    &record.id,
                    &interval.at_s,
                    &interval.length_s,
                    &phase.map_or("", |phase| phase.name.as_str()),
                    &name,
                    &t.committed,
                    &t.rolled_back,
                    &t.failed,
                    &t.retries,
                    &t.p50_ms,
                    &t.p95_ms,
                    &t.p99_ms,
                    &t.max_ms,
                    &interval.connected,
                    &interval.client_cpu,
                ],
            );
        }
    }
    text
}

/// One row a sample of what was watched, a column a series; a gap is empty. Nothing but the names
/// where nobody watched.
pub fn watch_csv(record: &RunRecord) -> String {
    let series = || record.watch.iter().flat_map(|watch| &watch.series);
    let mut text = String::new();
    let fixed = ["run", "at_s", "phase"].into_iter();
    let names: Vec<&str> = fixed.chain(series().map(|series| series.name.as_str())).collect();
    let names: Vec<&dyn Display> = names.iter().map(|name| name as &dyn Display).collect();
    row(&mut text, &names);
    let axis_s = record.watch.iter().flat_map(|watch| &watch.at_s);
    for (sample, at_s) in axis_s.enumerate() {
        let phase = record.phases.iter().find(|p| p.from_s <= *at_s && *at_s < p.until_s);
        let phase = phase.map_or("", |phase| phase.name.as_str());
        let values: Vec<String> =
            series().map(|series| optional(series.values.get(sample).copied().flatten())).collect();
        let mut fields: Vec<&dyn Display> = vec![&record.id, at_s, &phase];
        fields.extend(values.iter().map(|value| value as &dyn Display));
        row(&mut text, &fields);
    }
    text
}

/// One row a run: its facts, its first headline figure, the outcomes of all types in the measured
/// phase, and the response time of its first transaction type.
pub fn summary_csv(records: &[RunRecord]) -> String {
    let mut text = String::from(
        "run,label,started_at,status,workload,profile,scale,server,version,connections,threads,\
         headline,value,unit,ci95_low,ci95_high,measured_s,committed,rolled_back,failed,retried,\
         in_doubt,transaction,response_p50_ms,response_p95_ms,response_p99_ms,response_max_ms,\
         check,warnings\n",
    );
    for record in records {
        summary_row(&mut text, record);
    }
    text
}

fn summary_row(text: &mut String, record: &RunRecord) {
    let status = match record.status {
        RunStatus::Complete => "complete",
        RunStatus::Partial { .. } => "partial",
    };
    let figure = record.headline.first();
    let ci95 = figure.and_then(|figure| figure.ci95);
    let sums: Outcomes = record.transactions.iter().map(|t| &t.measured).sum();
    let first = record.transactions.first();
    let latency = |of: &dyn Fn(&crate::histogram::LatencyHistogram) -> f64| {
        optional(first.map(|first| of(&first.response)))
    };
    let check = record.check.as_ref().map(|check| if check.good { "good" } else { "bad" });
    row(
        text,
        &[
            &record.id,
            &record.label,
            &record.started_at,
            &status,
            &record.workload.name,
            &record.workload.profile,
            &record.workload.scale,
            &record.server.flavour,
            &record.server.version,
            &record.client.connections,
            &record.client.threads,
            &optional(figure.map(|figure| &figure.name)),
            &optional(figure.map(|figure| figure.value)),
            &optional(figure.map(|figure| &figure.unit)),
            &optional(ci95.map(|(low, _)| low)),
            &optional(ci95.map(|(_, high)| high)),
            &optional(measured_phase(record).map(|phase| phase.until_s - phase.from_s)),
            &sums.committed,
            &sums.rolled_back,
            &sums.failed,
            &sums.retried,
            &sums.in_doubt,
            &optional(first.map(|first| &first.name)),
            &latency(&|histogram| histogram.percentile_ms(50.0)),
            &latency(&|histogram| histogram.percentile_ms(95.0)),
            &latency(&|histogram| histogram.percentile_ms(99.0)),
            &latency(&|histogram| histogram.max_ms()),
            &optional(check),
            &record.warnings.len(),
        ],
    );
}

/// The value, or nothing.
pub(crate) fn optional(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Adds a line of `fields`, quoted where they need it.
pub(crate) fn row(text: &mut String, fields: &[&dyn Display]) {
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        let field = field.to_string();
        if field.contains([',', '"', '\n', '\r']) {
            let _ = write!(text, "\"{}\"", field.replace('"', "\"\""));
        } else {
            text.push_str(&field);
        }
    }
    text.push('\n');
}
