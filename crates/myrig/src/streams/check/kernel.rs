//! What each version of the kernel does with a hint. docs/streams.md has the same as a table.

use std::fmt;

/// Version of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kernel {
    major: u32,
    minor: u32,
}

/// Spans of versions between which what becomes of a hint changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Era {
    /// Before 4.13: there are no hints.
    Before,
    /// 4.13 to 5.17: hints on block writes, and on the streams of NVMe drives.
    Directives,
    /// 5.18 to 6.8: a file's hint is kept and goes nowhere (f2fs uses it for itself).
    Dropped,
    /// 6.9 to 6.15: hints on block writes again, for SCSI and UFS.
    Restored,
    /// From 6.16: write streams beside hints, for NVMe drives with FDP.
    WriteStreams,
}

impl Kernel {
    /// The version that a release begins with: `6.18.4-amd64`.
    pub(super) fn parse(release: &str) -> Option<Self> {
        let mut numbers = release.split(|c: char| !c.is_ascii_digit());
        let major = numbers.next()?.parse().ok()?;
        Some(Self { major, minor: numbers.next()?.parse().ok()? })
    }

    /// What it does with hints, by the versions of kernel.org; distributions may have added or
    /// taken away.
    pub(super) fn era(self) -> Era {
        match (self.major, self.minor) {
            (..=3, _) | (4, ..=12) => Era::Before,
            (4, _) | (5, ..=17) => Era::Directives,
            (5, _) | (6, ..=8) => Era::Dropped,
            (6, ..=15) => Era::Restored,
            _ => Era::WriteStreams,
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Linux {}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn releases_fall_into_their_eras() {
        for (release, era) in [
            ("3.10.0-1160.el7.x86_64", Era::Before),
            ("4.12.14", Era::Before),
            ("4.13.0", Era::Directives),
            ("4.19.90-2003.4.0", Era::Directives),
            ("5.17", Era::Directives),
            ("5.18.0-rc1", Era::Dropped),
            ("6.1.0-18-amd64", Era::Dropped),
            ("6.8.12", Era::Dropped),
            ("6.9.1", Era::Restored),
            ("6.15+", Era::Restored),
            ("6.16.0", Era::WriteStreams),
            ("7.0", Era::WriteStreams),
        ] {
            assert_eq!(Kernel::parse(release).unwrap().era(), era, "{release}");
        }
        for nonsense in ["", "six", "6", "6.", "-1.2", "99999999999.1"] {
            assert_eq!(Kernel::parse(nonsense), None, "{nonsense}");
        }
        assert_eq!(Kernel::parse("6.18.44-x").unwrap().to_string(), "Linux 6.18");
    }
}
