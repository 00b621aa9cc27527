//! A run in a line.

use crate::{reproduce, summary};
use lab::record::RunRecord;

/// What was run and on what: `TPC-C, 10 warehouses, on MariaDB 10.11.14`.
pub fn title(record: &RunRecord) -> String {
    summary::title(record)
}

/// The command that would do it again; none where a setting has no form on a command line.
pub fn command(record: &RunRecord) -> Option<String> {
    reproduce::command(record)
}
