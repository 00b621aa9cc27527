//! What a page shows of one run, in little room: a day of seconds in a few hundred bins.

use super::{
    amplification::Drive,
    bins::{BINS_MAX, Bin, index, number, width_s},
};
use lab::{
    histogram::LatencyHistogram,
    record::{Outage, Phase, RunRecord, Series},
};

/// A run in brief.
#[derive(Clone, Debug)]
pub(super) struct Digest {
    /// Width of the bins, seconds.
    pub(super) width_s: f64,
    /// End of the run, seconds from the start of the ramp-up.
    pub(super) end_s: f64,
    /// Committed transactions of all types, over time.
    pub(super) committed: Vec<Bin>,
    /// The 95th percentile of the first type's response time in the worst second, milliseconds;
    /// zero where nothing ended.
    pub(super) p95_ms: Vec<f64>,
    /// What that type is called.
    pub(super) first_type: String,
    pub(super) phases: Vec<Phase>,
    pub(super) outages: Vec<Outage>,
    /// Response times of all types in the measured phase.
    pub(super) response: LatencyHistogram,
    /// Whatever was watched.
    pub(super) watched: Vec<Watched>,
    /// What drives wrote for what they were given.
    pub(super) drives: Vec<Drive>,
    /// Transactions given up in the measured phase.
    pub(super) failed: u64,
    /// What a reader must know before believing a figure.
    pub(super) warnings: Vec<String>,
}

/// A series of a run.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) group: String,
    pub(super) unit: String,
    pub(super) bins: Vec<Bin>,
}

impl Digest {
    pub(super) fn of(run: &RunRecord) -> Self {
        let ends = run.intervals.iter().map(|interval| interval.at_s);
        let end_s = ends.filter(|at_s| at_s.is_finite()).fold(0.0, f64::max);
        let width_s = width_s(end_s, BINS_MAX);
        let bins = number(end_s, width_s);
        let (committed, p95_ms) = over_time(run, width_s, bins);
        let responses = run.transactions.iter().map(|transaction| &transaction.response);
        let axis_s = run.watch.as_ref().map_or(&[][..], |watch| &watch.at_s);
        let series = run.watch.iter().flat_map(|watch| &watch.series);
        let failed = run.transactions.iter().map(|transaction| transaction.measured.failed);
        Self {
            width_s,
            end_s,
            committed,
            p95_ms,
            first_type: run.transactions.first().map(|t| t.name.clone()).unwrap_or_default(),
            phases: run.phases.clone(),
            outages: run.outages.clone(),
            response: LatencyHistogram::of_all(responses),
            watched: series.map(|series| watched(series, axis_s, width_s, bins)).collect(),
            drives: Drive::all(run),
            failed: failed.fold(0, u64::saturating_add),
            warnings: run.warnings.clone(),
        }
    }
}

fn over_time(run: &RunRecord, width_s: f64, bins: usize) -> (Vec<Bin>, Vec<f64>) {
    let (mut committed, mut p95_ms) = (vec![Bin::default(); bins], vec![0.0_f64; bins]);
    for interval in &run.intervals {
        let middle_s = interval.at_s - interval.length_s / 2.0;
        let Some(place) = index(middle_s, width_s, bins) else { continue };
        let all = interval.transactions.iter().map(|t| t.committed as f64).sum();
        committed[place].add(all, interval.length_s);
        let first = interval.transactions.first().map_or(0.0, |t| t.p95_ms);
        p95_ms[place] = p95_ms[place].max(if first.is_finite() { first } else { 0.0 });
    }
    (committed, p95_ms)
}

fn watched(series: &Series, axis_s: &[f64], width_s: f64, number: usize) -> Watched {
    let mut bins = vec![Bin::default(); number];
    for (at_s, value) in axis_s.iter().zip(&series.values) {
        // A sample stands for the time before it.
        let place = index(at_s - 0.5, width_s, number);
        if let (Some(place), Some(value)) = (place, value) {
            bins[place].add(*value, 1.0);
        }
    }
    Watched {
        name: series.name.clone(),
        label: series.label.clone(),
        group: series.group.clone(),
        unit: series.unit.clone(),
        bins,
    }
}
