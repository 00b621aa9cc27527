//! A server that writes as fast as it can: no false alarm, and damage is still found.

use crate::{
    fixture,
    support::{Tablespace, newer},
};
use client::{Connection, Target};
use disk::ScanOptions;
use pages::{
    file::{Found, walk},
    verify::{FileState, Options, Report, is_online},
};
use server::{
    Flavour,
    scratch::{ScratchServer, Unavailable},
};
use std::{
    fs::{self, File},
    num::NonZeroUsize,
    os::unix::fs::FileExt,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Connections that write, each in tables of its own.
const WRITERS: usize = 3;
/// How long they write while the files are verified again and again.
const TIME: Duration = Duration::from_secs(10);

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// A server that flushes what is dirty at once and has to evict pages all the time.
fn server(flavour: Flavour) -> Option<ScratchServer> {
    let settings = [
        // The longer a page takes to be written, the more often it is read in between.
        ("innodb-page-size", "64K"),
        ("innodb-buffer-pool-size", "32M"),
        ("innodb-flush-method", "O_DIRECT_NO_FSYNC"),
        ("innodb-max-dirty-pages-pct", "0"),
        ("innodb-io-capacity", "20000"),
        ("innodb-io-capacity-max", "40000"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    match runtime().block_on(ScratchServer::start_with(flavour, settings)) {
        Err(Unavailable::MySqlAbsent) => {
            println!("SKIPPED: pages of a running MySQL 9: it is not unpacked; run scripts/setup");
            None
        }
        server => Some(server.expect("a scratch server")),
    }
}

fn report(data: &Path) -> Report {
    let found = walk(&[data.to_owned()]);
    assert!(is_online(&found), "the server is not seen");
    verify_online(found)
}

fn verify_online(found: Found) -> Report {
    let options = Options { online: true, ..Options::default() };
    let scan = ScanOptions::new(NonZeroUsize::new(2).unwrap());
    pages::verify::verify(found, &options, &scan, &()).unwrap()
}

/// What one connection does over and over: tables of every kind are filled, changed, emptied,
/// built anew and dropped.
fn rounds(writer: usize, round: u64, flavour: Flavour) -> Vec<String> {
    let format = match (writer, flavour) {
        (0, _) => "ROW_FORMAT=DYNAMIC",
        (1, _) => "ROW_FORMAT=REDUNDANT",
        (_, Flavour::MariaDb) => "PAGE_COMPRESSED=1",
        (..) => "COMPRESSION='zlib'",
    };
    let table = |name: &str| {
        format!(
            "CREATE TABLE IF NOT EXISTS {name}(id INT AUTO_INCREMENT PRIMARY KEY, k INT, \
             c VARCHAR(300), b LONGTEXT, KEY(k), KEY(c(40))) ENGINE=InnoDB CHARSET=latin1 {format}"
        )
    };
    let (kept, passing) = (format!("kept{writer}"), format!("passing{writer}"));
    let fill = |name: &str| {
        let rows: Vec<String> = (0..60)
            .map(|n| {
                let value = (n * 7919 + round * 31) % 10_007;
                format!("({value}, REPEAT(SHA2({value}, 256), 4), REPEAT('{value}', 4000))")
            })
            .collect();
        format!("INSERT INTO {name}(k, c, b) VALUES {}", rows.join(", "))
    };
    let mut sql = vec![table(&kept)];
    sql.extend([
        fill(&kept),
        fill(&kept),
        format!("UPDATE {kept} SET c=REVERSE(c), k=k+1 WHERE id%3={}", round % 3),
        format!("UPDATE {kept} SET b=REVERSE(b) WHERE id%7={}", round % 7),
        format!("DELETE FROM {kept} WHERE id%11={}", round % 11),
    ]);
    match round % 8 {
        2 => sql.extend([table(&passing), fill(&passing), fill(&passing)]),
        4 => sql.push(format!("TRUNCATE TABLE {passing}")),
        5 => sql.extend([fill(&passing), format!("DROP TABLE {passing}")]),
        7 => sql.push(format!("DELETE FROM {kept} WHERE id%2=0")),
        _ => {}
    }
    if round % 20 == 19 {
        sql.push(format!("ALTER TABLE {kept} ENGINE=InnoDB"));
    }
    sql
}

fn write_until(
    target: &Target,
    writer: usize,
    flavour: Flavour,
    stop: &AtomicBool,
    done: &AtomicU64,
) {
    runtime().block_on(async {
        let mut connection = Connection::connect(target).await.unwrap();
        for round in 0.. {
            for sql in rounds(writer, round, flavour) {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let told = connection.run(&sql).await;
                // TRUNCATE of a table that is not there yet.
                assert!(told.is_ok() || sql.starts_with("TRUNCATE"), "{sql}: {told:?}");
                done.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
}

fn run(target: &Target, statements: &[&str]) {
    runtime().block_on(async {
        let mut connection = Connection::connect(target).await.unwrap();
        for sql in statements {
            connection.run(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        }
    });
}

/// Flips a bit in the middle of a page of a table that nobody uses.
fn damage(path: &Path, page: u64) {
    let file = File::options().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, page * 65_536 + 300).unwrap();
    byte[0] ^= 16;
    file.write_all_at(&byte, page * 65_536 + 300).unwrap();
}

fn no_false_alarm_and_damage_found(flavour: Flavour) {
    let Some(mut server) = server(flavour) else { return };
    let (data, target) = (server.instance().data_dir(), server.socket_target().unwrap());
    run(
        &target,
        &[
            "CREATE DATABASE d",
            "CREATE TABLE d.quiet(id INT AUTO_INCREMENT PRIMARY KEY, c VARCHAR(300)) ENGINE=InnoDB",
            "INSERT INTO d.quiet(c) VALUES (REPEAT('a', 300)), (REPEAT('b', 300))",
            "INSERT INTO d.quiet(c) SELECT a.c FROM d.quiet a, d.quiet b, d.quiet c, d.quiet d, \
         d.quiet e, d.quiet f, d.quiet g, d.quiet h",
            "FLUSH TABLES d.quiet FOR EXPORT",
            "UNLOCK TABLES",
        ],
    );
    let target = target.with_database("d");
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (target, stop, done) = (&target, &stop, &done);
            scope.spawn(move || write_until(target, writer, flavour, stop, done));
        }
        // Whatever fails here, the writers are told to end.
        let watched = std::panic::catch_unwind(|| watch(&data));
        let damaged = std::panic::catch_unwind(|| {
            damage(&data.join("d/quiet.ibd"), 3);
            let report = report(&data);
            let bad: Vec<&Path> = report
                .files
                .iter()
                .filter(|file| file.is_bad())
                .map(|file| file.path.as_path())
                .collect();
            assert_eq!(bad, [data.join("d/quiet.ibd")], "{:?}", report.totals);
            assert_eq!(report.totals.damaged(), 1);
        });
        stop.store(true, Ordering::Relaxed);
        watched.and(damaged).unwrap_or_else(|fault| std::panic::resume_unwind(fault));
    });
    println!("{flavour}: {} statements meanwhile", done.load(Ordering::Relaxed));
    assert!(done.load(Ordering::Relaxed) > 100, "the server hardly wrote");
}

/// Verifies again and again while the time lasts; no page may be called bad.
fn watch(data: &Path) {
    let began = Instant::now();
    let (mut passes, mut pages, mut again, mut dropped) = (0, 0, 0, 0);
    while began.elapsed() < TIME {
        let report = report(data);
        passes += 1;
        pages += report.totals.pages();
        again += report.files.iter().map(|file| file.reread).sum::<u64>();
        dropped += report.files.iter().filter(|file| file.state == FileState::Dropped).count();
        let bad = report.files.iter().find(|file| file.is_bad());
        let bad = bad.map(|file| (&file.path, &file.bad, &file.remarks));
        assert!(bad.is_none(), "pass {passes}: {bad:?}");
        assert!(report.failed.is_empty(), "{:?}", report.failed);
    }
    println!("{passes} passes over {pages} pages, {again} read again, {dropped} files dropped");
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
    let (mut passes, mut again) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let file = File::options().write(true).open(&path).unwrap();
            let half = page.len() / 2;
            for version in versions.iter().cycle() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                file.write_all_at(&version[..half], at).unwrap();
                thread::sleep(Duration::from_millis(1));
                file.write_all_at(&version[half..], at + half as u64).unwrap();
                thread::sleep(Duration::from_millis(4));
            }
        });
        let began = Instant::now();
        let mut bad = None;
        while again < 5 && bad.is_none() && began.elapsed() < Duration::from_secs(60) {
            let report = verify_online(walk(std::slice::from_ref(&path)));
            (passes, again) = (passes + 1, again + report.files[0].reread);
            bad = report.files[0].bad.first().cloned();
        }
        stop.store(true, Ordering::Relaxed);
        assert!(bad.is_none() && again >= 5, "{passes} passes, {again} read again, {bad:?}");
    });
    println!("{passes} passes, {again} times read again");
}

#[test]
fn a_mariadb_under_full_load_raises_no_false_alarm_and_damage_is_found() {
    no_false_alarm_and_damage_found(Flavour::MariaDb);
}

#[test]
fn a_mysql_under_full_load_raises_no_false_alarm_and_damage_is_found() {
    no_false_alarm_and_damage_found(Flavour::MySql);
}
