//! How fast drives are simulated: page programs a second on one core, the host's and the moved ones
//! together, under uniform writes to a drive whose blocks are 90% full.
//!
//! `cargo run --release -p flash --example speed CAPACITY_GIB...` prints one JSON object a drive.
//! Each is filled once and written over once at random; what follows is measured, drawing the pages
//! included.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use flash::ftl::{Counters, Drive, Moved, Options, Sizing};
use flash::synthetic::{Load, Pattern};
use std::error::Error;
use std::time::Instant;

/// Pages drawn at a time.
const BATCH: usize = 4096;

/// Page programs that are measured, at least.
const PROGRAMS: u64 = 200_000_000;

const BLOCK_PAGES: u32 = 256;

fn main() -> Result<(), Box<dyn Error>> {
    if cfg!(debug_assertions) {
        eprintln!("built without --release: what follows says nothing of speed");
    }
    for capacity in std::env::args().skip(1) {
        measure(capacity.parse()?)?;
    }
    Ok(())
}

fn measure(capacity_gib: u64) -> Result<(), Box<dyn Error>> {
    let sizing = Sizing {
        capacity_bytes: capacity_gib << 30,
        page_bytes: 4096,
        block_pages: BLOCK_PAGES,
        planes: 1,
        spare: 1.0 / 0.9 - 1.0,
    };
    let options = Options { moved: Moved::WithHost, ..Options::new(sizing.geometry()?) };
    let pages = options.geometry.logical_pages;
    let mut drive = Drive::new(&options)?;
    let (fill, fill_s) = timed(&mut drive, &mut Load::new(Pattern::Sequential, pages, 1)?, pages);
    let mut load = Load::new(Pattern::Uniform, pages, 1)?;
    let (warm, warm_s) = timed(&mut drive, &mut load, pages);
    let (mut steady, mut steady_s) = (Counters::default(), 0.0);
    while steady.programs() < PROGRAMS {
        let (done, took_s) = timed(&mut drive, &mut load, 10_000_000);
        steady.host_pages += done.host_pages;
        steady.programmed_pages += done.programmed_pages;
        steady.moved_pages += done.moved_pages;
        steady_s += took_s;
    }
    let rate = |counters: Counters, took_s: f64| counters.programs() as f64 / took_s / 1e6;
    println!(
        "{{\"capacity_gib\": {capacity_gib}, \"fill_mps\": {:.1}, \"warm_mps\": {:.1}, \
         \"programs_mps\": {:.1}, \"factor\": {:.3}, \"programs\": {}, \"took_s\": {steady_s:.2}}}",
        rate(fill, fill_s),
        rate(warm, warm_s),
        rate(steady, steady_s),
        steady.factor().unwrap_or(f64::NAN),
        steady.programs(),
    );
    Ok(())
}

/// Writes so many pages; what was done, and how long it took.
fn timed(drive: &mut Drive, load: &mut Load, pages: u32) -> (Counters, f64) {
    let mut batch = vec![0; BATCH];
    let before = drive.counters();
    let start = Instant::now();
    let mut left = pages as usize;
    while left > 0 {
        let now = left.min(BATCH);
        load.fill(&mut batch[..now]);
        drive.write_many(&batch[..now], 0);
        left -= now;
    }
    (drive.counters().since(before), start.elapsed().as_secs_f64())
}
