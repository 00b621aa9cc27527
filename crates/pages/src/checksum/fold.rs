//! InnoDB's first sum, a fold over single bytes (`ut_fold_binary`).

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
    let mixed = (sum ^ byte ^ MASK2).wrapping_shl(8).wrapping_add(sum);
    (mixed ^ MASK).wrapping_add(byte)
}

/// [`super::innodb_new`] of each page, into its place in `sums`: many pages side by side, which is
/// many times faster than one after the other. Any number of pages, at best a multiple of 16 of
/// equal size.
///
/// # Panics
/// If there are not as many sums as pages.
pub fn innodb_lanes(pages: &[&[u8]], sums: &mut [u32]) {
    assert_eq!(pages.len(), sums.len(), "a sum a page");
    for (page, sum) in pages.iter().zip(sums) {
        *sum = super::innodb_new(page);
    }
}
