//! How transactions ended.

use serde::{Deserialize, Serialize};
use std::iter::Sum;

/// How transactions ended. Every started transaction is in exactly one of `committed`,
/// `rolled_back` and `failed`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Outcomes {
    /// Commit acknowledged.
    pub committed: u64,
    /// Rolled back by the business rule.
    pub rolled_back: u64,
    /// Given up.
    pub failed: u64,
    /// Of the committed and rolled back: those that needed more than one attempt.
    pub retried: u64,
    /// Of the failed: commit sent, connection lost before the answer.
    pub in_doubt: u64,
}

impl Outcomes {
    /// Both added up. Counts of a damaged record end at the largest.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self {
            committed: self.committed.saturating_add(more.committed),
            rolled_back: self.rolled_back.saturating_add(more.rolled_back),
            failed: self.failed.saturating_add(more.failed),
            retried: self.retried.saturating_add(more.retried),
            in_doubt: self.in_doubt.saturating_add(more.in_doubt),
        }
    }
}

impl<'a> Sum<&'a Self> for Outcomes {
    fn sum<I: Iterator<Item = &'a Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, more| sum.plus(*more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_is_added_up_and_ends_at_the_largest() {
        let one = Outcomes { committed: 1, rolled_back: 2, failed: 3, retried: 4, in_doubt: 5 };
        let two = Outcomes { committed: 2, rolled_back: 4, failed: 6, retried: 8, in_doubt: 10 };
        assert_eq!([one, one].iter().sum::<Outcomes>(), two);
        let most = Outcomes { failed: u64::MAX, ..one };
        assert_eq!(most.plus(one).failed, u64::MAX);
    }
}
