//! Response times of the second that is over, before the collector forgets them.

use crate::recorder::TypeInterval;

/// Response times of one second, committed and rolled-back transactions, by type.
#[derive(Clone, Copy)]
pub struct Responses<'a>(&'a [TypeInterval]);

/// How long transactions took, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseTally {
    /// How many took at most as long as each of the bounds.
    pub within: Vec<u64>,
    /// How many there were.
    pub count: u64,
    /// How long all of them took together, microseconds.
    pub sum_us: u64,
}

impl ResponseTally {
    /// Adds another one that was counted at the same bounds.
    pub fn add(&mut self, other: &Self) {
        for (into, from) in self.within.iter_mut().zip(&other.within) {
            *into = into.saturating_add(*from);
        }
        self.count = self.count.saturating_add(other.count);
        self.sum_us = self.sum_us.saturating_add(other.sum_us);
    }
}

impl<'a> Responses<'a> {
    pub(crate) fn of(types: &'a [TypeInterval]) -> Self {
        Self(types)
    }

    /// The transactions of the type at `kind`, counted at `bounds_us`, which grow. None took part
    /// where the type is unknown or latencies are not recorded.
    pub fn tally(&self, kind: usize, bounds_us: &[u64]) -> ResponseTally {
        let mut tally = ResponseTally { within: vec![0; bounds_us.len()], count: 0, sum_us: 0 };
        let Some(of_type) = self.0.get(kind) else { return tally };
        for step in of_type.response.iter_recorded() {
            let (value_us, count) = (step.value_iterated_to(), step.count_at_value());
            tally.count = tally.count.saturating_add(count);
            tally.sum_us = tally.sum_us.saturating_add(value_us.saturating_mul(count));
            // A value is told apart from its neighbours by three digits; the least of those that
            // it may have been is what counts, so that a bound holds what lies on it.
            let least_us = of_type.response.lowest_equivalent(value_us);
            let first = bounds_us.partition_point(|bound_us| *bound_us < least_us);
            for within in &mut tally.within[first..] {
                *within = within.saturating_add(count);
            }
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_are_counted_at_every_bound_that_they_kept() {
        let mut types = [TypeInterval::empty(), TypeInterval::empty()];
        for micros in [400, 1000, 1000, 5000, 3_000_000] {
            types[1].response.saturating_record(micros);
        }
        let tally = Responses::of(&types).tally(1, &[1000, 10_000, 1_000_000]);
        let mut twice = tally.clone();
        twice.add(&tally);
        assert_eq!((twice.within, twice.count), (vec![6, 8, 8], 10));
        assert_eq!((tally.within, tally.count), (vec![3, 4, 4], 5));
        let exact_us = 400 + 2 * 1000 + 5000 + 3_000_000;
        assert!(tally.sum_us.abs_diff(exact_us) < exact_us / 500, "{}", tally.sum_us);
        let nobody = ResponseTally { within: vec![0], count: 0, sum_us: 0 };
        assert_eq!(Responses::of(&types).tally(0, &[1000]), nobody);
        assert_eq!(Responses::of(&types).tally(2, &[1000]), nobody, "a type that is not there");
    }
}
