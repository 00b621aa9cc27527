//! `myrig benchmarksql`: BenchmarkSQL 5.0 for MySQL, its properties files and its output.

use crate::{failure::Status, output::Output, paths::Paths};

/// Carries out a call and says how it ended.
pub(super) fn call(words: &[String], paths: &Paths, output: &Output) -> Status {
    let _ = (words, paths);
    output.note("benchmarksql: not yet");
    Status::NotDone
}
