//! astream's command line, read as `getopt_long` reads it: options and other words in any order,
//! `-l2` and `-l 2`, `--log_level=2`, beginnings of long names. Both `-i` and `-r` take all words
//! up to the next option.

use crate::args::LogLevelArg;
use std::path::PathBuf;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A daemon.
    Start {
        /// Directories to watch.
        directories: Vec<PathBuf>,
        /// A rule file for each of them.
        rules: Vec<PathBuf>,
        /// What is logged.
        level: LogLevelArg,
    },
    /// The daemon is to end.
    Stop,
    /// Help.
    Help,
}

/// What is wrong with a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    /// What is said; nothing where only the usage is shown.
    pub(super) words: String,
    /// Whether the usage follows.
    pub(super) usage: bool,
}

/// The usage, as astream prints it.
pub(super) const USAGE: &str = "\
usage: astream [options]
options:
    -i|--inotify_directory <dir path>   one or more monitored directories
    -r|--rule_file <file path>          one or more rule files
    -l|--log_level <log level>          set the global log level
    -h|--help                           show the usage of astream
    stop                                stop the astream stop normally
";

/// What the levels are called, as astream lists them.
const LEVELS: &str = "\
[1] for debug level
[2] for info level
[3] for warning level
[4] for error level";

const LONG: [(&str, char); 4] =
    [("inotify_directory", 'i'), ("rule_file", 'r'), ("help", 'h'), ("log_level", 'l')];

/// Reads the words after the program's name.
pub(super) fn read(words: &[String]) -> Result<Wanted, Mistake> {
    match words {
        [] => return Err(Mistake { words: String::new(), usage: true }),
        [word] if word == "stop" => return Ok(Wanted::Stop),
        _ => {}
    }
    let mut line = Line::default();
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        if let Some(long) = word.strip_prefix("--").filter(|long| !long.is_empty()) {
            let (name, given) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let letter = known(name)?;
            line.option(letter, given, &mut rest)?;
        } else if let Some(bundle) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            line.bundle(bundle, &mut rest)?;
        } else {
            line.strangers = true;
        }
    }
    line.wanted()
}

#[derive(Debug, Default)]
struct Line {
    directories: Vec<PathBuf>,
    rules: Vec<PathBuf>,
    level: Option<LogLevelArg>,
    help: bool,
    strangers: bool,
}

impl Line {
    /// Short options behind one hyphen, the last perhaps with its value.
    fn bundle(&mut self, bundle: &str, rest: &mut &[String]) -> Result<(), Mistake> {
        let mut letters = bundle.chars();
        while let Some(letter) = letters.next() {
            match letter {
                'h' => self.help = true,
                'i' | 'r' | 'l' => {
                    let value = Some(letters.as_str()).filter(|value| !value.is_empty());
                    return self.option(letter, value, rest);
                }
                _ => return Err(mistake(&format!("astream: invalid option -- '{letter}'"))),
            }
        }
        Ok(())
    }

    /// An option, with the value that stands with it or the words behind.
    fn option(
        &mut self,
        letter: char,
        given: Option<&str>,
        rest: &mut &[String],
    ) -> Result<(), Mistake> {
        if letter == 'h' {
            self.help = true;
            return Ok(());
        }
        let mut values: Vec<String> = given.map(str::to_owned).into_iter().collect();
        if values.is_empty() {
            // The first is taken whatever it looks like.
            let Some((first, after)) = rest.split_first() else {
                let words = format!("astream: option requires an argument -- '{letter}'");
                return Err(mistake(&words));
            };
            values.push(first.clone());
            *rest = after;
        }
        if letter == 'l' {
            self.level = Some(level(&values[0])?);
            return Ok(());
        }
        let more = rest.iter().take_while(|word| !word.starts_with('-')).count();
        values.extend(rest[..more].iter().cloned());
        *rest = &rest[more..];
        let into = if letter == 'i' { &mut self.directories } else { &mut self.rules };
        into.extend(values.into_iter().map(PathBuf::from));
        Ok(())
    }

    fn wanted(self) -> Result<Wanted, Mistake> {
        let Self { directories, rules, level, help, strangers } = self;
        let has_any = !directories.is_empty() || !rules.is_empty() || level.is_some();
        match () {
            () if help && !has_any && !strangers => Ok(Wanted::Help),
            () if help || strangers => Err(mistake("warning: useless parameters passed in")),
            () if directories.is_empty() || rules.is_empty() => {
                Err(mistake("warning: -r and -i options are required"))
            }
            () if directories.len() != rules.len() => Err(mistake(
                "error: please input one pair of monitored directory and its matching rule file \
                 or more",
            )),
            () => {
                let level = level.unwrap_or(LogLevelArg::Info);
                Ok(Wanted::Start { directories, rules, level })
            }
        }
    }
}

fn mistake(words: &str) -> Mistake {
    Mistake { words: words.to_owned(), usage: true }
}

/// The letter of a long name or of the beginning of one.
fn known(name: &str) -> Result<char, Mistake> {
    let mut found = LONG.iter().filter(|(known, _)| known.starts_with(name));
    match (found.next(), found.next()) {
        (Some((_, letter)), None) => Ok(*letter),
        _ => Err(mistake(&format!("astream: unrecognized option '--{name}'"))),
    }
}

fn level(text: &str) -> Result<LogLevelArg, Mistake> {
    match text {
        "1" => Ok(LogLevelArg::Debug),
        "2" => Ok(LogLevelArg::Info),
        "3" => Ok(LogLevelArg::Warn),
        "4" => Ok(LogLevelArg::Error),
        _ => Err(Mistake { words: format!("error: invalid log level\n{LEVELS}"), usage: false }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn reading(line: &str) -> Result<Wanted, Mistake> {
        read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    fn start(directories: &[&str], rules: &[&str], level: LogLevelArg) -> Wanted {
        let paths = |words: &[&str]| words.iter().map(PathBuf::from).collect();
        Wanted::Start { directories: paths(directories), rules: paths(rules), level }
    }

    #[test]
    fn the_published_command_lines_are_understood() {
        let one = start(&["/d1"], &["r1"], LogLevelArg::Info);
        assert_eq!(reading("-i /d1 -r r1"), Ok(one.clone()));
        assert_eq!(reading("-r r1 -i /d1 -l 2"), Ok(one));
        let two = start(&["/d1", "/d2"], &["r1", "r2"], LogLevelArg::Debug);
        assert_eq!(reading("-i /d1 /d2 -r r1 r2 -l1"), Ok(two.clone()));
        assert_eq!(reading("-l 1 -i /d1 -i /d2 -rr1 r2"), Ok(two.clone()));
        let long = "--inotify_directory=/d1 /d2 --rule_file r1 r2 --log_level=1";
        assert_eq!(reading(long), Ok(two.clone()));
        assert_eq!(reading("--ino /d1 /d2 --rule r1 r2 --log 1"), Ok(two));
        assert_eq!(reading("stop"), Ok(Wanted::Stop));
        assert_eq!(reading("-h"), Ok(Wanted::Help));
        assert_eq!(reading("--help"), Ok(Wanted::Help));
    }

    #[test]
    fn mistakes_are_told_in_astreams_words() {
        for (line, words, usage) in [
            ("", "", true),
            ("-i /d1 -r r1 -r r2", "please input one pair", true),
            ("-i /d1", "-r and -i options are required", true),
            ("-l 1", "-r and -i options are required", true),
            ("-i /d1 -r r1 -l 5", "invalid log level", false),
            ("-i /d1 -r r1 -l 0", "[1] for debug level", false),
            ("stop now", "useless parameters", true),
            ("-h -l 1", "useless parameters", true),
            ("-x", "invalid option -- 'x'", true),
            ("-i", "requires an argument -- 'i'", true),
            ("--nonsense", "unrecognized option '--nonsense'", true),
        ] {
            let mistake = reading(line).unwrap_err();
            assert!(mistake.words.contains(words), "{line}: {mistake:?}");
            assert_eq!(mistake.usage, usage, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_words_are_a_panic(words in prop::collection::vec("[-=irlhx1 a]{0,5}|.{0,3}", 0..8)) {
            let _read = read(&words);
        }
    }
}
