//! What of a file lies in memory, and how to have none or all of it there: what a read costs
//! depends on little else.
#![allow(unsafe_code)]

use crate::Root;
use rustix::fs::{Advice, fadvise};
use std::{
    fs::File,
    io::{self, Read},
    os::fd::AsRawFd,
    ptr,
};

/// The file that frees what the kernel caches when a number is written to it; root may.
const DROP_CACHES: &str = "proc/sys/vm/drop_caches";
/// Frees the page cache only.
const PAGES: &str = "1";
/// How much of a file is asked about at once, bytes.
const WINDOW_BYTES: u64 = 1 << 30;
/// How much of a file is read at once, bytes.
const READ_BYTES: usize = 1 << 20;
/// How often a file is asked to be dropped before everything is.
const ATTEMPTS: u32 = 3;

/// Bytes of a file that are in the page cache, in whole pages.
///
/// # Errors
/// The file cannot be mapped, or the kernel does not answer. To an account that may not write to
/// the file Linux says that all of it is there.
pub fn resident_bytes(file: &File) -> io::Result<u64> {
    let page_bytes = rustix::param::page_size() as u64;
    let bytes = file.metadata()?.len();
    let mut pages = 0;
    let mut offset = 0;
    while offset < bytes {
        let window = WINDOW_BYTES.min(bytes - offset);
        pages += resident_pages(file, offset, window, page_bytes)?;
        offset += window;
    }
    Ok((pages * page_bytes).min(bytes))
}

/// Pages of a window that are in the page cache; `offset` is a multiple of the page's size.
fn resident_pages(file: &File, offset: u64, bytes: u64, page_bytes: u64) -> io::Result<u64> {
    let too_large = |_| io::Error::from(io::ErrorKind::FileTooLarge);
    let length = usize::try_from(bytes).map_err(too_large)?;
    let start = libc::off_t::try_from(offset).map_err(too_large)?;
    let mut pages = vec![0_u8; usize::try_from(bytes.div_ceil(page_bytes)).map_err(too_large)?];
    // SAFETY: a new mapping, of which the kernel chooses the place, so that nothing of ours is
    // overlaid; it is only read by `mincore`, which does not touch what is mapped.
    let mapped = unsafe {
        libc::mmap(
            ptr::null_mut(),
            length,
            libc::PROT_READ,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            start,
        )
    };
    if mapped == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the mapping is of that length, and `pages` has a byte for each of its pages.
    let said = unsafe { libc::mincore(mapped, length, pages.as_mut_ptr()) };
    let error = io::Error::last_os_error();
    // SAFETY: it was mapped above with this length, and nobody knows of it.
    unsafe { libc::munmap(mapped, length) };
    if said != 0 {
        return Err(error);
    }
    // The other bits are reserved.
    Ok(pages.iter().filter(|page| **page & 1 == 1).count() as u64)
}

/// Writes what is dirty of a file to the disk and has the page cache forget all of it; where that
/// leaves something, and the account may, the whole page cache. Returns the bytes that are left:
/// 0, or the file is in use or lies in memory (tmpfs).
///
/// # Errors
/// The file cannot be written to the disk, or as for [`resident_bytes`].
pub fn evict(file: &File, root: &Root) -> io::Result<u64> {
    file.sync_data()?;
    for _ in 0..ATTEMPTS {
        fadvise(file, 0, None, Advice::DontNeed)?;
        if resident_bytes(file)? == 0 {
            return Ok(0);
        }
    }
    match root.write(DROP_CACHES, PAGES) {
        // Whoever may not is told by what is left.
        Ok(()) | Err(_) => resident_bytes(file),
    }
}

/// Reads a file through the page cache, so that it is there; returns the bytes that are, all of
/// them unless memory is short.
///
/// # Errors
/// The file cannot be read, or as for [`resident_bytes`].
pub fn fill(file: &File) -> io::Result<u64> {
    let mut buffer = vec![0; READ_BYTES];
    let mut reader = file.try_clone()?;
    io::Seek::rewind(&mut reader)?;
    while reader.read(&mut buffer)? > 0 {}
    resident_bytes(file)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_dropped_from_memory_and_read_into_it() {
        // Beside the sources, which lie on a disk; a temporary directory may lie in memory.
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = dir.path().join("file");
        fs::write(&path, vec![7; 3_000_001]).unwrap();
        let file = File::open(&path).unwrap();
        assert_eq!(resident_bytes(&file).unwrap(), 3_000_001, "what was just written is there");
        // No machine of the test's: nothing but the file itself is dropped.
        let nowhere = Root::at(dir.path());
        assert_eq!(evict(&file, &nowhere).unwrap(), 0);
        assert_eq!(resident_bytes(&file).unwrap(), 0);
        assert_eq!(fill(&file).unwrap(), 3_000_001);
    }

    #[test]
    fn an_empty_file_is_neither_here_nor_there() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(resident_bytes(&file).unwrap(), 0);
        assert_eq!(fill(&file).unwrap(), 0);
    }
}
