//! Made-up writes on a simulated drive, until its write amplification is steady.

use super::{
    Host, Outcome, ReplayError, Setup, Stopping, Watch, passes::fill, position::Intervals,
};
use crate::synthetic::{Load, Pattern};
use std::sync::atomic::Ordering;

/// Pages that are drawn at a time.
const BATCH_PAGES: usize = 1024;

/// Rounds that have to agree: drawn writes differ from round to round, and two may agree by luck
/// while write amplification still rises.
const ROUNDS: usize = 3;

/// The hint of a page that one who knows the pattern would call hot ("short"). Others have none.
const HOT_HINT: u8 = 2;

/// Made-up writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MadeUp {
    /// Which pages are written.
    pub pattern: Pattern,
    /// Share of what the host can address that is used: written once in order, then at random. The
    /// rest is never written.
    pub used: f64,
    /// What the randomness begins with.
    pub seed: u64,
}

impl MadeUp {
    /// Pages that are used of a drive.
    #[must_use]
    pub fn used_pages(&self, logical_pages: u32) -> u32 {
        (f64::from(logical_pages) * self.used.clamp(0.0, 1.0)).round() as u32
    }
}

/// Writes to a drive in rounds of as many pages as are used, until the latest three rounds differ
/// by less than the tolerance and all of the flash had been written once before them. Intervals
/// of a round are counted as those of a trace; hot pages of a hot/cold pattern have the hint
/// "short", all others none.
///
/// # Errors
/// The drive or the pattern cannot be, or it was stopped.
pub fn replay_load(
    load: &MadeUp,
    setup: &Setup,
    stopping: Stopping,
    watch: &Watch,
) -> Result<Outcome, ReplayError> {
    let mut host = Host::new(setup)?;
    let geometry = &setup.drive.geometry;
    let used = load.used_pages(geometry.logical_pages);
    let mut source = Load::new(load.pattern, used, load.seed)?;
    let streams = [setup.placement.stream(0, 0), setup.placement.stream(HOT_HINT, 0)];
    fill(&mut host, 0..used, streams[0], watch)?;
    host.drain();
    let mut rounds: Vec<f64> = Vec::new();
    // Rounds before the flash had been written once say nothing.
    let mut ignored = 0;
    loop {
        if host.counters().programs() < geometry.physical_pages() {
            ignored = rounds.len() + 1;
        }
        let mut intervals = Intervals::new(stopping.intervals, used.into());
        let began = host.counters();
        round(&mut host, &mut source, streams, used, &mut intervals, watch)?;
        let counters = host.counters().since(began);
        rounds.push(counters.factor().unwrap_or(1.0));
        let steady = rounds.len() >= ignored + ROUNDS
            && spread(&rounds[rounds.len() - ROUNDS..]) < stopping.tolerance;
        if steady || rounds.len() >= stopping.passes_max.max(1) as usize {
            watch.done.fetch_add(1, Ordering::Relaxed);
            host.drain();
            return Ok(Outcome {
                steady,
                passes: rounds.len() as u32,
                round_passes: 1,
                rounds,
                counters,
                intervals: intervals.counts(),
                total: host.counters(),
                wear: host.drive().wear(),
                valid_pages: host.drive().valid_pages(),
            });
        }
    }
}

fn round(
    host: &mut Host,
    source: &mut Load,
    streams: [u8; 2],
    used: u32,
    intervals: &mut Intervals,
    watch: &Watch,
) -> Result<(), ReplayError> {
    let mut batch = [0; BATCH_PAGES];
    let mut hot = Vec::with_capacity(BATCH_PAGES);
    let mut cold = Vec::with_capacity(BATCH_PAGES);
    let mut left = used as usize;
    intervals.begin(host.counters());
    while left > 0 {
        let now = &mut batch[..left.min(BATCH_PAGES)];
        source.fill(now);
        left -= now.len();
        if streams[0] == streams[1] {
            host.write_pages(now, streams[0]);
        } else {
            // Within a batch the order of independent writes does not matter.
            hot.clear();
            cold.clear();
            now.iter().for_each(|&page| match source.class(page) {
                0 => cold.push(page),
                _ => hot.push(page),
            });
            host.write_pages(&cold, streams[0]);
            host.write_pages(&hot, streams[1]);
        }
        let written = u64::from(used) - left as u64;
        if intervals.is_end(written) {
            intervals.end(written, host.counters());
        }
        watch.look_up(now.len() as u64)?;
    }
    intervals.end_pass(host.counters());
    Ok(())
}

/// How far the greatest is above the least, relatively.
fn spread(factors: &[f64]) -> f64 {
    let least = factors.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = factors.iter().copied().fold(0.0, f64::max);
    greatest / least - 1.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::{
        ftl::{Geometry, Options},
        placement::Placement,
        theory,
    };

    const GEOMETRY: Geometry =
        Geometry { page_bytes: 4096, block_pages: 64, blocks: 640, logical_pages: 32_000 };

    fn outcome(pattern: Pattern, used: f64, placement: Placement) -> Outcome {
        let setup = Setup { drive: Options { streams: 5, ..Options::new(GEOMETRY) }, placement };
        let load = MadeUp { pattern, used, seed: 1 };
        replay_load(&load, &setup, Stopping::default(), &Watch::default()).unwrap()
    }

    #[test]
    fn uniform_writes_come_to_the_closed_form() {
        let outcome = outcome(Pattern::Uniform, 1.0, Placement::Ignored);
        let expected = theory::greedy(GEOMETRY.alpha(), 64);
        let factor = outcome.factor().unwrap();
        assert!(outcome.steady, "{:?}", outcome.rounds);
        // A drive of 640 blocks with two open ones has somewhat less to spare than the theory has.
        assert!((factor / expected - 1.0).abs() < 0.03, "{factor} {expected}");
        assert_eq!(outcome.intervals.iter().map(|i| i.host_pages).sum::<u64>(), 32_000);
    }

    #[test]
    fn what_is_not_used_is_spare() {
        let half = outcome(Pattern::Uniform, 0.5, Placement::Ignored);
        let expected = theory::greedy(2.0 * GEOMETRY.alpha(), 64);
        assert!((half.factor().unwrap() / expected - 1.0).abs() < 0.03, "{half:?} {expected}");
        assert_eq!(half.valid_pages, 16_000);
    }

    #[test]
    fn hot_pages_apart_from_cold_ones_cost_less_and_writes_in_order_nothing() {
        let pattern = Pattern::HotCold { writes: 0.9, pages: 0.1 };
        let mixed = outcome(pattern, 1.0, Placement::Ignored);
        let apart = outcome(pattern, 1.0, Placement::nvme());
        assert!(apart.factor() < mixed.factor(), "{:?} {:?}", apart.rounds, mixed.rounds);
        let ordered = outcome(Pattern::Sequential, 1.0, Placement::Ignored);
        assert_eq!((ordered.factor(), ordered.steady), (Some(1.0), true));
    }

    #[test]
    fn loads_that_cannot_be_are_refused() {
        let setup = Setup { drive: Options::new(GEOMETRY), placement: Placement::Ignored };
        let load = MadeUp { pattern: Pattern::Uniform, used: 0.0, seed: 1 };
        let error = replay_load(&load, &setup, Stopping::default(), &Watch::default());
        assert!(matches!(error, Err(ReplayError::Pattern(_))), "{error:?}");
    }
}
