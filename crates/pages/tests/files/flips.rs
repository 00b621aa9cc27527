//! A single bit that flips is found, wherever the format has it under a sum.

use crate::{
    fixture,
    support::{Tablespace, word},
};
use pages::{Checksum, Place, Space, Verdict};
use rand::{Rng, RngExt, SeedableRng, seq::IndexedRandom};
use rand_pcg::Pcg64;
use std::{collections::BTreeMap, io::Read, ops::Range};

/// Pages of each file that are sampled, and bits of each of them.
const PAGES: usize = 6;
const BITS: usize = 16;

/// How a page is stored, as far as it decides what is under its sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stored {
    FullCrc32,
    FullCrc32Packed,
    Classic,
    ClassicNone,
    Zip,
    ZipNone,
    ClassicPacked,
    ClassicSealed,
    MySqlPacked,
}

fn word_at(page: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(page[at..at + 4].try_into().unwrap())
}

fn kind(page: &[u8]) -> u16 {
    u16::from_be_bytes([page[24], page[25]])
}

/// Written from the formats' description alone, so that it is a second opinion.
fn stored(space: &Space, page: &[u8]) -> Stored {
    match (space.checksum, kind(page)) {
        (Checksum::FullCrc32, kind) if kind & 0x8000 != 0 => Stored::FullCrc32Packed,
        (Checksum::FullCrc32, _) => Stored::FullCrc32,
        (Checksum::Classic, 14) => Stored::MySqlPacked,
        (Checksum::Classic, 34354) => Stored::ClassicPacked,
        (Checksum::Classic, _) if space.zip && word_at(page, 0) == 0xDEAD_BEEF => Stored::ZipNone,
        // MySQL's compressed BLOBs have the number of the next page there; bit 14 is MySQL's.
        (Checksum::Classic, _) if word_at(page, 26) != 0 && space.flags >> 14 & 1 == 0 => {
            Stored::ClassicSealed
        }
        (Checksum::Classic, _) if space.zip => Stored::Zip,
        (Checksum::Classic, _) if word_at(page, 0) == 0xDEAD_BEEF => Stored::ClassicNone,
        (Checksum::Classic, _) => Stored::Classic,
    }
}

/// The length of a compressed payload, told at `at`.
fn packed_bytes(page: &[u8], at: usize) -> usize {
    usize::from(page[at]) << 8 | usize::from(page[at + 1])
}

/// The bytes of a page in which every flipped bit has to be found.
#[allow(clippy::single_range_in_vec_init, reason = "one range of bytes is what is meant")]
fn checked(space: &Space, page: &[u8]) -> Vec<Range<usize>> {
    let end = page.len();
    match stored(space, page) {
        Stored::FullCrc32 => vec![0..end],
        Stored::FullCrc32Packed => vec![0..usize::from(kind(page) & 0x7fff) << 8],
        // The space id is held against the place, which no sum does.
        Stored::Classic => vec![0..26, 34..end],
        Stored::ClassicNone => vec![0..8, 20..24, 34..38, end - 8..end],
        Stored::ZipNone => vec![0..8, 34..38],
        Stored::Zip => vec![0..16, 24..26, 34..end],
        Stored::ClassicSealed if space.zip => vec![4..16, 24..26, 30..end],
        // Its sum is not always over what came to the disk, so a mismatch says nothing.
        Stored::ClassicSealed if kind(page) == 37401 => vec![4..8],
        Stored::ClassicSealed => vec![4..26, 30..end - 8],
        Stored::ClassicPacked => vec![0..40 + packed_bytes(page, 38)],
        Stored::MySqlPacked if word_at(page, 0) == 0xDEAD_BEEF => vec![0..8, 34..38],
        Stored::MySqlPacked => vec![0..38 + packed_bytes(page, 32)],
    }
}

#[test]
fn every_bit_that_flips_under_a_sum_is_found() {
    let mut random = Pcg64::seed_from_u64(6);
    let mut tried: BTreeMap<Stored, u32> = BTreeMap::new();
    let (mut missed, mut alike) = (Vec::new(), 0);
    for built in fixture::all() {
        for path in built.tablespaces() {
            let name = path.strip_prefix(&built.dir).unwrap().display().to_string();
            if name.starts_with("ibdata") && name != "ibdata1" {
                continue;
            }
            let file = Tablespace::read(&path);
            let checker = file.checker();
            let sound = |(place, page): &(Place, &[u8])| {
                let verdict = checker.page(*place, page);
                !verdict.is_bad() && verdict != Verdict::Empty && !opaque(&verdict)
            };
            let pages: Vec<(Place, &[u8])> = file.pages().filter(sound).collect();
            for &(place, page) in pages.sample(&mut random, PAGES) {
                let ranges = checked(&file.space, page);
                *tried.entry(stored(&file.space, page)).or_default() += BITS as u32;
                for _ in 0..BITS {
                    let bit = a_bit(&mut random, &ranges);
                    let mut damaged = page.to_vec();
                    damaged[bit / 8] ^= 1 << (bit % 8);
                    let verdict = checker.page(place, &damaged);
                    let packed = |page| contents(stored(&file.space, page), page);
                    if verdict == Verdict::Ok
                        && packed(page).is_some_and(|it| Some(it) == packed(&damaged))
                    {
                        alike += 1;
                    } else if !verdict.is_bad() {
                        missed.push(format!(
                            "{} {name} page {} byte {} bit {} ({:?}): {}",
                            built.case.name,
                            place.page,
                            bit / 8,
                            bit % 8,
                            stored(&file.space, page),
                            word(&verdict),
                        ));
                    }
                }
            }
        }
    }
    println!("bits flipped: {tried:?}; {alike} of them change nothing of what is unpacked");
    let shown: Vec<&str> = missed.iter().map(String::as_str).take(40).collect();
    assert!(missed.is_empty(), "{} missed of {tried:?}\n{}", missed.len(), shown.join("\n"));
    assert!(tried.values().sum::<u32>() > 5000, "too few bits: {tried:?}");
}

/// What a page holds under its sum that zlib or LZ4 has packed: other bits may say the same.
fn contents(stored: Stored, page: &[u8]) -> Option<Vec<u8>> {
    let (at, length, method) = match stored {
        Stored::ClassicPacked => (40, packed_bytes(page, 38), page[33]),
        Stored::MySqlPacked => (38, packed_bytes(page, 32), page[27]),
        _ => return None,
    };
    let mut contents = page.get(..at)?.to_vec();
    let packed = page.get(at..at + length)?;
    match method {
        1 => {
            flate2::read::ZlibDecoder::new(packed).read_to_end(&mut contents).ok()?;
        }
        2 => contents.extend(lz4_flex::block::decompress(packed, page.len()).ok()?),
        _ => return None,
    }
    // Bytes 26 to 33 of the page that MariaDB packed whole are under no sum.
    if stored == Stored::ClassicPacked {
        contents.get_mut(at + 26..at + 34)?.fill(0);
    }
    Some(contents)
}

/// Whether a page's content is under no sum at all, for want of a key.
fn opaque(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Unverifiable { reason: pages::Reason::Encrypted })
}

/// A bit of the ranges; half of them in their first and last 40 bytes, where the fields are.
fn a_bit(random: &mut impl Rng, ranges: &[Range<usize>]) -> usize {
    let range = ranges.choose(random).unwrap();
    let bytes = match random.random_range(0..4) {
        0 => range.start..range.end.min(range.start + 40),
        1 => range.end.saturating_sub(40).max(range.start)..range.end,
        _ => range.clone(),
    };
    random.random_range(bytes.start * 8..bytes.end * 8)
}
