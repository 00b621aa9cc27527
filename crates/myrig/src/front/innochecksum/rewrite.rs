//! `--write`: checksums made anew, page by page in place.
//!
//! A page is written by one `pwrite` of its size at its place, so that a command that is killed
//! leaves each page with its old checksum or with its new one.

use super::{
    options::Algorithm,
    tablespace::{Tablespace, is_zero},
};
use pages::{Flavour, checksum};
use std::{fmt::Write, fs::File, io, os::unix::fs::FileExt};

/// What became of a page.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    /// Its checksum was another one before.
    pub(super) changed: bool,
    pub(super) log: String,
}

/// Gives a page the checksum of `algorithm` (MariaDB: of its tablespace), in memory.
pub(super) fn checksum(
    flavour: Flavour,
    tablespace: &Tablespace,
    algorithm: Algorithm,
    number: u64,
    page: &mut [u8],
) -> Rewritten {
    let mut done = Rewritten::default();
    let end = page.len();
    let stored = fields(page);
    if is_zero(&page[4..end - 8]) && is_zero(&page[end - 4..]) {
        page[..4].fill(0);
        page[end - 8..end - 4].fill(0);
    } else if tablespace.space().zip {
        let sum = match algorithm {
            Algorithm::Crc32 => checksum::zip_crc32(page),
            Algorithm::Innodb => checksum::zip_adler32(page),
            Algorithm::None => NO_CHECKSUM,
        };
        put(page, 0, sum);
        let _never_fails = writeln!(done.log, "page::{number}; Updated checksum = {sum}");
    } else if tablespace.is_full_crc32() {
        let sum = checksum::full_crc32(page);
        done.changed = page[end - 4..] != sum.to_be_bytes();
        put(page, end - 4, sum);
        if done.changed {
            let _never_fails = writeln!(done.log, "page::{number}; Updated checksum = {sum}");
        }
        return done;
    } else {
        classic(flavour, algorithm, number, page, &mut done.log);
    }
    let (first, second) = fields(page);
    done.changed = first != stored.0 || !tablespace.space().zip && second != stored.1;
    done
}

/// What stands in both fields of a page without a checksum.
const NO_CHECKSUM: u32 = 0xDEAD_BEEF;

fn fields(page: &[u8]) -> ([u8; 4], [u8; 4]) {
    let field = |at: usize| [page[at], page[at + 1], page[at + 2], page[at + 3]];
    (field(0), field(page.len() - 8))
}

fn put(page: &mut [u8], at: usize, sum: u32) {
    page[at..at + 4].copy_from_slice(&sum.to_be_bytes());
}

fn classic(
    flavour: Flavour,
    algorithm: Algorithm,
    number: u64,
    page: &mut [u8],
    log: &mut String,
) {
    let first = match algorithm {
        Algorithm::Crc32 => checksum::classic_crc32(page),
        Algorithm::Innodb => checksum::innodb_new(page),
        Algorithm::None => NO_CHECKSUM,
    };
    put(page, 0, first);
    // The old sum covers the field of the new one.
    let second = match algorithm {
        Algorithm::Innodb => checksum::innodb_old(page),
        _ => first,
    };
    let end = page.len();
    put(page, end - 8, second);
    let _never_fails = match flavour {
        Flavour::MySql => write!(
            log,
            "page::{number}; Updated checksum field1 = {first}\n\
             page::{number}; Updated checksum field2 = {second}\n"
        ),
        Flavour::MariaDb => writeln!(log, "page::{number}; Updated checksum = {first}"),
    };
}

/// Puts a page back where it was read.
///
/// # Errors
/// What the kernel says; a page that was not written whole is an error.
pub(super) fn store(file: &File, offset: u64, page: &[u8]) -> io::Result<()> {
    match file.write_at(page, offset)? {
        written if written == page.len() => Ok(()),
        // The rest in a second call; a full disk says so here.
        written => file.write_all_at(&page[written..], offset + written as u64),
    }
}
