//! The scripts of sysbench.

use serde::Serialize;
use std::{fmt, str::FromStr};

/// Which of sysbench's OLTP scripts a transaction follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Point selects and ranges in a transaction.
    ReadOnly,
    /// Everything in a transaction.
    ReadWrite,
    /// Updates, deletes and inserts in a transaction.
    WriteOnly,
    /// One point select.
    PointSelect,
    /// An update of the indexed column.
    UpdateIndex,
    /// An update of a column that has no index.
    UpdateNonIndex,
    /// One new row.
    Insert,
    /// One row gone.
    Delete,
}

impl Kind {
    /// Every kind with the name it has on our command line.
    pub const NAMES: [(&'static str, Self); 8] = [
        ("read-only", Self::ReadOnly),
        ("read-write", Self::ReadWrite),
        ("write-only", Self::WriteOnly),
        ("point-select", Self::PointSelect),
        ("update-index", Self::UpdateIndex),
        ("update-non-index", Self::UpdateNonIndex),
        ("insert", Self::Insert),
        ("delete", Self::Delete),
    ];

    /// The script's name in sysbench 1.0, by which reports call the transaction.
    pub fn script(self) -> &'static str {
        match self {
            Self::ReadOnly => "oltp_read_only",
            Self::ReadWrite => "oltp_read_write",
            Self::WriteOnly => "oltp_write_only",
            Self::PointSelect => "oltp_point_select",
            Self::UpdateIndex => "oltp_update_index",
            Self::UpdateNonIndex => "oltp_update_non_index",
            Self::Insert => "oltp_insert",
            Self::Delete => "oltp_delete",
        }
    }

    /// Whether the script brackets its statements with BEGIN and COMMIT unless told to skip them.
    /// The others send one statement and leave the commit to the server.
    pub fn is_bracketed(self) -> bool {
        matches!(self, Self::ReadOnly | Self::ReadWrite | Self::WriteOnly)
    }

    /// Whether rows are as many after a run as before it.
    pub fn keeps_row_count(self) -> bool {
        !matches!(self, Self::Insert | Self::Delete)
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, kind)| *name == text || kind.script() == text);
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            let names: Vec<_> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            format!("`{text}` is no OLTP transaction; there are {}", names.join(", "))
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // NAMES lists every variant; an empty name would show in the first test that prints one.
        f.write_str(Self::NAMES.iter().find(|(_, kind)| kind == self).map_or("", |(name, _)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_one_name_each_way_and_that_of_their_script() {
        for (name, kind) in Kind::NAMES {
            assert_eq!(name.parse(), Ok(kind));
            assert_eq!(kind.script().parse(), Ok(kind));
            assert_eq!(kind.to_string(), name);
        }
        assert!("tpcc".parse::<Kind>().expect_err("unknown").contains("read-write"));
    }
}
