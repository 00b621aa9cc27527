//! Random numbers and bytes that no device can make smaller.

/// xorshift64*, Vigna 2016: faster than any disk.
#[derive(Clone, Debug)]
pub(crate) struct Noise(u64);

impl Noise {
    pub(crate) fn new(seed: u64) -> Self {
        // Never zero, which would stay zero.
        Self(seed.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `limit`, all of them as likely as makes no difference to a disk.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        // The high half of a product is a fair share of the range.
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    pub(crate) fn fill(&mut self, block: &mut [u8]) {
        for word in block.chunks_mut(8) {
            let bytes = self.next().to_le_bytes();
            word.copy_from_slice(&bytes[..word.len()]);
        }
    }

    /// Makes each 4 KiB of a block differ from what was written before, so that no device that
    /// looks for blocks it has already finds one.
    pub(crate) fn mark(&mut self, block: &mut [u8]) {
        for sector in block.chunks_mut(4096) {
            let bytes = self.next().to_le_bytes();
            let length = bytes.len().min(sector.len());
            sector[..length].copy_from_slice(&bytes[..length]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_cannot_be_compressed() {
        let mut block = vec![0; 1 << 16];
        Noise::new(0).fill(&mut block);
        let mut counts = [0_u32; 256];
        block.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        // 256 of each are expected; five standard deviations are 80.
        assert!(counts.iter().all(|count| count.abs_diff(256) < 80), "{counts:?}");
    }

    #[test]
    fn every_place_below_a_limit_comes_up() {
        let mut noise = Noise::new(7);
        let mut counts = [0_u32; 10];
        (0..10_000).for_each(|_| counts[noise.below(10) as usize] += 1);
        assert!(counts.iter().all(|count| count.abs_diff(1000) < 150), "{counts:?}");
    }
}
