//! The strings of a row: groups of eleven digits.

use rand::{Rng, RngExt};

/// Length of column `c`: ten groups.
pub(super) const C_BYTES: usize = 119;
/// Length of column `pad`: five groups.
pub(super) const PAD_BYTES: usize = 59;

/// Digits of a group.
const GROUP: usize = 11;

/// Random groups of eleven digits with dashes between, as many as `N` has room for.
pub(super) fn groups<const N: usize>(rng: &mut impl Rng) -> [u8; N] {
    let mut text = [b'-'; N];
    for group in text.chunks_mut(GROUP + 1) {
        let mut number = rng.random_range(0..100_000_000_000u64);
        for digit in group.iter_mut().take(GROUP) {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::random::stream;

    #[test]
    fn strings_look_like_those_of_sysbench() {
        let mut rng = stream(3, &[]);
        let (c, pad) = (groups::<C_BYTES>(&mut rng), groups::<PAD_BYTES>(&mut rng));
        for (text, count) in [(&c[..], 10), (&pad[..], 5)] {
            let groups: Vec<_> = text.split(|byte| *byte == b'-').collect();
            assert_eq!(groups.len(), count);
            for group in groups {
                assert!(group.len() == 11 && group.iter().all(u8::is_ascii_digit), "{group:?}");
            }
        }
    }

    #[test]
    fn all_digits_are_alike() {
        let mut seen = [0u32; 10];
        let mut rng = stream(4, &[]);
        for _ in 0..1_000 {
            let c = groups::<C_BYTES>(&mut rng);
            c.iter().filter(|byte| **byte != b'-').for_each(|byte| {
                seen[usize::from(byte - b'0')] += 1;
            });
        }
        // 110,000 digits: 11,000 each, within five standard deviations.
        assert!(seen.iter().all(|count| (10_500..=11_500).contains(count)), "{seen:?}");
    }
}
