//! Single reads beside the scan, past the page cache where that can be.

use rustix::fs::{Mode, OFlags};
use std::{fs::File, io, os::unix::fs::FileExt, path::Path};

/// What reads past the page cache must be multiples of, bytes; enough for every device.
const ALIGNED: u64 = 4096;

/// A file that pieces are read of.
#[derive(Debug)]
pub struct Reader {
    file: File,
    direct: bool,
    buffer: Vec<u8>,
}

impl Reader {
    /// Opens `path`, past the page cache if `direct` and the file system can; never waits for a
    /// writer of a FIFO.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn open(path: &Path, direct: bool) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let open = |flags| rustix::fs::open(path, flags, Mode::empty());
        let past = direct.then(|| open(flags | OFlags::DIRECT).ok()).flatten();
        let (file, direct) = match past {
            Some(file) => (file, true),
            None => (open(flags)?, false),
        };
        Ok(Self { file: file.into(), direct, buffer: Vec::new() })
    }

    /// The size now, in bytes.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn bytes(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// The file itself.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Up to `length` bytes from `offset` on; fewer only where the file ends.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn read(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        let from = offset - offset % ALIGNED;
        let lead = (offset - from) as usize;
        let wanted = (lead + length).next_multiple_of(ALIGNED as usize);
        if self.buffer.len() < wanted + ALIGNED as usize {
            self.buffer.resize(wanted + ALIGNED as usize, 0);
        }
        let start = self.buffer.as_ptr().align_offset(ALIGNED as usize).min(ALIGNED as usize);
        let room = self.buffer.get_mut(start..start + wanted).unwrap_or_default();
        let got = match read_full(&self.file, room, from) {
            // A file system may take the flag and refuse the reads.
            Err(error) if self.direct && error.raw_os_error() == Some(EINVAL) => {
                let flags = rustix::fs::fcntl_getfl(&self.file)?;
                rustix::fs::fcntl_setfl(&self.file, flags - OFlags::DIRECT)?;
                self.direct = false;
                read_full(&self.file, room, from)?
            }
            other => other?,
        };
        let end = (lead + length).min(got);
        Ok(self.buffer.get(start + lead..start + end).unwrap_or_default())
    }
}

/// Something that pieces can be read of: a file, or memory in a test.
pub trait Source {
    /// Up to `length` bytes from `offset` on; fewer only where it ends.
    ///
    /// # Errors
    /// What the kernel says.
    fn read(&mut self, offset: u64, length: usize) -> io::Result<&[u8]>;
}

impl Source for Reader {
    fn read(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        Self::read(self, offset, length)
    }
}

/// `EINVAL`, by which reads past the cache are refused.
const EINVAL: i32 = 22;

fn read_full(file: &File, room: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut got = 0;
    while let Some(rest) = room.get_mut(got..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset + got as u64) {
            Ok(0) => break,
            Ok(bytes) => got += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        // What is not aligned can only be the end of the file.
        if !(got as u64).is_multiple_of(512) {
            break;
        }
    }
    Ok(got)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::fs;

    #[test]
    fn pieces_are_read_wherever_they_lie_with_the_cache_and_without() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("f");
        let bytes: Vec<u8> = (0..50_001_u32).map(|at| (at % 251) as u8).collect();
        fs::write(&path, &bytes).unwrap();
        for direct in [false, true] {
            let mut reader = Reader::open(&path, direct).unwrap();
            for (offset, length) in [(0, 10), (4095, 2), (16_384, 16_384), (50_000, 9), (60_000, 1)]
            {
                let end = bytes.len().min(offset + length);
                let expected = bytes.get(offset..end).unwrap_or_default();
                assert_eq!(reader.read(offset as u64, length).unwrap(), expected, "{offset}");
            }
        }
    }
}
