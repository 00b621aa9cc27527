//! What is not what it should be: a verdict or a clear error for it, and on to the next.

use crate::{
    fixture,
    support::{damage, verify},
};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::{
    fs::{self, File},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

/// A small healthy table.
fn table() -> Vec<u8> {
    let built = fixture::one("mariadb-full_crc32-4k").unwrap();
    fs::read(built.file("d/blank.ibd")).unwrap()
}

#[test]
fn one_that_cannot_be_read_does_not_keep_the_next_from_being_read() {
    let (home, table) = (tempfile::tempdir().unwrap(), table());
    let at = |name: &str| home.path().join(name);
    fs::write(at("good.ibd"), &table).unwrap();
    fs::write(at("nothing.ibd"), b"").unwrap();
    fs::write(at("text.ibd"), b"Dear Sir or Madam,\n").unwrap();
    fs::write(at("dump.sql"), b"CREATE TABLE t(a INT);\n").unwrap();
    fs::create_dir(at("directory.ibd")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe.ibd"), 0o600.into()).unwrap();
    symlink(at("nowhere"), at("dangling.ibd")).unwrap();
    symlink(at("loop.ibd"), at("loop.ibd")).unwrap();
    symlink(home.path(), at("again")).unwrap();
    symlink(at("good.ibd"), at("alias.ibd")).unwrap();
    let sparse = File::create(at("sparse.ibd")).unwrap();
    sparse.set_len(64 << 20).unwrap();
    let report =
        verify(&[home.path().to_owned(), at("good.ibd"), at("pipe.ibd"), at("absent.ibd")]);
    let seen: Vec<&Path> = report.files.iter().map(|file| file.path.as_path()).collect();
    let good = seen.iter().filter(|path| path.ends_with("good.ibd") || path.ends_with("alias.ibd"));
    assert_eq!(good.count(), 1, "once, whatever it is called: {seen:?}");
    let sparse = report.files.iter().find(|file| file.path.ends_with("sparse.ibd")).unwrap();
    assert_eq!((sparse.counts.empty, sparse.is_bad()), (sparse.counts.pages(), false));
    let failed: Vec<String> =
        report.failed.iter().map(|failed| failed.path.display().to_string()).collect();
    for name in ["pipe.ibd", "absent.ibd"] {
        assert!(failed.iter().any(|path| path.ends_with(name)), "{name} in {failed:?}");
    }
    println!("{}\n{:?}\n{:?}", damage(&report, 0), report.failed, report.skipped);
}

#[test]
fn a_file_that_may_not_be_read_is_told_and_the_others_are_verified() {
    let (home, table) = (tempfile::tempdir().unwrap(), table());
    let at = |name: &str| home.path().join(name);
    fs::write(at("a.ibd"), &table).unwrap();
    fs::write(at("b.ibd"), &table).unwrap();
    fs::set_permissions(at("a.ibd"), std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    let report = verify(&[home.path().to_owned()]);
    // Root may read everything.
    let expected = if rustix::process::geteuid().is_root() { (2, 0) } else { (1, 1) };
    assert_eq!((report.files.len(), report.failed.len()), expected);
    assert_eq!(report.bad_files(), 0);
}

#[test]
fn a_file_that_vanishes_before_it_is_opened_is_an_error_and_no_panic() {
    let (home, table) = (tempfile::tempdir().unwrap(), table());
    let paths: Vec<PathBuf> = (0..20).map(|n| home.path().join(format!("{n}.ibd"))).collect();
    for path in &paths {
        fs::write(path, &table).unwrap();
    }
    let found = pages::file::walk(&[home.path().to_owned()]);
    for path in paths.iter().step_by(2) {
        fs::remove_file(path).unwrap();
    }
    let options = disk::ScanOptions::new(std::num::NonZeroUsize::MIN);
    let report = pages::verify::verify(found, &Default::default(), &options, &()).unwrap();
    assert_eq!((report.files.len(), report.failed.len(), report.bad_files()), (10, 10, 0));
}

#[test]
fn hostile_bytes_get_a_verdict_or_an_error() {
    let mut random = Pcg64::seed_from_u64(66);
    let cases = ["mariadb-full_crc32-4k", "mariadb-crc32-4k", "mariadb-files-crc32-4k"];
    let built = fixture::those(|case| cases.contains(&case.name));
    let names = [
        "t.ibd",
        "ibdata1",
        "undo001",
        "ibtmp1",
        "#ib_4096_0.dblwr",
        "#ib_4096_0.bdblwr",
        "ib_logfile0",
        "#ib_redo3",
        "no-name",
        "ib_logfile1",
    ];
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    for built in &built {
        for path in built.files() {
            let mut bytes = fs::read(&path).unwrap();
            bytes.truncate(1 << 19);
            seeds.push(bytes);
        }
    }
    let mut bad = 0;
    for _ in 0..30 {
        let home = tempfile::tempdir().unwrap();
        for name in names {
            let seed = random.random_range(0..seeds.len());
            let bytes = hostile(&mut random, &seeds[seed]);
            fs::write(home.path().join(name), bytes).unwrap();
        }
        let report = verify(&[home.path().to_owned()]);
        let told = report.files.len() + report.failed.len();
        assert!(told >= 8, "{} files of {} were told of", told, names.len());
        bad += report.bad_files();
    }
    assert!(bad > 100, "only {bad} files were called bad");
}

/// Some bytes, damaged in some way.
fn hostile(random: &mut impl Rng, seed: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    match random.random_range(0..6) {
        // Headers only: flags, sizes and lengths that mean nothing.
        0 => bytes.iter_mut().take(4096).for_each(|byte| {
            if random.random_range(0..8) == 0 {
                *byte = random.random();
            }
        }),
        1 => bytes.iter_mut().for_each(|byte| {
            if random.random_range(0..2000) == 0 {
                *byte ^= 1 << random.random_range(0..8);
            }
        }),
        2 => random.fill_bytes(&mut bytes),
        3 => bytes.truncate(random.random_range(0..seed.len().max(1))),
        4 => bytes.rotate_left(random.random_range(0..seed.len().max(1))),
        _ => {
            let from = random.random_range(0..seed.len().max(1));
            bytes[from..].fill(0xFF);
        }
    }
    bytes
}
