//! Which candidates stay: the second step of Apache Otava (M. Fleming et al., "Hunter: Using Change
//! Point Detection to Hunt for Performance Regressions", ICPE 2023).

use super::TrendOptions;
use crate::comparison::estimate::Estimate;

/// A change in a series of logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Index of the first value after it.
    pub index: usize,
    /// Mean since the change before, or the beginning.
    pub before: f64,
    /// Mean until the next change, or the end.
    pub after: f64,
    /// Number of values before.
    pub runs_before: usize,
    /// Number of values after.
    pub runs_after: usize,
    /// Student's test with one variance for both, as Otava makes it: after the first two runs that
    /// are slower there is no variance of their own to speak of.
    pub p_value: f64,
}

/// Takes the weakest candidate away, by significance and then by size, until all that are left are
/// strong enough; the others are weighed anew each time, as their neighbourhood has grown.
pub fn weigh(series: &[f64], mut candidates: Vec<usize>, options: &TrendOptions) -> Vec<Change> {
    loop {
        let changes = measure(series, &candidates);
        let size = |change: &Change| (change.after - change.before).abs();
        let unsure = changes
            .iter()
            .enumerate()
            .filter(|(_, change)| change.p_value >= options.p_value_max)
            .max_by(|(_, a), (_, b)| a.p_value.total_cmp(&b.p_value));
        let least = (options.change_min_percent / 100.0).ln_1p();
        let small = changes
            .iter()
            .enumerate()
            .filter(|(_, change)| size(change) < least)
            .min_by(|(_, a), (_, b)| size(a).total_cmp(&size(b)));
        match unsure.or(small) {
            Some((place, _)) => {
                candidates.remove(place);
            }
            None => return changes,
        }
    }
}

/// The changes at these places, each by the values up to its neighbours.
fn measure(series: &[f64], places: &[usize]) -> Vec<Change> {
    let mut borders = vec![0];
    borders.extend(places);
    borders.push(series.len());
    let change = |three: &[usize]| {
        let (before, after) = (&series[three[0]..three[1]], &series[three[1]..three[2]]);
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        Change {
            index: three[1],
            before: mean(before),
            after: mean(after),
            runs_before: before.len(),
            runs_after: after.len(),
            p_value: Estimate::pooled(before, after).map_or(1.0, |estimate| estimate.p_value()),
        }
    };
    borders.windows(3).map(change).collect()
}
