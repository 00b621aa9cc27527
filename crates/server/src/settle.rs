//! Whether a server has come to rest after a load: dirty pages, undo history, running threads.
//!
//! What counts as rest is where the server was before the load, with some slack, so that a server
//! that is never quite idle can be waited for as well. A quantity that stays where it is has come
//! to rest, too: MariaDB keeps dirty pages for as long as it has room for them, and no wait would
//! change that. [`judge`] decides over samples and is pure; [`Rest`] asks and waits.

mod ask;
mod pool;
mod words;

pub use ask::{Rest, Waited};
pub use pool::PoolFilled;

/// Samples that a quantity must have stayed within its limit for, against a lucky moment.
const BACK_SAMPLES: usize = 2;
/// Samples over which a quantity must not have moved to be called still.
const STILL_SAMPLES: usize = 10;
/// Share of a quantity that it may move by and still be called still.
const STILL_SHARE: f64 = 0.01;

/// Something that a server does after a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Pages of the buffer pool that are not yet written.
    DirtyPages,
    /// Undo records that wait for the purge, the history list length.
    History,
    /// Threads that carry out a statement, ours included.
    RunningThreads,
}

impl Quantity {
    /// All of them, in the order of [`Sample`].
    pub const ALL: [Self; 3] = [Self::DirtyPages, Self::History, Self::RunningThreads];

    /// Its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::DirtyPages => "dirty pages",
            Self::History => "history list length",
            Self::RunningThreads => "running threads",
        }
    }
}

/// What a server said at one moment, in the order of [`Quantity::ALL`]; none where it does not
/// tell or does not let us ask.
pub type Sample = [Option<u64>; Quantity::ALL.len()];

/// Up to where a quantity counts as back, in the order of [`Quantity::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits(pub [u64; Quantity::ALL.len()]);

impl Limits {
    /// Where the server was, and a percent of its pages, a thousand undo records or none of the
    /// threads more: what a server makes by itself.
    pub fn above(before: &Sample, pool_pages: u64) -> Self {
        let slack = [pool_pages / 100, 1000, 0];
        let least = [0, 0, 1];
        let limit = |i: usize| before[i].unwrap_or(0).saturating_add(slack[i]).max(least[i]);
        Self(std::array::from_fn(limit))
    }
}

/// Where a quantity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The server does not tell.
    Untold,
    /// Within its limit.
    Back,
    /// Above it, and staying there.
    Still,
    /// Above it, and moving or not watched for long enough.
    Moving,
}

/// Where each quantity is, by the samples so far, the latest last.
pub fn judge(samples: &[Sample], limits: &Limits) -> [State; Quantity::ALL.len()] {
    std::array::from_fn(|i| {
        let values: Option<Vec<u64>> = samples.iter().rev().map(|sample| sample[i]).collect();
        // What was told once and then not any more is not told.
        values.map_or(State::Untold, |values| state(&values, limits.0[i]))
    })
}

/// `values` the latest first.
fn state(values: &[u64], limit: u64) -> State {
    if values.len() >= BACK_SAMPLES && values[..BACK_SAMPLES].iter().all(|value| *value <= limit) {
        return State::Back;
    }
    let Some(last) = values.get(..STILL_SAMPLES) else { return State::Moving };
    let (least, most) = last
        .iter()
        .fold((u64::MAX, 0), |(least, most), value| (least.min(*value), most.max(*value)));
    match (most - least) as f64 <= most as f64 * STILL_SHARE {
        true => State::Still,
        false => State::Moving,
    }
}

/// Whether nothing is left to wait for.
pub fn is_at_rest(states: &[State]) -> bool {
    !states.contains(&State::Moving)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const LIMITS: Limits = Limits([100, 1000, 1]);

    fn dirty(values: &[u64]) -> State {
        let samples: Vec<Sample> = values.iter().map(|v| [Some(*v), Some(0), Some(1)]).collect();
        judge(&samples, &LIMITS)[0]
    }

    #[test]
    fn limits_lie_above_what_was_before() {
        let limits = Limits::above(&[Some(50), Some(7), Some(2)], 8192);
        assert_eq!(limits, Limits([131, 1007, 2]));
        // A server that tells nothing, or no thread but ours.
        assert_eq!(Limits::above(&[None, None, None], 0), Limits([0, 1000, 1]));
    }

    #[test]
    fn a_quantity_is_back_when_two_samples_are_within_the_limit() {
        assert_eq!(dirty(&[100]), State::Moving);
        assert_eq!(dirty(&[500, 100]), State::Moving);
        assert_eq!(dirty(&[500, 100, 90]), State::Back);
        assert_eq!(dirty(&[500, 100, 90, 101]), State::Moving);
    }

    #[test]
    fn a_quantity_that_stays_has_come_to_rest() {
        assert_eq!(dirty(&[5000; 9]), State::Moving);
        assert_eq!(dirty(&[5000; 10]), State::Still);
        let mut falling: Vec<u64> = (0..10).map(|i| 5000 - 100 * i).collect();
        assert_eq!(dirty(&falling), State::Moving);
        falling.extend([4100; 9]);
        assert_eq!(dirty(&falling), State::Still);
    }

    #[test]
    fn what_a_server_does_not_tell_is_not_waited_for() {
        let samples = [[Some(1), None, Some(1)]; 2];
        let states = judge(&samples, &LIMITS);
        assert_eq!(states, [State::Back, State::Untold, State::Back]);
        assert!(is_at_rest(&states));
    }

    proptest! {
        #[test]
        fn rest_is_never_claimed_while_something_grows_beyond_its_limit(
            start in 200..10_000_u64, growth in 2..50_u64, samples in 1..40_usize,
        ) {
            // Over ten samples it grows by more than a percent.
            let growth = growth * (start / 100 + 1);
            let values: Vec<u64> = (0..samples as u64).map(|i| start + i * growth).collect();
            prop_assert_eq!(dirty(&values), State::Moving);
        }
    }
}
