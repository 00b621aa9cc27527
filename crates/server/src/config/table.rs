//! The table of options: `options.tsv`, which says at its head how it is written.

use std::{collections::BTreeMap, sync::LazyLock};

use super::{kind::Kind, target::Target};
use crate::version::{Flavour, Version};

/// The table's text. A test reads every row of it, and others hold it against real servers.
const TEXT: &str = include_str!("options.tsv");

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    // What is embedded never changes, and a test of this file reads it.
    Table::parse(TEXT).expect("the embedded table is well-formed")
});

/// The table of options.
pub fn table() -> &'static Table {
    &TABLE
}

/// All options that any version knows.
#[derive(Debug)]
pub struct Table {
    options: BTreeMap<&'static str, KnownOption>,
    releases: Vec<(Flavour, Vec<Version>)>,
}

/// An option of servers.
#[derive(Debug)]
pub struct KnownOption {
    /// Its name, with underscores.
    pub name: &'static str,
    /// The values that it takes.
    pub kind: Kind,
    /// Where all this is known from, in the keys that the head of `options.tsv` explains.
    pub source: &'static str,
    mysql: Option<Life>,
    mariadb: Option<Life>,
    percona: Option<Life>,
}

/// When a product has an option.
#[derive(Debug, PartialEq, Eq)]
pub struct Life {
    /// The first version that has it, or where the table begins.
    pub since: Version,
    /// The first version that does not have it any more.
    pub removed: Option<Version>,
    /// The first version that deprecates it.
    pub deprecated: Option<Version>,
    /// Defaults, each with the version that it holds from.
    defaults: Vec<(Version, &'static str)>,
}

impl Table {
    /// The option of exactly that name, which is in small letters and with underscores.
    pub fn get(&self, name: &str) -> Option<&KnownOption> {
        self.options.get(name)
    }

    /// Every option, by name.
    pub fn options(&self) -> impl Iterator<Item = &KnownOption> {
        self.options.values()
    }

    /// The newest known release of each series of a flavour, oldest series first.
    pub fn releases(&self, flavour: Flavour) -> &[Version] {
        let found = self.releases.iter().find(|(known, _)| *known == flavour);
        found.map_or(&[], |(_, releases)| releases)
    }

    fn parse(text: &'static str) -> Result<Self, String> {
        let mut table = Self { options: BTreeMap::new(), releases: Vec::new() };
        for (line, number) in text.lines().zip(1..) {
            if !line.is_empty() && !line.starts_with('#') {
                table.row(line).ok_or_else(|| format!("line {number}: `{line}`"))?;
            }
        }
        Ok(table)
    }

    fn row(&mut self, line: &'static str) -> Option<()> {
        let fields: Vec<&'static str> = line.split('\t').collect();
        if let ["release", flavour, releases] = fields[..] {
            let releases = releases.split(' ').map(version).collect::<Option<_>>()?;
            self.releases.push((flavour.parse().ok()?, releases));
            return Some(());
        }
        let [name, kind, mysql, mariadb, percona, source] = fields[..] else { return None };
        let (mysql, mariadb, percona) = (life(mysql)?, life(mariadb)?, life(percona)?);
        let kind = Kind::parse(kind)?;
        let option = KnownOption { name, kind, source, mysql, mariadb, percona };
        self.options.insert(name, option).is_none().then_some(())
    }
}

impl KnownOption {
    /// When the product of the target has the option: Percona's own word, or else MySQL's.
    pub fn life(&self, flavour: Flavour) -> Option<&Life> {
        match flavour {
            Flavour::MariaDb => self.mariadb.as_ref(),
            Flavour::MySql => self.mysql.as_ref(),
            Flavour::Percona => self.percona.as_ref().or(self.mysql.as_ref()),
        }
    }

    /// True when the target has the option.
    pub fn exists(&self, target: &Target) -> bool {
        self.life(target.flavour).is_some_and(|life| life.holds(target.version))
    }

    /// The default in the target, where it is known and the same on every machine.
    pub fn default(&self, target: &Target) -> Option<&'static str> {
        let life = self.life(target.flavour).filter(|life| life.holds(target.version))?;
        let past = life.defaults.iter().rev().find(|(since, _)| *since <= target.version);
        past.map(|(_, value)| *value).filter(|value| *value != "auto")
    }
}

impl Life {
    fn holds(&self, version: Version) -> bool {
        self.since <= version && self.removed.is_none_or(|removed| version < removed)
    }
}

/// Reads `SINCE..REMOVED ~DEPRECATED | = DEFAULT | VERSION = DEFAULT`.
fn life(text: &'static str) -> Option<Option<Life>> {
    if text == "-" {
        return Some(None);
    }
    let mut parts = text.split(" | ");
    let mut words = parts.next()?.split(' ');
    let (since, removed) = words.next()?.split_once("..")?;
    let since = version(since)?;
    let removed = if removed.is_empty() { None } else { Some(version(removed)?) };
    let deprecated = match words.next() {
        Some(word) => Some(version(word.strip_prefix('~')?)?),
        None => None,
    };
    let default = |part: &'static str| {
        let (when, value) = part.split_once('=')?;
        let when = when.trim();
        Some((if when.is_empty() { since } else { version(when)? }, value.trim()))
    };
    let defaults = parts.map(default).collect::<Option<_>>()?;
    Some(Some(Life { since, removed, deprecated, defaults }))
}

/// Reads a version of three numbers.
pub(super) fn version(text: &str) -> Option<Version> {
    let mut numbers = text.split('.').map(|number| number.parse().ok());
    let version = Version::new(numbers.next()??, numbers.next()??, numbers.next()??);
    numbers.next().is_none().then_some(version)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn target(text: &str) -> Target {
        Target::parse(text).unwrap()
    }

    #[test]
    fn every_row_is_well_formed_and_has_a_source() {
        let table = Table::parse(TEXT).unwrap();
        assert!(table.options.len() > 1000, "{}", table.options.len());
        for option in table.options() {
            assert!(!option.source.is_empty(), "{}", option.name);
            let lives = [&option.mysql, &option.mariadb, &option.percona];
            for life in lives.into_iter().flatten() {
                let name = option.name;
                assert!(life.removed.is_none_or(|removed| life.since < removed), "{name}");
                assert!(life.defaults.is_sorted_by_key(|(since, _)| *since), "{name}");
                for (_, default) in &life.defaults {
                    let known = *default == "auto" || default.is_empty();
                    assert!(known || option.kind.fault(default).is_none(), "{name}: {default}");
                }
            }
        }
    }

    #[test]
    fn an_option_is_there_from_its_first_version_to_its_removal() {
        let redo = table().get("innodb_redo_log_capacity").unwrap();
        assert!(!redo.exists(&target("mysql-8.0.29")));
        assert!(redo.exists(&target("mysql-8.0.30")));
        assert!(redo.exists(&target("percona-8.0.30")));
        assert!(!redo.exists(&target("mariadb-11.4")));
        let cache = table().get("query_cache_size").unwrap();
        assert!(cache.exists(&target("mysql-5.7")) && !cache.exists(&target("mysql-8.0.3")));
        assert!(cache.exists(&target("mariadb-11.8")));
        let pool = table().get("thread_pool_size").unwrap();
        assert!(pool.exists(&target("percona-8.0")) && !pool.exists(&target("mysql-8.0")));
    }

    #[test]
    fn a_default_is_that_of_the_version() {
        let option = table().get("innodb_io_capacity").unwrap();
        assert_eq!(option.default(&target("mysql-8.0.20")), Some("200"));
        assert_eq!(option.default(&target("mysql-8.4")), Some("10000"));
        let derived = table().get("innodb_io_capacity_max").unwrap();
        assert_eq!(derived.default(&target("mysql-8.4")), None);
    }

    #[test]
    fn a_damaged_table_is_refused_with_its_line() {
        for text in ["x\tbool\t-\t-", "a\tsome\t-\t-\t-\ts", "a\tbool\t1..\t-\t-\ts"] {
            assert!(Table::parse(text).unwrap_err().contains("line 1"), "{text}");
        }
    }
}
