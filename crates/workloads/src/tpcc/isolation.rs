//! Isolation levels by the names that they have on the command line.

use std::{fmt, str::FromStr};

/// Isolation level of the sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// READ UNCOMMITTED.
    ReadUncommitted,
    /// READ COMMITTED.
    ReadCommitted,
    /// REPEATABLE READ.
    RepeatableRead,
    /// SERIALIZABLE.
    Serializable,
}

impl Isolation {
    const NAMES: [(&'static str, Self); 4] = [
        ("read-uncommitted", Self::ReadUncommitted),
        ("read-committed", Self::ReadCommitted),
        ("repeatable-read", Self::RepeatableRead),
        ("serializable", Self::Serializable),
    ];
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(_, level)| level == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}

impl FromStr for Isolation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::NAMES.iter().find(|(name, _)| *name == text).map(|(_, level)| *level).ok_or_else(
            || {
                let names = Self::NAMES.map(|(name, _)| name).join(", ");
                format!("`{text}` is no isolation level; the levels are {names}")
            },
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn levels_have_one_name_each_way() {
        for (name, level) in Isolation::NAMES {
            assert_eq!(name.parse(), Ok(level));
            assert_eq!(level.to_string(), name);
        }
        assert!("snapshot".parse::<Isolation>().unwrap_err().contains("repeatable-read"));
    }
}
