//! The two sides of a comparison, made of stored runs.

use super::{
    Comparison, Design, Measured, Metric, Options, Sample,
    caveats::{self, caveats},
    judge::compare,
    metric::{metrics_of, series_of},
    seconds::relative_error,
};
use crate::record::RunRecord;

/// A run and where it belongs.
#[derive(Clone, Copy, Debug)]
pub struct PlacedRun<'a> {
    /// The run.
    pub record: &'a RunRecord,
    /// The block of interleaved runs that it is part of; none where runs were not interleaved.
    pub block: Option<u32>,
}

/// One side.
#[derive(Clone, Debug)]
pub struct RunSet<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Its runs.
    pub runs: Vec<PlacedRun<'a>>,
}

/// A run and its metrics, which take a while to work out.
#[derive(Clone, Debug)]
pub(super) struct Seen<'a> {
    pub(super) record: &'a RunRecord,
    metrics: Vec<(Metric, f64)>,
}

impl<'a> Seen<'a> {
    pub(super) fn of(record: &'a RunRecord) -> Self {
        Self { record, metrics: metrics_of(record) }
    }

    /// The value of a metric; none where there is none above zero, as there is no ratio to it.
    fn value(&self, name: &str) -> Option<f64> {
        let (_, value) = self.metrics.iter().find(|(metric, _)| metric.name == name)?;
        (*value > 0.0 && value.is_finite()).then_some(*value)
    }

    /// The same with what the run's seconds say of it.
    pub(super) fn sample(&self, name: &str) -> Option<Sample> {
        let value = self.value(name)?;
        let error = series_of(self.record, name).and_then(|series| relative_error(&series));
        Some(Sample {
            run: self.record.id.clone(),
            value,
            std_err: error.map(|(squared, _)| squared.sqrt() * value),
            effective_n: error.map_or(0.0, |(_, freedom)| freedom + 1.0),
            ..Sample::default()
        })
    }
}

/// Compares stored runs, in every metric that all of them have. They are taken for blocks where
/// every run names one. `named` are the settings that were meant to differ.
pub fn compare_runs(
    baseline: &RunSet<'_>,
    variant: &RunSet<'_>,
    named: &[String],
    options: &Options,
) -> Comparison {
    let (from, to) = (seen(baseline), seen(variant));
    let all: Vec<&Seen<'_>> = from.iter().chain(&to).map(|(seen, _)| seen).collect();
    let (metrics, lacking) = share(&all);
    let mut starts: Vec<&str> = all.iter().map(|seen| seen.record.id.as_str()).collect();
    // Ids begin with the time of the start.
    starts.sort_unstable();
    let measured: Vec<Measured> = metrics
        .into_iter()
        .map(|metric| Measured {
            baseline: samples(&from, &metric.name, &starts),
            variant: samples(&to, &metric.name, &starts),
            pairs: Vec::new(),
            metric,
        })
        .collect();
    let design = match from.iter().chain(&to).all(|(_, block)| block.is_some()) {
        true => Design::Blocks,
        false => Design::Independent,
    };
    let mut comparison = compare((baseline.name, variant.name), &measured, design, options);
    let (from, to) = (records(baseline), records(variant));
    comparison.differences = caveats::differences(&from, &to);
    comparison.caveats.extend(lacking);
    comparison.caveats.extend(caveats(&from, &to, named));
    comparison.mark();
    comparison
}

fn records<'a>(set: &RunSet<'a>) -> Vec<&'a RunRecord> {
    set.runs.iter().map(|run| run.record).collect()
}

fn seen<'a>(set: &RunSet<'a>) -> Vec<(Seen<'a>, Option<u32>)> {
    set.runs.iter().map(|run| (Seen::of(run.record), run.block)).collect()
}

fn samples(side: &[(Seen<'_>, Option<u32>)], name: &str, starts: &[&str]) -> Vec<Sample> {
    let place = |id: &str| starts.iter().position(|start| *start == id).unwrap_or_default();
    let mut samples: Vec<Sample> = side
        .iter()
        .filter_map(|(seen, block)| {
            let order = u32::try_from(place(&seen.record.id)).unwrap_or(u32::MAX);
            Some(Sample { block: *block, order, ..seen.sample(name)? })
        })
        .collect();
    samples.sort_by_key(|sample| sample.order);
    samples
}

/// The metrics that every run has with a value above zero, in the order of the first run, and a
/// sentence on judged ones that some lack.
pub(super) fn share(runs: &[&Seen<'_>]) -> (Vec<Metric>, Option<String>) {
    let (mut shared, mut lacking): (Vec<Metric>, Vec<Metric>) = (Vec::new(), Vec::new());
    for (metric, _) in runs.iter().flat_map(|run| &run.metrics) {
        if shared.iter().chain(&lacking).any(|known| known.name == metric.name) {
            continue;
        }
        match runs.iter().all(|run| run.value(&metric.name).is_some()) {
            true => shared.push(metric.clone()),
            false => lacking.push(metric.clone()),
        }
    }
    let judged: Vec<&str> =
        lacking.iter().filter(|metric| metric.judged).map(|metric| metric.name.as_str()).collect();
    let sentence = (!judged.is_empty()).then(|| {
        format!("Not every run has a value above zero of {}: not compared.", judged.join(", "))
    });
    (shared, sentence)
}
