//! How spare space is shared out between streams.

use super::GeometryError;
use serde::{Deserialize, Serialize};

/// Shares at most.
const SHARES_MAX: usize = 16;

/// Shares are kept in millionths.
const WHOLE: f64 = 1e6;

/// A share of the spare space for each stream, instead of all of it for all. It is the stream that
/// has most above its share of the invalid pages whose blocks are collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpareSplit {
    /// Of each stream, in millionths; 0 behind the last.
    millionths: [u32; SHARES_MAX],
}

impl SpareSplit {
    /// Shares of the streams from 0 on, which add up to 1.
    ///
    /// # Errors
    /// There are too many of them, one is not above 0, or they add up to something else.
    pub fn new(shares: &[f64]) -> Result<Self, GeometryError> {
        let mut millionths = [0; SHARES_MAX];
        if shares.len() > SHARES_MAX {
            return Err(GeometryError::SplitShares { shares: shares.len() });
        }
        for (own, share) in millionths.iter_mut().zip(shares) {
            if !(*share >= 0.001 && *share <= 1.0) {
                return Err(GeometryError::SplitShare { share: *share });
            }
            *own = (share * WHOLE).round() as u32;
        }
        let sum = shares.iter().fold(0.0, |sum, share| sum + share);
        if (sum - 1.0).abs() > 1e-4 {
            return Err(GeometryError::SplitSum { sum });
        }
        Ok(Self { millionths })
    }

    /// The shares of the streams.
    pub fn shares(&self) -> impl Iterator<Item = f64> {
        let named = self.millionths.iter().take_while(|millionths| **millionths > 0);
        named.map(|millionths| f64::from(*millionths) / WHOLE)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn shares_add_up_to_all_of_it() {
        let split = SpareSplit::new(&[0.7, 0.3]).unwrap();
        assert_eq!(split.shares().collect::<Vec<f64>>(), [0.7, 0.3]);
        let thirds = SpareSplit::new(&[0.3333, 0.3333, 0.3333]).unwrap();
        assert_eq!(thirds.shares().count(), 3);
        let refused = |shares: &[f64]| SpareSplit::new(shares).unwrap_err().to_string();
        assert!(refused(&[0.7, 0.2]).contains("add up to 0.9"), "{}", refused(&[0.7, 0.2]));
        assert!(refused(&[]).contains("add up to 0"));
        for share in [0.0, -0.5, 1.5, f64::NAN] {
            assert!(refused(&[share, 1.0]).contains("each must be from 0.001 to 1"), "{share}");
        }
        assert!(refused(&[1.0 / 17.0; 17]).contains("at most 16"));
    }
}
