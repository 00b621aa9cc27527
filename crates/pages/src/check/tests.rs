mod fixture;
mod flips;

use super::*;
use crate::{
    Checksum, Flavour, PageType,
    layout::{NO_CHECKSUM, field},
};
use fixture::{FIXTURES, noise};
use proptest::prelude::*;

/// A space with these flags.
fn space(flags: u32) -> Space {
    Space::from_flags(flags, 7).unwrap()
}

/// A page of noise whose header is in order, at its place, without a sum.
fn draft(space: &Space, number: u32, seed: u64) -> Vec<u8> {
    let mut page = noise(space.physical_bytes as usize, seed);
    page[..4].fill(0);
    page[field::NUMBER..][..4].copy_from_slice(&number.to_be_bytes());
    page[field::TYPE..][..2].copy_from_slice(&PageType::INDEX.0.to_be_bytes());
    page[field::FLUSH_LSN..field::SPACE].fill(0);
    page[field::SPACE..][..4].copy_from_slice(&space.id.to_be_bytes());
    let low = field::LSN + 4;
    let from_end = match space.checksum {
        Checksum::FullCrc32 => field::TRAILER_FROM_END,
        Checksum::Classic => field::LAST_FROM_END,
    };
    if !space.zip {
        let at = page.len() - from_end;
        page.copy_within(low..low + 4, at);
    }
    page
}

/// A sound page.
fn sealed(space: &Space, number: u32, seed: u64, algorithm: Algorithm) -> Vec<u8> {
    let mut page = draft(space, number, seed);
    Checker { space: *space }.write_checksum(&mut page, algorithm).unwrap();
    page
}

fn at(page: u32) -> Place {
    Place { page, space: Some(7) }
}

const CLASSIC: [Algorithm; 4] =
    [Algorithm::Crc32, Algorithm::Crc32BigEndian, Algorithm::Innodb, Algorithm::None];

#[test]
fn every_sum_that_is_written_is_recognised_and_said() {
    for flags in [0xe1, 0x21, 0x1e1, 0x23, 0x27, 0x2b] {
        let checker = Checker { space: space(flags) };
        for algorithm in CLASSIC {
            let page = sealed(&checker.space, 5, 1, algorithm);
            assert_eq!(checker.algorithm(&page), Some(algorithm), "{flags:#x}");
            let verdict = match algorithm {
                Algorithm::None => Verdict::Unverifiable { reason: Reason::NoChecksum },
                _ => Verdict::Ok,
            };
            assert_eq!(checker.page(at(5), &page), verdict, "{flags:#x} {algorithm:?}");
        }
    }
    for flags in [0x13, 0x15, 0x17] {
        let checker = Checker { space: space(flags) };
        let page = sealed(&checker.space, 5, 1, Algorithm::FullCrc32);
        assert_eq!(checker.algorithm(&page), Some(Algorithm::FullCrc32));
        assert_eq!(checker.page(at(5), &page), Verdict::Ok);
    }
}

#[test]
fn a_sum_of_another_format_is_not_written() {
    for (flags, algorithm) in [(0x15, Algorithm::Crc32), (0x21, Algorithm::FullCrc32)] {
        let checker = Checker { space: space(flags) };
        let mut page = draft(&checker.space, 5, 1);
        let before = page.clone();
        assert_eq!(checker.write_checksum(&mut page, algorithm), Err(WrongFormat));
        assert_eq!(checker.write_checksum(&mut page[..4096], algorithm), Err(WrongFormat));
        assert_eq!(page, before);
    }
}

#[test]
fn an_empty_page_is_empty_and_one_bit_in_it_is_damage() {
    for flags in [0xe1, 0x23, 0x13] {
        let checker = Checker { space: space(flags) };
        let mut page = vec![0; checker.space.physical_bytes as usize];
        assert_eq!(checker.page(at(9), &page), Verdict::Empty);
        for bit in (0..page.len() * 8).step_by(5) {
            page[bit / 8] ^= 1 << (bit % 8);
            let tolerated = flags == 0xe1 && (26..34).contains(&(bit / 8));
            let verdict = checker.page(at(9), &page);
            assert_eq!(verdict == Verdict::Empty, tolerated, "{flags:#x} {bit}: {verdict:?}");
            assert!(tolerated || verdict.is_bad(), "{flags:#x} {bit}: {verdict:?}");
            page[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn a_page_elsewhere_is_misdirected_and_says_where_it_belongs() {
    for (flags, algorithm) in [
        (0x21, Algorithm::Crc32),
        (0x21, Algorithm::None),
        (0x27, Algorithm::Crc32),
        (0x15, Algorithm::FullCrc32),
    ] {
        let checker = Checker { space: space(flags) };
        let page = sealed(&checker.space, 5, 1, algorithm);
        let wrong = |page, space| Verdict::Misdirected { page, space };
        assert_eq!(checker.page(at(6), &page), wrong([5, 6], [7, 7]));
        let other = Place { page: 5, space: Some(8) };
        assert_eq!(checker.page(other, &page), wrong([5, 5], [7, 8]));
        let any = Place { page: 5, space: None };
        assert!(!checker.page(any, &page).is_bad());
    }
}

#[test]
fn a_page_of_two_writes_is_torn() {
    for (flags, algorithm) in
        [(0x21, Algorithm::Crc32), (0x21, Algorithm::Innodb), (0x15, Algorithm::FullCrc32)]
    {
        let checker = Checker { space: space(flags) };
        let (old, new) =
            (sealed(&checker.space, 5, 1, algorithm), sealed(&checker.space, 5, 2, algorithm));
        for sector in (512..old.len()).step_by(512) {
            let torn = [&new[..sector], &old[sector..]].concat();
            let verdict = checker.page(at(5), &torn);
            let lsn = |page: &[u8]| u32::from_be_bytes(page[20..24].try_into().unwrap());
            let expected = Verdict::Torn { header_lsn: lsn(&new), trailer_lsn: lsn(&old) };
            assert_eq!(verdict, expected, "{flags:#x} at {sector}");
            // What does not even look like the page says nothing about writes.
            assert!(matches!(checker.page(at(6), &torn), Verdict::Bad { .. }));
        }
    }
}

#[test]
fn a_trailer_of_another_lsn_is_torn_though_the_sum_does_not_cover_it() {
    let checker = Checker { space: space(0x21) };
    let mut page = sealed(&checker.space, 5, 1, Algorithm::Crc32);
    *page.last_mut().unwrap() ^= 1;
    assert!(matches!(checker.page(at(5), &page), Verdict::Torn { .. }));
    assert_eq!(checker.algorithm(&page), Some(Algorithm::Crc32));
}

#[test]
fn zeros_for_checksums_excuse_nothing() {
    // Upstream takes this for a page of before 4.0.14, whatever it holds.
    let checker = Checker { space: space(0x21) };
    let mut page = draft(&checker.space, 5, 1);
    page[field::LSN..][..4].fill(0);
    let trailer = page.len() - 8;
    page[trailer..][..4].fill(0);
    assert!(checker.page(at(5), &page).is_bad());
}

#[test]
fn a_type_is_only_believed_where_the_space_allows_it() {
    let forged = |flags, kind: PageType| {
        let checker = Checker { space: space(flags) };
        let mut page = draft(&checker.space, 5, 1);
        page[field::TYPE..][..2].copy_from_slice(&kind.0.to_be_bytes());
        page[..4].copy_from_slice(&NO_CHECKSUM.to_be_bytes());
        checker.page(at(5), &page)
    };
    // MariaDB's innochecksum passes this one.
    assert!(forged(0x21, PageType::PAGE_COMPRESSED).is_bad());
    assert!(forged(0x21, PageType::PAGE_COMPRESSED_ENCRYPTED).is_bad());
    assert!(forged(0x10021, PageType::PAGE_COMPRESSED).is_bad());
    assert!(forged(0x4021, PageType::ENCRYPTED).is_bad());
    assert!(forged(0x4021, PageType::COMPRESSED).is_bad());
    assert_eq!(
        forged(0x6021, PageType::ENCRYPTED),
        Verdict::Unverifiable { reason: Reason::Encrypted }
    );
    let header = Verdict::Bad { damage: Damage::Header };
    assert_eq!(forged(0x15, PageType(0x8004)), header);
    assert_eq!(forged(0x35, PageType(0x8000)), header);
    assert_eq!(forged(0x35, PageType(0x8040)), header);
}

#[test]
fn real_pages_of_every_format_are_what_they_are() {
    for fixture in FIXTURES {
        let checker = fixture.checker();
        let verdict = checker.page(fixture.place(), &fixture.page());
        assert_eq!(verdict, fixture.verdict, "{}", fixture.name);
        assert_eq!(checker.algorithm(&fixture.page()), fixture.algorithm, "{}", fixture.name);
    }
}

#[test]
fn a_part_of_a_page_is_truncated_and_never_looked_into() {
    let checker = Checker { space: space(0x15) };
    for bytes in [0, 1, 1023, 1024, 16383, 16385] {
        let damage = Damage::Truncated { bytes };
        let page = vec![0; bytes as usize];
        assert_eq!(checker.page(at(0), &page), Verdict::Bad { damage });
        assert_eq!(checker.algorithm(&page), None);
    }
    let mut told = 0;
    checker.pages(at(0), &vec![0; 3 * 16384 - 1], &mut |_, _| told += 1);
    assert_eq!(told, 2);
}

#[test]
fn a_page_that_is_still_encrypted_in_a_space_that_is_no_longer_is_no_damage() {
    let fixture = FIXTURES.iter().find(|fixture| fixture.name == "mysql-encrypted").unwrap();
    let decrypted = Space { encrypted: false, ..fixture.checker().space };
    let verdict = Checker { space: decrypted }.page(fixture.place(), &fixture.page());
    assert_eq!(verdict, Verdict::Unverifiable { reason: Reason::Encrypted });
}

/// All flags that name a different format.
fn formats() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![0x13, 0x33, 0xe1, 0x100e1, 0x40e1, 0x60e1, 0xe3, 0x60e3])
}

/// Types that are looked at, and any.
fn types() -> impl Strategy<Value = u16> {
    prop_oneof![prop::sample::select(vec![0, 14, 15, 16, 17, 17855, 34354, 37401]), any::<u16>()]
}

proptest! {
    #[test]
    fn a_block_is_told_page_by_page(
        flags in formats(),
        first in any::<u32>(),
        kinds in prop::collection::vec((0..7_usize, any::<u64>()), 0..70),
    ) {
        let checker = Checker { space: space(flags) };
        let mut bytes = Vec::new();
        for (ahead, (kind, seed)) in (0..).zip(kinds) {
            let number = first.wrapping_add(ahead);
            let mut page = draft(&checker.space, number, seed);
            let classic = checker.space.checksum == Checksum::Classic;
            match CLASSIC.get(kind) {
                Some(algorithm) if classic => {
                    checker.write_checksum(&mut page, *algorithm).unwrap();
                }
                Some(_) => checker.write_checksum(&mut page, Algorithm::FullCrc32).unwrap(),
                None if kind == 4 => page.fill(0),
                None => {}
            }
            bytes.extend(page);
        }
        let mut told = Vec::new();
        let place = Place { page: first, space: Some(7) };
        checker.pages(place, &bytes, &mut |page, verdict| told.push((page, verdict)));
        told.sort_by_key(|(page, _)| page.wrapping_sub(first));
        let pages = bytes.chunks_exact(checker.space.physical_bytes as usize);
        let expected: Vec<_> = (0..).zip(pages).map(|(ahead, page)| {
            let number = first.wrapping_add(ahead);
            (number, checker.page(Place { page: number, space: Some(7) }, page))
        }).collect();
        prop_assert_eq!(told, expected);
    }

    #[test]
    fn any_bytes_get_a_verdict(
        flags in formats(),
        kind in types(),
        seed in any::<u64>(),
        length in any::<u16>(),
        method in 0..8_u8,
    ) {
        let checker = Checker { space: space(flags) };
        let mut page = draft(&checker.space, 5, seed);
        page[field::TYPE..][..2].copy_from_slice(&kind.to_be_bytes());
        page[field::COMPRESSED_VERSION..][..2].copy_from_slice(&[1, method]);
        let original = (checker.space.physical_bytes as u16).wrapping_sub(38);
        page[field::ORIGINAL_BYTES..][..2].copy_from_slice(&original.to_be_bytes());
        page[field::COMPRESSED_BYTES..][..2].copy_from_slice(&length.to_be_bytes());
        prop_assert_ne!(checker.page(at(5), &page), Verdict::Ok);
        page[field::CHECKSUM..][..4].copy_from_slice(&NO_CHECKSUM.to_be_bytes());
        page[field::FLUSH_LSN..field::SPACE].fill(0);
        page[field::SPACE - 1] = method;
        page[field::DATA..][..2].copy_from_slice(&length.to_be_bytes());
        prop_assert_ne!(checker.page(at(5), &page), Verdict::Ok);
    }
}

#[test]
fn both_flavours_readings_of_one_page_zero_are_told_apart_by_its_sum() {
    // PAGE_COMPRESSED with level 3 of MariaDB 10.1.0 to 10.1.20, or pages of 64 KiB.
    let flags = 0x21_u32 | 1 << 6 | 3 << 7;
    for early in [false, true] {
        let meant = match early {
            true => Space::from_flags_101(flags, 7).unwrap(),
            false => space(flags),
        };
        let mut page = draft(&meant, 0, 3);
        page[field::DATA..][..4].copy_from_slice(&7_u32.to_be_bytes());
        page[field::DATA + 16..][..4].copy_from_slice(&flags.to_be_bytes());
        Checker { space: meant }.write_checksum(&mut page, Algorithm::Crc32).unwrap();
        page.resize(65536, 0);
        let told = Space::of_page_zero(&page).unwrap();
        assert_eq!(told, meant);
        assert_eq!(told.flavour == Some(Flavour::MariaDb), early);
    }
}
