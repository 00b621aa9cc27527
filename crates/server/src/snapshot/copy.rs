//! Copying a range of a file with its checksum; holes stay holes.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use rustix::{fs::SeekFrom, io::Errno};

/// How much is read and written at once: large enough for any drive, small enough for a cache.
const BLOCK_BYTES: usize = 1 << 20;

/// How far a snapshot or a restore is; shared by who works and who watches.
#[derive(Debug, Default)]
pub struct Progress {
    /// What is to be copied or read, bytes; zero until that is known.
    pub total_bytes: AtomicU64,
    /// What has been, bytes.
    pub done_bytes: AtomicU64,
    /// Set from outside to end it; nothing is left then.
    pub stop: AtomicBool,
}

impl Progress {
    pub(super) fn check(&self) -> io::Result<()> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => Ok(()),
        }
    }
}

/// A block of memory that a thread works with.
#[derive(Debug)]
pub(super) struct Block(Vec<u8>);

impl Block {
    pub(super) fn new() -> Self {
        Self(vec![0; BLOCK_BYTES])
    }

    /// Copies bytes `from..to` into the same place of `target`, or only reads them without one.
    /// Returns their CRC-32C. The file must be as long as that.
    pub(super) fn transfer(
        &mut self,
        source: &File,
        target: Option<&File>,
        range: (u64, u64),
        progress: &Progress,
    ) -> io::Result<u32> {
        let (mut place, end) = range;
        let mut crc = 0;
        while place < end {
            let (data, hole) = extent(source, place, end)?;
            crc = self.zeros(crc, data - place, progress)?;
            place = data;
            while place < hole {
                progress.check()?;
                // A block is smaller than any address space.
                let length = (hole - place).min(BLOCK_BYTES as u64) as usize;
                let bytes = &mut self.0[..length];
                source.read_exact_at(bytes, place)?;
                crc = crc32c::crc32c_append(crc, bytes);
                if let Some(target) = target {
                    target.write_all_at(bytes, place)?;
                }
                place += length as u64;
                progress.done_bytes.fetch_add(length as u64, Ordering::Relaxed);
            }
        }
        Ok(crc)
    }

    /// The checksum of a hole, whose zeros need no reading.
    fn zeros(&mut self, mut crc: u32, bytes: u64, progress: &Progress) -> io::Result<u32> {
        let mut left = bytes;
        if left > 0 {
            self.0.fill(0);
        }
        while left > 0 {
            progress.check()?;
            let length = left.min(BLOCK_BYTES as u64);
            crc = crc32c::crc32c_append(crc, &self.0[..length as usize]);
            left -= length;
            progress.done_bytes.fetch_add(length, Ordering::Relaxed);
        }
        Ok(crc)
    }
}

/// Where the next data at or after `place` begins and ends, both at most `end`.
fn extent(file: &File, place: u64, end: u64) -> io::Result<(u64, u64)> {
    let data = match rustix::fs::seek(file, SeekFrom::Data(place)) {
        Ok(data) => data,
        // Nothing but a hole up to the end.
        Err(Errno::NXIO) => return Ok((end, end)),
        // The file system does not know where its holes are.
        Err(Errno::INVAL | Errno::OPNOTSUPP) => return Ok((place, end)),
        Err(error) => return Err(error.into()),
    };
    if data >= end {
        return Ok((end, end));
    }
    let hole = rustix::fs::seek(file, SeekFrom::Hole(data)).unwrap_or(end);
    Ok((data, hole.min(end)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::fs::MetadataExt;

    fn sparse(pieces: &[(u64, Vec<u8>)], size: u64) -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(size).unwrap();
        for (place, bytes) in pieces {
            file.write_all_at(bytes, *place).unwrap();
        }
        file
    }

    fn contents(file: &File, size: u64) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(size).unwrap()];
        file.read_exact_at(&mut bytes, 0).unwrap();
        bytes
    }

    #[test]
    fn a_sparse_file_stays_sparse() {
        let size = 64 << 20;
        let source = sparse(&[(40 << 20, vec![7; 4096])], size);
        let target = tempfile::tempfile().unwrap();
        target.set_len(size).unwrap();
        let crc = Block::new().transfer(&source, Some(&target), (0, size), &Progress::default());
        assert_eq!(crc.unwrap(), crc32c::crc32c(&contents(&source, size)));
        assert_eq!(contents(&target, size), contents(&source, size));
        assert!(target.metadata().unwrap().blocks() * 512 < 1 << 20);
    }

    #[test]
    fn a_stopped_copy_ends() {
        let source = sparse(&[(0, vec![7; 4096])], 4096);
        let progress = Progress::default();
        progress.stop.store(true, Ordering::Relaxed);
        let error = Block::new().transfer(&source, None, (0, 4096), &progress).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(any::<u8>(), 1..5000)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn ranges_copied_in_any_number_make_the_whole(
            pieces in prop::collection::vec((0..3_u64 << 20, bytes()), 0..6),
            cut in 0..4_u64 << 20,
        ) {
            let size = 4 << 20;
            let source = sparse(&pieces, size);
            let target = tempfile::tempfile().unwrap();
            target.set_len(size).unwrap();
            let mut block = Block::new();
            let progress = Progress::default();
            let mut part =
                |range| block.transfer(&source, Some(&target), range, &progress).unwrap();
            let (first, second) = (part((0, cut)), part((cut, size)));
            let length = usize::try_from(size - cut).unwrap();
            let whole = crc32c::crc32c_combine(first, second, length);
            prop_assert_eq!(whole, crc32c::crc32c(&contents(&source, size)));
            prop_assert_eq!(contents(&target, size), contents(&source, size));
            prop_assert_eq!(progress.done_bytes.load(Ordering::Relaxed), size);
        }
    }
}
