#![allow(clippy::unwrap_used)]

use super::*;
use crate::{
    ftl::{Geometry, Options},
    placement::Placement,
    replay::{Effect, replay_all},
    trace::Event,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const GEOMETRY: Geometry =
    Geometry { page_bytes: 4096, block_pages: 64, blocks: 140, logical_pages: 8_000 };

fn setup(streams: u8, placement: Placement) -> Setup {
    Setup { drive: Options { streams, ..Options::new(GEOMETRY) }, placement }
}

fn event(page: u64, kind: Kind, hint: u8) -> Event {
    Event { time_ns: 0, sector: page * 8, sectors: 8, kind, hint }
}

/// A log that is written round and round among rows that are written at random.
fn log_and_rows(events: u64) -> PageTrace {
    let mut random = Pcg64::seed_from_u64(7);
    let mut trace = PageTrace::new(&GEOMETRY);
    for at in 0..events {
        let log = event(at % 200, Kind::Write, 2);
        let row = event(random.random_range(200..8_000), Kind::Write, 0);
        trace.push(&log, 1).unwrap();
        trace.push(&row, 2).unwrap();
    }
    trace
}

fn replayed(trace: &PageTrace, setup: &Setup) -> Outcome {
    replay(trace, setup, Stopping::default(), &Watch::default()).unwrap()
}

#[test]
fn hints_that_part_a_log_from_rows_lower_write_amplification() {
    let trace = log_and_rows(20_000);
    let setups = [setup(5, Placement::Ignored), setup(5, Placement::nvme())];
    let watch = Watch::default();
    let outcomes = replay_all(&trace, &setups, Stopping::default(), 2, &watch);
    let [before, after] = outcomes.map_all();
    assert!(before.steady && after.steady, "{before:?} {after:?}");
    let effect = Effect::between(&before, &after, 1).unwrap();
    let (low, high) = effect.ci95.unwrap();
    assert!(effect.change < -0.05, "{effect:?}");
    assert!(low <= effect.change && effect.change <= high && high < 0.0, "{effect:?}");
    let by_file = replayed(&trace, &setup(5, Placement::Files(vec![0, 1, 0])));
    assert_eq!(by_file, after, "a rule for the file does what its hint does");
    assert_eq!(watch.done.into_inner(), 2);
}

trait MapAll {
    fn map_all(self) -> [Outcome; 2];
}

impl MapAll for Vec<Result<Outcome, ReplayError>> {
    fn map_all(self) -> [Outcome; 2] {
        self.into_iter().map(Result::unwrap).collect::<Vec<_>>().try_into().unwrap()
    }
}

#[test]
fn counts_of_a_round_are_those_of_its_intervals() {
    let trace = log_and_rows(3_000);
    let outcome = replayed(&trace, &setup(1, Placement::Ignored));
    assert_eq!(outcome.round_passes, 2, "6,000 pages a pass on a drive of 8,000");
    assert_eq!(outcome.counters.host_pages, 12_000);
    assert_eq!(outcome.intervals.len(), 100);
    assert!(outcome.intervals.iter().all(|counts| counts.host_pages == 120));
    let moved: u64 = outcome.intervals.iter().map(|counts| counts.moved_pages).sum();
    assert_eq!(moved, outcome.counters.moved_pages);
    assert_eq!(outcome.passes as usize, 2 * outcome.rounds.len());
}

#[test]
fn a_drive_that_was_never_full_is_not_steady() {
    // Two passes of a small log alone do not fill the flash once: 1.0 twice is no answer.
    let mut trace = PageTrace::new(&GEOMETRY);
    (0..4_000).for_each(|page| trace.push(&event(page, Kind::Write, 0), 0).unwrap());
    let stopping = Stopping { passes_max: 4, ..Stopping::default() };
    let setup = setup(1, Placement::Ignored);
    let outcome = replay(&trace, &setup, stopping, &Watch::default()).unwrap();
    assert_eq!((outcome.steady, outcome.passes, outcome.factor()), (false, 4, Some(1.0)));
    let outcome = replayed(&trace, &setup);
    assert_eq!((outcome.steady, outcome.factor()), (true, Some(1.0)), "{outcome:?}");
    assert!(outcome.counters.erased_blocks > 0);
}

#[test]
fn what_is_occupied_is_there_before_the_trace() {
    let mut trace = log_and_rows(2_000);
    let empty = replayed(&trace, &setup(1, Placement::Ignored));
    trace.occupy(&[], Some(1.0));
    let full = replayed(&trace, &setup(1, Placement::Ignored));
    assert!(empty.valid_pages < 4_000 && full.valid_pages == 8_000);
    assert!(full.factor() > empty.factor());
}

#[test]
fn discards_are_passed_on() {
    let mut trace = log_and_rows(10_000);
    let kept = replayed(&trace, &setup(1, Placement::Ignored));
    let discard = Event { sectors: 8 * 8_000, ..event(0, Kind::Discard, 0) };
    trace.push(&discard, 0).unwrap();
    let discarded = replayed(&trace, &setup(1, Placement::Ignored));
    assert_eq!(discarded.valid_pages, 0);
    assert!(discarded.factor() < kept.factor());
    let last = discarded.intervals.last().unwrap();
    assert!(last.trimmed_pages > 4_000, "what is behind the last write counts: {last:?}");
}

#[test]
fn what_cannot_be_replayed_is_told() {
    let trace = PageTrace::new(&GEOMETRY);
    let stopping = Stopping::default();
    let none = setup(1, Placement::Ignored);
    let error = replay(&trace, &none, stopping, &Watch::default());
    assert_eq!(error, Err(ReplayError::NoWrites));
    let trace = log_and_rows(100);
    let many = setup(60, Placement::Ignored);
    let error = replay(&trace, &many, stopping, &Watch::default());
    assert!(matches!(error, Err(ReplayError::Geometry(_))), "{error:?}");
    let watch = Watch { stop: true.into(), ..Watch::default() };
    assert_eq!(replay(&trace, &none, stopping, &watch), Err(ReplayError::Stopped));
    assert_eq!(replay_all(&trace, &[none], stopping, 9, &watch), [Err(ReplayError::Stopped)]);
}

#[test]
fn a_stop_is_heard_while_a_drive_is_filled() {
    let logical_pages = 1 << 21;
    let geometry = Geometry { blocks: (1 << 15) + 1_000, logical_pages, ..GEOMETRY };
    let setup = Setup { drive: Options::new(geometry), placement: Placement::Ignored };
    let watch = Watch { stop: true.into(), ..Watch::default() };
    let mut trace = PageTrace::new(&geometry);
    trace.push(&event(0, Kind::Write, 0), 0).unwrap();
    trace.occupy(&[], Some(1.0));
    let stopping = Stopping::default();
    assert_eq!(replay(&trace, &setup, stopping, &watch), Err(ReplayError::Stopped));
    let filled = watch.pages.into_inner();
    assert!(filled < logical_pages.into(), "not after all of it: {filled}");
}

#[test]
fn a_buffer_lowers_what_a_trace_programs() {
    // Every row of the log is written eight times in a row.
    let mut trace = PageTrace::new(&GEOMETRY);
    for at in 0..40_000u64 {
        trace.push(&event(at / 8 % 8_000, Kind::Write, 0), 0).unwrap();
    }
    let none = replayed(&trace, &setup(1, Placement::Ignored));
    let drive = Options { buffer_pages: 16, ..setup(1, Placement::Ignored).drive };
    let joined = replayed(&trace, &Setup { drive, placement: Placement::Ignored });
    assert_eq!(joined.counters.host_pages, none.counters.host_pages);
    assert!(joined.steady && joined.factor() < none.factor().map(|all| all / 7.0), "{joined:?}");
    let effect = Effect::between(&none, &joined, 1).unwrap();
    assert!(effect.change < -0.8, "{effect:?}");
}
