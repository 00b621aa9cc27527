//! Bad sectors, files that change while they are read, scans that end early or panic.

use super::*;
use crate::scan::Transport;
use proptest::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

const EIO: i32 = libc::EIO;
const ENODATA: i32 = libc::ENODATA;

fn worn(inputs: Vec<Input>, options: &ScanOptions, recorder: &Recorder, bad: Worn) -> ScanReport {
    run(inputs.into_iter(), options, recorder, &bad).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_bad_sector_costs_its_page_and_nothing_else(
        bytes in 200_000_usize..900_000, page_shift in 12_u32..17,
        places in prop::collection::btree_set(0_u64..900_000, 1..6),
        transport in prop_oneof![Just(Transport::Auto), Just(Transport::Plain)],
        direct in prop_oneof![Just(Direct::Always), Just(Direct::Never)],
    ) {
        let dir = TempDir::new().unwrap();
        let inputs = files(dir.path(), &[bytes, 70_000]);
        let page = 1_u64 << page_shift;
        let bad: Vec<_> = places.iter().filter(|place| **place < bytes as u64).collect();
        let medium = Worn(bad.iter().map(|place| (0, **place..**place + 1, EIO)).collect());
        let recorder =
            Recorder { granule_bytes: Some(page as usize), ..Recorder::default() };
        let options = ScanOptions { transport, direct, ..options(2, 3, 1 << 17) };
        worn(inputs, &options, &recorder, medium);
        recorder.told(1).is_all_of(&content(1, 70_000));
        let told = recorder.told(0);
        told.is_all_of(&content(0, bytes));
        let mut lost = std::collections::BTreeSet::new();
        for (offset, (length, _)) in &told.unreadable {
            lost.extend((*offset / page)..(offset + length).div_ceil(page));
        }
        let expected: std::collections::BTreeSet<_> = bad.iter().map(|at| **at / page).collect();
        prop_assert_eq!(lost, expected);
    }
}

#[test]
fn a_head_that_is_bad_in_part_is_planned_by_the_rest() {
    let dir = TempDir::new().unwrap();
    let inputs = files(dir.path(), &[300_000, 300_000]);
    let bad = Worn(vec![(0, 0..4096, EIO), (0, 200_000..200_001, ENODATA), (1, 0..131_072, EIO)]);
    let recorder = Recorder { granule_bytes: Some(16 << 10), ..Recorder::default() };
    let report = worn(inputs, &options(2, 2, 1 << 17), &recorder, bad);
    let told = recorder.told(0);
    told.is_all_of(&content(0, 300_000));
    assert_eq!(told.unreadable.keys().collect::<Vec<_>>(), [&0, &(196_608)]);
    // A head of which nothing is readable leaves nothing to plan by.
    assert_eq!(recorder.why_refused(1).raw_os_error(), Some(EIO));
    assert_eq!((report.files, report.refused), (1, 1));
    assert_eq!(report.unreadable_bytes, 4096 * 2 + 131_072);
}

/// Cuts the file when its head is looked at, as a `DROP` or `TRUNCATE` of a server would.
struct Cutting(Recorder, u64);

impl Scan for Cutting {
    type Plan = u64;
    type Tally = Told;

    fn plan(&self, head: &Head<'_>) -> Step<u64> {
        let file = fs::OpenOptions::new().write(true).open(&head.input.path).unwrap();
        file.set_len(self.1).unwrap();
        self.0.plan(head)
    }
    fn block(&self, plan: &u64, block: Block<'_>, told: &mut Told) {
        self.0.block(plan, block, told);
    }
    fn unreadable(&self, plan: &u64, at: u64, bytes: u64, error: &io::Error, told: &mut Told) {
        self.0.unreadable(plan, at, bytes, error, told);
    }
    fn join(&self, into: &mut Told, other: Told) {
        self.0.join(into, other);
    }
    fn done(&self, input: &Input, plan: u64, told: Told) {
        self.0.done(input, plan, told);
    }
    fn refused(&self, input: &Input, error: io::Error) {
        self.0.refused(input, error);
    }
}

#[test]
fn a_file_that_becomes_shorter_ends_where_it_ends() {
    for direct in [Direct::Always, Direct::Never, Direct::Auto] {
        for transport in [Transport::Auto, Transport::Plain] {
            for left in [0, 65_536, 200_001, 262_144] {
                let dir = TempDir::new().unwrap();
                let inputs = files(dir.path(), &[1_000_000]);
                let scanning = Cutting(Recorder::default(), left);
                // One at a time: what was asked for before the cut may still come whole.
                let options = ScanOptions { direct, transport, ..options(1, 1, 1 << 16) };
                scan(inputs, &options, &scanning).unwrap();
                let told = scanning.0.told(0);
                told.is_all_of(&content(0, 1_000_000));
                let (first, (_, kind)) = told.unreadable.first_key_value().unwrap();
                assert_eq!(*kind, io::ErrorKind::UnexpectedEof);
                // The head was read before; a granule that is there in part is not handed out.
                assert_eq!(*first, (left - left % 65_536).max(65_536), "{direct:?}");
            }
        }
    }
}

/// Stops or panics at the first block after a few.
struct Ending(AtomicU64, bool);

impl Scan for Ending {
    type Plan = ();
    type Tally = ();

    fn plan(&self, _head: &Head<'_>) -> Step<()> {
        Step::Read(())
    }
    fn block(&self, (): &(), _block: Block<'_>, (): &mut ()) {
        let seen = self.0.fetch_add(1, Ordering::Relaxed);
        assert!(!(self.1 && seen == 20), "a scan that gives up");
    }
    fn unreadable(&self, (): &(), _: u64, _: u64, _: &io::Error, (): &mut ()) {}
    fn join(&self, (): &mut (), (): ()) {}
    fn done(&self, _input: &Input, (): (), (): ()) {
        panic!("a file that was not read to its end is not done");
    }
    fn refused(&self, _input: &Input, _error: io::Error) {}
    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= 20 && !self.1
    }
}

#[test]
fn a_scan_that_is_stopped_ends_between_blocks() {
    let dir = TempDir::new().unwrap();
    let inputs = files(dir.path(), &[30 << 20]);
    for transport in [Transport::Auto, Transport::Plain] {
        let ending = Ending(AtomicU64::new(0), false);
        let options = ScanOptions { transport, direct: Direct::Always, ..options(3, 4, 1 << 16) };
        let report = scan(inputs.clone(), &options, &ending).unwrap();
        assert!(report.stopped);
        assert!(ending.0.load(Ordering::Relaxed) < 40, "{:?}", ending.0);
    }
}

#[test]
fn a_scan_that_panics_ends_all_threads() {
    let dir = TempDir::new().unwrap();
    let inputs = files(dir.path(), &[30 << 20]);
    for direct in [Direct::Always, Direct::Never] {
        let ending = Ending(AtomicU64::new(0), true);
        let options = ScanOptions { direct, ..options(4, 8, 1 << 16) };
        let ended = catch_unwind(AssertUnwindSafe(|| scan(inputs.clone(), &options, &ending)));
        let panic = ended.unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"a scan that gives up"));
    }
}
