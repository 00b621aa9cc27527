//! Where the stock tools are wrong, ours is right in the same words; and what only ours has.

use super::fixture::{Done, FIXTURE, Flavour, ours, run, stock};
use crate::support::keys;
use serde_json::Value;
use std::os::unix::fs::symlink;

const PAGE_BYTES: usize = 16384;

fn status(done: &Done) -> Option<i32> {
    done.status
}

#[test]
fn copies_in_the_doublewrite_area_are_no_damage() {
    for file in ["full/ibdata1", "crc/ibdata1", "small/ibdata1"] {
        let theirs = stock(Flavour::MariaDb, &[file], None).unwrap();
        assert_eq!((status(&theirs), theirs.err.contains("invalid")), (Some(1), true));
        let ours = ours(Flavour::MariaDb, &[file], None);
        assert_eq!((status(&ours), ours.err.as_str()), (Some(0), ""), "{file}");
    }
}

#[test]
fn a_type_that_is_forged_does_not_hide_damage() {
    let forged = FIXTURE.copy("crc/t/r.ibd", "forged.ibd", |bytes| {
        bytes[3 * PAGE_BYTES + 24..3 * PAGE_BYTES + 26].copy_from_slice(&34354u16.to_be_bytes());
    });
    assert_eq!(stock(Flavour::MariaDb, &[&forged], None).unwrap().status, Some(0));
    let ours = ours(Flavour::MariaDb, &[&forged], None);
    let said = "Fail: page::3 invalid\nExceeded the maximum allowed checksum mismatch count::1 \
                current::0\n";
    assert_eq!((status(&ours), ours.err.as_str()), (Some(1), said));
}

#[test]
fn damage_inside_a_compressed_page_is_found() {
    let damaged = FIXTURE.copy("crc/t/c.ibd", "payload.ibd", |bytes| {
        bytes[4 * PAGE_BYTES + 60] ^= 1;
    });
    assert_eq!(stock(Flavour::MariaDb, &[&damaged], None).unwrap().status, Some(0));
    assert_eq!(ours(Flavour::MariaDb, &[&damaged], None).status, Some(1));
}

#[test]
fn a_page_that_went_to_the_place_of_another_is_found() {
    if !FIXTURE.file("mysql").is_dir() {
        return;
    }
    let misdirected = FIXTURE.copy("mysql/t/e.ibd", "misdirected.ibd", |bytes| {
        bytes.copy_within(2 * PAGE_BYTES..3 * PAGE_BYTES, 3 * PAGE_BYTES);
    });
    let theirs = stock(Flavour::MySql, &[&misdirected], None).unwrap();
    assert_eq!(status(&theirs), Some(0));
    let ours = ours(Flavour::MySql, &[&misdirected], None);
    let said = "Fail: page 3 invalid\nExceeded the maximum allowed checksum mismatch count::0\n";
    assert_eq!((status(&ours), ours.err.as_str()), (Some(1), said));
}

#[test]
fn damage_to_a_page_that_is_free_means_nothing() {
    if !FIXTURE.file("mysql").is_dir() {
        return;
    }
    let damaged = FIXTURE.copy("mysql/t/a.ibd", "free.ibd", |bytes| {
        // The lower of two bits a page, in the descriptors of page 0.
        let is_free =
            |page: &usize| bytes[174 + page / 64 * 40 + page % 64 / 4] >> (page % 4 * 2) & 1;
        let free = (6..bytes.len() / PAGE_BYTES).find(|page| is_free(page) == 1).unwrap();
        bytes[free * PAGE_BYTES] ^= 1;
    });
    let theirs = stock(Flavour::MySql, &[&damaged], None).unwrap();
    assert_eq!((status(&theirs), theirs.err.contains("invalid")), (Some(1), true));
    let ours = ours(Flavour::MySql, &[&damaged], None);
    assert_eq!((status(&ours), ours.err.as_str()), (Some(0), ""));
}

#[test]
fn zeros_in_both_checksum_fields_make_no_page_sound() {
    if !FIXTURE.file("mysql").is_dir() {
        return;
    }
    let damaged = FIXTURE.copy("mysql/t/e.ibd", "zeros.ibd", |bytes| {
        let page = &mut bytes[4 * PAGE_BYTES..5 * PAGE_BYTES];
        page[..4].fill(0);
        page[PAGE_BYTES - 8..PAGE_BYTES - 4].fill(0);
        page[5000] ^= 1;
    });
    assert_eq!(stock(Flavour::MySql, &[&damaged], None).unwrap().status, Some(0));
    let ours = ours(Flavour::MySql, &[&damaged], None);
    let said = "Fail: page 4 invalid\nExceeded the maximum allowed checksum mismatch count::0\n";
    assert_eq!((status(&ours), ours.err.as_str()), (Some(1), said));
}

#[test]
fn a_file_of_the_other_flavour_is_checked_for_what_it_is() {
    let ours = ours(Flavour::MySql, &["full/t/a.ibd"], None);
    assert_eq!((status(&ours), ours.err.as_str()), (Some(0), ""));
    if let Some(theirs) = stock(Flavour::MySql, &["full/t/a.ibd"], None) {
        assert_eq!(theirs.status, None, "the stock tool divides by zero");
    }
}

#[test]
fn pages_before_the_first_that_is_wanted_are_skipped_on_standard_input() {
    for (words, stdin) in [(["-s", "3", "-"], "full/t/e.ibd"), (["-s", "5", "-"], "crc/t/a.ibd")] {
        let ours = ours(Flavour::MariaDb, &words, Some(stdin));
        assert_eq!((status(&ours), ours.err.as_str()), (Some(0), ""));
    }
}

#[test]
fn the_flavour_is_guessed_from_the_file() {
    let guess = |words: &[&str]| run(FIXTURE.rig.command("innochecksum"), words, None);
    assert!(guess(&["--page-type-s", "full/t/e.ibd"]).err.starts_with("Info: Using unique"));
    if FIXTURE.file("mysql").is_dir() {
        let done = guess(&["--page-type-s", "mysql/t/e.ibd"]);
        assert_eq!(done.err, "innochecksum: [ERROR] unknown option '--page-type-s'.\n");
        assert_eq!(guess(&["-C", "none", "mysql/t/e.ibd"]).status, Some(0));
    }
}

#[test]
fn it_answers_to_the_name_of_a_link() {
    let dir = tempfile::tempdir_in(FIXTURE.rig.dir()).unwrap();
    let link = dir.path().join("innochecksum");
    symlink(env!("CARGO_BIN_EXE_myrig"), &link).unwrap();
    let done = run(std::process::Command::new(&link), &["-c", "full/t/e.ibd"], None);
    assert_eq!((status(&done), done.out.as_str()), (Some(0), "Number of pages:4\n"));
}

#[test]
fn the_number_of_jobs_changes_nothing_that_is_said() {
    let many = FIXTURE.copy("crc/t/a.ibd", "jobs.ibd", |bytes| {
        bytes.chunks_exact_mut(PAGE_BYTES).skip(5).for_each(|page| page[4000] ^= 1);
    });
    for options in ["-a 40", "-a 1000", "-a 1000 -S", "-a 1000 -l o.log"] {
        let said = |jobs: &str| {
            let words: Vec<&str> = options.split(' ').chain([jobs, &many]).collect();
            ours(Flavour::MariaDb, &words, None)
        };
        let one = said("--jobs=1");
        assert!(one.err.lines().count() > 40, "{}", one.err);
        assert_eq!(said("--jobs=7"), one, "{options}");
    }
}

#[test]
fn own_options_are_refused_by_their_names() {
    for words in [["--jobs=0", "full/t/e.ibd"], ["--flavour=oracle", "full/t/e.ibd"]] {
        let done = run(FIXTURE.rig.command("innochecksum"), &words, None);
        let option = words[0].split('=').next().unwrap();
        assert_eq!((status(&done), done.err.contains(option)), (Some(1), true), "{done:?}");
    }
}

#[test]
fn json_says_what_the_text_says() {
    let damaged = FIXTURE.copy("crc/t/r.ibd", "json.ibd", |bytes| bytes[3 * PAGE_BYTES + 99] ^= 1);
    let words = ["--json", "-S", "-a", "5", "full/t/e.ibd", &damaged, "nope"];
    let done = ours(Flavour::MariaDb, &words, None);
    let document: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(keys(&document), ["files", "flavour", "schema", "status"]);
    assert_eq!(document["schema"], "myrig.innochecksum/1");
    assert_eq!((&document["flavour"], document["status"].as_i64()), (&"mariadb".into(), Some(1)));
    assert_eq!(done.err, "Fail: page::3 invalid\nError: nope cannot be found\n");
    let files = document["files"].as_array().unwrap();
    assert_eq!(files.len(), 3);
    let fields = [
        "bad",
        "bytes",
        "error",
        "page_bytes",
        "pages",
        "path",
        "rewritten",
        "summary",
        "unverifiable",
    ];
    assert_eq!(keys(&files[0]), fields);
    assert_eq!(
        (files[0]["pages"].as_u64(), files[0]["page_bytes"].as_u64()),
        (Some(4), Some(16384))
    );
    assert_eq!(files[0]["summary"]["pages"]["index"], 1);
    assert_eq!(files[1]["bad"][0]["page"], 3);
    assert_eq!(files[1]["bad"][0]["verdict"], "bad");
    assert_eq!(files[2]["error"], "nope cannot be found");
}
