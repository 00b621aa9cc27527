//! What was typed: a script, a command, and options in sysbench's spelling, those of a
//! configuration file among them. Nothing is looked up in the catalog yet.

use std::{io, path::Path};

/// The words of a call, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CommandLine {
    /// Name or path of the script.
    pub(super) script: Option<String>,
    /// True when the script was given by `--test`, as for sysbench 0.5.
    pub(super) by_test_option: bool,
    /// `run` and its kin.
    pub(super) command: Option<String>,
    /// Options in the order in which they count: later ones win.
    pub(super) options: Vec<Given>,
}

/// An option as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// Its name, with underscores.
    pub(super) name: String,
    /// What follows the equals sign; none where there is no sign.
    pub(super) value: Option<String>,
    /// Where it was given, for an error: empty for the command line.
    pub(super) place: String,
}

/// Reads the words of a command line; `read_file` reads what `--config-file` names.
///
/// # Errors
/// A sentence that names the word or the file at fault. Values are never in it: one may be a
/// password.
pub(super) fn read(
    words: &[String],
    read_file: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
) -> Result<CommandLine, String> {
    let mut line = CommandLine::default();
    for word in words {
        let Some(option) = word.strip_prefix("--") else {
            line.take_word(word)?;
            continue;
        };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, None),
        };
        match (name.replace('-', "_").as_str(), value) {
            ("test", Some(script)) => {
                (line.script, line.by_test_option) = (Some(script), true);
            }
            ("test", None) => return Err("--test needs the name of a script: --test=NAME".into()),
            ("config_file", Some(path)) => {
                let bytes = read_file(Path::new(&path))
                    .map_err(|error| format!("--config-file {path}: {error}"))?;
                line.options.extend(config_file(&path, &bytes)?);
            }
            ("config_file", None) => {
                return Err("--config-file needs the name of a file: --config-file=FILE".into());
            }
            (name, value) => {
                let place = String::new();
                line.options.push(Given { name: name.to_owned(), value, place });
            }
        }
    }
    line.settle_words();
    Ok(line)
}

impl CommandLine {
    fn take_word(&mut self, word: &str) -> Result<(), String> {
        if self.script.is_none() {
            self.script = Some(word.to_owned());
        } else if self.command.is_none() {
            self.command = Some(word.to_owned());
        } else {
            return Err(format!("unrecognized command line argument: {word}"));
        }
        Ok(())
    }

    /// With `--test` behind the command, the command was taken for the script and overwritten:
    /// 0.5 knows no other word than the command.
    fn settle_words(&mut self) {
        if self.command.is_none() && !self.by_test_option {
            // `sysbench help` names no script.
            self.command = self.script.take_if(|word| word == "help" || word == "version");
        }
    }
}

/// Reads `name = value` lines; `#` begins a comment, quotes keep what is between them.
fn config_file(path: &str, bytes: &[u8]) -> Result<Vec<Given>, String> {
    let mut options = Vec::new();
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
        let place = format!("{path} line {number}");
        let line = std::str::from_utf8(line)
            .map_err(|_| format!("--config-file {place}: this is not UTF-8 text"))?
            .trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            return Err(format!("--config-file {place}: write NAME=VALUE"));
        };
        let name = name.trim().trim_start_matches("--").replace('-', "_");
        if name.is_empty() {
            return Err(format!("--config-file {place}: there is no name before the `=`"));
        }
        if name == "config_file" || name == "test" {
            return Err(format!("--config-file {place}: {name} belongs on the command line"));
        }
        let value = unquoted(value).ok_or_else(|| {
            format!("--config-file {place}: a quotation mark is open at the line's end")
        })?;
        options.push(Given { name, value: Some(value), place });
    }
    Ok(options)
}

/// A value without its quotes, blanks and comment; a list keeps its commas.
fn unquoted(text: &str) -> Option<String> {
    let mut value = String::new();
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => value.push(c),
            (None, '\'' | '"') => quote = Some(c),
            (None, '#') => break,
            (None, c) if c.is_whitespace() => {}
            (None, c) => value.push(c),
        }
    }
    quote.is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn no_file(_: &Path) -> io::Result<Vec<u8>> {
        Err(io::Error::other("no such file"))
    }

    fn split(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn parsed(line: &str) -> Result<CommandLine, String> {
        read(&split(line), &no_file)
    }

    fn with_file(line: &str, file: &[u8]) -> Result<CommandLine, String> {
        read(&split(line), &|_| Ok(file.to_vec()))
    }

    fn pairs(line: &CommandLine) -> Vec<(&str, Option<&str>)> {
        line.options.iter().map(|given| (given.name.as_str(), given.value.as_deref())).collect()
    }

    #[test]
    fn the_words_of_1_0_are_script_and_command() {
        let line = parsed("oltp_read_write --tables=4 --mysql-ssl --table_size=9 run").unwrap();
        assert_eq!(line.script.as_deref(), Some("oltp_read_write"));
        assert_eq!(line.command.as_deref(), Some("run"));
        let expected = [("tables", Some("4")), ("mysql_ssl", None), ("table_size", Some("9"))];
        assert_eq!(pairs(&line), expected);
        assert!(!line.by_test_option);
    }

    #[test]
    fn the_word_of_0_5_is_the_command_wherever_the_test_option_stands() {
        for text in
            ["--test=a/oltp.lua --num-threads=3 run", "--num-threads=3 --test=a/oltp.lua run"]
        {
            let line = parsed(text).unwrap();
            assert_eq!(line.script.as_deref(), Some("a/oltp.lua"));
            assert_eq!(line.command.as_deref(), Some("run"));
            assert!(line.by_test_option);
        }
    }

    #[test]
    fn a_third_word_and_options_without_their_value_are_refused() {
        for (text, word) in [
            ("oltp_insert run more", "more"),
            ("--test run", "--test"),
            ("--config-file", "--config-file"),
            ("--config-file=gone", "gone"),
        ] {
            assert!(parsed(text).unwrap_err().contains(word), "{text}");
        }
    }

    #[test]
    fn a_configuration_file_counts_where_it_stands() {
        let file = b"# mine\ntable-size = 5 # rows\n\nmysql-host='a b',c\n  mysql_user=\"#1\"\n";
        let line = with_file("--tables=2 --config-file=f x run --tables=3", file).unwrap();
        let expected = [
            ("tables", Some("2")),
            ("table_size", Some("5")),
            ("mysql_host", Some("a b,c")),
            ("mysql_user", Some("#1")),
            ("tables", Some("3")),
        ];
        assert_eq!(pairs(&line), expected);
        assert_eq!(line.options[1].place, "f line 2");
    }

    #[test]
    fn a_bad_configuration_file_is_refused_by_its_line() {
        for (file, word) in [
            (&b"a=1\nrubbish"[..], "line 2"),
            (b"=1", "line 1"),
            (b"a='1", "quotation"),
            (b"a=\xff", "UTF-8"),
            (b"config-file=b", "config_file"),
        ] {
            assert!(with_file("--config-file=f", file).unwrap_err().contains(word), "{word}");
        }
    }

    proptest! {
        #[test]
        fn any_words_and_any_file_give_an_answer(
            words in proptest::collection::vec(".{0,20}", 0..6),
            file: Vec<u8>,
        ) {
            let mut words = words;
            words.push("--config-file=f".into());
            let _answer = read(&words, &|_| Ok(file.clone()));
        }

        #[test]
        fn quoted_values_are_kept_as_they_are(value in "[^'\n\"]{0,30}") {
            let line = with_file("--config-file=f", format!("a='{value}'").as_bytes()).unwrap();
            prop_assert_eq!(line.options[0].value.as_deref(), Some(value.as_str()));
        }
    }
}
