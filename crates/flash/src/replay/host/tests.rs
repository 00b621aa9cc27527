//! What holds of a drive behind a write buffer, whatever a host does.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::ftl::{Geometry, Options};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

const GEOMETRY: Geometry =
    Geometry { page_bytes: 4096, block_pages: 8, blocks: 40, logical_pages: 100 };

fn host(buffer_pages: u32) -> Host {
    let drive = Options { streams: 3, buffer_pages, ..Options::new(GEOMETRY) };
    Host::new(&Setup { drive, placement: Placement::nvme() }).unwrap()
}

fn ops(discards: u32) -> impl Strategy<Value = Vec<Op>> {
    let kind = prop_oneof![10 => Just(Kind::Write), discards => Just(Kind::Discard)];
    let op = (0u32..90, 1u32..10, 0u8..6, kind).prop_map(|(page, pages, hint, kind)| {
        let file = 0;
        Op { page, pages, file, hint, kind }
    });
    proptest::collection::vec(op, 0..300)
}

/// What each page that holds something was written to last.
fn written(ops: &[Op]) -> HashMap<u32, u8> {
    let mut streams = HashMap::new();
    for op in ops {
        for page in op.page..op.page + op.pages {
            match op.kind {
                Kind::Write => streams.insert(page, Placement::nvme().stream(op.hint, 0)),
                Kind::Discard => streams.remove(&page),
            };
        }
    }
    streams
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(100)
    })]

    #[test]
    fn a_buffer_programs_no_more_pages_than_none_and_in_the_end_all_that_is_there(
        ops in ops(2), buffer_pages in 1u32..120
    ) {
        let (mut with, mut without) = (host(buffer_pages), host(0));
        for op in &ops {
            with.apply(op);
            without.apply(op);
            let (ours, theirs) = (with.counters(), without.counters());
            prop_assert!(ours.programmed_pages <= theirs.programmed_pages);
            prop_assert_eq!(ours.host_pages, theirs.host_pages, "the host's bytes stay its own");
            prop_assert!(theirs.programmed_pages == theirs.host_pages);
        }
        let waited = u64::from(with.drive().valid_pages());
        with.drain();
        let (ours, theirs) = (with.counters(), without.counters());
        prop_assert!(ours.programmed_pages <= theirs.programmed_pages && waited <= 100);
        prop_assert_eq!(ours.trimmed_pages, theirs.trimmed_pages);
        prop_assert_eq!(with.drive().valid_pages() as usize, written(&ops).len());
        prop_assert_eq!(with.drive().valid_pages(), without.drive().valid_pages());
    }

    #[test]
    fn a_buffer_with_room_for_everything_programs_each_page_once(ops in ops(0)) {
        let mut host = host(100);
        ops.iter().for_each(|op| host.apply(op));
        prop_assert_eq!(host.counters().programmed_pages, 0);
        host.drain();
        let pages: HashSet<u32> = ops.iter().flat_map(|op| op.page..op.page + op.pages).collect();
        prop_assert_eq!(host.counters().programmed_pages, pages.len() as u64);
    }
}

#[test]
fn many_small_writes_of_a_log_cost_one_program_a_page() {
    let (mut with, mut without) = (host(4), host(0));
    for at in 0..8_000u32 {
        // Eight writes to each page before the next.
        let op = Op { page: at / 8 % 100, pages: 1, file: 0, hint: 2, kind: Kind::Write };
        with.apply(&op);
        without.apply(&op);
    }
    with.drain();
    assert_eq!(with.counters().programmed_pages, 1_000);
    assert_eq!(with.counters().factor(), Some(0.125), "less than the host wrote");
    assert_eq!(without.counters().programmed_pages, 8_000);
}

#[test]
fn pages_without_a_buffer_and_batches_through_one_are_the_same() {
    let pages: Vec<u32> = (0..3_000u32).map(|at| at.wrapping_mul(2_654_435_769) % 100).collect();
    let (mut one, mut many) = (host(7), host(7));
    pages.iter().for_each(|page| one.write(*page..*page + 1, 2));
    many.write_pages(&pages, 2);
    assert_eq!(one.counters(), many.counters());
}
