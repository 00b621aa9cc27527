//! Every sector is counted, and every event that is not seen.

use crate::support::{Aligned, Loop, attached, opened, rest, run};
use flash::trace::{
    Kind,
    live::{Options, Tracer},
    totals::Totals,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::{fs, path::Path};

/// Sectors written and discarded, as the kernel's own count has them (/sys/block/…/stat, see the
/// kernel's Documentation/block/stat.rst).
fn kernels_count(device: &Path) -> [u64; 2] {
    let name = device.file_name().unwrap().to_str().unwrap();
    let stat = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
    let fields: Vec<u64> = stat.split_whitespace().map(|field| field.parse().unwrap()).collect();
    [fields[6], fields[13]]
}

/// Writes of many sizes, direct and buffered, from several threads, and discards.
fn load(device: &Path, threads: u64, writes: u64) {
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                let mut random = Pcg64::seed_from_u64(thread);
                let (direct, buffered) = (opened(device, true), opened(device, false));
                let memory = Aligned::new(1 << 20);
                for _ in 0..writes {
                    let pages = if random.random_ratio(1, 50) { 256 } else { 4 };
                    let bytes = 4096 * random.random_range(1..=pages);
                    // A half each: what is written both ways at once is an error to the kernel.
                    let (file, half) = match random.random_ratio(1, 4) {
                        true => (&buffered, 0),
                        false => (&direct, 32 << 20),
                    };
                    let at = half + 4096 * random.random_range(0..7900_u64);
                    memory.write(file, bytes, at);
                }
                buffered.sync_all().unwrap();
            });
        }
    });
    let discarded =
        run("blkdiscard", &["-o", "1048576", "-l", "3145728", device.to_str().unwrap()]);
    assert!(discarded.status.success(), "{discarded:?}");
}

fn counted(tracer: &mut Tracer) -> (Totals, u64) {
    let mut totals = Totals::default();
    let events = rest(tracer);
    events.iter().for_each(|event| totals.add(event, None));
    (totals, events.len() as u64)
}

#[test]
fn every_sector_is_counted_as_the_kernel_counts_it() {
    let Some(device) = Loop::make(64 << 20) else { return };
    let Some(mut tracer) = attached(&device.device, &Options::default()) else { return };
    let before = kernels_count(&device.device);
    load(&device.device, 4, 1500);
    let after = kernels_count(&device.device);
    let (totals, _) = counted(&mut tracer);
    assert_eq!(tracer.lost().unwrap(), 0);
    for (kind, at) in [(Kind::Write, 0), (Kind::Discard, 1)] {
        assert_eq!(totals.of(kind).bytes, (after[at] - before[at]) * 512, "{kind:?}");
        assert!(totals.of(kind).events > 0, "{kind:?}");
    }
}

#[test]
fn what_finds_no_room_is_counted_to_the_last_event() {
    let Some(device) = Loop::make(64 << 20) else { return };
    let options = Options { ring_bytes: 4096, ..Options::default() };
    let Some(mut tiny) = attached(&device.device, &options) else { return };
    let Some(mut large) = attached(&device.device, &Options::default()) else { return };
    load(&device.device, 2, 300);
    let (_, all) = counted(&mut large);
    let (_, few) = counted(&mut tiny);
    assert_eq!(large.lost().unwrap(), 0);
    assert!(few < 4096 / 32, "{few} events in 4 KiB");
    assert_eq!(few + tiny.lost().unwrap(), all);
}

#[test]
fn another_device_is_not_seen() {
    let Some(device) = Loop::make(64 << 20) else { return };
    let Some(other) = Loop::make(64 << 20) else { return };
    let Some(mut tracer) = attached(&other.device, &Options::default()) else { return };
    load(&device.device, 1, 10);
    assert!(rest(&mut tracer).is_empty());
}

#[test]
fn a_ring_of_no_possible_size_is_refused() {
    let Some(device) = Loop::make(64 << 20) else { return };
    for ring_bytes in [0, 100, 5000, 1 << 31] {
        let options = Options { ring_bytes, ..Options::default() };
        let error = Tracer::attach(&device.device, &options).unwrap_err().to_string();
        let words = format!(
            "a ring buffer of {ring_bytes} bytes: it must be a power of two from 4096 to 1073741824"
        );
        assert_eq!(error, words);
    }
}
