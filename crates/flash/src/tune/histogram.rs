//! Lifetimes counted by their logarithm, those that were not seen to end apart.

/// Bins of a doubling.
const BINS_A_DOUBLING: f64 = 4.0;

/// Enough for lifetimes of 2^50 pages.
const BINS: usize = 201;

/// Lifetimes by their logarithm.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    ended: Vec<u64>,
    lasting: Vec<u64>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { ended: vec![0; BINS], lasting: vec![0; BINS] }
    }
}

impl Histogram {
    /// A lifetime that ended.
    pub(super) fn ended(&mut self, lifetime: u64) {
        self.ended[bin(lifetime)] += 1;
    }

    /// A lifetime that had lasted so long when the trace ended.
    pub(super) fn lasting(&mut self, lifetime: u64) {
        self.lasting[bin(lifetime)] += 1;
    }

    /// How many lifetimes were not seen to end.
    pub(super) fn lasting_count(&self) -> u64 {
        self.lasting.iter().sum()
    }

    /// The lifetime that this share of all does not exceed, by the estimate of Kaplan and Meier
    /// (JASA 53, 1958), which takes account of those that were not seen to end. None if too few
    /// were.
    pub(super) fn quantile(&self, share: f64) -> Option<f64> {
        let mut at_risk: u64 = self.ended.iter().chain(&self.lasting).sum();
        let mut survival = 1.0;
        for (at, (&ended, &lasting)) in self.ended.iter().zip(&self.lasting).enumerate() {
            if ended > 0 {
                survival *= 1.0 - ended as f64 / at_risk as f64;
                if survival <= 1.0 - share + 1e-12 {
                    return Some(middle(at));
                }
            }
            at_risk -= ended + lasting;
        }
        None
    }
}

fn bin(lifetime: u64) -> usize {
    let doublings = (lifetime.saturating_add(1) as f64).log2();
    ((doublings * BINS_A_DOUBLING) as usize).min(BINS - 1)
}

/// The middle of a bin on the scale of logarithms.
fn middle(bin: usize) -> f64 {
    ((bin as f64 + 0.5) / BINS_A_DOUBLING).exp2() - 1.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn quantiles_are_right_to_a_bin() {
        let mut histogram = Histogram::default();
        (1..=1_000).for_each(|lifetime| histogram.ended(lifetime));
        for (share, expected) in [(0.1, 100.0), (0.5, 500.0), (0.9, 900.0)] {
            let quantile: f64 = histogram.quantile(share).unwrap();
            assert!((quantile / expected - 1.0).abs() < 0.2, "{share}: {quantile}");
        }
        assert!(histogram.quantile(0.0).unwrap() < 2.0);
    }

    #[test]
    fn lifetimes_that_were_not_seen_to_end_count_as_long_as_they_lasted() {
        let mut histogram = Histogram::default();
        (0..50).for_each(|_| histogram.ended(100));
        (0..50).for_each(|_| histogram.lasting(10));
        // Those that lasted 10 say nothing of 100: all that were watched so long had ended.
        let median: f64 = histogram.quantile(0.5).unwrap();
        assert!((median / 100.0 - 1.0).abs() < 0.2, "{median}");
        let mut histogram = Histogram::default();
        (0..40).for_each(|_| histogram.ended(100));
        (0..60).for_each(|_| histogram.lasting(1_000));
        assert_eq!(histogram.quantile(0.5), None, "most outlived the trace");
        assert!(histogram.quantile(0.3).is_some());
        assert_eq!(histogram.lasting_count(), 60);
        assert_eq!(Histogram::default().quantile(0.5), None);
    }

    #[test]
    fn no_lifetime_is_too_long() {
        let mut histogram = Histogram::default();
        histogram.ended(u64::MAX);
        histogram.ended(0);
        assert!(histogram.quantile(1.0).unwrap() > 1e14);
    }
}
