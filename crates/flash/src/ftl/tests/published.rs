//! The simulated drive against closed forms and published simulations.
//!
//! The drives are just large enough for what is not in the formulas, the blocks that are open or
//! free, to be a small part of the spare space.

use crate::ftl::{Drive, Geometry, Moved, Options, SpareSplit, Victim};
use crate::synthetic::{Load, Pattern};
use crate::theory;

/// Blocks that the host's pages would fill.
const BLOCKS: u32 = 8192;

fn geometry(logical_pages: u32, alpha: f64, block_pages: u32) -> Geometry {
    let blocks = (f64::from(logical_pages) * alpha / f64::from(block_pages)).round() as u32;
    Geometry { page_bytes: 4096, block_pages, blocks, logical_pages }
}

/// Write amplification once it is steady: the drive is filled and written over so many times, and
/// the last `measured` times count.
fn amplification(options: &Options, pattern: Pattern, times: u32, measured: u32) -> f64 {
    let pages = options.geometry.logical_pages;
    let mut drive = Drive::new(options).unwrap();
    let mut load = Load::new(pattern, pages, 11).unwrap();
    (0..pages).for_each(|page| drive.write(page, load.class(page)));
    let mut batch = [0; 1024];
    let mut write = |drive: &mut Drive, count: u32| {
        for _ in 0..count / 1024 {
            load.fill(&mut batch);
            if options.streams == 1 {
                drive.write_many(&batch, 0);
            } else {
                batch.iter().for_each(|&page| drive.write(page, load.class(page)));
            }
        }
    };
    write(&mut drive, pages * (times - measured));
    let before = drive.counters();
    write(&mut drive, pages * measured);
    drive.counters().since(before).factor().unwrap()
}

fn assert_within(what: &str, simulated: f64, expected: f64, share: f64) {
    let off = simulated / expected - 1.0;
    println!("{what}: {simulated:.3}, expected {expected:.3}, off by {:+.2}%", off * 100.0);
    assert!(off.abs() < share, "{what}: {simulated:.3} where {expected:.3} is expected");
}

#[test]
fn uniform_writes_come_to_the_closed_forms() {
    for spare in [0.07, 0.10, 0.20, 0.28, 0.50] {
        let alpha = 1.0 + spare;
        for block_pages in [64, 128, 256] {
            let options = Options::new(geometry(BLOCKS * block_pages, alpha, block_pages));
            let simulated = amplification(&options, Pattern::Uniform, 3, 1);
            let expected = theory::greedy(options.geometry.alpha(), block_pages);
            assert_within(&format!("greedy, {spare}, {block_pages}"), simulated, expected, 0.01);
        }
        let options =
            Options { victim: Victim::Fifo, ..Options::new(geometry(BLOCKS * 64, alpha, 64)) };
        let simulated = amplification(&options, Pattern::Uniform, 3, 1);
        let expected = theory::fifo(options.geometry.alpha());
        assert_within(&format!("FIFO, {spare}"), simulated, expected, 0.01);
    }
}

#[test]
fn hot_and_cold_writes_come_to_the_published_simulations() {
    // The colder the pages, the longer it takes until it is steady.
    for (spare, writes, pages, times, [mixed, streams, split]) in
        [(0.10, 0.8, 0.2, 8, [5.88, 5.51, 3.74]), (0.28, 0.9, 0.1, 20, [3.29, 2.44, 1.40])]
    {
        let logical_pages = BLOCKS / 2 * 128;
        let alpha = 1.0 + spare;
        let pattern = Pattern::HotCold { writes, pages };
        let one =
            Options { moved: Moved::WithHost, ..Options::new(geometry(logical_pages, alpha, 128)) };
        assert_within(
            &format!("mixed, {spare}"),
            amplification(&one, pattern, times, 4),
            mixed,
            0.02,
        );
        for moved in [Moved::WithHost, Moved::PerStream] {
            let two = Options { streams: 2, moved, ..one };
            let simulated = amplification(&two, pattern, times, 4);
            assert_within(&format!("two streams, {spare}, {moved:?}"), simulated, streams, 0.02);
        }
        let classes = theory::Class::hot_and_cold(writes, pages);
        let [hot, cold] = theory::best_shares(alpha, 128, classes);
        // The cold pages are those without a stream.
        let shared = Some(SpareSplit::new(&[cold, hot]).unwrap());
        for moved in [Moved::WithHost, Moved::PerStream] {
            let shares = Options { streams: 2, moved, split: shared, ..one };
            let simulated = amplification(&shares, pattern, times, 4);
            assert_within(&format!("split, {spare}, {moved:?}"), simulated, split, 0.02);
        }
    }
}
