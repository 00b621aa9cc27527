//! Settings that have been decided, however they are spelt.

use std::collections::BTreeMap;

use crate::options::{self, Settings};

/// Settings by plain name.
#[derive(Clone, Debug)]
pub(super) struct Given<'a>(BTreeMap<String, &'a str>);

impl<'a> Given<'a> {
    pub(super) fn of(settings: &'a Settings) -> Self {
        let plain = |(name, value): (&String, &'a String)| (options::plain(name), value.as_str());
        Self(settings.iter().map(plain).collect())
    }

    /// The value of an option, under any of the spellings that servers take.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(&options::plain(name)).copied()
    }

    /// The same as a number of bytes, or of anything.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        number(self.text(name)?)
    }

    /// Whether an option has been decided, be it in the words of another version.
    pub(super) fn has(&self, name: &str) -> bool {
        match REDO.contains(&name) {
            true => REDO.iter().any(|name| self.text(name).is_some()),
            false => self.text(name).is_some(),
        }
    }

    /// Redo log on disk, bytes: a capacity, or a size of so many files.
    pub(super) fn redo_bytes(&self) -> Option<u64> {
        let files = || {
            let files = self.number("innodb_log_files_in_group").unwrap_or(1);
            Some(self.number("innodb_log_file_size")?.saturating_mul(files))
        };
        self.number("innodb_redo_log_capacity").or_else(files)
    }

    pub(super) fn is_off(&self, name: &str) -> bool {
        self.text(name).is_some_and(|value| {
            ["0", "off", "false"].iter().any(|off| value.trim().eq_ignore_ascii_case(off))
        })
    }

    pub(super) fn is_on(&self, name: &str) -> bool {
        self.text(name).is_some() && !self.is_off(name)
    }
}

/// Names under which versions know the size of the redo log.
pub(super) const REDO: [&str; 3] =
    ["innodb_redo_log_capacity", "innodb_log_file_size", "innodb_log_files_in_group"];

/// A number with a unit of an option file; powers of 1,024.
pub(super) fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        "P" => 50,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}
