//! How long to wait before trying again.

use crate::{clock::nanos, options::Reconnect};
use rand::{Rng, RngExt};

/// The longest wait before the second attempt of a transaction; it doubles with each attempt.
const RETRY_FIRST_NS: u64 = 1_000_000;
/// The longest wait before any attempt of a transaction.
const RETRY_MAX_NS: u64 = 50_000_000;

/// The wait after the failed attempt `attempt` (from 1) of a transaction: drawn from nothing to
/// 1 ms after the first, to 2 ms after the second, and so on to 50 ms. Two transactions that
/// were each other's deadlock are thus unlikely to meet again.
pub(crate) fn retry_ns(attempt: u32, rng: &mut impl Rng) -> u64 {
    rng.random_range(0..=doubled(RETRY_FIRST_NS, attempt - 1).min(RETRY_MAX_NS))
}

/// The wait before the try `attempt` (from 1) to open a lost connection again: drawn from half to
/// all of the first wait, doubled with each try up to the longest. The draw keeps the connections
/// of a server that comes back from all knocking at once.
pub(crate) fn reconnect_ns(attempt: u32, reconnect: &Reconnect, rng: &mut impl Rng) -> u64 {
    let longest_ns = doubled(nanos(reconnect.first), attempt - 1).min(nanos(reconnect.max));
    rng.random_range(longest_ns / 2..=longest_ns)
}

fn doubled(first: u64, times: u32) -> u64 {
    first.saturating_mul(1_u64.checked_shl(times).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::LoadOptions;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    proptest! {
        #[test]
        fn waits_stay_in_their_bounds(attempt in 1..=u32::MAX, seed: u64) {
            let mut rng = Pcg64::seed_from_u64(seed);
            prop_assert!(retry_ns(attempt, &mut rng) <= RETRY_MAX_NS);
            let reconnect = LoadOptions::default().reconnect;
            let wait_ns = reconnect_ns(attempt, &reconnect, &mut rng);
            prop_assert!(wait_ns >= nanos(reconnect.first) / 2);
            prop_assert!(wait_ns <= nanos(reconnect.max));
        }
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let mut rng = Pcg64::seed_from_u64(1);
        let reconnect = LoadOptions::default().reconnect;
        let mut longest_ms = |attempt| {
            let waits = (0..2000).map(|_| reconnect_ns(attempt, &reconnect, &mut rng));
            waits.max().map(|ns| (ns as f64 / 1e6).round())
        };
        assert_eq!([1, 2, 3, 9].map(&mut longest_ms), [100.0, 200.0, 400.0, 5000.0].map(Some));
    }
}
