//! `myrig pages`: what a person and a program see of files, of which every byte is known.

use crate::{
    documents::{JSON, fields, is},
    support::{Rig, keys},
};
use pages::checksum;
use serde_json::Value;
use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    path::Path,
};

const PAGE: usize = 4096;
const SPACE: u32 = 7;

/// A sound page of `full_crc32`.
fn page(number: u32, kind: u16, lsn: u64, fill: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut page = vec![0; PAGE];
    page[4..8].copy_from_slice(&number.to_be_bytes());
    page[16..24].copy_from_slice(&lsn.to_be_bytes());
    page[24..26].copy_from_slice(&kind.to_be_bytes());
    page[34..38].copy_from_slice(&SPACE.to_be_bytes());
    fill(&mut page);
    page[PAGE - 8..PAGE - 4].copy_from_slice(&(lsn as u32).to_be_bytes());
    let sum = checksum::full_crc32(&page);
    page[PAGE - 4..].copy_from_slice(&sum.to_be_bytes());
    page
}

/// A table of so many pages of 4 KiB, the last of them free, as MariaDB would write it.
fn table(pages: u32) -> Vec<u8> {
    let first = page(0, 8, 1000, |page| {
        page[38..42].copy_from_slice(&SPACE.to_be_bytes());
        page[46..50].copy_from_slice(&pages.to_be_bytes());
        page[50..54].copy_from_slice(&256_u32.to_be_bytes());
        page[54..58].copy_from_slice(&0x13_u32.to_be_bytes());
        // Two bits a page in the first extent's descriptor.
        let bit = (pages - 1) as usize * 2;
        page[150 + 24 + bit / 8] |= 1 << (bit % 8);
    });
    let leaf = |number: u32| {
        page(number, 17_855, 2000 + u64::from(number), |page| {
            page[40..42].copy_from_slice(&1120_u16.to_be_bytes());
            page[42..44].copy_from_slice(&0x800C_u16.to_be_bytes());
            page[54..56].copy_from_slice(&10_u16.to_be_bytes());
            page[66..74].copy_from_slice(&33_u64.to_be_bytes());
        })
    };
    std::iter::once(first).chain((1..pages).map(leaf)).flatten().collect()
}

fn damage(path: &Path, page: u64) {
    let file = File::options().write(true).open(path).unwrap();
    file.write_all_at(&[0xA5; 16], page * PAGE as u64 + 1000).unwrap();
}

/// A directory of data: a table, and things that are not InnoDB's.
fn data(rig: &Rig) {
    let shop = rig.dir().join("data/shop");
    fs::create_dir_all(&shop).unwrap();
    fs::write(shop.join("t.ibd"), table(20)).unwrap();
    fs::write(shop.join("t.frm"), b"definition").unwrap();
    fs::write(rig.dir().join("data/aria_log.00000001"), b"aria").unwrap();
}

#[test]
fn a_clean_directory_is_good() {
    let rig = Rig::new();
    data(&rig);
    let ended = rig.run("pages verify data").good();
    assert!(ended.out.contains("1 file, 20 pages: 20 ok\nNo page is bad.\n"), "{ended}");
    assert!(ended.out.contains("Passed over: 1 Aria, 1 definition\n"), "{ended}");
    assert!(!ended.out.contains("t.ibd"), "nothing to say of it: {ended}");
    let told = rig.run("pages verify data -v").good();
    assert!(told.out.contains("table, 4 KiB, full_crc32: 20 ok"), "{told}");
    assert_eq!(rig.run("pages verify -q data").good().out, "");
}

#[test]
fn bad_pages_are_told_and_end_with_1_and_free_ones_are_none() {
    let rig = Rig::new();
    data(&rig);
    let table = rig.dir().join("data/shop/t.ibd");
    for bad in [5, 6, 7, 9, 19] {
        damage(&table, bad);
    }
    let ended = rig.run("pages verify data").ends(1);
    assert!(ended.out.starts_with("BAD     data/shop/t.ibd\n"), "{ended}");
    assert!(ended.out.contains("15 ok, 1 freed, 4 bad"), "{ended}");
    assert!(ended.out.contains("pages 5 to 7: checksums do not hold\n"), "{ended}");
    assert!(ended.out.contains("page 9: checksum "), "{ended}");
    assert!(ended.out.contains("4 pages in 1 file are bad.\n"), "{ended}");
    let limited = rig.run("pages verify data --list-limit 1").ends(1);
    assert!(limited.out.contains("and 1 range more\n"), "{limited}");
}

#[test]
fn the_answer_has_the_fields_that_are_documented() {
    let rig = Rig::new();
    data(&rig);
    damage(&rig.dir().join("data/shop/t.ibd"), 3);
    let value = rig.run("pages verify data --json").ends(1).json();
    is(&value, "myrig.pages/1");
    assert_eq!(value["verdict"], "bad");
    let file = &value["files"][0];
    assert_eq!(keys(file), fields(JSON, "### A file of `pages verify`"));
    let bad = &file["bad"][0];
    assert_eq!(keys(bad), fields(JSON, "### A range of bad pages"));
    assert_eq!((&bad["first_page"], &bad["offset"]), (&Value::from(3), &Value::from(3 * PAGE)));
    assert_eq!(bad["damage"]["damage"], "checksum");
    assert_eq!((&file["space"]["id"], &file["counts"]["ok"]), (&SPACE.into(), &Value::from(19)));
    let summary = rig.run("pages summary data --json").ends(1).json();
    is(&summary, "myrig.pages-summary/1");
    let held = &summary["files"][0]["summary"];
    assert_eq!(held["indexes"][0]["index"], 33);
    assert_eq!(held["indexes"][0]["records"], 180);
    assert_eq!(held["lsn"], serde_json::json!([1000, 2019]));
}

#[test]
fn a_good_copy_of_a_bad_page_is_told() {
    let rig = Rig::new();
    data(&rig);
    let bytes = table(20);
    damage(&rig.dir().join("data/shop/t.ibd"), 4);
    let mut slots = vec![0; 8 * PAGE];
    slots[2 * PAGE..3 * PAGE].copy_from_slice(&bytes[4 * PAGE..5 * PAGE]);
    fs::write(rig.dir().join("data/#ib_4096_0.dblwr"), &slots).unwrap();
    let ended = rig.run("pages verify data/shop").ends(1);
    let copy = "good copy of page 4 (LSN 2004): data/#ib_4096_0.dblwr, byte 8192\n";
    assert!(ended.out.contains(copy), "{ended}");
    assert!(ended.out.contains("of 1 there is a good copy"), "{ended}");
}

#[test]
fn a_damaged_first_page_does_not_keep_the_others_from_being_checked() {
    let rig = Rig::new();
    data(&rig);
    let path = rig.dir().join("data/shop/t.ibd");
    File::options().write(true).open(&path).unwrap().write_all_at(&[0x5A; PAGE], 0).unwrap();
    damage(&path, 8);
    let value = rig.run("pages verify data --json").ends(1).json();
    let file = &value["files"][0];
    assert_eq!((&file["counts"]["ok"], &file["counts"]["bad"]), (&18.into(), &2.into()));
    assert_eq!(file["space"]["id"], SPACE);
}

#[test]
fn what_is_cut_off_is_told() {
    let rig = Rig::new();
    data(&rig);
    let path = rig.dir().join("data/shop/t.ibd");
    let file = File::options().write(true).open(&path).unwrap();
    file.set_len(15 * PAGE as u64 + 100).unwrap();
    let ended = rig.run("pages verify data").ends(1);
    assert!(ended.out.contains("page 15: cut off after 100 bytes\n"), "{ended}");
    assert!(ended.out.contains("pages 16 to 19: not there: the file ends before\n"), "{ended}");
    assert!(ended.out.contains("5 pages in 1 file are bad"), "{ended}");
}

#[test]
fn what_cannot_be_read_ends_with_3_and_the_rest_is_verified() {
    let rig = Rig::new();
    data(&rig);
    let ended = rig.run("pages verify data none.ibd data/shop/t.frm").ends(3);
    assert!(ended.out.contains("failed  none.ibd\n        No such file"), "{ended}");
    assert!(ended.out.contains("no file of InnoDB's by its name (definition)"), "{ended}");
    assert!(ended.out.contains("No page that was read is bad; 2 places could not be read.\n"));
    fs::create_dir(rig.dir().join("empty")).unwrap();
    rig.run("pages verify empty").ends(3).says(&["no file of InnoDB's under empty"]);
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    let rig = Rig::new();
    rig.run("pages verify").ends(2);
    rig.run("pages verify x --page-size 3K").ends(2).says(&["is no page size"]);
    data(&rig);
    rig.run("pages verify data --block-size 3K").ends(3).says(&["power of two"]);
}

#[test]
fn every_way_of_reading_says_the_same() {
    let rig = Rig::new();
    data(&rig);
    damage(&rig.dir().join("data/shop/t.ibd"), 2);
    let told = |options: &str| {
        let value = rig.run(&format!("pages verify data --json {options}")).ends(1).json();
        (value["files"].clone(), value["totals"].clone())
    };
    let expected = told("");
    for options in [
        "--io plain --direct never",
        "--direct always --jobs 1 --depth 1 --block-size 64K",
        "--jobs 3 --max-bandwidth 100M --nice --online",
    ] {
        assert_eq!(told(options), expected, "{options}");
    }
}

#[test]
fn the_speed_is_told_as_a_share_of_the_limit_of_the_disk_once_that_was_measured() {
    let rig = Rig::new();
    data(&rig);
    let verify = "pages verify data --direct always";
    assert!(!rig.run(verify).good().out.contains("of the limit"));
    let here = rig.dir().display().to_string();
    let bench = format!("disk bench {here} --size 8M --block-size 128K --bytes 16M --fio never");
    let measured = rig.run(&format!("{bench} --json")).good().json();
    let Some(limit) = measured["limits_kept"].as_array().unwrap().first() else {
        println!("SKIPPED: the share of the disk's limit: {here} is only read through the cache");
        return;
    };
    let value = rig.run(&format!("{verify} --json")).good().json();
    let told = &value["limit"];
    assert_eq!(keys(told), ["device", "read_bytes_per_s", "share"]);
    assert_eq!(told["device"], limit["device"]);
    assert_eq!(told["read_bytes_per_s"], limit["read_bytes_per_s"]);
    assert!(told["share"].as_f64().unwrap() > 0.0, "{told}");
    let text = rig.run(verify).good().out;
    let device = limit["device"].as_str().unwrap();
    let line = text.lines().find(|line| line.contains("of the limit")).unwrap();
    assert!(
        line.starts_with("That is ") && line.contains(&format!("% of the limit of {device}, "))
    );
    // What comes through the page cache says nothing of the disk.
    let warm = rig.run("pages verify data --direct never --json").good().json();
    assert!(warm["limit"]["share"].is_null(), "{warm}");
}
