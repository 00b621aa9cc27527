//! `--write`: the same bytes as the stock tools, only where nobody else is at the file, and whole
//! pages whatever happens.

use super::fixture::{FIXTURE, Flavour, ours, stock};
use crate::support::{Server, until};
use std::{
    fs,
    io::Read,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::Stdio,
};

const PAGE_BYTES: usize = 16384;

/// Rewrites a file by both tools and holds bytes, output and status against each other.
fn compare(flavour: Flavour, line: &str, file: &str) {
    let theirs = FIXTURE.copy(file, "rewritten.ibd", |_| {});
    let words: Vec<&str> =
        line.split(' ').map(|word| if word == "F" { theirs.as_str() } else { word }).collect();
    let Some(stock) = stock(flavour, &words, None) else { return };
    let by_stock = fs::read(FIXTURE.file(&theirs)).unwrap();
    FIXTURE.copy(file, "rewritten.ibd", |_| {});
    let ours = ours(flavour, &words, None);
    assert_eq!(ours, stock, "{flavour:?} innochecksum {line} with {file}");
    let by_ours = fs::read(FIXTURE.file(&theirs)).unwrap();
    let pages = by_stock.chunks(1024).zip(by_ours.chunks(1024)).enumerate();
    let other: Vec<usize> = pages.filter(|(_, (a, b))| a != b).map(|(at, _)| at).collect();
    assert_eq!(other, [0usize; 0], "{flavour:?} innochecksum {line} with {file}: KiB that differ");
}

#[test]
fn checksums_are_rewritten_alike() {
    // One test, since all of it uses the same file.
    let wrong = |bytes: &mut Vec<u8>| {
        bytes.chunks_mut(PAGE_BYTES).for_each(|page| page[..4].copy_from_slice(b"oops"));
    };
    let crc = FIXTURE.copy("crc/t/r.ibd", "wrong-crc.ibd", wrong);
    for file in ["full/t/a.ibd", "crc/t/a.ibd", "crc/t/z.ibd", "crc/undo001", &crc] {
        for line in ["-w F", "-n -w F", "-w -l o.log F", "-n -w -p 3 -l o.log F", "-n -w -e 2 F"] {
            compare(Flavour::MariaDb, line, file);
        }
    }
    if !FIXTURE.file("mysql").is_dir() {
        return;
    }
    let mysql = FIXTURE.copy("mysql/t/a.ibd", "wrong-mysql.ibd", wrong);
    for file in ["mysql/t/a.ibd", "mysql/t/z.ibd", "mysql/ibdata1", "mysql/undo_001", &mysql] {
        for line in [
            "-w crc32 F",
            "-w innodb F",
            "-w none -l o.log F",
            "-n -w innodb F",
            "-w innodb -l o.log F",
            "-n -p 3 -w innodb F",
            "-n -w none -S F",
        ] {
            compare(Flavour::MySql, line, file);
        }
    }
    let innodb = FIXTURE.copy("mysql/t/a.ibd", "innodb.ibd", |_| {});
    assert_eq!(ours(Flavour::MySql, &["-w", "innodb", &innodb], None).status, Some(0));
    let none = FIXTURE.copy("mysql/t/a.ibd", "none.ibd", |_| {});
    assert_eq!(ours(Flavour::MySql, &["-w", "none", &none], None).status, Some(0));
    for file in [&innodb, &none] {
        for line in [
            "F",
            "-C crc32 F",
            "-C innodb F",
            "-C none F",
            "-l o.log F",
            "-C crc32 -l o.log F",
            "-C innodb -l o.log F",
            "-C none -l o.log F",
            "-w crc32 F",
        ] {
            compare(Flavour::MySql, line, file);
        }
    }
}

#[test]
fn standard_input_is_written_to_standard_output() {
    let wrong = FIXTURE.copy("crc/t/r.ibd", "wrong-stdin.ibd", |bytes| {
        bytes.chunks_mut(PAGE_BYTES).for_each(|page| page[..4].copy_from_slice(b"oops"));
    });
    let words = ["-n", "-w", "-"];
    let stock = stock(Flavour::MariaDb, &words, Some(&wrong)).unwrap();
    assert_eq!(ours(Flavour::MariaDb, &words, Some(&wrong)), stock);
}

#[test]
fn a_server_that_runs_keeps_everybody_off_its_files() {
    let server = Server::mariadb();
    let file = Path::new(&server.fact("data_dir")).join("ibdata1").display().to_string();
    for words in [&["-w", &file][..], &["-n", "-w", &file], &[&file], &["-c", &file]] {
        let stock = stock(Flavour::MariaDb, words, None).unwrap();
        assert!(stock.err.contains("Unable to lock file"), "{stock:?}");
        assert_eq!(ours(Flavour::MariaDb, words, None), stock, "{words:?}");
    }
}

#[test]
fn links_are_followed_and_what_may_not_be_written_is_refused() {
    let dir = tempfile::tempdir_in(FIXTURE.rig.dir()).unwrap();
    let wrong = FIXTURE.copy("crc/t/r.ibd", "wrong-link.ibd", |bytes| bytes[..4].fill(7));
    let link = dir.path().join("link.ibd");
    symlink(FIXTURE.file(&wrong), &link).unwrap();
    let done = ours(Flavour::MariaDb, &["-n", "-w", &link.display().to_string()], None);
    assert_eq!(done.status, Some(0), "{done:?}");
    let written = fs::read(FIXTURE.file(&wrong)).unwrap();
    assert!(written == fs::read(FIXTURE.file("crc/t/r.ibd")).unwrap(), "the link's file is mended");
    assert!(link.is_symlink(), "and the link is one still");
    fs::set_permissions(FIXTURE.file(&wrong), PermissionsExt::from_mode(0o400)).unwrap();
    // Root may write everything; a directory nobody can.
    for words in [&["-w", wrong.as_str()][..], &["-w", "."]] {
        let stock = stock(Flavour::MariaDb, words, None).unwrap();
        assert_eq!(ours(Flavour::MariaDb, words, None), stock, "{words:?}");
    }
}

#[test]
fn a_rewrite_that_is_killed_leaves_every_page_old_or_new() {
    // 128 MiB whose checksums are all wrong.
    let pages = fs::read(FIXTURE.file("crc/t/a.ibd")).unwrap();
    let mut old = Vec::new();
    while old.len() < 128 << 20 {
        old.extend_from_slice(&pages);
    }
    old.chunks_mut(PAGE_BYTES).for_each(|page| page[..4].copy_from_slice(b"oops"));
    let file = FIXTURE.file("killed.ibd");
    let words = ["--flavour=mariadb", "-n", "-w", "killed.ibd"];
    let command = || {
        let mut command = FIXTURE.rig.command("innochecksum");
        command.args(words).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    fs::write(&file, &old).unwrap();
    assert!(command().status().unwrap().success());
    let new = fs::read(&file).unwrap();
    let mut killed_between = false;
    for _ in 0..20 {
        fs::write(&file, &old).unwrap();
        let mut child = command().spawn().unwrap();
        let first = || {
            let mut sum = [0; 4];
            fs::File::open(&file).unwrap().read_exact(&mut sum).unwrap();
            sum != *b"oops"
        };
        until("the first page is written", first);
        child.kill().unwrap();
        child.wait().unwrap();
        let found = fs::read(&file).unwrap();
        let mut written = 0;
        for (at, page) in found.chunks(PAGE_BYTES).enumerate() {
            let range = at * PAGE_BYTES..(at + 1) * PAGE_BYTES;
            let is_new = page == &new[range.clone()];
            assert!(is_new || page == &old[range], "page {at} is neither old nor new");
            written += usize::from(is_new);
        }
        killed_between = written > 0 && written < found.len() / PAGE_BYTES;
        if killed_between {
            break;
        }
    }
    assert!(killed_between, "it was never killed on its way");
    assert!(command().status().unwrap().success());
    assert!(fs::read(&file).unwrap() == new, "a second rewrite finishes the first");
    fs::remove_file(&file).unwrap();
}
