//! A sequence that visits every 32-bit number once, in an order that looks random.
//!
//! The squares modulo a prime p = 3 (mod 4) are distinct over the lower half of its residues, and
//! their negatives fill the other half: a permutation in one multiplication (J. Preshing, How to
//! generate a sequence of unique random integers, 2012). sysbench takes the keys of its inserts
//! from it where the server does not give them.

use std::sync::atomic::{AtomicU32, Ordering};

/// The greatest prime below 2^32; it is 3 (mod 4).
const PRIME: u32 = 4_294_967_291;

/// The sequence, shared by all sessions of a run.
#[derive(Debug)]
pub struct Unique {
    index: AtomicU32,
    offset: u32,
}

impl Unique {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        let (index, offset) = (seed as u32, (seed >> 32) as u32);
        Self {
            index: AtomicU32::new(permuted(permuted(index).wrapping_add(0x682f_0161))),
            offset: permuted(permuted(offset).wrapping_add(0x4679_0905)),
        }
    }

    /// The next number; none comes twice within 2^32 calls.
    pub fn next(&self) -> u32 {
        let index = self.index.fetch_add(1, Ordering::Relaxed);
        permuted(permuted(index).wrapping_add(self.offset) ^ 0x5bf0_3635)
    }
}

fn permuted(x: u32) -> u32 {
    if x >= PRIME {
        // The few numbers beyond the prime stay where they are.
        return x;
    }
    let square = (u64::from(x) * u64::from(x) % u64::from(PRIME)) as u32;
    if x <= PRIME / 2 { square } else { PRIME - square }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_number_comes_twice() {
        let unique = Unique::new(7);
        let numbers: HashSet<u32> = (0..300_000).map(|_| unique.next()).collect();
        assert_eq!(numbers.len(), 300_000);
    }

    #[test]
    fn numbers_spread_over_the_whole_range() {
        let unique = Unique::new(1);
        let mut quarters = [0u32; 4];
        for _ in 0..40_000 {
            quarters[(unique.next() >> 30) as usize] += 1;
        }
        assert!(quarters.iter().all(|count| (9_000..=11_000).contains(count)), "{quarters:?}");
    }

    #[test]
    fn other_seeds_give_other_numbers() {
        assert_ne!(Unique::new(1).next(), Unique::new(2).next());
        assert_ne!(Unique::new(1).next(), Unique::new(1 << 32 | 1).next());
    }
}
