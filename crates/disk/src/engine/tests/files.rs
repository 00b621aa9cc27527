//! What is no file to be read, and what is not to be read on.

use super::*;
use std::os::unix::{fs::symlink, net::UnixListener};

#[test]
fn what_is_no_file_is_refused_and_never_waited_for() {
    let dir = TempDir::new().unwrap();
    let mut inputs = files(dir.path(), &[100_000]);
    let name = |name: &str| dir.path().join(name);
    let fifo = name("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let _listening = UnixListener::bind(name("socket")).unwrap();
    symlink("loop", name("loop")).unwrap();
    symlink(name("file0"), name("link")).unwrap();
    let others = [
        (name("none"), "No such file"),
        (fifo, "FIFO"),
        (name("socket"), "socket"),
        (dir.path().to_owned(), "directory"),
        ("/dev/zero".into(), "character device"),
        (name("loop"), "symbolic links"),
    ];
    for (id, (path, _)) in (1..).zip(&others) {
        inputs.push(Input { path: path.clone(), id });
    }
    let recorder = Recorder::default();
    let report = scan(inputs, &options(2, 2, 1 << 16), &recorder).unwrap();
    for (id, (path, words)) in (1..).zip(&others) {
        let why = recorder.why_refused(id).to_string();
        assert!(why.contains(words), "{}: {why}", path.display());
    }
    recorder.told(0).is_all_of(&content(0, 100_000));
    assert_eq!((report.files, report.refused), (1, others.len() as u64));
    let by_link = Recorder::default();
    scan([Input { path: name("link"), id: 0 }], &options(1, 1, 1 << 16), &by_link).unwrap();
    by_link.told(0).is_all_of(&content(0, 100_000));
}

#[test]
fn a_file_that_vanishes_after_it_was_opened_is_still_read() {
    let dir = TempDir::new().unwrap();
    let input = files(dir.path(), &[10]).remove(0);
    let source = Source::open(input.clone()).unwrap();
    fs::remove_file(&input.path).unwrap();
    let mut report = ScanReport::blank(&options(1, 1, 1 << 16), Reader::Plain);
    let way = source.way(0, 10, Direct::Always, &mut report);
    assert_eq!(way, source::Way::Buffered { forget: true });
    // It is told once, not once a block.
    source.way(0, 10, Direct::Always, &mut report);
    assert_eq!(report.fallbacks.len(), 1, "{report:?}");
    assert_eq!((report.fallbacks[0].without, report.fallbacks[0].times), ("direct I/O", 1));
    // Nor is another file read that has its name now.
    fs::write(&input.path, "other").unwrap();
    let source = Source::open(input.clone()).unwrap();
    fs::rename(&input.path, dir.path().join("away")).unwrap();
    fs::write(&input.path, "third").unwrap();
    assert_eq!(source.way(0, 10, Direct::Always, &mut report), way);
}

/// Wants nothing of any file.
struct Aloof(AtomicU64);

impl Scan for Aloof {
    type Plan = ();
    type Tally = ();

    fn plan(&self, _head: &Head<'_>) -> Step<()> {
        Step::Skip
    }
    fn block(&self, (): &(), _block: Block<'_>, (): &mut ()) {
        panic!("the file was to be skipped");
    }
    fn unreadable(&self, (): &(), _: u64, _: u64, _: &io::Error, (): &mut ()) {}
    fn join(&self, (): &mut (), (): ()) {}
    fn done(&self, _input: &Input, (): (), (): ()) {
        panic!("the file was to be skipped");
    }
    fn refused(&self, _input: &Input, _error: io::Error) {}
    fn advanced(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

#[test]
fn what_is_skipped_is_over_with_its_head() {
    let dir = TempDir::new().unwrap();
    let inputs = files(dir.path(), &[10 << 20, 0, 5]);
    let aloof = Aloof(AtomicU64::new(0));
    let options = ScanOptions { direct: Direct::Always, ..options(2, 4, 1 << 16) };
    let report = scan(inputs, &options, &aloof).unwrap();
    assert_eq!((report.files, report.direct_bytes), (3, (1 << 16) + 5));
    // For a bar it is done.
    assert_eq!(aloof.0.load(Ordering::Relaxed), (10 << 20) + 5);
}

#[test]
fn a_limit_of_speed_leaves_nothing_out() {
    let dir = TempDir::new().unwrap();
    let inputs = files(dir.path(), &[300_000; 3]);
    let recorder = Recorder::default();
    let options = ScanOptions { max_bytes_per_s: Some(50_000_000), ..options(2, 2, 1 << 16) };
    scan(inputs, &options, &recorder).unwrap();
    for id in 0..3 {
        recorder.told(id).is_all_of(&content(id, 300_000));
    }
}
