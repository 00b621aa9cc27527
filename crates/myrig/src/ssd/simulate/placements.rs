//! `--placement`: how writes choose their stream.

use crate::failure::Failure;
use anyhow::Context;
use flash::placement::{NVME_STREAMS, Placement};
use std::{
    fs,
    path::{Path, PathBuf},
};
use streams::{Builtin, Lifetime, Rules};

/// A way to choose streams, and what it is called.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) placement: Placement,
}

impl Named {
    /// What it is called in a table: a set without its directories, a file without its own.
    pub(super) fn short(&self) -> &str {
        let set = self.name.split_once(':').map(|(set, _)| set);
        let set = set.filter(|set| Builtin::from_name(set).is_some());
        let file = || Path::new(&self.name).file_name()?.to_str();
        set.or_else(file).unwrap_or(&self.name)
    }
}

/// All that are asked for; without any, hints ignored and, where there are any, honoured. `files`
/// are the paths of a trace by their numbers, none of a load.
pub(super) fn asked(
    words: &[String],
    has_hints: bool,
    files: Option<&[PathBuf]>,
) -> Result<Vec<Named>, Failure> {
    or_default(words, has_hints).iter().map(|word| named(word, files)).collect()
}

/// The same for a device that is watched, with the rules of those that go by the names of files.
pub(super) fn live(
    words: &[String],
    has_hints: bool,
) -> Result<Vec<(Named, Option<Rules>)>, Failure> {
    let one = |word: &String| {
        if matches!(word.as_str(), "none" | "hints") || mapping(word).is_some() {
            return Ok((named(word, None)?, None));
        }
        // Files are told to the drives when they are seen.
        let placement = Placement::Files(vec![0]);
        Ok((Named { name: word.clone(), placement }, Some(rules(word)?)))
    };
    or_default(words, has_hints).iter().map(one).collect()
}

fn or_default(words: &[String], has_hints: bool) -> Vec<String> {
    match words {
        [] if has_hints => vec!["none".to_owned(), "hints".to_owned()],
        [] => vec!["none".to_owned()],
        words => words.to_vec(),
    }
}

fn named(word: &str, files: Option<&[PathBuf]>) -> Result<Named, Failure> {
    let placement = match word {
        "none" => Placement::Ignored,
        "hints" => Placement::nvme(),
        _ => match mapping(word) {
            Some(mapping) => Placement::Hints(mapping?),
            None => by_rules(&rules(word)?, word, files)?,
        },
    };
    Ok(Named { name: word.to_owned(), placement })
}

/// `2=1,3=1`: streams of hints; none if the word is nothing of the kind.
fn mapping(word: &str) -> Option<Result<[u8; 6], Failure>> {
    let is_mapping =
        word.contains('=') && word.chars().all(|c| c.is_ascii_digit() || "=,".contains(c));
    is_mapping.then(|| {
        let refuse = || {
            Failure::usage(format!(
                "--placement {word}: write HINT=STREAM, hints from 0 to 5 and streams from 0 to 63"
            ))
        };
        let mut streams = [0; 6];
        for pair in word.split(',') {
            let (hint, stream) = pair.split_once('=').ok_or_else(refuse)?;
            let hint: usize = hint.parse().map_err(|_| refuse())?;
            let stream = stream.parse().ok().filter(|stream| *stream < 64).ok_or_else(refuse)?;
            *streams.get_mut(hint).ok_or_else(refuse)? = stream;
        }
        Ok(streams)
    })
}

/// The built-in sets for the data directories that files of a trace lie in: those published with
/// astream, and those for the server that it seems to be.
pub(super) fn published(files: &[PathBuf]) -> Vec<String> {
    let is = |path: &Path, name: &str| path.file_name().is_some_and(|file| file == name);
    let mut dirs: Vec<&str> = files
        .iter()
        .filter(|path| is(path, "ibdata1"))
        .filter_map(|path| path.parent()?.to_str())
        .filter(|dir| !dir.contains(','))
        .collect();
    dirs.sort_unstable();
    dirs.dedup();
    let has = |part: &str| files.iter().any(|path| path.to_string_lossy().contains(part));
    let own = match () {
        () if has("/#innodb_redo/") => Builtin::MySql8030,
        () if has("dblwr") => Builtin::MySql8020,
        () => Builtin::MariaDb,
    };
    let sets = if dirs.is_empty() { Vec::new() } else { vec![Builtin::Astream, own] };
    sets.iter().map(|set| format!("{}:{}", set.name(), dirs.join(","))).collect()
}

/// A rule file, or a built-in set for one directory or for several.
fn rules(word: &str) -> Result<Rules, Failure> {
    if let Some((set, dirs)) = word.split_once(':')
        && let Some(set) = Builtin::from_name(set)
    {
        let refused =
            |error: &dyn std::error::Error| Failure::usage(format!("--placement {word}: {error}"));
        let mut text = String::new();
        for dir in dirs.split(',') {
            text += &set.text(Path::new(dir)).map_err(|error| refused(&error))?;
            // A set does not end its last line.
            text += "\n";
        }
        return Rules::parse(&text).map_err(|error| refused(&error));
    }
    let text = fs::read_to_string(word).with_context(|| {
        format!(
            "--placement {word}: neither none, hints, a mapping (2=1,3=2), a built-in set with its \
             directory (mariadb:/var/lib/mysql), nor a rule file that can be read"
        )
    })?;
    Rules::parse(&text).map_err(|error| Failure::usage(format!("--placement {word}: {error}")))
}

/// Streams of files as if a daemon had set the hints of these rules on them.
pub(super) fn by_rules(
    rules: &Rules,
    word: &str,
    files: Option<&[PathBuf]>,
) -> Result<Placement, Failure> {
    let Some(files) = files else {
        return Err(Failure::usage(format!(
            "--placement {word}: rules need the names of files, which a made-up load has not; \
             simulate a trace, or a device while it is written (--live)"
        )));
    };
    let stream = |path: &PathBuf| stream(rules, path);
    // Number 0 is no file: no rule can mean it, whatever it matches.
    let named = files.iter().skip(1).map(stream);
    Ok(Placement::Files([0].into_iter().chain(named).collect()))
}

/// The stream of a file if a daemon had set the hints of these rules.
pub(super) fn stream(rules: &Rules, path: &Path) -> u8 {
    let lifetime = rules.lifetime(path).unwrap_or(Lifetime::NotSet);
    NVME_STREAMS.get(usize::from(lifetime.number())).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn hints_are_compared_where_there_are_any() {
        let names = |has_hints| -> Vec<String> {
            asked(&[], has_hints, None).unwrap().into_iter().map(|named| named.name).collect()
        };
        assert_eq!(names(true), ["none", "hints"]);
        assert_eq!(names(false), ["none"]);
    }

    #[test]
    fn a_mapping_is_of_hints_to_streams() {
        let asked = asked(&["2=1,4=7".to_owned()], false, None).unwrap();
        assert_eq!(asked[0].placement, Placement::Hints([0, 0, 1, 0, 7, 0]));
        for word in ["6=1", "2=64", "2=", "=", "2=1,", "2=1=1"] {
            assert!(named(word, None).is_err(), "{word}");
        }
    }

    #[test]
    fn rules_are_of_files_as_the_daemon_would_hint_them() {
        let files = ["", "/d/ib_logfile0", "/d/t/a.ibd"].map(PathBuf::from);
        let rules = Rules::parse("ib_logfile 2\n. 5\n").unwrap();
        let placement = by_rules(&rules, "x", Some(&files)).unwrap();
        assert_eq!(placement, Placement::Files(vec![0, 1, 4]));
        let builtin = named("astream:/other,/d", Some(&files)).unwrap();
        assert_eq!(builtin.placement, Placement::Files(vec![0, 1, 0]));
        assert_eq!(builtin.short(), "astream");
        assert!(by_rules(&rules, "x", None).is_err());
        assert!(named("no-such-file", Some(&files)).is_err());
        let set = |name: &str| Named { name: name.into(), placement: Placement::Ignored };
        assert_eq!(set("/etc/x/my.rules").short(), "my.rules");
        assert_eq!(set("2=1,3=1").short(), "2=1,3=1");
    }

    #[test]
    fn a_device_that_is_watched_has_rules_and_their_files_come_later() {
        let words = ["hints", "2=1", "astream:/d"].map(str::to_owned);
        let asked = live(&words, true).unwrap();
        let has_rules: Vec<bool> = asked.iter().map(|(_, rules)| rules.is_some()).collect();
        assert_eq!(has_rules, [false, false, true]);
        let (named, rules) = &asked[2];
        assert_eq!(named.placement, Placement::Files(vec![0]));
        let rules = rules.as_ref().unwrap();
        assert_eq!(stream(rules, Path::new("/d/ib_logfile0")), 1);
        assert_eq!(stream(rules, Path::new("/other/ib_logfile0")), 0);
        assert!(live(&["no-such-file".to_owned()], true).is_err());
        assert_eq!(live(&[], false).unwrap().len(), 1);
    }

    #[test]
    fn sets_are_found_for_the_data_directories_of_a_trace() {
        let files = |names: &[&str]| -> Vec<PathBuf> { names.iter().map(PathBuf::from).collect() };
        let mysql = files(&["", "/b/ibdata1", "/b/#innodb_redo/#ib_redo1", "/a/ibdata1"]);
        assert_eq!(published(&mysql), ["astream:/a,/b", "mysql:/a,/b"]);
        assert_eq!(published(&files(&["", "/a/ibdata1"])), ["astream:/a", "mariadb:/a"]);
        assert_eq!(published(&files(&["", "/a/t.ibd"])), [""; 0]);
    }
}
