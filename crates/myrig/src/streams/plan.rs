//! Which directories get hints by which rules.

use crate::{args::StreamsStartArgs, failure::Failure};
use anyhow::Context;
use std::{
    fs,
    path::{Path, PathBuf},
};
use streams::{Builtin, Rules, Target};

/// The largest rule file that is read: more than anybody writes by hand.
const RULES_BYTES_MAX: u64 = 1 << 20;

/// Where rules come from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// A file, absolute.
    File(PathBuf),
    /// A set that is built in.
    Builtin(Builtin),
}

/// Directories, each with the source of its rules. What was named relatively is absolute here, so
/// that it can be read again from anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan(Vec<(PathBuf, Source)>);

impl Plan {
    /// What `args` say; that it can be done is seen by [`Self::targets`].
    ///
    /// # Errors
    /// The counts do not match.
    pub(super) fn of(args: &StreamsStartArgs) -> Result<Self, Failure> {
        let absolute =
            |path: &PathBuf| std::path::absolute(path).with_context(|| path.display().to_string());
        let (directories, files) = (args.directories.len(), args.rules.len());
        let source = |index: usize| match args.rules_for {
            Some(set) => Ok(Source::Builtin(set.builtin())),
            None => absolute(&args.rules[index % files.max(1)]).map(Source::File),
        };
        if args.rules_for.is_none() && files != directories && files != 1 {
            return Err(Failure::usage(format!(
                "{directories} directories and {files} rule files: name one rule file for each \
                 directory, in the same order, or one for all"
            )));
        }
        let pairs = args.directories.iter().enumerate();
        let pairs = pairs.map(|(index, directory)| {
            // Rules match paths without links, and a target may go and come back.
            let real = directory.canonicalize().or_else(|_| missing(&absolute(directory)?))?;
            Ok((real, source(index)?))
        });
        Ok(Self(pairs.collect::<anyhow::Result<_>>()?))
    }

    /// What a keeper is to keep: all rules, read now.
    ///
    /// # Errors
    /// A rule file that cannot be read or has a fault, with its line and column.
    pub(super) fn targets(&self) -> Result<Vec<Target>, Failure> {
        let target = |(dir, source): &(PathBuf, Source)| {
            Ok(Target { dir: dir.clone(), rules: source.rules(dir)? })
        };
        self.0.iter().map(target).collect()
    }

    /// What the rules of each directory are called.
    pub(super) fn names(&self) -> Vec<String> {
        let name = |(_, source): &(PathBuf, Source)| match source {
            Source::File(path) => path.display().to_string(),
            Source::Builtin(set) => format!("{} (built in)", set.name()),
        };
        self.0.iter().map(name).collect()
    }
}

/// The path of a directory that is not there (yet), with the links of what is there of it resolved:
/// rules match paths without links.
fn missing(path: &Path) -> anyhow::Result<PathBuf> {
    let there = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let Some((above, real)) = there else { return Ok(path.to_owned()) };
    Ok(real.join(path.strip_prefix(above)?))
}

impl Source {
    fn rules(&self, directory: &Path) -> Result<Rules, Failure> {
        match self {
            Self::Builtin(set) => Ok(set.rules(directory)?),
            Self::File(path) => {
                let named = || format!("rule file {}", path.display());
                let facts = fs::metadata(path).with_context(named)?;
                if !facts.is_file() || facts.len() > RULES_BYTES_MAX {
                    let most = RULES_BYTES_MAX >> 20;
                    return Err(anyhow::anyhow!("no file of at most {most} MiB"))
                        .with_context(named)?;
                }
                let text = fs::read_to_string(path).with_context(named)?;
                Ok(Rules::parse(&text).with_context(named)?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::args::{Cli, Command, StreamsVerb};
    use clap::Parser;

    fn plan(line: &str) -> Result<Plan, Failure> {
        let words = ["myrig", "streams", "start"].into_iter().chain(line.split(' '));
        match Cli::try_parse_from(words).unwrap().command {
            Command::Streams { verb: StreamsVerb::Start(args) } => Plan::of(&args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn directories_and_rules_pair_by_position() {
        let pairs = |line: &str| plan(line).unwrap().names();
        assert_eq!(pairs("-i /none/a /none/b -r /r/1 /r/2"), ["/r/1", "/r/2"]);
        assert_eq!(pairs("-i /none/a -i /none/b -r /r/1"), ["/r/1", "/r/1"]);
        let builtin = pairs("-i /none/a /none/b --rules-for mysql-9");
        assert_eq!(builtin, ["mysql (built in)", "mysql (built in)"]);
        for line in ["-i /none/a -r /r/1 /r/2", "-i /none/a /none/b /none/c -r /r/1 /r/2"] {
            let refused = plan(line).unwrap_err();
            assert!(refused.to_string().contains("in the same order"), "{refused}");
            assert_eq!(refused.status, crate::failure::Status::Usage);
        }
    }

    #[test]
    fn a_directory_that_is_not_there_yet_is_named_without_the_links_above_it() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        std::os::unix::fs::symlink(&real, real.join("link")).unwrap();
        let line = format!("-i {}/link/none/data --rules-for mysql", dir.path().display());
        assert_eq!(plan(&line).unwrap().0[0].0, real.join("none/data"));
        fs::create_dir_all(real.join("none/data")).unwrap();
        assert_eq!(plan(&line).unwrap().0[0].0, real.join("none/data"));
    }

    #[test]
    fn faults_of_rule_files_are_told_with_their_place() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("rules");
        let line = format!("-i {} -r {}", dir.path().display(), file.display());
        let told = || plan(&line).unwrap().targets().unwrap_err().to_string();
        assert!(told().contains("rules: No such file"), "{}", told());
        fs::write(&file, "^/a 2\n^/b 9\n").unwrap();
        assert!(told().contains("line 2, column 5"), "{}", told());
        assert!(told().starts_with(&format!("rule file {}", file.display())), "{}", told());
        fs::write(&file, "^/a 2\n").unwrap();
        assert_eq!(plan(&line).unwrap().targets().unwrap()[0].rules.rules().len(), 1);
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(told().contains("no file of at most"), "{}", told());
    }
}
