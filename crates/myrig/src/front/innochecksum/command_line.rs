//! Command lines, read as `my_getopt` of each flavour reads them: MariaDB's takes unambiguous
//! beginnings of names and goes on after a mistake, MySQL's takes whole names and ends at the
//! first.

use super::{
    options::{self, Id, Kind, Known, Settings, Value},
    value::{self, Weight},
};
use pages::{Flavour, Space};

/// What a command line came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// What is said on standard error, before anything else.
    pub(super) said: String,
    pub(super) settings: Settings,
    pub(super) wanted: Wanted,
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Look at these files.
    Files(Vec<String>),
    /// Help; with the status for a command line without a file, or with success.
    Help {
        /// No file was named.
        is_mistake: bool,
    },
    /// The version.
    Version,
    /// Nothing: the command line is wrong.
    Nothing,
}

/// Prefixes that a name may have, in the order in which they are tried.
const PREFIXES: [&str; 5] = ["skip", "disable", "enable", "maximum", "loose"];

/// Reads the words after the program's name.
pub(super) fn read(flavour: Flavour, words: &[String]) -> Reading {
    let mut reader = Reader {
        flavour,
        settings: Settings::default(),
        said: String::new(),
        wrong: false,
        wanted: None,
    };
    let mut files = Vec::new();
    let mut words = words.iter();
    while let (Some(word), None) = (words.next(), &reader.wanted) {
        match word.strip_prefix('-') {
            Some("-") => {
                files.extend(words.by_ref().cloned());
            }
            Some(rest) if !rest.is_empty() => match rest.strip_prefix('-') {
                Some(long) => reader.long(long, &mut words),
                None => reader.bundle(rest, &mut words),
            },
            _ => files.push(word.clone()),
        }
    }
    let wanted = match reader.wanted {
        Some(wanted) => wanted,
        None if reader.wrong => Wanted::Nothing,
        None if files.is_empty() => Wanted::Help { is_mistake: true },
        None => Wanted::Files(files),
    };
    Reading { said: reader.said, settings: reader.settings, wanted }
}

type Words<'a> = std::slice::Iter<'a, String>;

struct Reader {
    flavour: Flavour,
    settings: Settings,
    said: String,
    /// Something was wrong, which ends the command once all has been read.
    wrong: bool,
    wanted: Option<Wanted>,
}

/// What a name was found to mean.
enum Found {
    One(&'static Known),
    /// Beginning of several: the first and the last.
    Several(&'static str, &'static str),
    None,
}

impl Reader {
    fn say(&mut self, weight: Weight, words: &str) {
        self.said.push_str(&value::line(self.flavour, weight, words));
    }

    fn error(&mut self, words: &str) {
        self.say(Weight::Error, words);
        self.wrong = true;
        if self.flavour == Flavour::MySql {
            self.wanted = Some(Wanted::Nothing);
        }
    }

    /// What MySQL leaves out of some of its errors.
    fn program(&self) -> &'static str {
        match self.flavour {
            Flavour::MySql => "",
            Flavour::MariaDb => "innochecksum: ",
        }
    }

    fn long(&mut self, word: &str, words: &mut Words<'_>) {
        let (mut name, given) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let (mut switch, mut loose, mut prefix) = (None, false, None);
        let mut found = self.find(name);
        'prefixes: while let Found::None = found {
            for (at, candidate) in PREFIXES.into_iter().enumerate() {
                let Some(rest) = self.after_prefix(name, candidate) else { continue };
                name = rest;
                loose |= candidate == "loose";
                found = self.find(name);
                if let Found::None = found {
                    continue 'prefixes;
                }
                prefix = Some(candidate);
                let twice = given == Some("0");
                switch = match at {
                    0 | 1 => Some(twice),
                    2 => Some(!twice),
                    _ => None,
                };
                break 'prefixes;
            }
            break;
        }
        match found {
            Found::One(known) => {
                let given = switch.map(|on| if on { "1" } else { "0" }).or(given);
                self.long_option(known, given, loose, words);
            }
            Found::Several(first, last) => {
                let typed = &word[word.len() - name.len() - given.map_or(0, |v| v.len() + 1)..];
                self.ambiguous(typed, prefix, given.is_some(), first, last);
            }
            Found::None => {
                let program = self.program();
                let words = match given {
                    Some(_) => format!("{program}unknown variable '{word}'"),
                    None => format!("{program}unknown option '--{word}'"),
                };
                if loose {
                    self.say(Weight::Warning, &words);
                } else {
                    self.error(&words);
                }
            }
        }
    }

    fn ambiguous(
        &mut self,
        typed: &str,
        prefix: Option<&str>,
        with_value: bool,
        first: &str,
        last: &str,
    ) {
        if let Some(prefix) = prefix {
            let words = format!("ambiguous option '--{prefix}-{typed}' (--{prefix}-{first})");
            self.error(&format!("innochecksum: {words}"));
        }
        if prefix.is_some() && with_value {
            self.error(&format!("innochecksum: variable prefix '{typed}' is not unique"));
        } else {
            self.error(&format!("innochecksum: ambiguous option '--{typed}' ({first}, {last})"));
        }
    }

    /// The rest of a name behind a prefix and its hyphen.
    fn after_prefix<'n>(&self, name: &'n str, prefix: &str) -> Option<&'n str> {
        let (head, rest) = (name.get(..prefix.len())?, name.get(prefix.len()..)?);
        let same = match self.flavour {
            Flavour::MySql => head == prefix,
            Flavour::MariaDb => head.eq_ignore_ascii_case(prefix),
        };
        if same { rest.strip_prefix(['-', '_']) } else { None }
    }

    fn find(&mut self, name: &str) -> Found {
        let plain = |name: &str| name.replace('_', "-");
        let typed = match self.flavour {
            Flavour::MySql => plain(name),
            Flavour::MariaDb => plain(name).to_ascii_lowercase(),
        };
        let all = options::all(self.flavour);
        if let Some(known) = all.iter().find(|known| plain(known.name) == typed) {
            return Found::One(known);
        }
        if self.flavour == Flavour::MySql {
            return Found::None;
        }
        let mut with = all.iter().filter(|known| plain(known.name).starts_with(&typed));
        match (with.next(), with.next_back()) {
            (None, _) => Found::None,
            (Some(first), Some(last)) => Found::Several(first.name, last.name),
            (Some(only), None) => {
                let words = format!(
                    "Using unique option prefix '{name}' is error-prone and can break in the \
                     future. Please use the full name '{}' instead.",
                    only.name
                );
                self.say(Weight::Info, &words);
                Found::One(only)
            }
        }
    }

    fn long_option(
        &mut self,
        known: &'static Known,
        given: Option<&str>,
        loose: bool,
        words: &mut Words<'_>,
    ) {
        let name = known.name;
        match (known.kind, given) {
            (Kind::Now, None) => self.carry_out(known.id),
            (Kind::Now, Some(_)) => {
                self.error(&format!("innochecksum: option '--{name}' cannot take an argument"));
            }
            (Kind::Flag, None) => self.settings.set(known.id, Value::Flag(true)),
            (Kind::Flag, Some(text)) => match value::flag(text) {
                Some(on) => self.settings.set(known.id, Value::Flag(on)),
                None => {
                    let words = format!(
                        "innochecksum: ignoring option '--{name}' due to invalid value '{text}'"
                    );
                    self.say(Weight::Warning, &words);
                }
            },
            (_, Some(text)) => self.set(known, text, loose),
            (_, None) => match words.next() {
                Some(text) => self.set(known, text, loose),
                None => {
                    self.error(&format!("innochecksum: option '--{name}' requires an argument"));
                }
            },
        }
    }

    fn bundle(&mut self, letters: &str, words: &mut Words<'_>) {
        for (at, letter) in letters.char_indices() {
            if self.wanted.is_some() {
                return;
            }
            let all = options::all(self.flavour);
            let Some(known) = all.iter().find(|known| known.short == Some(letter)) else {
                self.error(&format!("innochecksum: unknown option '-{letter}'"));
                continue;
            };
            match known.kind {
                Kind::Now => self.carry_out(known.id),
                Kind::Flag => self.settings.set(known.id, Value::Flag(true)),
                _ => {
                    let rest = &letters[at + letter.len_utf8()..];
                    match if rest.is_empty() {
                        words.next().map(String::as_str)
                    } else {
                        Some(rest)
                    } {
                        Some(text) => self.set(known, text, false),
                        None => {
                            let words = format!("option '-{letter}' requires an argument");
                            self.error(&format!("innochecksum: {words}"));
                        }
                    }
                    return;
                }
            }
        }
    }

    fn set(&mut self, known: &Known, text: &str, loose: bool) {
        let read = value::read(self.flavour, known, text);
        self.said.extend(read.said);
        match read.value {
            Some(Value::Whole(flags)) if !self.is_possible(known.id, flags) => {
                self.said.push_str("Error: Provided --tablespace-flags is not valid.");
                self.wrong = true;
            }
            Some(value) => self.settings.set(known.id, value),
            // MariaDB's takes a number that it could not read for 0 where it lets that pass.
            None if loose && self.flavour == Flavour::MariaDb => {
                self.settings.set(known.id, Value::Whole(0));
            }
            None => {
                self.wrong = true;
                if self.flavour == Flavour::MySql {
                    self.wanted = Some(Wanted::Nothing);
                }
            }
        }
    }

    /// Whether a server writes such flags, if that is what the option is about.
    fn is_possible(&self, id: Id, flags: u64) -> bool {
        let is_unset = flags == u64::from(u32::MAX);
        id != Id::TablespaceFlags || is_unset || Space::from_flags(flags as u32, 1).is_ok()
    }

    fn carry_out(&mut self, id: Id) {
        self.wanted = Some(match id {
            Id::Version => Wanted::Version,
            _ => Wanted::Help { is_mistake: false },
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(flavour: Flavour, line: &str) -> Reading {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        read(flavour, &words)
    }

    #[test]
    fn letters_in_a_bundle_are_options_and_the_rest_is_a_value() {
        let reading = parsed(Flavour::MariaDb, "-cSs1 -e 7 f --allow-mismatches=2K g");
        let expected = Settings {
            count: true,
            summary: true,
            start_page: 1,
            end_page: Some(7),
            allow_mismatches: 2048,
            ..Settings::default()
        };
        assert_eq!((reading.settings, reading.said.as_str()), (expected, ""));
        assert_eq!(reading.wanted, Wanted::Files(vec!["f".into(), "g".into()]));
    }

    #[test]
    fn rewriting_is_not_asked_for_by_saying_that_it_is_not_wanted() {
        // The stock tool of MariaDB rewrites on --skip-write.
        let reading = parsed(Flavour::MariaDb, "--skip-write --skip-no-check f");
        assert_eq!((reading.settings.write, reading.settings.no_check), (None, false));
    }

    #[test]
    fn mysql_ends_at_the_first_mistake_and_mariadb_tells_them_all() {
        let line = "--foo -x --bar=1 f";
        assert_eq!(parsed(Flavour::MySql, line).said.lines().count(), 1);
        assert_eq!(parsed(Flavour::MariaDb, line).said.lines().count(), 3);
        for flavour in [Flavour::MySql, Flavour::MariaDb] {
            assert_eq!(parsed(flavour, line).wanted, Wanted::Nothing);
        }
    }

    /// Words that look like options of the tools, and some that do not.
    fn word() -> impl Strategy<Value = String> {
        let name = prop::sample::select(options::all(Flavour::MariaDb).to_vec());
        let long = (name, any::<prop::sample::Index>(), ".{0,4}", any::<bool>());
        prop_oneof![
            ".{0,12}",
            "-{0,3}[a-zA-Z?#]{0,5}[=0-9]{0,3}",
            "--(skip|disable|enable|maximum|loose|-)[-_=a-z]{0,8}",
            long.prop_map(|(known, end, value, valued)| {
                let end = end.index(known.name.len() + 1);
                let value = if valued { format!("={value}") } else { String::new() };
                format!("--{}{value}", &known.name[..end])
            }),
        ]
    }

    proptest! {
        #[test]
        fn any_words_are_read(words in prop::collection::vec(word(), 0..8), mysql: bool) {
            let flavour = if mysql { Flavour::MySql } else { Flavour::MariaDb };
            let reading = read(flavour, &words);
            let is_mute = reading.said.is_empty();
            prop_assert!(reading.wanted != Wanted::Nothing || !is_mute, "a mistake is told");
            if let Wanted::Files(files) = reading.wanted {
                prop_assert!(files.iter().all(|file| words.contains(file)));
            }
        }

        #[test]
        fn numbers_are_what_they_say(number: u64, spaces in " {0,2}", mysql: bool) {
            let flavour = if mysql { Flavour::MySql } else { Flavour::MariaDb };
            let words = ["-a".to_owned(), format!("{spaces}{number}"), "f".to_owned()];
            prop_assert_eq!(read(flavour, &words).settings.allow_mismatches, number);
        }
    }
}
