//! `--write`: checksums made anew, page by page in place.
//!
//! A page is written by one `pwrite` of its size at its place, so that a command that is killed
//! leaves each page with its old checksum or with its new one.

use super::{
    options,
    tablespace::{Tablespace, is_zero, u32_at},
};
use pages::{Algorithm, Flavour};
use std::{fmt::Write, fs::File, io, os::unix::fs::FileExt};

/// What became of a page.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    /// Its checksum was another one before.
    pub(super) changed: bool,
    pub(super) log: String,
}

/// Gives a page the checksum of `algorithm` (`full_crc32`: of its tablespace), in memory. A page
/// that carries none outside of what is compressed or encrypted is left alone.
pub(super) fn checksum(
    flavour: Flavour,
    tablespace: &Tablespace,
    algorithm: options::Algorithm,
    number: u64,
    page: &mut [u8],
) -> Rewritten {
    let end = page.len();
    let (is_full, is_zip) = (tablespace.is_full_crc32(), tablespace.space().zip);
    let fields = |page: &[u8]| match (is_full, is_zip) {
        (true, _) => (u32_at(page, end - 4), 0),
        (false, true) => (u32_at(page, 0), 0),
        (false, false) => (u32_at(page, 0), u32_at(page, end - 8)),
    };
    let stored = fields(page);
    if is_zero(&page[4..end - 8]) && is_zero(&page[end - 4..]) {
        page[..4].fill(0);
        page[end - 8..end - 4].fill(0);
        return Rewritten { changed: fields(page) != stored, log: String::new() };
    }
    let algorithm = match algorithm {
        _ if is_full => Algorithm::FullCrc32,
        options::Algorithm::Crc32 => Algorithm::Crc32,
        options::Algorithm::Innodb => Algorithm::Innodb,
        options::Algorithm::None => Algorithm::None,
    };
    let mut done = Rewritten::default();
    if tablespace.checker.write_checksum(page, algorithm).is_err() {
        return done;
    }
    let (first, second) = fields(page);
    done.changed = (first, second) != stored;
    let _never_fails = match flavour {
        // The stock tool does not write what is right already, and says so of this format only.
        _ if is_full && !done.changed => Ok(()),
        Flavour::MySql if !is_zip && !is_full => write!(
            done.log,
            "page::{number}; Updated checksum field1 = {first}\n\
             page::{number}; Updated checksum field2 = {second}\n"
        ),
        _ => writeln!(done.log, "page::{number}; Updated checksum = {first}"),
    };
    done
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
