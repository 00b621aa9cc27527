//! What is said of damage: ours, and what the stock tool of the flavour says, as tables.
//!
//! The tables are snapshots; docs/stock-tools.md is written from them.

mod kinds;

use crate::{
    fixture::{self, Built, Programs},
    support::{Tablespace, damage, verify},
};
use kinds::{DAMAGES, Damaged, Inflict};
use pages::{Flavour, Verdict};
use std::{fmt::Write, fs};

/// Files that are damaged: a case, and a table of it.
const MARIADB: [(&str, &str); 6] = [
    ("mariadb-full_crc32-16k", "dyn"),
    ("mariadb-full_crc32-16k", "pc1"),
    ("mariadb-crc32-16k", "dyn"),
    ("mariadb-crc32-16k", "pc1"),
    ("mariadb-crc32-16k", "zip4"),
    ("mariadb-encrypted-crc32-16k", "enc"),
];
const MYSQL: [(&str, &str); 6] = [
    ("mysql-crc32-16k", "dyn"),
    ("mysql-crc32-16k", "tc_zlib"),
    ("mysql-crc32-16k", "zip4"),
    ("mysql-innodb-16k", "dyn"),
    ("mysql-none-16k", "dyn"),
    ("mysql-encrypted-16k", "enc"),
];

/// A table of what is said of every damage to every one of the files.
fn table(flavour: Flavour, files: &[(&str, &str)]) -> Option<String> {
    let programs = Programs::find(flavour)?;
    let mut table = String::new();
    for &(case, name) in files {
        let Some(built) = fixture::one(case) else { continue };
        writeln!(table, "## {case} {name}").unwrap();
        for &(what, inflict) in DAMAGES {
            if let Some((ours, stock)) = said(&built, name, (what, inflict), &programs) {
                writeln!(table, "{what:40} {ours:40} {stock}").unwrap();
            }
        }
    }
    Some(table)
}

/// What both say of one damage to a copy of a table; none if the format cannot be damaged so.
fn said(
    built: &Built,
    table: &str,
    (what, inflict): (&str, Inflict),
    programs: &Programs,
) -> Option<(String, String)> {
    let original = Tablespace::read(&built.file(&format!("d/{table}.ibd")));
    let pages = original.pages().map(|(place, page)| original.checker().page(place, page));
    let opaque = pages.filter(|verdict| matches!(verdict, Verdict::Unverifiable { .. })).count();
    let promised = promised(&original);
    let mut damaged = Damaged::new(original, Tablespace::read(&built.file("d/redundant.ibd")));
    inflict(&mut damaged)?;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.ibd");
    fs::write(&path, &damaged.file.bytes).unwrap();
    let ours = damage(&verify(std::slice::from_ref(&path)), opaque as u64);
    let ours = match missing(&damaged.file, promised) {
        0 => ours,
        // How many pages a server makes of a table varies.
        pages => {
            assert_eq!(ours, format!("{pages} bad (truncated)"), "{table}: {what}");
            "the rest bad (truncated)".to_owned()
        }
    };
    let (code, _) = programs.innochecksum(&[], &path);
    let stock = match code {
        0 => "passes".to_owned(),
        1 => "fails".to_owned(),
        other => format!("dies ({other})"),
    };
    Some((ours, stock))
}

/// How many pages page 0 says that there are (`FSP_SIZE`).
fn promised(file: &Tablespace) -> u64 {
    u32::from_be_bytes(file.bytes[46..50].try_into().unwrap()).into()
}

/// Pages of those that were promised that are not whole in the file; 0 if it does not promise them.
fn missing(file: &Tablespace, promised_at_first: u64) -> u64 {
    let whole = file.bytes.len() as u64 / u64::from(file.space.physical_bytes);
    match whole > 0 && promised(file) == promised_at_first {
        true => promised_at_first.saturating_sub(whole),
        false => 0,
    }
}

#[test]
fn damage_to_files_of_mariadb() {
    insta::assert_snapshot!(table(Flavour::MariaDb, &MARIADB).unwrap());
}

#[test]
fn damage_to_files_of_mysql() {
    match table(Flavour::MySql, &MYSQL) {
        Some(table) => insta::assert_snapshot!(table),
        None => println!("SKIPPED: damage to files of MySQL: MySQL 9 is not unpacked"),
    }
}
