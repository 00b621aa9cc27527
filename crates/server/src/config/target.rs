//! For which server a configuration is.

use std::{fmt, str::FromStr};

use super::{error::ConfigError, table::table};
use crate::version::{Flavour, Release, Version};

/// A server to configure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Whose server it is.
    pub flavour: Flavour,
    /// Its release.
    pub version: Version,
}

impl Target {
    /// Reads a server such as `mysql-8.0.20`, `mariadb-10.11` or `mysql-9`: a series means the
    /// newest release of it that the table knows.
    ///
    /// # Errors
    /// [`ConfigError::Target`] for a flavour or a series that is not known, and for a version
    /// older than the table.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let refuse = |reason: String| ConfigError::Target { text: text.to_owned(), reason };
        let (flavour, version) = text.split_once('-').unwrap_or((text, ""));
        let flavour: Flavour = flavour.parse().map_err(refuse)?;
        let releases = table().releases(flavour);
        let numbers: Vec<u16> = match version {
            "" => Vec::new(),
            version => {
                let numbers = version.split('.').map(str::parse).collect::<Result<_, _>>();
                numbers.map_err(|_| refuse(format!("`{version}` is no version")))?
            }
        };
        let oldest = releases.first().copied().unwrap_or(Version::new(0, 0, 0));
        let newest = |fits: &dyn Fn(&Version) -> bool| releases.iter().rev().find(|it| fits(it));
        let version = match numbers[..] {
            [] => newest(&|_| true).copied(),
            [major] => newest(&|it| it.major == major).copied(),
            [major, minor] => newest(&|it| (it.major, it.minor) == (major, minor)).copied(),
            [major, minor, patch] => {
                let exact = Version::new(major, minor, patch);
                Some(exact).filter(|it| (it.major, it.minor) >= (oldest.major, oldest.minor))
            }
            _ => None,
        };
        version.map(|version| Self { flavour, version }).ok_or_else(|| {
            let known: Vec<_> =
                releases.iter().map(|it| format!("{}.{}", it.major, it.minor)).collect();
            refuse(format!("the known series of {flavour} are {}", known.join(", ")))
        })
    }

    /// The newest release of the flavour that the table knows, where the target is newer: what came
    /// or went since is not known.
    pub fn newer_than(&self) -> Option<Version> {
        let newest = table().releases(self.flavour).iter().max().copied();
        newest.filter(|newest| *newest < self.version)
    }

    /// The server of an installation.
    pub fn of(release: &Release) -> Self {
        Self { flavour: release.flavour, version: release.version }
    }
}

impl FromStr for Target {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        Self::parse(text)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.flavour, self.version)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_series_means_its_newest_known_release() {
        for (text, shown) in [
            ("mysql-8.0.20", "MySQL 8.0.20"),
            ("mysql-8.4", "MySQL 8.4.8"),
            ("mysql-9", "MySQL 9.7.4"),
            ("mysql", "MySQL 9.7.4"),
            ("MariaDB-10.11", "MariaDB 10.11.19"),
            ("percona-8.0", "Percona Server 8.0.39"),
            ("mysql-9.9.9", "MySQL 9.9.9"),
        ] {
            let target = Target::parse(text).unwrap();
            assert_eq!(target.to_string(), shown);
            assert_eq!(target.newer_than().is_some(), text == "mysql-9.9.9");
        }
    }

    #[test]
    fn what_is_not_known_is_refused_with_what_is() {
        for (text, word) in [
            ("oracle-9", "percona"),
            ("mysql-5.6.10", "5.7"),
            ("mariadb-9", "10.11"),
            ("mysql-8.x", "no version"),
            ("mysql-8.0.20.1", "8.0"),
            ("", "mariadb"),
        ] {
            let error = Target::parse(text).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
