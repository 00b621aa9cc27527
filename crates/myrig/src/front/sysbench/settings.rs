//! The options of a call, looked up in the catalog, with sysbench's defaults.

use super::{
    catalog::{self, ALL, Fate, Group, Known, Type},
    command_line::Given,
};
use std::{collections::BTreeMap, str::FromStr};

/// The value of every option that is carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    values: BTreeMap<&'static str, Set>,
    /// Deprecated names that were used, with the ones to use instead.
    pub(super) deprecated: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Set {
    value: String,
    /// How the option was called, with its place; none for a default.
    typed: Option<String>,
}

/// Which options a script has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Those of the 1.0 scripts.
    Modern,
    /// Those of the 0.5 scripts.
    Legacy,
}

impl Settings {
    /// Looks up what was given.
    ///
    /// # Errors
    /// A sentence that names an option that does not exist, or that is not carried out here, and
    /// the way out.
    pub(super) fn new(given: &[Given], dialect: Dialect) -> Result<Self, String> {
        let default = |known: &Known| Set { value: known.default.into(), typed: None };
        let taken = ALL.iter().filter(|known| known.fate == Fate::Taken);
        let values = taken.map(|known| (known.name, default(known))).collect();
        let mut settings = Self { values, deprecated: Vec::new() };
        given.iter().try_for_each(|given| settings.take(given, dialect))?;
        Ok(settings)
    }

    fn take(&mut self, given: &Given, dialect: Dialect) -> Result<(), String> {
        let place =
            if given.place.is_empty() { String::new() } else { format!(" ({})", given.place) };
        let typed = format!("--{}{place}", given.name.replace('_', "-"));
        let known = catalog::find(&given.name).ok_or_else(|| {
            format!("{typed}: sysbench has no such option; see `sysbench --help`")
        })?;
        in_dialect(known, &typed, dialect)?;
        let value = match (&given.value, known.kind) {
            (Some(value), _) => value.clone(),
            (None, Type::Flag) => "on".into(),
            // `--mysql-ssl` alone is `on`, as the flag that it was.
            (None, _) if known.name == "mysql_ssl" => "on".into(),
            (None, _) => return Err(format!("{typed} needs a value: {}=VALUE", known.typed())),
        };
        well_formed(known, &typed, &value)?;
        match known.fate {
            Fate::Idle => {}
            Fate::Refused(why) => return Err(format!("{typed}: {why}")),
            Fate::Only(allowed, why) => {
                if !allowed.contains(&value.as_str()) {
                    return Err(format!("{typed} {value}: {why}"));
                }
            }
            Fate::Alias(name) => {
                if known.group == Group::General {
                    let instead = name.replace('_', "-");
                    self.deprecated.push((known.typed(), format!("--{instead}")));
                }
                self.values.insert(name, Set { value, typed: Some(typed) });
            }
            Fate::Taken => {
                self.values.insert(known.name, Set { value, typed: Some(typed) });
            }
        }
        Ok(())
    }

    /// Changes a default, for the scripts of 0.5.
    pub(super) fn default_to(&mut self, name: &'static str, value: &str) {
        let set = self.values.entry(name).or_insert(Set { value: String::new(), typed: None });
        if set.typed.is_none() {
            set.value = value.into();
        }
    }

    /// The option's value.
    pub(super) fn text(&self, name: &str) -> &str {
        self.values.get(name).map_or("", |set| set.value.as_str())
    }

    /// Whether the option was given.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|set| set.typed.is_some())
    }

    /// How the option was called, for an error.
    pub(super) fn called(&self, name: &str) -> String {
        let typed = self.values.get(name).and_then(|set| set.typed.clone());
        typed.unwrap_or_else(|| format!("--{}", name.replace('_', "-")))
    }

    /// The value of a flag.
    pub(super) fn flag(&self, name: &str) -> bool {
        matches!(self.text(name), "on" | "true" | "1")
    }

    /// The words of a list.
    pub(super) fn list(&self, name: &str) -> impl Iterator<Item = &str> {
        self.text(name).split(',').map(str::trim).filter(|word| !word.is_empty())
    }

    /// A whole number between the bounds, both included.
    ///
    /// # Errors
    /// A sentence that names the option.
    pub(super) fn whole(&self, name: &str, least: u64, most: u64) -> Result<u64, String> {
        let text = self.text(name);
        let refusal =
            || format!("{} {text}: give a number from {least} to {most}", self.called(name));
        let number = whole(text).ok_or_else(refusal)?;
        if (least..=most).contains(&number) { Ok(number) } else { Err(refusal()) }
    }

    /// The same for what is small.
    ///
    /// # Errors
    /// A sentence that names the option.
    pub(super) fn whole_u32(&self, name: &str, least: u32, most: u32) -> Result<u32, String> {
        // It is no larger than `most`.
        self.whole(name, least.into(), most.into()).map(|number| number as u32)
    }

    /// A value that says itself how it is read.
    ///
    /// # Errors
    /// A sentence that names the option.
    pub(super) fn parse<T: FromStr>(&self, name: &str) -> Result<T, String>
    where
        T::Err: std::fmt::Display,
    {
        let text = self.text(name);
        text.parse().map_err(|error| format!("{} {text}: {error}", self.called(name)))
    }
}

/// A whole number; sysbench also takes `1e6` where its scripts want one.
fn whole(text: &str) -> Option<u64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let number: f64 = text.parse().ok()?;
    // Beyond this, not every whole number has a float.
    let exact = number.fract() == 0.0 && (0.0..9e15).contains(&number);
    exact.then_some(number as u64)
}

fn in_dialect(known: &Known, typed: &str, dialect: Dialect) -> Result<(), String> {
    let other = match (dialect, known.group) {
        (Dialect::Modern, Group::Legacy) => match known.fate {
            Fate::Alias(name) => format!("the scripts of 1.0 call it --{}", name.replace('_', "-")),
            _ => "it belongs to the scripts of sysbench 0.5 (--test=oltp.lua)".into(),
        },
        (Dialect::Legacy, Group::Oltp) => {
            let legacy = ALL.iter().find(|legacy| {
                legacy.group == Group::Legacy && legacy.fate == Fate::Alias(known.name)
            });
            let name = legacy.map_or_else(|| known.typed(), Known::typed);
            format!("the scripts of 0.5 call it {name}")
        }
        _ => return Ok(()),
    };
    Err(format!("{typed}: {other}"))
}

fn well_formed(known: &Known, typed: &str, value: &str) -> Result<(), String> {
    let flags = ["on", "true", "1", "off", "false", "0"];
    match known.kind {
        Type::Flag if !flags.contains(&value) => Err(format!("{typed} {value}: say on or off")),
        Type::Whole if whole(value).is_none() => {
            Err(format!("{typed} {value}: give a whole number from 0"))
        }
        Type::Number if value.parse::<f64>().is_err() => {
            Err(format!("{typed} {value}: give a number"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn given(words: &[&str]) -> Vec<Given> {
        let words = words.iter().map(|word| match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (*word, None),
        });
        words
            .map(|(name, value)| Given {
                name: name.replace('-', "_"),
                value,
                place: String::new(),
            })
            .collect()
    }

    fn settings(words: &[&str]) -> Result<Settings, String> {
        Settings::new(&given(words), Dialect::Modern)
    }

    #[test]
    fn what_is_not_given_has_sysbenchs_default() {
        let settings = settings(&[]).unwrap();
        assert_eq!(settings.whole("table_size", 0, u64::MAX), Ok(10_000));
        assert_eq!(settings.text("mysql_db"), "sbtest");
        assert!(settings.flag("auto_inc") && !settings.flag("skip_trx"));
        assert!(!settings.is_given("threads"));
    }

    #[test]
    fn the_last_value_counts_and_deprecated_names_are_remembered() {
        let settings = settings(&["threads=3", "num-threads=4", "table-size=1e6"]).unwrap();
        assert_eq!(settings.whole_u32("threads", 1, 9), Ok(4));
        assert_eq!(settings.whole("table_size", 0, u64::MAX), Ok(1_000_000));
        assert_eq!(settings.deprecated, [("--num-threads".to_owned(), "--threads".to_owned())]);
    }

    #[test]
    fn what_is_not_carried_out_is_refused_by_name() {
        for (word, says) in [
            ("frobnicate=1", "--frobnicate"),
            ("pgsql-host=a", "--pgsql-host"),
            ("db-driver=pgsql", "--db-driver pgsql"),
            ("mysql-compression", "--mysql-compression on"),
            ("mysql-dry-run=on", "--mysql-dry-run"),
            ("validate", "--validate"),
            ("luajit-cmd=off", "--luajit-cmd"),
            ("oltp-tables-count=3", "--tables"),
            ("oltp-read-only=on", "0.5"),
            ("threads=many", "--threads many"),
            ("threads=-1", "--threads -1"),
            ("threads=1.5", "--threads 1.5"),
            ("threads", "--threads needs a value"),
            ("skip-trx=maybe", "--skip-trx maybe"),
            ("rand-pareto-h=x", "--rand-pareto-h x"),
        ] {
            let refusal = settings(&[word]).unwrap_err();
            assert!(refusal.contains(says), "{word}: {refusal}");
        }
    }

    #[test]
    fn the_scripts_of_0_5_have_their_own_names() {
        let legacy = Settings::new(&given(&["oltp_tables-count=7"]), Dialect::Legacy).unwrap();
        assert_eq!(legacy.whole("tables", 0, 9), Ok(7));
        assert!(legacy.deprecated.is_empty());
        let refusal = Settings::new(&given(&["tables=7"]), Dialect::Legacy).unwrap_err();
        assert!(refusal.contains("--oltp-tables-count"), "{refusal}");
    }

    #[test]
    fn a_misspelt_password_is_not_repeated() {
        let refusal = settings(&["mysql-pasword=hunter2"]).unwrap_err();
        assert!(!refusal.contains("hunter2") && refusal.contains("--mysql-pasword"), "{refusal}");
    }

    proptest! {
        #[test]
        fn any_option_gives_an_answer(
            name in "[a-z_]{0,20}",
            value in proptest::option::of(".{0,9}"),
            at in 0..ALL.len(),
        ) {
            for name in [name.as_str(), ALL[at].name] {
                let given = [Given { name: name.into(), value: value.clone(), place: "f".into() }];
                for dialect in [Dialect::Modern, Dialect::Legacy] {
                    if let Ok(settings) = Settings::new(&given, dialect) {
                        let _answer = settings.whole_u32(name, 1, 5);
                    }
                }
            }
        }
    }
}
