//! How long what is written to a file is expected to live.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The lifetimes that the kernel knows (`enum rw_hint`, `include/uapi/linux/fcntl.h`), which drives
/// with streams take for streams.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Lifetime {
    /// Nobody has said anything.
    #[default]
    NotSet = 0,
    /// It was said that nothing is known.
    None = 1,
    /// Overwritten soon.
    Short = 2,
    /// Longer than short.
    Medium = 3,
    /// Longer than medium.
    Long = 4,
    /// As good as forever.
    Extreme = 5,
}

impl Lifetime {
    /// All of them, by their number.
    pub const ALL: [Self; 6] =
        [Self::NotSet, Self::None, Self::Short, Self::Medium, Self::Long, Self::Extreme];

    /// The lifetime of the kernel's number; none beyond 5, which the kernel refuses.
    #[must_use]
    pub fn from_number(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The lifetime of a name of rule files; none of another word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lifetime| lifetime.name() == name)
    }

    /// The kernel's number.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Its name in rule files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotSet => "not-set",
            Self::None => "none",
            Self::Short => "short",
            Self::Medium => "medium",
            Self::Long => "long",
            Self::Extreme => "extreme",
        }
    }
}

impl fmt::Display for Lifetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_kernels() {
        for (number, lifetime) in (0..).zip(Lifetime::ALL) {
            assert_eq!(Lifetime::from_number(number), Some(lifetime));
            assert_eq!(u64::from(lifetime.number()), number);
        }
        assert_eq!(Lifetime::from_number(6), None);
    }

    #[test]
    fn every_name_leads_back() {
        for lifetime in Lifetime::ALL {
            assert_eq!(Lifetime::from_name(lifetime.name()), Some(lifetime));
        }
        assert_eq!(Lifetime::from_name("Short"), None);
    }
}
