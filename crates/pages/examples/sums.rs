//! How fast the sums of InnoDB are on one core: GB/s of pages of 16 KiB.
//!
//! `cargo run --release -p pages --example sums [ROUNDS]` prints one JSON object. Each round
//! measures every sum once, over pages that fit into the second-level cache (1 MiB) and over pages
//! that do not fit into any (256 MiB), so that what disturbs one disturbs all.

#![allow(clippy::print_stdout)]

use pages::checksum;
use std::{hint::black_box, time::Instant};

const PAGE_BYTES: usize = 16384;
/// Least time a measurement, in seconds.
const LEAST_S: f64 = 0.2;

type Sum = (&'static str, fn(&[&[u8]]));

/// What is measured: a name, and what it does with pages.
const SUMS: &[Sum] = &[
    ("crate_crc32c", |pages| each(pages, crc32c::crc32c)),
    ("full_crc32", |pages| each(pages, checksum::full_crc32)),
    ("classic_crc32", |pages| each(pages, checksum::classic_crc32)),
    ("classic_crc32_big_endian", |pages| each(pages, checksum::classic_crc32_big_endian)),
    ("innodb_one_page_at_a_time", |pages| each(pages, checksum::innodb_new)),
    ("innodb_side_by_side", |pages| {
        let mut sums = vec![0; pages.len()];
        checksum::innodb_lanes(black_box(pages), &mut sums);
        black_box(sums);
    }),
    ("zip_adler32", |pages| each(pages, checksum::zip_adler32)),
];

fn each(pages: &[&[u8]], sum: impl Fn(&[u8]) -> u32) {
    for page in pages {
        black_box(sum(black_box(page)));
    }
}

/// GB/s.
fn speed(sum: fn(&[&[u8]]), pages: &[&[u8]]) -> f64 {
    let begin = Instant::now();
    let mut rounds = 0;
    while rounds == 0 || begin.elapsed().as_secs_f64() < LEAST_S {
        sum(pages);
        rounds += 1;
    }
    let bytes = rounds * pages.len() * PAGE_BYTES;
    bytes as f64 / begin.elapsed().as_secs_f64() / 1e9
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(5_usize);
    let memory: Vec<u8> =
        (0..256_u32 << 20).map(|index| (index.wrapping_mul(0x9E37_79B9) >> 24) as u8).collect();
    let pages: Vec<&[u8]> = memory.chunks(PAGE_BYTES).collect();
    let mut results = vec![(Vec::new(), Vec::new()); SUMS.len()];
    for _ in 0..rounds {
        for ((_, sum), (cached, uncached)) in SUMS.iter().zip(&mut results) {
            cached.push(speed(*sum, &pages[..64]));
            uncached.push(speed(*sum, &pages));
        }
    }
    let lines: Vec<String> = SUMS
        .iter()
        .zip(&results)
        .map(|((name, _), (cached, uncached))| {
            format!(
                "  \"{name}\": {{\"cached_gb_s\": {cached:.2?}, \"uncached_gb_s\": {uncached:.2?}}}"
            )
        })
        .collect();
    println!("{{\n{}\n}}", lines.join(",\n"));
}
