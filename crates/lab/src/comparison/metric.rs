//! What of a run can be compared.

use crate::{
    headline::{committed_series, measured_phase},
    histogram::LatencyHistogram,
    record::RunRecord,
};
use serde::{Deserialize, Serialize};

/// The percentiles that are compared.
const PERCENTILES: [f64; 3] = [50.0, 95.0, 99.0];

/// Something measured of a run.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Metric {
    /// `tpmC`, `p95`, `p95 New-Order`, `server CPUs`.
    pub name: String,
    /// `1/min`, `ms`.
    pub unit: String,
    /// Which way is good.
    pub better: Better,
    /// Whether it is judged unless told otherwise; the others are shown for information.
    pub judged: bool,
}

/// Which way is good.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Throughput.
    Higher,
    /// Latency and cost.
    Lower,
}

impl Metric {
    fn new(name: String, unit: &str, better: Better, judged: bool) -> Self {
        Self { name, unit: unit.to_owned(), better, judged }
    }
}

/// The metrics of a run with their values: the headline figures, response times over all types,
/// and for information response times by type and what processors it took. The first is the
/// primary one. A metric that has no value in this run is left out.
pub fn metrics_of(record: &RunRecord) -> Vec<(Metric, f64)> {
    let mut metrics: Vec<(Metric, f64)> = Vec::new();
    for figure in &record.headline {
        let better = match figure.unit.as_str() {
            "ms" | "s" | "us" | "s/GB" | "B/B" => Better::Lower,
            _ => Better::Higher,
        };
        metrics.push((Metric::new(figure.name.clone(), &figure.unit, better, true), figure.value));
    }
    let responses = record.transactions.iter().map(|transaction| &transaction.response);
    let together = LatencyHistogram::of_all(responses);
    percentiles(&mut metrics, &together, "", true);
    if record.transactions.len() > 1 {
        for transaction in &record.transactions {
            let suffix = format!(" {}", transaction.name);
            percentiles(&mut metrics, &transaction.response, &suffix, false);
        }
    }
    let lower = |name: &str, unit| Metric::new(name.to_owned(), unit, Better::Lower, false);
    if let Some(cpus) = record.server_cpus {
        metrics.push((lower("server CPUs", "processors"), cpus));
    }
    let finished = record.transactions.iter().map(|kind| kind.measured.committed);
    let finished = finished.fold(0, u64::saturating_add);
    if finished > 0 && record.client.cpu_s > 0.0 {
        let cpu_us = record.client.cpu_s * 1e6 / finished as f64;
        metrics.push((lower("client CPU a transaction", "µs"), cpu_us));
    }
    metrics
}

fn percentiles(
    metrics: &mut Vec<(Metric, f64)>,
    response: &LatencyHistogram,
    suffix: &str,
    judged: bool,
) {
    if response.count() == 0 {
        return;
    }
    for percent in PERCENTILES {
        let name = format!("p{percent}{suffix}");
        let metric = Metric::new(name, "ms", Better::Lower, judged);
        metrics.push((metric, response.percentile_ms(percent)));
    }
}

/// The measured seconds of the metric called `name`, committed transactions a second: of
/// New-Orders for tpmC and NOPM, of all types for the other rates of the headline. None for a
/// metric that has no such series, as percentiles have none.
pub fn series_of(record: &RunRecord, name: &str) -> Option<Vec<f64>> {
    let figure = record.headline.iter().find(|figure| figure.name == name)?;
    if !matches!(figure.unit.as_str(), "1/min" | "1/s") {
        return None;
    }
    let orders: &[&str] = match name.starts_with("tpmC") || name.starts_with("NOPM") {
        true => &["New-Order", "NEWORD"],
        false => &[],
    };
    let series = committed_series(record, measured_phase(record)?, orders);
    (!series.is_empty()).then_some(series)
}
