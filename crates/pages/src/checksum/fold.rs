//! InnoDB's first sum, a fold over single bytes (`ut_fold_binary`), which is serial in a page: so
//! sixteen pages are folded side by side, each in a lane of vectors.

mod lanes;

use lanes::{Kernel, LANES};

/// `UT_HASH_RANDOM_MASK`.
const MASK: u32 = 1_463_735_687;
/// `UT_HASH_RANDOM_MASK2`.
const MASK2: u32 = 1_653_893_711;

/// The fold of `bytes`, one after the other. Upstream computes in machine words and keeps the low
/// 32 bits, on which higher ones have no influence.
pub(super) fn fold(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, &byte| step(sum, u32::from(byte)))
}

/// `ut_fold_ulint_pair`.
#[inline(always)]
fn step(sum: u32, byte: u32) -> u32 {
    let mixed = ((sum ^ byte ^ MASK2) << 8).wrapping_add(sum);
    (mixed ^ MASK).wrapping_add(byte)
}

/// [`super::innodb_new`] of each page, into its place in `sums`: sixteen pages side by side, which
/// is many times faster than one after the other. Any number of pages of any sizes; they should be
/// equally large, and a multiple of sixteen.
///
/// # Panics
/// If there are not as many sums as pages.
pub fn innodb_lanes(pages: &[&[u8]], sums: &mut [u32]) {
    assert_eq!(pages.len(), sums.len(), "a sum a page");
    all(Kernel::fastest(), pages, sums);
}

/// [`innodb_lanes`] by a kernel.
fn all(kernel: Kernel, pages: &[&[u8]], sums: &mut [u32]) {
    for (pages, sums) in pages.chunks(LANES).zip(sums.chunks_mut(LANES)) {
        let equal = pages.iter().all(|page| page.len() == pages[0].len());
        // Lanes without a page of their own fold another once more, which costs nothing; up to
        // two pages are as fast one after the other.
        if equal && pages.len() > 2 {
            let lanes = std::array::from_fn(|lane| pages[lane.min(pages.len() - 1)]);
            let ranges = lanes.map(super::classic_ranges);
            let headers = kernel.fold(ranges.map(|(header, _)| header));
            let data = kernel.fold(ranges.map(|(_, data)| data));
            for (sum, (header, data)) in sums.iter_mut().zip(headers.into_iter().zip(data)) {
                *sum = header.wrapping_add(data);
            }
        } else {
            for (page, sum) in pages.iter().zip(sums) {
                *sum = super::innodb_new(page);
            }
        }
    }
}

#[cfg(test)]
mod tests;
