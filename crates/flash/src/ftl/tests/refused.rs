//! Drives that cannot be.

use crate::ftl::{Drive, GeometryError, Moved, Options, Sizing, SpareSplit, Victim};

fn sizing() -> Sizing {
    Sizing { capacity_bytes: 1 << 30, page_bytes: 4096, block_pages: 64, planes: 4, spare: 0.07 }
}

#[test]
fn a_sizing_becomes_blocks_of_all_planes() {
    let geometry = sizing().geometry().unwrap();
    assert_eq!((geometry.block_pages, geometry.logical_pages), (256, 1 << 18));
    assert_eq!(geometry.blocks, 1096, "1024 blocks and 7% more");
    assert!((geometry.alpha() - 1.07).abs() < 1e-3);
    assert_eq!(geometry.capacity_bytes(), 1 << 30);
    assert!(Drive::new(&Options::new(geometry)).is_ok());
}

#[test]
fn impossible_sizes_are_refused_by_name() {
    let refused = |sizing: Sizing| sizing.geometry().unwrap_err().to_string();
    for page_bytes in [0, 256, 4097, 1 << 21] {
        assert!(refused(Sizing { page_bytes, ..sizing() }).contains("page size must be a power"));
    }
    for block_pages in [0, u32::MAX] {
        assert!(refused(Sizing { block_pages, ..sizing() }).contains("pages a block times planes"));
    }
    assert!(refused(Sizing { planes: 0, ..sizing() }).contains("0 planes"));
    for spare in [0.0, -0.1, 1e9, f64::NAN, f64::INFINITY] {
        assert!(refused(Sizing { spare, ..sizing() }).contains("spare space of"));
    }
    assert!(refused(Sizing { capacity_bytes: 4095, ..sizing() }).contains("holds no page"));
    let large = Sizing { capacity_bytes: 16 << 40, ..sizing() };
    assert!(refused(large).contains("make the pages larger or the capacity smaller"));
    let beyond = Sizing { capacity_bytes: u64::MAX, page_bytes: 512, ..sizing() };
    assert!(refused(beyond).contains("at most 4294967294"));
}

#[test]
fn a_drive_needs_spare_blocks_for_its_streams() {
    let geometry = Sizing { planes: 64, ..sizing() }.geometry().unwrap();
    assert_eq!(geometry.blocks, 68, "64 and 7%");
    let two = Options { streams: 2, ..Options::new(geometry) };
    let error = Drive::new(&two).unwrap_err();
    assert_eq!(error, GeometryError::TooLittleSpare { spare: 4, reserve: 5 });
    assert!(error.to_string().contains("fewer streams"), "{error}");
    assert!(Drive::new(&Options { streams: 1, ..two }).is_ok());
}

#[test]
fn streams_and_choices_are_bounded() {
    let options = Options::new(sizing().geometry().unwrap());
    for streams in [0, 65] {
        let error = Drive::new(&Options { streams, ..options }).unwrap_err();
        assert_eq!(error, GeometryError::Streams { streams });
    }
    let error = Drive::new(&Options { victim: Victim::Choices(0), ..options }).unwrap_err();
    assert_eq!(error, GeometryError::NoChoices);
}

#[test]
fn spare_space_is_split_only_where_blocks_belong_to_streams() {
    let split = SpareSplit::new(&[0.7, 0.3]).ok();
    let options = Options::new(sizing().geometry().unwrap());
    let sound = Options { streams: 2, moved: Moved::WithHost, split, ..options };
    assert!(Drive::new(&sound).is_ok());
    let refused = |options: Options| Drive::new(&options).unwrap_err();
    let error = refused(Options { streams: 3, ..sound });
    assert_eq!(error, GeometryError::SplitStreams { shares: 2, streams: 3 });
    assert_eq!(refused(Options { victim: Victim::Fifo, ..sound }), GeometryError::SplitVictim);
    assert_eq!(refused(Options { moved: Moved::Shared, ..sound }), GeometryError::SplitMoved);
}
