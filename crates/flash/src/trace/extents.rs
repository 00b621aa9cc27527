//! Where a file lies on its device: FIEMAP, as the kernel's Documentation/filesystems/fiemap.rst
//! describes it.
#![allow(unsafe_code)]

use super::{SECTOR_BYTES, names::Extent};
use std::{fs::File, io, os::fd::AsRawFd};

/// `_IOWR('f', 11, struct fiemap)`, whose fixed part has 32 bytes.
const FS_IOC_FIEMAP: libc::c_ulong = 0xc020_660b;

/// Extents that are asked for at once.
const BATCH: usize = 64;

// Of `fe_flags`.
const LAST: u32 = 0x1;
const UNKNOWN: u32 = 0x2;
const DELAYED: u32 = 0x4;
const INLINE: u32 = 0x200;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Found {
    logical: u64,
    physical: u64,
    length: u64,
    reserved: [u64; 2],
    flags: u32,
    more_reserved: [u32; 3],
}

#[repr(C)]
struct Request {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    count: u32,
    reserved: u32,
    found: [Found; BATCH],
}

/// The extents of a file, in sectors from the beginning of its file system's device, as they are
/// now. What has been written but has no place yet, and what lies inside the inode, is left out.
///
/// # Errors
/// The file system does not tell (tmpfs, network file systems): [`io::ErrorKind::Unsupported`].
pub fn of(file: &File) -> io::Result<Vec<Extent>> {
    let mut extents = Vec::new();
    let mut start = 0;
    loop {
        let request = ask(file, start)?;
        let found = &request.found[..BATCH.min(request.mapped as usize)];
        extents.extend(found.iter().filter_map(placed));
        let Some(last) = found.last() else { break };
        let next = last.logical.saturating_add(last.length);
        if last.flags & LAST != 0 || next <= start {
            break;
        }
        start = next;
    }
    Ok(extents)
}

fn ask(file: &File, start: u64) -> io::Result<Box<Request>> {
    let mut request = Box::new(Request {
        start,
        length: u64::MAX - start,
        flags: 0,
        mapped: 0,
        count: BATCH as u32,
        reserved: 0,
        found: [Found::default(); BATCH],
    });
    // SAFETY: the request says how many extents there is room for, and the kernel writes no more.
    let done = unsafe { libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP, &raw mut *request) };
    match done {
        0 => Ok(request),
        _ => Err(match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::ENOTTY) => {
                io::ErrorKind::Unsupported.into()
            }
            error => error,
        }),
    }
}

fn placed(found: &Found) -> Option<Extent> {
    let sectors = found.length / SECTOR_BYTES;
    let has_place = found.flags & (UNKNOWN | DELAYED | INLINE) == 0 && sectors > 0;
    has_place.then_some(Extent { sector: found.physical / SECTOR_BYTES, sectors })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_is_laid_out_as_the_kernel_has_it() {
        assert_eq!(size_of::<Found>(), 56);
        assert_eq!(size_of::<Request>(), 32 + BATCH * 56);
    }

    #[test]
    fn only_what_has_a_place_is_an_extent() {
        let found = Found { physical: 8192, length: 4096, flags: LAST, ..Found::default() };
        assert_eq!(placed(&found), Some(Extent { sector: 16, sectors: 8 }));
        for flags in [UNKNOWN, DELAYED | UNKNOWN, INLINE] {
            assert_eq!(placed(&Found { flags, ..found }), None);
        }
    }
}
