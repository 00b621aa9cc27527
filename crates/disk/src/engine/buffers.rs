//! The memory that is read into: blocks of one mapping, lent to the kernel one by one.
#![allow(unsafe_code)]

use std::{io, ptr::NonNull, slice};

/// What the processor maps at once; a block inside such a piece lies in one piece of memory.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Blocks of memory, each either ours or lent to the kernel.
#[derive(Debug)]
pub(crate) struct Buffers {
    mapping: NonNull<u8>,
    mapping_bytes: usize,
    start: NonNull<u8>,
    block_bytes: usize,
    lent: Vec<bool>,
}

impl Buffers {
    /// `count` blocks of `block_bytes`, which begin at multiples of it as far as 2 MiB go.
    pub(crate) fn map(count: usize, block_bytes: usize) -> io::Result<Self> {
        let too_many = || io::Error::from(io::ErrorKind::OutOfMemory);
        let bytes = count.checked_mul(block_bytes).ok_or_else(too_many)?;
        let mapping_bytes = bytes.checked_add(HUGE_PAGE_BYTES).ok_or_else(too_many)?;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping anywhere touches nothing that is there already.
        let mapping =
            unsafe { libc::mmap(std::ptr::null_mut(), mapping_bytes, access, kind, -1, 0) };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mapping = NonNull::new(mapping.cast::<u8>()).ok_or_else(too_many)?;
        let ahead = mapping.align_offset(HUGE_PAGE_BYTES).min(HUGE_PAGE_BYTES);
        // SAFETY: the mapping is longer than what is needed by the most that this can be.
        let start = unsafe { mapping.add(ahead) };
        // Fewer, larger pieces for the device to fill. A kernel without them just says no.
        // SAFETY: the range is inside the mapping, and the advice changes no content.
        let _no_matter =
            unsafe { libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
        Ok(Self { mapping, mapping_bytes, start, block_bytes, lent: vec![false; count] })
    }

    /// How many blocks there are.
    pub(crate) fn count(&self) -> usize {
        self.lent.len()
    }

    /// Their size together, bytes.
    pub(crate) fn total_bytes(&self) -> u64 {
        (self.count() * self.block_bytes) as u64
    }

    /// Where a block begins; to be handed to the kernel.
    fn address(&self, slot: usize) -> *mut u8 {
        assert!(slot < self.count(), "there is no such block");
        // SAFETY: the block is inside the mapping, as was just made sure.
        unsafe { self.start.as_ptr().add(slot * self.block_bytes) }
    }

    /// The blocks for the kernel to register.
    pub(crate) fn vectors(&self) -> Vec<libc::iovec> {
        let vector =
            |slot| libc::iovec { iov_base: self.address(slot).cast(), iov_len: self.block_bytes };
        (0..self.count()).map(vector).collect()
    }

    /// Lends a block to the kernel: until it is taken back, nobody may look at it.
    pub(crate) fn lend(&mut self, slot: usize) -> *mut u8 {
        let address = self.address(slot);
        assert!(!self.lent[slot], "the block is lent already");
        self.lent[slot] = true;
        address
    }

    /// Takes a block back that the kernel is done with.
    pub(crate) fn take_back(&mut self, slot: usize) {
        self.lent[slot] = false;
    }

    /// What stands in a block, which may be written into.
    pub(crate) fn block_mut(&mut self, slot: usize) -> &mut [u8] {
        let address = self.address(slot);
        assert!(!self.lent[slot], "the kernel has the block");
        // SAFETY: the block is inside the mapping, which the kernel gave out zeroed; the kernel
        // does not write into it, and `&mut self` keeps others away.
        unsafe { slice::from_raw_parts_mut(address, self.block_bytes) }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // What the kernel may still write into is never given back.
        if self.lent.iter().any(|lent| *lent) {
            return;
        }
        // SAFETY: the mapping is this one's own, and no slice of it outlives it.
        unsafe { libc::munmap(self.mapping.as_ptr().cast(), self.mapping_bytes) };
    }
}

// SAFETY: the mapping belongs to whoever has the `Buffers`, and is reached through it only.
unsafe impl Send for Buffers {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn blocks_are_apart_aligned_and_start_as_zeros() {
        let mut buffers = Buffers::map(3, 64 << 10).unwrap();
        assert_eq!((buffers.count(), buffers.total_bytes()), (3, 192 << 10));
        for slot in 0..3 {
            assert!(buffers.block_mut(slot).iter().all(|byte| *byte == 0));
            assert_eq!(buffers.block_mut(slot).as_ptr().align_offset(64 << 10), 0);
            buffers.block_mut(slot).fill(slot as u8 + 1);
        }
        for slot in 0..3 {
            assert!(buffers.block_mut(slot).iter().all(|byte| *byte == slot as u8 + 1));
        }
    }

    #[test]
    #[should_panic(expected = "the kernel has the block")]
    fn what_is_lent_cannot_be_looked_at() {
        let mut buffers = Buffers::map(1, 4096).unwrap();
        buffers.lend(0);
        // Nothing was given to the kernel, so that the mapping may go.
        let _seen = buffers.block_mut(0);
    }

    #[test]
    fn what_cannot_be_had_is_an_error() {
        assert!(Buffers::map(usize::MAX, 4096).is_err());
        assert!(Buffers::map(1 << 40, 1 << 20).is_err());
    }
}
