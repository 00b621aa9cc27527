//! Write amplification: media bytes written for each byte that the host wrote, over an interval.

use serde::{Deserialize, Serialize};

/// The running totals of a drive at one moment. They only grow, but for a reset of the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Bytes that hosts have written.
    pub host_bytes: u128,
    /// Bytes that were written to the media: what hosts wrote and what was moved or padded besides.
    pub media_bytes: u128,
}

impl Reading {
    /// What was written since an earlier reading; none if a counter went back, as it does when the
    /// drive is reset.
    #[must_use]
    pub fn since(self, earlier: Self) -> Option<Self> {
        Some(Self {
            host_bytes: self.host_bytes.checked_sub(earlier.host_bytes)?,
            media_bytes: self.media_bytes.checked_sub(earlier.media_bytes)?,
        })
    }

    /// Write amplification factor of what a reading holds; none if the host wrote nothing.
    #[must_use]
    pub fn factor(self) -> Option<f64> {
        (self.host_bytes > 0).then(|| self.media_bytes as f64 / self.host_bytes as f64)
    }
}

/// A drive that can be asked for its totals: a real one by a log page, or a simulated one.
pub trait Meter {
    /// What goes wrong.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Reads the totals.
    ///
    /// # Errors
    /// The drive has vanished, or answers with what cannot be its log.
    fn read(&mut self) -> Result<Reading, Self::Error>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_of_an_interval_in_which_something_was_written() {
        let earlier = Reading { host_bytes: 100, media_bytes: 150 };
        let later = Reading { host_bytes: 300, media_bytes: 450 };
        assert_eq!(later.since(earlier).unwrap().factor(), Some(1.5));
        assert_eq!(later.since(later).unwrap().factor(), None);
        assert_eq!(earlier.since(later), None, "the drive was reset");
    }
}
