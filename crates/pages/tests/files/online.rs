//! A server that writes as fast as it can: no false alarm, damage is still found, and what is left
//! when it is killed is not called damaged.

use crate::{
    fixture,
    load::{self, Load, PAGE_BYTES},
    support::{Tablespace, newer, verify},
};
use client::Target;
use disk::{Direct, ScanOptions};
use pages::{
    file::{Kind, walk},
    verify::{FileState, Options, Report, is_online},
};
use server::Flavour;
use std::{
    fs::{self, File},
    num::NonZeroUsize,
    os::unix::fs::FileExt,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How long the files are verified again and again, and how long at most until so many pages were
/// written.
const TIME: Duration = Duration::from_secs(10);
const DEADLINE: Duration = Duration::from_secs(90);
/// Pages that the server has to write meanwhile: several times what the buffer pool holds.
const WRITTEN_MIN: u64 = 4 * (32 << 20) / PAGE_BYTES;

fn report(data: &Path, direct: Direct) -> Report {
    let found = walk(&[data.to_owned()]);
    assert!(is_online(&found), "the server is not seen");
    let options = Options { online: true, ..Options::default() };
    pages::verify::verify(found, &options, &scan(direct), &()).unwrap()
}

fn scan(direct: Direct) -> ScanOptions {
    ScanOptions { direct, ..ScanOptions::new(NonZeroUsize::new(2).unwrap()) }
}

/// Flips a bit in the middle of a page of a table that nobody uses.
fn flip(path: &Path, page: u64) {
    let file = File::options().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, page * PAGE_BYTES + 300).unwrap();
    byte[0] ^= 16;
    file.write_all_at(&byte, page * PAGE_BYTES + 300).unwrap();
}

const QUIET: [&str; 5] = [
    "CREATE TABLE quiet(id INT AUTO_INCREMENT PRIMARY KEY, c VARCHAR(300)) ENGINE=InnoDB",
    "INSERT INTO quiet(c) VALUES (REPEAT('a', 300)), (REPEAT('b', 300))",
    "INSERT INTO quiet(c) SELECT a.c FROM quiet a, quiet b, quiet c, quiet d, quiet e, quiet f, \
     quiet g, quiet h",
    "FLUSH TABLES quiet FOR EXPORT",
    "UNLOCK TABLES",
];

fn under_full_load_and_killed(flavour: Flavour) {
    let Some(mut server) = load::server(flavour) else { return };
    let (data, target) = (server.instance().data_dir(), server.socket_target().unwrap());
    load::run(&target, &["CREATE DATABASE d"]);
    let target = target.with_database("d");
    load::run(&target, &QUIET);
    load::prepare(&target);
    load::during(&target, flavour, |load| {
        watch(&data, &target, load);
        damage_is_found(&data);
        load.stop();
        load::runtime().block_on(server.instance().kill(DEADLINE)).unwrap();
    });
    nothing_is_bad_after_the_kill(&data);
}

/// Verifies again and again while the time lasts; no page may be called bad.
fn watch(data: &Path, target: &Target, load: &Load) {
    let (began, written_before) = (Instant::now(), load::pages_written(target));
    let (mut passes, mut pages, mut again, mut dropped) = (0, 0, 0, 0);
    let written = loop {
        // Past the page cache, and through it.
        let direct = if passes % 2 == 0 { Direct::Always } else { Direct::Never };
        let report = report(data, direct);
        passes += 1;
        pages += report.totals.pages();
        again += report.files.iter().map(|file| file.reread).sum::<u64>();
        dropped += report.files.iter().filter(|file| file.state == FileState::Dropped).count();
        let bad = report.files.iter().find(|file| file.is_bad());
        let bad = bad.map(|file| (&file.path, &file.bad, &file.remarks));
        assert!(bad.is_none(), "pass {passes}: {bad:?}");
        assert!(report.failed.is_empty(), "{:?}", report.failed);
        let written = load::pages_written(target) - written_before;
        if began.elapsed() >= TIME && written >= WRITTEN_MIN {
            break written;
        }
        assert!(began.elapsed() < DEADLINE, "only {written} pages were written");
    };
    println!("{passes} passes over {pages} pages, {again} read again, {dropped} files dropped");
    println!("{} statements, {written} pages written meanwhile", load.statements());
}

/// A flipped bit is found meanwhile; it flips back.
fn damage_is_found(data: &Path) {
    let quiet = data.join("d/quiet.ibd");
    flip(&quiet, 3);
    let report = report(data, Direct::Always);
    let bad = report.files.iter().filter(|file| file.is_bad()).map(|file| file.path.as_path());
    assert_eq!(bad.collect::<Vec<_>>(), [quiet.as_path()], "{:?}", report.totals);
    assert_eq!(report.totals.damaged(), 1);
    flip(&quiet, 3);
}

/// The kernel finishes most writes of a process that is killed; of a page that it does not finish
/// there is a copy, from which the server mends it.
fn nothing_is_bad_after_the_kill(data: &Path) {
    assert!(!is_online(&walk(&[data.to_owned()])), "it was killed");
    let report = verify(&[data.to_owned()]);
    println!("killed: {:?}", report.totals);
    for file in &report.files {
        for remark in &file.remarks {
            println!("{}: {remark}", file.path.display());
        }
        for range in &file.bad {
            let copies = range.copies.len() as u64;
            assert_eq!(copies, range.pages, "{}: {range:?}", file.path.display());
        }
        assert_eq!(file.bad_untold, 0);
    }
    assert!(report.failed.is_empty(), "{:?}", report.failed);
    let logs = report.files.iter().filter(|file| file.kind == Kind::Redo);
    let said = logs.flat_map(|log| &log.remarks).filter(|said| said.contains("was not shut down"));
    assert_eq!(said.count(), 1, "what is to be recovered is said once");
}

#[test]
fn a_page_that_is_being_written_half_by_half_is_read_again_and_never_called_bad() {
    let built = fixture::one("mariadb-crc32-64k").unwrap();
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.ibd");
    fs::copy(built.file("d/dyn.ibd"), &path).unwrap();
    let table = Tablespace::read(&path);
    let is_index = |page: &[u8]| page[24..26] == 17_855_u16.to_be_bytes();
    let (place, page) = table.pages().find(|(_, page)| is_index(page)).unwrap();
    let versions = [newer(&table.space, page), page.to_vec()];
    let at = u64::from(place.page) * versions[0].len() as u64;
    let stop = AtomicBool::new(false);
    // Held while only a half is there, however long that takes on a busy machine.
    let halves = Arc::new(Mutex::new(()));
    let until_whole = Arc::clone(&halves);
    let options = Options {
        online: true,
        pause: Box::new(move |_| drop(until_whole.lock().unwrap())),
        ..Options::default()
    };
    let (mut passes, mut again) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let file = File::options().write(true).open(&path).unwrap();
            let half = page.len() / 2;
            for version in versions.iter().cycle() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let writing = halves.lock().unwrap();
                file.write_all_at(&version[..half], at).unwrap();
                thread::sleep(Duration::from_millis(1));
                file.write_all_at(&version[half..], at + half as u64).unwrap();
                drop(writing);
                thread::sleep(Duration::from_millis(4));
            }
        });
        let began = Instant::now();
        let mut bad = None;
        while again < 5 && bad.is_none() && began.elapsed() < DEADLINE {
            let found = walk(std::slice::from_ref(&path));
            let report = pages::verify::verify(found, &options, &scan(Direct::Auto), &()).unwrap();
            (passes, again) = (passes + 1, again + report.files[0].reread);
            bad = report.files[0].bad.first().cloned();
        }
        stop.store(true, Ordering::Relaxed);
        assert!(bad.is_none() && again >= 5, "{passes} passes, {again} read again, {bad:?}");
    });
    println!("{passes} passes, {again} times read again");
}

#[test]
fn a_mariadb_under_full_load_raises_no_false_alarm_also_when_it_is_killed() {
    under_full_load_and_killed(Flavour::MariaDb);
}

#[test]
fn a_mysql_under_full_load_raises_no_false_alarm_also_when_it_is_killed() {
    under_full_load_and_killed(Flavour::MySql);
}
