//! Pages that are marked free mean nothing, whatever they hold.

use crate::{
    fixture,
    support::{Tablespace, verify},
};
use pages::checksum::classic_crc32;
use std::fs;

/// Writes the sum of a page anew, if it has one.
fn seal(page: &mut [u8]) {
    if page[..4] != 0xDEAD_BEEF_u32.to_be_bytes() {
        let sum = classic_crc32(page).to_be_bytes();
        page[..4].copy_from_slice(&sum);
        page[16_376..16_380].copy_from_slice(&sum);
    }
}

/// Whether a page of 16 KiB is marked free, by the descriptors in page 0.
fn is_free(bytes: &[u8], page: usize) -> bool {
    bytes[150 + page / 64 * 40 + 24 + page % 64 / 4] >> (page % 4 * 2) & 1 == 1
}

#[test]
fn damage_to_a_free_page_is_none_also_where_descriptors_carry_no_sum() {
    for case in ["mariadb-crc32-16k", "mysql-crc32-16k", "mysql-none-16k"] {
        let Some(built) = fixture::one(case) else { continue };
        let mut table = Tablespace::read(&built.file("d/dyn.ibd"));
        let mut pages = 6..table.bytes.len() / 16_384;
        let free = pages.find(|&page| is_free(&table.bytes, page)).unwrap();
        table.bytes[free * 16_384] ^= 1;
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("t.ibd");
        fs::write(&path, &table.bytes).unwrap();
        let totals = verify(std::slice::from_ref(&path)).totals;
        assert_eq!((totals.freed, totals.damaged()), (1, 0), "{case} page {free}: {totals:?}");
        // The same page in use.
        table.bytes[150 + free / 64 * 40 + 24 + free % 64 / 4] &= !(1 << (free % 4 * 2));
        seal(&mut table.bytes[..16_384]);
        fs::write(&path, &table.bytes).unwrap();
        let totals = verify(&[path]).totals;
        assert_eq!((totals.freed, totals.damaged()), (0, 1), "{case} page {free}: {totals:?}");
    }
}
