//! Every byte once, whatever the sizes and however it is read.

use super::*;
use crate::scan::Transport;
use proptest::prelude::*;

fn transports() -> impl Strategy<Value = Transport> {
    prop_oneof![Just(Transport::Auto), Just(Transport::Plain)]
}

fn ways() -> impl Strategy<Value = Direct> {
    prop_oneof![Just(Direct::Auto), Just(Direct::Always), Just(Direct::Never)]
}

/// Small, odd, just around blocks, and larger than several.
fn sizes() -> impl Strategy<Value = Vec<usize>> {
    let near = (1_usize..6, 0_usize..3).prop_map(|(blocks, off)| (blocks << 16) + off - 1);
    prop::collection::vec(prop_oneof![0_usize..5000, near, 0_usize..700_000], 0..9)
}

fn every_byte_is_told_once(dir: &TempDir, sizes: &[usize], options: &ScanOptions) {
    let inputs = files(dir.path(), sizes);
    let recorder = Recorder::default();
    let report = scan(inputs, options, &recorder).unwrap();
    let bytes: u64 = sizes.iter().map(|bytes| *bytes as u64).sum();
    assert_eq!((report.files, report.refused), (sizes.len() as u64, 0), "{report:?}");
    assert_eq!((report.read_bytes(), report.unreadable_bytes), (bytes, 0), "{report:?}");
    assert_eq!(recorder.advanced.load(Ordering::Relaxed), bytes);
    assert!(!report.stopped);
    for (id, bytes) in sizes.iter().enumerate() {
        recorder.told(id).is_all_of(&content(id, *bytes));
    }
    let each = options.depth.get() * options.block_bytes + (256 << 10);
    assert!(report.buffers_bytes <= (options.jobs.get() * each) as u64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_byte_is_told_once_on_a_disk(
        sizes in sizes(), jobs in 1_usize..5, depth in 1_usize..9, block in 0_u32..3,
        direct in ways(), transport in transports(),
    ) {
        let dir = TempDir::new().unwrap();
        let options =
            ScanOptions { direct, transport, ..options(jobs, depth, 0x1_0000 << block) };
        every_byte_is_told_once(&dir, &sizes, &options);
    }

    #[test]
    fn every_byte_is_told_once_in_memory(
        sizes in sizes(), jobs in 1_usize..4, depth in 1_usize..5,
        direct in ways(), transport in transports(),
    ) {
        let dir = TempDir::new_in("/dev/shm").unwrap();
        let options = ScanOptions { direct, transport, ..options(jobs, depth, 0x1_0000) };
        every_byte_is_told_once(&dir, &sizes, &options);
    }
}

#[test]
fn a_large_file_and_thousands_of_small_ones_share_the_threads() {
    let dir = TempDir::new().unwrap();
    let mut sizes = vec![3000; 2000];
    sizes.push(40 << 20);
    sizes.extend(vec![5000; 500]);
    let options = ScanOptions { direct: Direct::Always, ..options(3, 8, 1 << 18) };
    every_byte_is_told_once(&dir, &sizes, &options);
}

#[test]
fn what_memory_holds_is_not_read_from_the_disk_and_the_rest_not_kept() {
    let dir = TempDir::new_in(".").unwrap();
    let inputs = files(dir.path(), &[900_000, 900_000]);
    let file = fs::File::open(&inputs[1].path).unwrap();
    file.sync_all().unwrap();
    let whole = std::num::NonZeroU64::new(900_000);
    rustix::fs::fadvise(&file, 0, whole, rustix::fs::Advice::DontNeed).unwrap();
    for _twice in 0..2 {
        let recorder = Recorder::default();
        let report = scan(inputs.clone(), &options(2, 4, 1 << 18), &recorder).unwrap();
        if let Some(fallback) = report.fallbacks.iter().find(|f| f.without != "io_uring") {
            println!("SKIPPED: what is cached and what is not: {fallback:?}");
            return;
        }
        assert_eq!((report.cached_bytes, report.direct_bytes), (900_000, 900_000), "{report:?}");
    }
}

#[test]
fn the_buffers_of_any_number_of_threads_stay_within_bounds() {
    for jobs in 1..2000 {
        let options = ScanOptions::new(NonZeroUsize::new(jobs).unwrap());
        let warm = options.block_bytes.min(worker::WARM_BYTES);
        let bytes = jobs * (options.depth.get() * options.block_bytes + warm);
        assert!(bytes <= 128 << 20 || jobs > 1024, "{jobs} jobs: {bytes}");
        assert!(bytes <= 256 << 20, "{jobs} jobs: {bytes}");
    }
}

#[test]
fn a_block_size_that_pages_could_lie_across_is_refused() {
    for block_bytes in [0, 1, 4096, 100_000, 2 << 30] {
        let refused = scan([], &options(1, 1, block_bytes), &Recorder::default());
        assert!(matches!(refused, Err(ScanError::BlockBytes(_))), "{block_bytes}");
    }
}

#[test]
fn nothing_to_read_is_read_at_once() {
    let report = scan([], &options(4, 4, 1 << 16), &Recorder::default()).unwrap();
    assert_eq!((report.files, report.read_bytes()), (0, 0));
}
