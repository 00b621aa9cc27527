//! Values over time in bins whose widths are powers of two, so that runs of any lengths can be laid
//! on one axis: bins of one run are joined until they are as wide as those of the longest.

/// A run has at most so many bins.
pub(super) const BINS_MAX: usize = 480;

/// The mean of what fell into a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bin {
    sum: f64,
    weight: f64,
}

impl Bin {
    /// Adds `sum`, which came together in `weight` seconds or samples. What is no number is left
    /// out.
    pub(super) fn add(&mut self, sum: f64, weight: f64) {
        if sum.is_finite() && weight.is_finite() {
            self.sum += sum;
            self.weight += weight;
        }
    }

    /// The mean; none where less than `least` fell into it.
    pub(super) fn mean(self, least: f64) -> Option<f64> {
        (self.weight > 0.0 && self.weight >= least).then(|| self.sum / self.weight)
    }

    fn joined(bins: &[Self]) -> Self {
        let add = |all: Self, bin: &Self| Self {
            sum: all.sum + bin.sum,
            weight: all.weight + bin.weight,
        };
        bins.iter().fold(Self::default(), add)
    }
}

/// The narrowest width, a power of two of seconds, at which `length_s` has at most `limit` bins.
pub(super) fn width_s(length_s: f64, limit: usize) -> f64 {
    let mut width_s = 1.0;
    // A length that is no number leaves the loop at once; the longest run is over after some 50.
    while length_s.is_finite() && length_s / width_s > limit.max(1) as f64 {
        width_s *= 2.0;
    }
    width_s
}

/// How many bins of `width_s` cover `length_s`, at most the most that a run may have.
pub(super) fn number(length_s: f64, width_s: f64) -> usize {
    let bins = (length_s / width_s).ceil();
    if bins.is_finite() { (bins.max(0.0) as usize).min(BINS_MAX) } else { 0 }
}

/// The bin of an instant; none where there is none.
pub(super) fn index(at_s: f64, width_s: f64, bins: usize) -> Option<usize> {
    let index = (at_s / width_s).floor();
    (index >= 0.0 && index < bins as f64).then_some(index as usize)
}

/// Neighbours joined, `times` of them into one.
pub(super) fn coarser(bins: &[Bin], times: usize) -> Vec<Bin> {
    bins.chunks(times.max(1)).map(Bin::joined).collect()
}

/// The same for values of which the largest counts; zero stands for none.
pub(super) fn worst(values: &[f64], times: usize) -> Vec<Option<f64>> {
    let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let some = |value: f64| (value > 0.0).then_some(value);
    values.chunks(times.max(1)).map(|values| some(largest(values))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_hours_have_at_most_as_many_bins_as_are_allowed() {
        assert_eq!([10.0, 480.0, 481.0, 43_200.0].map(|s| width_s(s, 480)), [1.0, 1.0, 2.0, 128.0]);
        assert_eq!(number(43_200.0, 128.0), 338);
        for odd in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert_eq!((width_s(odd, 480), number(odd, 1.0)), (1.0, 0), "{odd}");
        }
        assert!(width_s(f64::MAX, 480) > 1.0);
    }

    #[test]
    fn joined_bins_have_the_mean_of_all() {
        let mut bins = [Bin::default(); 5];
        for (bin, sum) in bins.iter_mut().zip([1.0, 3.0, f64::NAN, 5.0]) {
            bin.add(sum, 1.0);
        }
        let joined: Vec<_> = coarser(&bins, 2).into_iter().map(|bin| bin.mean(0.5)).collect();
        assert_eq!(joined, [Some(2.0), Some(5.0), None]);
        assert_eq!(worst(&[1.0, 4.0, 0.0, 0.0, 2.0], 2), [Some(4.0), None, Some(2.0)]);
    }

    #[test]
    fn an_instant_has_its_bin_or_none() {
        assert_eq!(index(3.9, 2.0, 2), Some(1));
        assert_eq!([index(4.0, 2.0, 2), index(-0.1, 2.0, 2), index(f64::NAN, 2.0, 2)], [None; 3]);
    }
}
