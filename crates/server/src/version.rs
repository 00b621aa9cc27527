//! Flavours and versions, as `--version` tells them.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Whose server it is. Vendors differ in options, system tables and file formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flavour {
    /// MariaDB Server, Community or Enterprise.
    MariaDb,
    /// MySQL by Oracle, or a distribution's build of it.
    MySql,
    /// Percona Server and Percona XtraDB Cluster.
    Percona,
}

impl Flavour {
    /// Every flavour with the name it has on a command line.
    pub const NAMES: [(&'static str, Self); 3] =
        [("mariadb", Self::MariaDb), ("mysql", Self::MySql), ("percona", Self::Percona)];

    /// True for MySQL and the servers made from its source: same options, same system tables.
    pub fn is_mysql_like(self) -> bool {
        matches!(self, Self::MySql | Self::Percona)
    }
}

impl FromStr for Flavour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = text.to_ascii_lowercase();
        Self::NAMES.iter().find(|(name, _)| *name == wanted).map(|(_, it)| *it).ok_or_else(|| {
            let names: Vec<_> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            format!("`{text}` is no server flavour; there are {}", names.join(", "))
        })
    }
}

impl fmt::Display for Flavour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MariaDb => "MariaDB",
            Self::MySql => "MySQL",
            Self::Percona => "Percona Server",
        })
    }
}

/// Release number without suffixes; ordered as releases are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Version {
    /// First number: 10 in 10.11.6.
    pub major: u16,
    /// Second number: 11 in 10.11.6.
    pub minor: u16,
    /// Third number: 6 in 10.11.6.
    pub patch: u16,
}

impl Version {
    /// The release `major.minor.patch`.
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// What a server says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// Whose server it is.
    pub flavour: Flavour,
    /// Its release number.
    pub version: Version,
    /// The version as the server writes it, suffixes and all: `10.11.6-MariaDB-0+deb12u1`.
    pub full: String,
}

impl Release {
    /// Reads the output of `mysqld --version`: `… Ver VERSION for OS on MACHINE (COMMENT)`.
    /// Returns `None` for what no server of this family would say.
    pub fn parse(output: &str) -> Option<Self> {
        output.lines().find_map(Self::parse_line)
    }

    fn parse_line(line: &str) -> Option<Self> {
        // Servers put two spaces before `Ver`; the client programs, which say `Ver 15.1 Distrib`,
        // are told apart by the missing third number.
        let (_program, rest) = line.split_once(" Ver ")?;
        let (full, comment) = rest.trim_start().split_once(' ')?;
        if !comment.trim_start().starts_with("for ") {
            return None;
        }
        let version = numbers(full)?;
        let flavour = if full.contains("MariaDB") {
            Flavour::MariaDb
        } else if comment.contains("Percona") {
            Flavour::Percona
        } else {
            Flavour::MySql
        };
        Some(Self { flavour, version, full: full.to_owned() })
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.flavour, self.version)
    }
}

fn numbers(full: &str) -> Option<Version> {
    let digits = full.split(|c: char| c != '.' && !c.is_ascii_digit()).next()?;
    let mut parts = digits.split('.').map(|part| part.parse::<u16>().ok());
    let version = Version::new(parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(version)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    /// What real servers print, one a release line.
    const SAMPLES: [(&str, Flavour, Version); 16] = [
        (
            "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)",
            Flavour::MariaDb,
            Version::new(10, 11, 19),
        ),
        (
            "mysqld  Ver 10.3.39-MariaDB-0+deb10u1 for debian-linux-gnu on x86_64 (Debian 10)",
            Flavour::MariaDb,
            Version::new(10, 3, 39),
        ),
        (
            "mysqld  Ver 10.6.16-MariaDB for Linux on x86_64 (MariaDB Server)",
            Flavour::MariaDb,
            Version::new(10, 6, 16),
        ),
        (
            "mariadbd  Ver 10.6.17-12-MariaDB-enterprise for Linux on x86_64 \
             (MariaDB Enterprise Server)",
            Flavour::MariaDb,
            Version::new(10, 6, 17),
        ),
        (
            "mariadbd  Ver 11.4.2-MariaDB-ubu2404 for debian-linux-gnu on x86_64 \
             (mariadb.org binary distribution)",
            Flavour::MariaDb,
            Version::new(11, 4, 2),
        ),
        (
            "mariadbd  Ver 11.8.1-MariaDB-4 for debian-linux-gnu on aarch64 (Debian n/a)",
            Flavour::MariaDb,
            Version::new(11, 8, 1),
        ),
        (
            "mysqld  Ver 5.7.44 for Linux on x86_64 (MySQL Community Server (GPL))",
            Flavour::MySql,
            Version::new(5, 7, 44),
        ),
        (
            "mysqld  Ver 5.7.42-0ubuntu0.18.04.1-log for Linux on x86_64 ((Ubuntu))",
            Flavour::MySql,
            Version::new(5, 7, 42),
        ),
        (
            "/usr/sbin/mysqld  Ver 8.0.20 for Linux on aarch64 (MySQL Community Server - GPL)",
            Flavour::MySql,
            Version::new(8, 0, 20),
        ),
        (
            "/usr/sbin/mysqld  Ver 8.0.36-0ubuntu0.22.04.1 for Linux on x86_64 ((Ubuntu))",
            Flavour::MySql,
            Version::new(8, 0, 36),
        ),
        (
            "/opt/mysql/bin/mysqld  Ver 8.4.3 for Linux on x86_64 (MySQL Community Server - GPL)",
            Flavour::MySql,
            Version::new(8, 4, 3),
        ),
        (
            "/usr/sbin/mysqld-debug  Ver 8.0.36-debug for Linux on x86_64 \
             (MySQL Community Server - GPL - Debug)",
            Flavour::MySql,
            Version::new(8, 0, 36),
        ),
        (
            "/r/usr/sbin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))",
            Flavour::MySql,
            Version::new(9, 7, 4),
        ),
        (
            "mysqld  Ver 5.7.44-48 for Linux on x86_64 \
             (Percona Server (GPL), Release 48, Revision 497f936a373)",
            Flavour::Percona,
            Version::new(5, 7, 44),
        ),
        (
            "/usr/sbin/mysqld  Ver 8.0.35-27 for Linux on x86_64 \
             (Percona Server (GPL), Release 27, Revision 2f8eeab2)",
            Flavour::Percona,
            Version::new(8, 0, 35),
        ),
        (
            "/usr/sbin/mysqld  Ver 8.0.33-25.1 for Linux on x86_64 \
             (Percona XtraDB Cluster (GPL), Release rel25, Revision 0c56202, WSREP version 26.4.3)",
            Flavour::Percona,
            Version::new(8, 0, 33),
        ),
    ];

    #[test]
    fn real_servers_are_recognised() {
        for (output, flavour, version) in SAMPLES {
            let release = Release::parse(output).unwrap();
            assert_eq!((release.flavour, release.version), (flavour, version), "{output}");
        }
    }

    #[test]
    fn warnings_before_the_version_line_do_not_matter() {
        let output = format!("2026-11-21 0 [Warning] option 'x': value adjusted\n{}", SAMPLES[0].0);
        assert_eq!(Release::parse(&output).unwrap().full, "10.11.19-MariaDB-0+deb12u1");
    }

    #[test]
    fn other_programs_are_not_servers() {
        for output in [
            "",
            "mysql  Ver 15.1 Distrib 10.11.6-MariaDB, for debian-linux-gnu (x86_64)",
            "mysqldump  Ver 10.19 Distrib 10.11.6-MariaDB, for debian-linux-gnu (x86_64)",
            "psql (PostgreSQL) 15.5",
            "bash  Ver 5.2.15",
            "mysqld  Ver 8.0 for Linux on x86_64",
            "mysqld  Ver 8.0.1.2 for Linux on x86_64",
            "mysqld  Ver 99999999.0.1 for Linux on x86_64",
        ] {
            assert_eq!(Release::parse(output), None, "{output}");
        }
    }

    #[test]
    fn releases_are_ordered_by_number_not_by_letter() {
        assert!(Version::new(10, 11, 0) > Version::new(10, 6, 19));
        assert!(Version::new(8, 0, 30) > Version::new(8, 0, 4));
    }

    #[test]
    fn a_flavour_is_read_by_its_name_only() {
        assert_eq!("MariaDB".parse(), Ok(Flavour::MariaDb));
        assert!("oracle".parse::<Flavour>().unwrap_err().contains("percona"));
    }

    proptest! {
        #[test]
        fn any_release_number_is_read_whatever_follows_it(
            major: u16, minor: u16, patch: u16,
            suffix in "(-[A-Za-z0-9+~]{1,8}){0,3}",
            program in "[a-z/]{1,20}",
        ) {
            let full = format!("{major}.{minor}.{patch}{suffix}");
            let output = format!("{program}  Ver {full} for Linux on x86_64 (whoever)");
            let release = Release::parse(&output).unwrap();
            prop_assert_eq!(release.version, Version::new(major, minor, patch));
            prop_assert_eq!(release.full, full);
        }

        #[test]
        fn any_text_gives_an_answer(text in "(?s).{0,80}") {
            let _answer = Release::parse(&text);
        }

        #[test]
        fn any_text_after_ver_gives_an_answer(text in "[0-9.a-z -]{0,40}") {
            let _answer = Release::parse(&format!("mysqld  Ver {text} for "));
        }
    }
}
