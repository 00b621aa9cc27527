//! What is healthy is called healthy.

use crate::{
    fixture,
    support::{Tablespace, counts, verify},
};
use pages::Verdict;
use std::path::Path;

#[test]
fn every_page_of_a_file_with_a_page_0_is_sound_by_itself() {
    let mut faults = Vec::new();
    for built in fixture::all() {
        for path in built.tablespaces() {
            let name = path.strip_prefix(&built.dir).unwrap().display().to_string();
            // The doublewrite area is in the first file of the system, page 0 in no other.
            if name.starts_with("ibdata") {
                continue;
            }
            let file = Tablespace::read(&path);
            let checker = file.checker();
            let verdicts: Vec<Verdict> =
                file.pages().map(|(place, page)| checker.page(place, page)).collect();
            println!("{} {name}: {}", built.case.name, counts(&verdicts));
            let bad = verdicts.iter().zip(0..).find(|(verdict, _)| verdict.is_bad());
            faults.extend(bad.map(|(verdict, page)| {
                format!("{} {name} page {page}: {verdict:?}", built.case.name)
            }));
        }
    }
    assert!(faults.is_empty(), "{} files\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn a_data_directory_after_a_clean_shutdown_is_clean_and_known_whole() {
    let mut faults = Vec::new();
    for built in fixture::all() {
        let report = verify(std::slice::from_ref(&built.dir));
        println!("{}: {:?}", built.case.name, report.totals);
        let mut fault = |what: String| faults.push(format!("{}: {what}", built.case.name));
        for file in &report.files {
            let name = file.path.strip_prefix(&built.dir).unwrap().display();
            for range in &file.bad {
                fault(format!(
                    "{name} page {}+{}: {:?}",
                    range.first_page, range.pages, range.verdict
                ));
            }
            if file.counts.unverifiable > 0 && !may_be_opaque(built.case.name, &name.to_string()) {
                fault(format!("{name}: {} unverifiable", file.counts.unverifiable));
            }
            if !file.remarks.is_empty() {
                fault(format!("{name}: {:?}", file.remarks));
            }
        }
        for failed in &report.failed {
            fault(format!("failed {}: {}", failed.path.display(), failed.error));
        }
        let known: Vec<&Path> = report.files.iter().map(|file| file.path.as_path()).collect();
        for path in built.tablespaces().iter().filter(|path| !known.contains(&path.as_path())) {
            fault(format!("{} was passed over", path.display()));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// Whether pages of a file may be beyond what can be checked: MySQL's encryption has no sum over
/// the ciphertext, `none` has none at all, and MariaDB's classic encryption of compressed pages
/// makes its sum over more than it writes.
fn may_be_opaque(case: &str, file: &str) -> bool {
    let copies = file.contains("dblwr") || file == "ibdata1";
    case.starts_with("mysql-encrypted") && (file.contains("enc") || copies)
        || case.starts_with("mysql-none")
        || case.starts_with("mariadb-encrypted-crc32") && (file.contains("enc_pc") || copies)
}
