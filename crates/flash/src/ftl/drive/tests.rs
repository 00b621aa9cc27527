//! What holds of a drive whatever is written to it, and a naive drive that it is held against.

mod naive;

use super::*;
use crate::ftl::blocks::Phase;
use crate::ftl::{Geometry, SpareSplit, Victim};
use naive::Naive;
use proptest::prelude::*;

/// What a host does.
#[derive(Clone, Copy, Debug)]
enum Op {
    Write(u32, u8),
    Trim(u32),
}

impl Drive {
    fn blocks_in(&self, phase: Phase) -> Vec<u32> {
        let all = (0..).zip(self.blocks.all());
        all.filter(|(_, block)| block.phase == phase).map(|(number, _)| number).collect()
    }

    /// Pages of open blocks that are still to be written.
    fn unwritten(&self) -> u32 {
        self.frontiers.iter().map(|frontier| frontier.end - frontier.next).sum()
    }

    fn is_marked(&self, page: u32) -> bool {
        let block = self.blocks.of(page);
        let offset = page - block * self.options.geometry.block_pages;
        self.blocks.words(block)[offset as usize / 64] >> (offset % 64) & 1 == 1
    }

    fn assert_sound(&self) {
        let mapped: Vec<_> =
            (0..).zip(&self.physical).filter(|(_, place)| **place != NONE).collect();
        for &(page, &place) in &mapped {
            assert_eq!(self.logical[place as usize], page, "what a page is mapped to is the page");
            assert!(self.is_marked(place), "what is mapped is valid");
        }
        assert_eq!(mapped.len() as u32, self.valid_pages);

        let in_use = [self.blocks_in(Phase::Open), self.blocks_in(Phase::Full)].concat();
        let valid: u32 = in_use.iter().map(|&number| self.blocks.block(number).valid).sum();
        assert_eq!(valid, self.valid_pages + self.unwritten(), "valid counts add up");
        for &number in &in_use {
            let marked: u32 = self.blocks.words(number).iter().map(|word| word.count_ones()).sum();
            assert_eq!(marked, self.blocks.block(number).valid);
        }

        let open = self.frontiers.iter().filter(|frontier| frontier.next < frontier.end).count();
        assert_eq!(self.blocks_in(Phase::Open).len(), open);
        assert_eq!(self.blocks_in(Phase::Free).len(), self.blocks.free());
        assert_eq!(self.blocks.free() + in_use.len(), self.options.geometry.blocks as usize);
        assert!(self.blocks.free() >= 1, "there is always a block to move pages into");

        let erases: u64 = self.blocks.erases().iter().map(|&times| u64::from(times)).sum();
        assert_eq!(erases, self.counters.erased_blocks);
        assert!(self.counters().factor().is_none_or(|factor| factor >= 1.0));
    }
}

fn options() -> impl Strategy<Value = Options> {
    let moved = prop_oneof![Just(Moved::Shared), Just(Moved::PerStream), Just(Moved::WithHost)];
    let victim = prop_oneof![
        Just(Victim::Greedy),
        Just(Victim::Fifo),
        Just(Victim::CostBenefit),
        (1u32..4).prop_map(Victim::Choices),
    ];
    let block_pages = prop_oneof![2u32..10, 63u32..67, Just(130)];
    let levelling = proptest::option::of(1u32..4);
    (block_pages, 1u32..200, 0u32..4, 1u8..4, moved, victim, levelling).prop_map(
        |(block_pages, logical_pages, spare, streams, moved, victim, levelling)| {
            let geometry = Geometry { page_bytes: 4096, block_pages, blocks: 0, logical_pages };
            let options = Options { streams, moved, victim, levelling, ..Options::new(geometry) };
            let blocks =
                logical_pages.div_ceil(block_pages) + options.frontiers() as u32 + 2 + spare;
            Options { geometry: Geometry { blocks, ..geometry }, ..options }
        },
    )
}

/// Drives with spare space split by stream.
fn split_options() -> impl Strategy<Value = Options> {
    let shares = prop_oneof![
        Just(vec![1.0]),
        (1u32..20).prop_map(|part| vec![f64::from(part) / 20.0, 1.0 - f64::from(part) / 20.0]),
        Just(vec![0.2, 0.5, 0.3]),
    ];
    (options(), shares, any::<bool>()).prop_map(|(options, shares, apart)| {
        let moved = if apart { Moved::PerStream } else { Moved::WithHost };
        let split = Some(SpareSplit::new(&shares).unwrap());
        let streams = shares.len() as u8;
        let options = Options { streams, moved, split, victim: Victim::Greedy, ..options };
        let Geometry { logical_pages, block_pages, .. } = options.geometry;
        let reserve = options.frontiers() as u32 + 2;
        let blocks = options.geometry.blocks.max(logical_pages.div_ceil(block_pages) + reserve);
        Options { geometry: Geometry { blocks, ..options.geometry }, ..options }
    })
}

fn drives_and_ops() -> impl Strategy<Value = (Options, Vec<Op>)> {
    with_ops(options())
}

fn with_ops(options: impl Strategy<Value = Options>) -> impl Strategy<Value = (Options, Vec<Op>)> {
    options.prop_flat_map(|options| {
        let page = 0..options.geometry.logical_pages;
        let op = prop_oneof![
            9 => (page.clone(), 0u8..5).prop_map(|(page, stream)| Op::Write(page, stream)),
            1 => page.prop_map(Op::Trim),
        ];
        (Just(options), proptest::collection::vec(op, 0..1500))
    })
}

fn run(drive: &mut Drive, op: Op) {
    match op {
        Op::Write(page, stream) => drive.write(page, stream),
        Op::Trim(page) => drive.trim(page),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(200)
    })]

    #[test]
    fn a_drive_is_sound_after_every_operation((options, ops) in drives_and_ops()) {
        let mut drive = Drive::new(&options).unwrap();
        for (at, op) in ops.into_iter().enumerate() {
            run(&mut drive, op);
            if at % 16 == 0 {
                drive.assert_sound();
            }
        }
        drive.assert_sound();
    }

    #[test]
    fn a_drive_whose_spare_space_is_split_is_sound((options, ops) in with_ops(split_options())) {
        let mut drive = Drive::new(&options).unwrap();
        for (at, op) in ops.into_iter().enumerate() {
            run(&mut drive, op);
            if at % 16 == 0 {
                drive.assert_sound();
            }
        }
        drive.assert_sound();
    }

    #[test]
    fn a_page_is_where_a_naive_drive_has_written_it_last((options, ops) in drives_and_ops()) {
        let options = Options { victim: Victim::Fifo, levelling: None, ..options };
        let mut drive = Drive::new(&options).unwrap();
        let mut naive = Naive::new(&options);
        for op in ops {
            run(&mut drive, op);
            match op {
                Op::Write(page, stream) => naive.write(page, stream),
                Op::Trim(page) => naive.trim(page),
            }
        }
        prop_assert_eq!(drive.counters(), naive.counters);
        for page in 0..options.geometry.logical_pages {
            let place = drive.physical[page as usize];
            prop_assert_eq!((place != NONE).then_some(place), naive.place_of_latest(page));
        }
    }

    #[test]
    fn greedy_collects_a_block_with_the_fewest_valid_pages((options, ops) in drives_and_ops()) {
        let options = Options { victim: Victim::Greedy, levelling: None, ..options };
        let mut drive = Drive::new(&options).unwrap();
        for op in ops {
            let fewest = drive.blocks_in(Phase::Full).into_iter()
                .map(|number| drive.blocks.block(number).valid).min();
            let before = drive.counters();
            run(&mut drive, op);
            let done = drive.counters().since(before);
            if done.erased_blocks == 1 {
                prop_assert_eq!(Some(done.moved_pages), fewest.map(u64::from));
            }
        }
    }

    #[test]
    fn batches_change_nothing((options, ops) in drives_and_ops()) {
        let mut one = Drive::new(&options).unwrap();
        let mut many = Drive::new(&options).unwrap();
        let pages: Vec<_> = ops.iter()
            .map(|&(Op::Write(page, _) | Op::Trim(page))| page)
            .collect();
        pages.iter().for_each(|&page| one.write(page, 0));
        many.write_many(&pages, 0);
        prop_assert_eq!(one.counters(), many.counters());
        prop_assert_eq!(one.physical, many.physical);
    }
}

fn small() -> Options {
    let geometry = Geometry { page_bytes: 4096, block_pages: 16, blocks: 80, logical_pages: 1024 };
    Options::new(geometry)
}

#[test]
fn trimmed_pages_are_not_moved() {
    let mut drive = Drive::new(&small()).unwrap();
    for round in 0..20 {
        (0..1024).for_each(|page| drive.write((page * 7 + round) % 1024, 0));
        (0..1024).for_each(|page| drive.trim(page));
        assert_eq!(drive.valid_pages(), 0);
    }
    let counters = drive.counters();
    assert_eq!((counters.moved_pages, counters.trimmed_pages), (0, 20 * 1024));
    drive.trim(3);
    assert_eq!(drive.counters(), counters, "what is not there cannot be discarded");
}

#[test]
fn sequential_writes_move_nothing() {
    let mut drive = Drive::new(&small()).unwrap();
    (0..50 * 1024).for_each(|page| drive.write(page % 1024, 0));
    assert_eq!(drive.counters().factor(), Some(1.0));
    assert_eq!(drive.read().unwrap(), drive.counters().reading(4096));
}

#[test]
fn a_stream_that_the_drive_does_not_have_is_stream_0() {
    let (mut named, mut unnamed) = (Drive::new(&small()).unwrap(), Drive::new(&small()).unwrap());
    for page in 0..5000 {
        named.write(page * 13 % 1024, 0);
        unnamed.write(page * 13 % 1024, 7);
    }
    assert_eq!(named.physical, unnamed.physical);
}

#[test]
fn levelling_wears_cold_blocks_too() {
    // Half of the pages are written once and never again.
    let spread = |levelling| {
        let mut drive = Drive::new(&Options { levelling, ..small() }).unwrap();
        (0..1024).for_each(|page| drive.write(page, 0));
        (0..200_000u32).for_each(|at| drive.write(at.wrapping_mul(2_654_435_769) >> 23, 0));
        drive.assert_sound();
        let wear = drive.wear();
        (wear.min, wear.max)
    };
    let (least, most) = spread(None);
    assert!(least == 0 && most > 300, "{least} to {most}");
    let (least, most) = spread(Some(10));
    assert!(least * 3 > most, "{least} to {most}");
}

#[test]
fn a_stream_keeps_its_share_of_the_spare_space() {
    // Two streams of 512 pages each, the second written nine times as often.
    let invalid = |split: Option<[f64; 2]>| {
        let split = split.map(|shares| SpareSplit::new(&shares).unwrap());
        let options = Options { streams: 2, moved: Moved::WithHost, split, ..small() };
        let mut drive = Drive::new(&options).unwrap();
        for at in 0..200_000u32 {
            let stream = u32::from(at % 10 > 0);
            let page = at.wrapping_mul(2_654_435_769) >> 23;
            drive.write(page + 512 * stream, stream as u8);
        }
        drive.assert_sound();
        let full = drive.blocks_in(Phase::Full);
        let full = full.iter().map(|number| drive.blocks.block(*number));
        full.fold([0u32; 2], |mut sums, block| {
            sums[usize::from(block.frontier)] += 16 - block.valid;
            sums
        })
    };
    for share in [0.2, 0.5, 0.8] {
        let [one, other] = invalid(Some([share, 1.0 - share])).map(f64::from);
        let has = one / (one + other);
        assert!((has - share).abs() < 0.15, "{share} is asked for: {one} and {other}");
    }
}
