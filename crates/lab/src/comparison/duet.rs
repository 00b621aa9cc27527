//! Duets: both sides at the same time, as two instances on separate processors.
//!
//! What disturbs the machine disturbs both, and the ratio of their throughputs, taken second for
//! second, does not move (L. Bulej et al., "Duet Benchmarking: Improving Measurement Accuracy in
//! the Cloud", ICPE 2020). Processors are not equally fast, so the two change places: within the
//! pair, again and again, so that what a place is worth is on both sides of every ratio; or from
//! pair to pair, where it is in two groups with opposite signs and cancels in their mean.

use super::{
    Comparison, Design, Measured, Method, Metric, Options, Sample,
    caveats::{self, caveats},
    contrast::Contrast,
    estimate::Estimate,
    evidence::Evidence,
    judge::compare,
    metric::series_of,
    seconds::relative_error,
    sides::{Seen, share},
};
use crate::record::RunRecord;

/// A pair of runs that were made at the same time.
#[derive(Clone, Copy, Debug)]
pub struct DuetRuns<'a> {
    /// The baseline's run.
    pub baseline: &'a RunRecord,
    /// The variant's.
    pub variant: &'a RunRecord,
    /// Who was where.
    pub place: Place,
}

/// Which places the two of a pair had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Those of the first pair.
    Straight,
    /// Each that of the other in the first pair.
    Swapped,
    /// Both, in turn.
    InTurn,
}

/// What one pair says of one metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairRatio {
    /// Natural logarithm of variant over baseline.
    pub log_ratio: f64,
    /// Its squared standard error by the pair's own seconds and the degrees of freedom of that;
    /// none where the metric has no series.
    pub error: Option<(f64, f64)>,
    /// Who was where.
    pub place: Place,
}

impl PairRatio {
    /// The ratio of two series that were measured at the same time, second for second: the mean of
    /// the seconds' logarithms of ratios. Seconds in which either stood still are taken together
    /// with the next. None where too little is left.
    pub fn of_series(baseline: &[f64], variant: &[f64], place: Place) -> Option<Self> {
        let ratios = log_ratios(baseline, variant);
        if ratios.len() < 2 {
            return None;
        }
        let log_ratio = ratios.iter().sum::<f64>() / ratios.len() as f64;
        // The error of a mean does not depend on where zero is, but that of a relative one does:
        // about one, a relative error is an absolute one.
        let about_one: Vec<f64> = ratios.iter().map(|ratio| 1.0 + ratio - log_ratio).collect();
        Some(Self { log_ratio, error: relative_error(&about_one), place })
    }

    /// The ratio of two values without a series.
    pub fn of_values(baseline: f64, variant: f64, place: Place) -> Self {
        Self { log_ratio: (variant / baseline).ln(), error: None, place }
    }
}

/// Logarithms of ratios, second for second.
fn log_ratios(baseline: &[f64], variant: &[f64]) -> Vec<f64> {
    let mut ratios = Vec::with_capacity(baseline.len());
    let (mut from, mut to) = (0.0, 0.0);
    for (one, other) in baseline.iter().zip(variant) {
        from += one;
        to += other;
        if from > 0.0 && to > 0.0 {
            ratios.push((to / from).ln());
            (from, to) = (0.0, 0.0);
        }
    }
    ratios
}

/// What the pairs say: by the spread between pairs where there are two of one place, else by their
/// seconds.
pub(super) fn evidence(pairs: &[PairRatio]) -> Evidence {
    let of = |place| -> Vec<f64> {
        let of_place = pairs.iter().filter(|pair| pair.place == place);
        of_place.map(|pair| pair.log_ratio).collect()
    };
    let in_turn = pairs.iter().any(|pair| pair.place == Place::InTurn);
    if in_turn && pairs.len() > 1 {
        let all = pairs.iter().map(|pair| pair.log_ratio).collect();
        return Evidence::of_contrast(Contrast::paired(all), Method::Duet, 1);
    }
    let (straight, swapped) = (of(Place::Straight), of(Place::Swapped));
    match (straight.len(), swapped.len()) {
        (0, 2..) => Evidence::of_contrast(Contrast::paired(swapped), Method::Duet, 1),
        (2.., 0) => Evidence::of_contrast(Contrast::paired(straight), Method::Duet, 1),
        (1, 2..) => Evidence::of_estimate(Estimate::lopsided(straight[0], &swapped), Method::Duet),
        (2.., 1) => Evidence::of_estimate(Estimate::lopsided(swapped[0], &straight), Method::Duet),
        (2.., 2..) => Evidence::of_contrast(Contrast::swapped(straight, swapped), Method::Duet, 2),
        _ if pairs.is_empty() => Evidence::default(),
        _ => Evidence::of_estimate(within_pairs(pairs), Method::Seconds),
    }
}

/// The mean of both places by what the pairs' seconds say.
fn within_pairs(pairs: &[PairRatio]) -> Option<Estimate> {
    let places = [Place::Straight, Place::Swapped, Place::InTurn].map(|place| {
        let of_place = pairs.iter().filter(|pair| pair.place == place);
        of_place.collect::<Vec<_>>()
    });
    let used = places.iter().filter(|place| !place.is_empty()).count() as f64;
    let (mut log_ratio, mut errors) = (0.0, Vec::new());
    for place in &places {
        let weight = 1.0 / (used * place.len() as f64);
        for pair in place {
            let (squared, freedom) = pair.error?;
            log_ratio += weight * pair.log_ratio;
            errors.push((weight * weight * squared, freedom));
        }
    }
    (!errors.is_empty()).then(|| Estimate::of_errors(log_ratio, &errors))
}

/// Compares the two sides of a duet. `named` are the settings that were meant to differ.
pub fn compare_duet(
    names: (&str, &str),
    pairs: &[DuetRuns<'_>],
    named: &[String],
    options: &Options,
) -> Comparison {
    let seen: Vec<(Seen<'_>, Seen<'_>, Place)> = pairs
        .iter()
        .map(|pair| (Seen::of(pair.baseline), Seen::of(pair.variant), pair.place))
        .collect();
    let all: Vec<&Seen<'_>> = seen.iter().flat_map(|(from, to, _)| [from, to]).collect();
    let (metrics, lacking) = share(&all);
    let measured: Vec<Measured> =
        metrics.into_iter().map(|metric| measured(metric, &seen)).collect();
    let mut comparison = compare(names, &measured, Design::Duet, options);
    let from: Vec<_> = pairs.iter().map(|pair| pair.baseline).collect();
    let to: Vec<_> = pairs.iter().map(|pair| pair.variant).collect();
    comparison.differences = caveats::differences(&from, &to);
    comparison.caveats.extend(lacking);
    comparison.caveats.extend(unbalanced(pairs));
    comparison.caveats.extend(caveats(&from, &to, named));
    comparison.mark();
    comparison
}

fn measured(metric: Metric, pairs: &[(Seen<'_>, Seen<'_>, Place)]) -> Measured {
    let name = &metric.name;
    let (mut baseline, mut variant, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for (order, (from, to, place)) in (0_u32..).zip(pairs) {
        let Some((one, other)) = from.sample(name).zip(to.sample(name)) else { continue };
        let series = series_of(from.record, name).zip(series_of(to.record, name));
        let ratio = series
            .and_then(|(from, to)| PairRatio::of_series(&from, &to, *place))
            .unwrap_or_else(|| PairRatio::of_values(one.value, other.value, *place));
        ratios.push(ratio);
        baseline.push(Sample { order, block: Some(order), ..one });
        variant.push(Sample { order, block: Some(order), ..other });
    }
    Measured { metric, baseline, variant, pairs: ratios }
}

/// A place that is better than the other shows as a difference unless both sides had it.
fn unbalanced(pairs: &[DuetRuns<'_>]) -> Option<String> {
    let (first, rest) = pairs.split_first()?;
    let never = first.place != Place::InTurn && rest.iter().all(|pair| pair.place == first.place);
    never.then(|| {
        "The two sides never changed places: what one's processors were better shows as a \
         difference."
            .to_owned()
    })
}
