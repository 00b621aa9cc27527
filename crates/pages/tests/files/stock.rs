//! Where the stock tools and ours agree on healthy files, and where they do not.

use crate::{
    fixture::{self, Programs},
    support::verify,
};
use pages::{Flavour, verify::Counts};

/// Why the stock tool fails a healthy file, by the file's case and name.
fn known_false_alarm(case: &str, file: &str, ours: &Counts) -> Option<&'static str> {
    let mariadb = case.starts_with("mariadb");
    match file {
        "ibdata1" if mariadb && ours.doublewrite + ours.unverifiable > 0 => {
            Some("the doublewrite area holds pages of other places")
        }
        "ibdata2" | "ibdata3" if mariadb && ours.empty < ours.pages() => Some("page numbers go on"),
        _ if case.starts_with("mysql-encrypted") && file.contains("enc") => {
            Some("it has no key and no sum over the ciphertext")
        }
        _ => None,
    }
}

#[test]
fn the_stock_tools_agree_on_healthy_files_but_for_what_is_documented() {
    let mut faults = Vec::new();
    let programs = |flavour| Programs::find(flavour);
    let (mariadb, mysql) = (programs(Flavour::MariaDb), programs(Flavour::MySql));
    for built in fixture::all() {
        let programs = if built.case.flavour == Flavour::MySql { &mysql } else { &mariadb };
        let Some(programs) = programs else { continue };
        for path in built.tablespaces() {
            let name = path.strip_prefix(&built.dir).unwrap().display().to_string();
            let ours = verify(std::slice::from_ref(&path)).totals;
            let (code, said) = programs.innochecksum(&[], &path);
            let alarm = known_false_alarm(built.case.name, &name, &ours);
            let expected = i32::from(alarm.is_some());
            if ours.damaged() > 0 || code != expected {
                faults.push(format!(
                    "{} {name}: ours {ours:?}, stock {code} {said}",
                    built.case.name
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn mysqls_tool_cannot_read_doublewrite_files_and_ours_can() {
    let Some(programs) = Programs::find(Flavour::MySql) else {
        println!("SKIPPED: doublewrite files and MySQL's innochecksum: MySQL 9 is not unpacked");
        return;
    };
    let Some(built) = fixture::one("mysql-crc32-16k") else { return };
    let files =
        built.files().into_iter().filter(|path| path.extension().is_some_and(|e| e == "dblwr"));
    let files: Vec<_> = files.collect();
    assert!(!files.is_empty());
    let codes: Vec<i32> = files.iter().map(|path| programs.innochecksum(&[], path).0).collect();
    let report = verify(&files);
    println!("innochecksum: {codes:?}; ours: {:?}", report.totals);
    assert!(codes.iter().any(|&code| code != 0), "MySQL's innochecksum was mended: {codes:?}");
    assert!(report.totals.doublewrite > 0 && report.bad_files() == 0, "{:?}", report.totals);
}
