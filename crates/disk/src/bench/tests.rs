//! Small measurements whose counts are known beforehand; no figure is asserted.
#![allow(clippy::unwrap_used)]

use super::*;
use std::fs;
use tempfile::TempDir;

fn options(read_percent: u8, order: Order) -> BenchOptions {
    BenchOptions {
        jobs: NonZeroUsize::new(2).unwrap(),
        depth: NonZeroUsize::new(4).unwrap(),
        block_bytes: 64 << 10,
        direct: true,
        order,
        read_percent,
        duration: Duration::from_secs(60),
        bytes: Some(8 << 20),
        transport: Transport::Auto,
        seed: 1,
    }
}

#[test]
fn so_many_bytes_are_read_and_written_as_were_asked_for() {
    let dir = TempDir::new().unwrap();
    let scratch = Scratch::create(dir.path(), 4 << 20, &Benching::default()).unwrap();
    let targets = [scratch.target().clone(), scratch.target().clone()];
    for order in [Order::Sequential, Order::Random] {
        for transport in [Transport::Auto, Transport::Plain] {
            for (percent, direct) in [(100, true), (100, false), (0, true), (0, false), (70, true)]
            {
                let options = BenchOptions { transport, direct, ..options(percent, order) };
                let benching = Benching::default();
                for report in bench(&targets, &options, &benching).unwrap() {
                    let bytes = |flow: Option<Flow>| flow.map_or(0, |flow| flow.bytes);
                    assert_eq!(bytes(report.read) + bytes(report.write), 8 << 20);
                    assert_eq!(report.read.is_some(), percent > 0, "{report:?}");
                    assert_eq!(report.write.is_some(), percent < 100, "{report:?}");
                    let flow = report.read.or(report.write).unwrap();
                    assert!(flow.latency.p50_us <= flow.latency.max_us, "{flow:?}");
                    assert!(flow.bytes_per_s > 0.0 && flow.latency.p50_us > 1.0, "{flow:?}");
                }
                assert_eq!(benching.done_bytes.load(Ordering::Relaxed), 16 << 20);
            }
        }
    }
}

#[test]
fn a_file_to_measure_with_is_random_of_its_size_and_gone_afterwards() {
    let dir = TempDir::new().unwrap();
    let scratch = Scratch::create(dir.path(), (3 << 20) + 1, &Benching::default()).unwrap();
    let held = fs::read(&scratch.target().path).unwrap();
    assert_eq!((held.len(), scratch.target().bytes), (4 << 20, 4 << 20));
    let mut sectors: Vec<_> = held.chunks(4096).collect();
    sectors.sort();
    sectors.dedup();
    assert_eq!(sectors.len(), 1024, "two sectors are the same");
    drop(scratch);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn an_interrupted_measurement_leaves_nothing_behind() {
    let dir = TempDir::new().unwrap();
    let stopped = Benching::default();
    stopped.stop.store(true, Ordering::Relaxed);
    let error = Scratch::create(dir.path(), 4 << 20, &stopped).unwrap_err();
    assert!(matches!(error, BenchError::Interrupted), "{error}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    let scratch = Scratch::create(dir.path(), 4 << 20, &Benching::default()).unwrap();
    let measured = bench(&[scratch.target().clone()], &options(100, Order::Random), &stopped);
    assert!(matches!(measured.unwrap_err(), BenchError::Interrupted));
}

#[test]
fn what_cannot_be_measured_is_refused_before_anything_is_written() {
    let dir = TempDir::new().unwrap();
    let all = Scratch::create(dir.path(), 1 << 55, &Benching::default()).unwrap_err();
    assert!(matches!(all, BenchError::NoRoom { .. }) && all.to_string().contains("--size"));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    assert!(Target::there(dir.path()).is_err());
    assert!(Target::there(&dir.path().join("none")).is_err());
    let path = dir.path().join("small");
    fs::write(&path, [1; 100_000]).unwrap();
    let small = Target::there(&path).unwrap();
    let benching = Benching::default();
    let error =
        bench(std::slice::from_ref(&small), &options(100, Order::Random), &benching).unwrap_err();
    assert!(matches!(error, BenchError::TooSmall { bytes: 100_000, .. }), "{error}");
    for block_bytes in [0, 1000, 4097, 2 << 30] {
        let options = BenchOptions { block_bytes, ..options(100, Order::Random) };
        let error = bench(std::slice::from_ref(&small), &options, &benching).unwrap_err();
        assert!(matches!(error, BenchError::BlockBytes(_)), "{error}");
    }
}

#[test]
fn what_a_killed_process_left_is_deleted_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    // No process has a number above 4,194,304.
    for name in ["myrig-bench.4194305", "myrig-bench.4194306", "myrig-bench.1", "myrig-bench.txt"] {
        fs::write(at(name), b"x").unwrap();
    }
    // One that is in use, by a process that is not seen from here.
    let held = fs::File::open(at("myrig-bench.4194306")).unwrap();
    held.try_lock().unwrap();
    let scratch = Scratch::create(dir.path(), 1 << 20, &Benching::default()).unwrap();
    drop(scratch);
    let mut left: Vec<_> =
        fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["myrig-bench.1", "myrig-bench.4194306", "myrig-bench.txt"]);
}
