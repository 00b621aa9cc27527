//! Windows into the page cache: what is there is looked at where it lies, which spares the copy.
//!
//! A file that is cut while a window is open would kill the process that looks out of it (SIGBUS).
//! So a window is only opened under a read lease (`F_SETLEASE`, see fcntl(2)): the kernel grants it
//! where nobody has the file open for writing, and has whoever wants to open or cut it wait until
//! the window is closed again, a fraction of a millisecond later. Its pages are locked in memory,
//! so that nothing has to be read again, which could fail. Where any of this is not to be had (a
//! server has the file open, it is somebody else's, the file system is not local) there is no
//! window, and the caller reads.
#![allow(unsafe_code)]

use std::{
    io,
    ops::Range,
    os::fd::{AsRawFd, BorrowedFd, RawFd},
    ptr, slice,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// What the processor maps at once, where the page cache holds it in one piece.
const HUGE_PAGE_BYTES: u64 = 2 << 20;

/// File systems whose every change comes through this kernel: ext, XFS, btrfs, f2fs, tmpfs.
const LOCAL: [rustix::fs::FsWord; 5] = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994];

/// `fcntl.h` of Linux.
const F_SETSIG: libc::c_int = 10;
const F_SETLEASE: libc::c_int = 1024;
const F_GETLEASE: libc::c_int = 1025;

/// `MLOCK_ONFAULT` of mlock(2).
const ON_FAULT: libc::c_uint = 1;

/// The windows of all threads into a file.
#[derive(Debug, Default)]
pub(super) struct Windows {
    open: Mutex<usize>,
    /// It is not worth trying again.
    refused: AtomicBool,
}

impl Windows {
    /// Shows a range of a file that has `file_bytes`; none where that would not be safe.
    pub(super) fn look<T>(
        &self,
        file: BorrowedFd<'_>,
        range: Range<u64>,
        file_bytes: u64,
        look: impl FnOnce(&[u8]) -> T,
    ) -> Option<T> {
        let leased = self.lease(file.as_raw_fd())?;
        // Somebody may have cut it before the lease was there, but not since.
        if length(file).ok()? < range.end {
            return None;
        }
        let window = Window::open(file.as_raw_fd(), range, file_bytes).ok()?;
        let looked = look(window.bytes());
        drop(window);
        drop(leased);
        Some(looked)
    }

    fn lease(&self, file: RawFd) -> Option<Leased<'_>> {
        if self.refused.load(Ordering::Relaxed) {
            return None;
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let granted = match *open {
            0 => is_local(file) && take_lease(file).is_ok(),
            // Somebody wants the file: the windows that are open close, and none is opened until
            // they have.
            _ if has_lease(file) => true,
            _ => return None,
        };
        if !granted {
            self.refused.store(true, Ordering::Relaxed);
            return None;
        }
        *open += 1;
        drop(open);
        Some(Leased { windows: self, file })
    }
}

/// A lease that is held until the last window is closed.
struct Leased<'a> {
    windows: &'a Windows,
    file: RawFd,
}

impl Drop for Leased<'_> {
    fn drop(&mut self) {
        let mut open = self.windows.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open -= 1;
        if *open == 0 {
            // SAFETY: it takes numbers, of a file that whoever looks has borrowed.
            let _gone = unsafe { libc::fcntl(self.file, F_SETLEASE, libc::F_UNLCK) };
        }
    }
}

fn take_lease(file: RawFd) -> io::Result<()> {
    // Who is waited for is told by a signal, and the usual one ends the process; this one is
    // ignored by default. The windows are closed soon anyway.
    // SAFETY: both take numbers, of a file that is borrowed.
    let done = unsafe {
        libc::fcntl(file, F_SETSIG, libc::SIGURG) == 0
            && libc::fcntl(file, F_SETLEASE, libc::F_RDLCK) == 0
    };
    if done { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Whether the lease holds and nobody waits for its end.
fn has_lease(file: RawFd) -> bool {
    // SAFETY: it takes numbers, of a file that is borrowed.
    unsafe { libc::fcntl(file, F_GETLEASE) == libc::F_RDLCK }
}

fn is_local(file: RawFd) -> bool {
    // SAFETY: the file is borrowed until this returns.
    let file = unsafe { BorrowedFd::borrow_raw(file) };
    rustix::fs::fstatfs(file).is_ok_and(|found| LOCAL.contains(&found.f_type))
}

fn length(file: BorrowedFd<'_>) -> io::Result<u64> {
    Ok(rustix::fs::fstat(file)?.st_size.cast_unsigned())
}

/// A part of a file in the address space, and in memory.
struct Window {
    mapping: *mut libc::c_void,
    mapping_bytes: usize,
    /// Where in it the range begins, and how long that is.
    ahead_bytes: usize,
    bytes: usize,
}

impl Window {
    /// Opens a window on a range of a file that is leased and not shorter than the range's end.
    fn open(file: RawFd, range: Range<u64>, file_bytes: u64) -> io::Result<Self> {
        // Whole huge pages are mapped, where the file goes so far; only the range is touched.
        let start = range.start - range.start % HUGE_PAGE_BYTES;
        let end = range.end.next_multiple_of(HUGE_PAGE_BYTES).min(file_bytes.max(range.end));
        let window_bytes = |bytes: u64| usize::try_from(bytes).map_err(io::Error::other);
        let mapping_bytes = window_bytes(end - start)?;
        let offset = libc::off_t::try_from(start).map_err(io::Error::other)?;
        let (ahead_bytes, bytes) =
            (window_bytes(range.start - start)?, window_bytes(range.end - range.start)?);
        // SAFETY: a new mapping anywhere touches nothing that is there already.
        let mapping = unsafe {
            libc::mmap(
                ptr::null_mut(),
                mapping_bytes,
                libc::PROT_READ,
                libc::MAP_SHARED,
                file,
                offset,
            )
        };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let window = Self { mapping, mapping_bytes, ahead_bytes, bytes };
        // SAFETY: both ranges are inside the mapping, and neither call changes what is there.
        let in_memory = unsafe {
            libc::mlock2(mapping, mapping_bytes, ON_FAULT) == 0
                && libc::madvise(window.start().cast(), bytes, libc::MADV_POPULATE_READ) == 0
        };
        if in_memory { Ok(window) } else { Err(io::Error::last_os_error()) }
    }

    fn start(&self) -> *mut u8 {
        // SAFETY: the range lies inside the mapping.
        unsafe { self.mapping.cast::<u8>().add(self.ahead_bytes) }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the range is mapped and in memory until the window is closed. While the lease
        // is held nobody has the file open for writing, so that it neither changes nor ends.
        unsafe { slice::from_raw_parts(self.start(), self.bytes) }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's own, and no slice of it outlives it.
        unsafe { libc::munmap(self.mapping, self.mapping_bytes) };
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::{
        fs::{self, File, OpenOptions},
        os::fd::AsFd,
        sync::atomic::AtomicU64,
        thread,
        time::{Duration, Instant},
    };
    use tempfile::NamedTempFile;

    fn held() -> (NamedTempFile, Vec<u8>) {
        let held: Vec<u8> = (0..5_000_000_u32).map(|n| (n % 251) as u8).collect();
        let named = NamedTempFile::new_in(".").unwrap();
        fs::write(named.path(), &held).unwrap();
        // Who holds it open for writing would have no lease granted.
        (NamedTempFile::from_parts(File::open(named.path()).unwrap(), named.into_temp_path()), held)
    }

    #[test]
    fn a_window_shows_what_stands_in_the_file() {
        let (named, held) = held();
        let (file, windows) = (named.as_file(), Windows::default());
        for (start, bytes) in [(0, 65_536), (1 << 20, 1 << 20), (4 << 20, 805_696)] {
            let range = start as u64..(start + bytes) as u64;
            let seen = windows.look(file.as_fd(), range, 5_000_000, <[u8]>::to_vec);
            let Some(seen) = seen else {
                println!("SKIPPED: windows: this file system or account grants no leases");
                return;
            };
            assert!(seen == held[start..start + bytes]);
        }
        let behind = windows.look(file.as_fd(), 0..6_000_000, 6_000_000, |_| ());
        assert_eq!(behind, None, "there is no window behind the end");
    }

    #[test]
    fn what_somebody_may_write_to_is_not_looked_at() {
        let (named, _held) = held();
        let writer = OpenOptions::new().write(true).open(named.path()).unwrap();
        let windows = Windows::default();
        assert_eq!(windows.look(named.as_file().as_fd(), 0..4096, 5_000_000, |_| ()), None);
        drop(writer);
    }

    #[test]
    fn who_cuts_the_file_waits_until_the_window_is_closed() {
        let (named, held) = held();
        let windows = Windows::default();
        let (path, cut) = (named.path().to_owned(), AtomicU64::new(0));
        let looked = windows.look(named.as_file().as_fd(), 0..4_000_000, 5_000_000, |bytes| {
            thread::scope(|scope| {
                let cutter = scope.spawn(|| {
                    // It does not wait; the kernel refuses instead.
                    let error = rustix::fs::open(
                        &path,
                        rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK,
                        rustix::fs::Mode::empty(),
                    );
                    cut.store(u64::from(error.is_ok()), Ordering::Relaxed);
                });
                cutter.join().unwrap();
                // The lease is being broken now: no further window is opened.
                let deadline = Instant::now() + Duration::from_secs(10);
                while has_lease(named.as_file().as_raw_fd()) {
                    assert!(Instant::now() < deadline, "nobody was told to wait");
                    thread::yield_now();
                }
                assert_eq!(windows.look(named.as_file().as_fd(), 0..4096, 5_000_000, |_| ()), None);
                assert!(bytes == &held[..4_000_000]);
            });
        });
        if looked.is_none() {
            println!("SKIPPED: windows: this file system or account grants no leases");
            return;
        }
        assert_eq!(cut.load(Ordering::Relaxed), 0, "it was opened for writing under the window");
        OpenOptions::new().write(true).open(&path).unwrap().set_len(10).unwrap();
    }
}
