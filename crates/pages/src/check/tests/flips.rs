//! A single bit that flips in what a format sums up is found, wherever it is.

use super::fixture::{FIXTURES, Fixture, noise};
use crate::{Verdict, layout::Page, unpack::Method};
use std::ops::Range;

/// One of so many bits is flipped; no divisor of 8, so that each byte has its turn.
const STRIDE: usize = 5;
/// Bits that are flipped in a page that has to be unpacked, which takes its time.
const SAMPLED: usize = 300;

/// No bytes.
const NONE: Range<usize> = 0..0;

/// Bytes in which no flip may pass, by the name of the format.
fn summed(fixture: &Fixture, page: &[u8]) -> [Range<usize>; 3] {
    let end = page.len();
    let payload = |at: usize| usize::from(u16::from_be_bytes([page[at], page[at + 1]]));
    match fixture.name {
        // What stands at 26 to 34 is written after the sum.
        "mysql-crc32" | "mysql-innodb" | "mariadb-crc32" => [0..26, 34..end, NONE],
        // Nor is the LSN summed up where the page is compressed by rows.
        "mysql-zip-crc32" | "mysql-zip-adler32" => [0..16, 24..26, 34..end],
        "mysql-zlib" | "mysql-lz4" => [0..38 + payload(32), NONE, NONE],
        "mariadb-full-crc32" | "mariadb-full-crc32-encrypted" => [0..end, NONE, NONE],
        "mariadb-full-crc32-zlib" => [0..(payload(24) & 0x7fff) << 8, NONE, NONE],
        // The sum of what was encrypted is not that of the ciphertext, at 30.
        "mariadb-crc32-encrypted" => [4..26, 30..end - 8, end - 4..end],
        "mariadb-zip-encrypted" => [4..16, 24..26, 30..end],
        // Page number and space id stand in the clear.
        "mysql-encrypted" | "mysql-none" => [4..8, 34..38, NONE],
        "mariadb-zlib-encrypted" => [4..8, 34..38, NONE],
        _ => [0..40 + payload(38), NONE, NONE],
    }
}

/// A flip may pass if the page unpacks to the same: a copy of zeros from elsewhere, say.
fn harmless(fixture: &Fixture, flipped: &[u8], page: &[u8]) -> bool {
    contents(fixture, flipped).is_some_and(|flipped| Some(flipped) == contents(fixture, page))
}

/// The page in the buffer pool, of a page that is compressed.
fn contents(fixture: &Fixture, page: &[u8]) -> Option<Vec<u8>> {
    let view = Page::new(page)?;
    let mut whole = page.to_vec();
    match fixture.name {
        "mysql-zlib" | "mysql-lz4" => {
            let packed = page.get(38..38 + usize::from(view.u16(32)))?;
            Method::of_mysql(page[27])?.unpack(packed, &mut whole[38..])?;
        }
        name if name.starts_with("mariadb-") => {
            let packed = page.get(40..40 + usize::from(view.u16(38)))?;
            Method::of_mariadb(view.u16(32))?.unpack(packed, &mut whole)?;
        }
        _ => return None,
    }
    Some(whole)
}

#[test]
fn a_bit_that_flips_in_a_real_page_is_found() {
    let mut flips = 0;
    for fixture in FIXTURES {
        let (checker, page) = (fixture.checker(), fixture.page());
        let bits: Vec<usize> = summed(fixture, &page)
            .into_iter()
            .flatten()
            .flat_map(|at| at * 8..at * 8 + 8)
            .collect();
        let mut flipped = page.clone();
        let packed = contents(fixture, &page).is_some();
        let stride = if packed { bits.len().div_ceil(SAMPLED) } else { STRIDE };
        for bit in bits.into_iter().step_by(stride) {
            flipped[bit / 8] ^= 1 << (bit % 8);
            let verdict = checker.page(fixture.place(), &flipped);
            assert!(
                verdict.is_bad()
                    || packed && verdict == Verdict::Ok && harmless(fixture, &flipped, &page),
                "{}, byte {} bit {}: {verdict:?}",
                fixture.name,
                bit / 8,
                bit % 8
            );
            flipped[bit / 8] = page[bit / 8];
            flips += 1;
        }
    }
    assert!(flips > 40_000, "{flips}");
}

#[test]
fn a_real_page_with_noise_in_it_is_bad() {
    for fixture in FIXTURES.iter().filter(|fixture| fixture.verdict == Verdict::Ok) {
        let (checker, page) = (fixture.checker(), fixture.page());
        for seed in 0..40 {
            let noise = noise(64, seed);
            let end = summed(fixture, &page).iter().map(|range| range.end).max().unwrap();
            let end = end.max(256);
            let at = (seed as usize * 97) % (end - 64);
            let mut damaged = page.clone();
            damaged[at..at + 64].copy_from_slice(&noise);
            let verdict = checker.page(fixture.place(), &damaged);
            assert!(!matches!(verdict, Verdict::Ok | Verdict::Empty), "{}", fixture.name);
        }
    }
}
