//! Shares of a device's space, in percent.

use serde::Serialize;
use std::{fmt, str::FromStr};

/// A share from 0 to 100 percent.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Percent(f64);

/// From one share to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PercentRange {
    /// The least that will do.
    pub from: Percent,
    /// The most.
    pub to: Percent,
}

/// A text that is no share, or no range of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no {wanted}")]
pub struct PercentError {
    text: String,
    wanted: &'static str,
}

impl Percent {
    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The share that `part` is of `whole`; all of nothing is none.
    pub fn of(part: u64, whole: u64) -> Self {
        Self(if whole == 0 { 0.0 } else { (part as f64 / whole as f64 * 100.0).min(100.0) })
    }
}

impl PercentRange {
    /// Whether a share lies within.
    pub fn contains(&self, share: Percent) -> bool {
        (self.from..=self.to).contains(&share)
    }
}

impl FromStr for Percent {
    type Err = PercentError;

    fn from_str(text: &str) -> Result<Self, PercentError> {
        let wanted = "share of a device; give one from 0% to 100%, such as 65%";
        let refuse = || PercentError { text: text.to_owned(), wanted };
        let number = text.strip_suffix('%').unwrap_or(text).trim();
        let share = number.parse::<f64>().map_err(|_| refuse())?;
        if (0.0..=100.0).contains(&share) { Ok(Self(share)) } else { Err(refuse()) }
    }
}

impl FromStr for PercentRange {
    type Err = PercentError;

    fn from_str(text: &str) -> Result<Self, PercentError> {
        let wanted = "range of shares; give the lesser first, such as 60%..70%";
        let refuse = || PercentError { text: text.to_owned(), wanted };
        let (from, to) = text.split_once("..").ok_or_else(refuse)?;
        let share = |text: &str| text.trim().parse::<Percent>().map_err(|_| refuse());
        let (from, to) = (share(from)?, share(to.trim_start_matches('='))?);
        if from <= to { Ok(Self { from, to }) } else { Err(refuse()) }
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A tenth is shown only where there is one.
        let rounded = (self.0 * 10.0).round() / 10.0;
        write!(f, "{rounded} %")
    }
}

impl fmt::Display for PercentRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.from, self.to)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_and_ranges_are_read_with_and_without_the_sign() {
        assert_eq!("65%".parse::<Percent>().unwrap().value(), 65.0);
        assert_eq!("0.5".parse::<Percent>().unwrap().value(), 0.5);
        let range: PercentRange = "60%..70%".parse().unwrap();
        assert!(range.contains(Percent::of(60, 100)) && range.contains(Percent::of(7, 10)));
        assert!(!range.contains(Percent::of(701, 1000)));
        assert_eq!(range, "60..=70".parse().unwrap());
        assert_eq!(range.to_string(), "60 % to 70 %");
        assert_eq!(Percent::of(1, 3).to_string(), "33.3 %");
    }

    #[test]
    fn what_is_no_share_is_refused_with_an_example() {
        for text in ["", "%", "101%", "-1", "NaN", "inf", "1e3", "65%%"] {
            assert!(text.parse::<Percent>().is_err(), "{text}");
        }
        for text in ["", "60%", "70%..60%", "..70", "60..", "a..b"] {
            let error = text.parse::<PercentRange>().unwrap_err().to_string();
            assert!(error.contains("60%..70%"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn every_share_that_is_read_lies_between_none_and_all(text in "[0-9.e%+-]{0,8}") {
            if let Ok(share) = text.parse::<Percent>() {
                prop_assert!((0.0..=100.0).contains(&share.value()));
            }
        }
    }
}
