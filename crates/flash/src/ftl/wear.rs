//! Wear: how often blocks have been erased.

use super::blocks::{Blocks, Phase};
use serde::{Deserialize, Serialize};

/// How often the blocks of a drive have been erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wear {
    /// The block that was erased least.
    pub min: u32,
    /// The mean of all blocks.
    pub mean: f64,
    /// The block that was erased most.
    pub max: u32,
    /// Standard deviation over the blocks.
    pub deviation: f64,
}

impl Wear {
    /// Of how often each block was erased.
    #[must_use]
    pub fn of(erases: &[u32]) -> Self {
        let count = erases.len().max(1) as f64;
        let mean = erases.iter().map(|&n| f64::from(n)).sum::<f64>() / count;
        let variance = erases.iter().map(|&n| (f64::from(n) - mean).powi(2)).sum::<f64>() / count;
        Self {
            min: erases.iter().copied().min().unwrap_or(0),
            mean,
            max: erases.iter().copied().max().unwrap_or(0),
            deviation: variance.sqrt(),
        }
    }
}

/// Blocks that are looked at for one that is little worn: few, so that it costs little.
const LOOKS: u32 = 64;

/// Static levelling of wear: what a block holds that is little worn is moved, so that it is written
/// again.
#[derive(Clone, Debug)]
pub(super) struct Levelling {
    /// Erases more than the mean that call for it.
    margin: u32,
    /// The block that is looked at next.
    hand: u32,
    due: bool,
}

impl Levelling {
    pub(super) fn new(margin: u32) -> Self {
        Self { margin, hand: 0, due: false }
    }

    /// A block has been erased for the so-manieth time, and all of them so often in all.
    pub(super) fn erased(&mut self, blocks: &Blocks, block: u32, erased_blocks: u64) {
        let all = blocks.erases();
        let times = u64::from(all[block as usize].saturating_sub(self.margin));
        self.due = times * all.len() as u64 > erased_blocks;
    }

    /// A full block that is worn less than the mean, if levelling is due and one is found.
    pub(super) fn pick(&mut self, blocks: &Blocks, erased_blocks: u64) -> Option<u32> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let erases = blocks.erases();
        for _ in 0..LOOKS {
            let at = self.hand as usize;
            self.hand = (self.hand + 1) % erases.len() as u32;
            let below = u64::from(erases[at]) * (erases.len() as u64) < erased_blocks;
            if below && blocks.block(at as u32).phase == Phase::Full {
                return Some(at as u32);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wear_is_of_all_blocks() {
        let wear = Wear::of(&[1, 3, 5, 3]);
        assert_eq!(wear, Wear { min: 1, mean: 3.0, max: 5, deviation: 2f64.sqrt() });
        assert_eq!(Wear::of(&[]), Wear::default());
    }
}
