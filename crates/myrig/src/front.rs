//! Front ends that speak another tool's language: its command line, its output, its files. They
//! answer to the tool's name as the first word, or as the name that myrig is started under.

mod astream;
mod benchmarksql;
mod innochecksum;
mod load;
mod sysbench;

use crate::{failure::Status, output::Output, paths::Paths};
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// A call that is for a front end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    tool: Tool,
    words: Vec<OsString>,
}

/// The tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    /// sysbench 1.0 and 0.5, its OLTP scripts.
    Sysbench,
    /// BenchmarkSQL 5.0 for MySQL.
    BenchmarkSql,
    /// innochecksum of MySQL and of MariaDB.
    Innochecksum,
    /// astream, the daemon that gives files their write hints.
    Astream,
}

impl Tool {
    fn name(self) -> &'static str {
        match self {
            Self::Sysbench => "sysbench",
            Self::BenchmarkSql => "benchmarksql",
            Self::Innochecksum => "innochecksum",
            Self::Astream => "astream",
        }
    }
}

/// Names that a link may have, with the words that they stand for.
const LINKS: [(&str, Tool, &[&str]); 7] = [
    ("sysbench", Tool::Sysbench, &[]),
    ("benchmarksql", Tool::BenchmarkSql, &[]),
    ("runDatabaseBuild.sh", Tool::BenchmarkSql, &["build"]),
    ("runBenchmark.sh", Tool::BenchmarkSql, &["run"]),
    ("runDatabaseDestroy.sh", Tool::BenchmarkSql, &["destroy"]),
    ("innochecksum", Tool::Innochecksum, &[]),
    ("astream", Tool::Astream, &[]),
];

/// Every tool, by its name as the first word.
const TOOLS: [Tool; 4] = [Tool::Sysbench, Tool::BenchmarkSql, Tool::Innochecksum, Tool::Astream];

/// The front end that a command line is for: by the name of the link that was started, or by the
/// first word.
pub(crate) fn called(line: &[OsString]) -> Option<Call> {
    let (program, words) = line.split_first()?;
    let name = Path::new(program).file_name()?;
    if let Some((_, tool, before)) = LINKS.iter().find(|(link, ..)| name == *link) {
        let before = before.iter().map(OsString::from);
        return Some(Call { tool: *tool, words: before.chain(words.iter().cloned()).collect() });
    }
    let (first, words) = words.split_first()?;
    let tool = TOOLS.into_iter().find(|tool| first == tool.name())?;
    Some(Call { tool, words: words.to_vec() })
}

impl Call {
    /// A call of `tool` with these words.
    pub(crate) fn new(tool: Tool, words: Vec<OsString>) -> Self {
        Self { tool, words }
    }

    /// Carries it out where nobody has read the command line; runs are kept in `MYRIG_HOME`.
    pub(crate) fn answer_alone(self, output: &Output) -> Status {
        match Paths::new(env::var_os("MYRIG_HOME").map(PathBuf::from)) {
            Ok(paths) => self.answer(&paths, output),
            Err(failure) => {
                output.note(&format!("{}: {failure}", self.tool.name()));
                failure.status
            }
        }
    }

    /// Carries it out.
    pub(crate) fn answer(self, paths: &Paths, output: &Output) -> Status {
        let words = self.words.into_iter().map(OsString::into_string);
        let Ok(words) = words.collect::<Result<Vec<String>, _>>() else {
            output.note(&format!("{}: an argument is not UTF-8 text", self.tool.name()));
            return Status::Usage;
        };
        match self.tool {
            Tool::Sysbench => sysbench::call(&words, paths, output),
            Tool::BenchmarkSql => benchmarksql::call(&words, paths, output),
            Tool::Innochecksum => innochecksum::call(&words, output),
            Tool::Astream => astream::call(&words, paths, output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(line: &str) -> Option<(Tool, String)> {
        let line: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let call = called(&line)?;
        let words: Vec<_> = call.words.iter().map(|word| word.to_string_lossy()).collect();
        Some((call.tool, words.join(" ")))
    }

    #[test]
    fn a_front_end_answers_to_its_name_as_link_and_as_first_word() {
        for (line, tool, words) in [
            ("/usr/bin/sysbench cpu run", Tool::Sysbench, "cpu run"),
            ("myrig sysbench --tables=1", Tool::Sysbench, "--tables=1"),
            ("./benchmarksql run p", Tool::BenchmarkSql, "run p"),
            ("myrig benchmarksql run p", Tool::BenchmarkSql, "run p"),
            ("./runDatabaseBuild.sh p", Tool::BenchmarkSql, "build p"),
            ("./runBenchmark.sh p", Tool::BenchmarkSql, "run p"),
            ("./runDatabaseDestroy.sh p", Tool::BenchmarkSql, "destroy p"),
            ("/usr/bin/innochecksum -c a", Tool::Innochecksum, "-c a"),
            ("myrig innochecksum -c a", Tool::Innochecksum, "-c a"),
            ("/usr/sbin/astream stop", Tool::Astream, "stop"),
            ("myrig astream -i a -r b", Tool::Astream, "-i a -r b"),
        ] {
            assert_eq!(call(line), Some((tool, words.to_owned())), "{line}");
        }
    }

    #[test]
    fn everything_else_is_myrigs_own() {
        for line in ["myrig", "myrig tpcc run", "/a/sysbench/myrig demo", "myrig -h sysbench"] {
            assert_eq!(call(line), None, "{line}");
        }
    }
}
