//! Wear: how often blocks have been erased.

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
