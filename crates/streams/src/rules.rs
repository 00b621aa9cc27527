//! Rules that give files a lifetime.
//!
//! A rule file has one rule a line:
//! ```text
//! # The redo log is a ring: what is written is overwritten when it comes round again.
//! ^/data/mysql/#innodb_redo/  short
//! ^/data/mysql/ibdata1$       3
//! ```
//! - The pattern is a POSIX extended regular expression. It is looked for anywhere in the absolute
//!   path of a file, symbolic links of its directory resolved; `^` and `$` bind it to the ends.
//! - The last word is the stream: a number of the kernel's from 0 to 5, or the name of its lifetime
//!   (`not-set`, `none`, `short`, `medium`, `long`, `extreme`). Streams of astream's rule files are
//!   those numbers. Blanks before it are no part of the pattern; blanks inside a pattern are.
//! - The first rule that matches decides. A rule with stream 0 keeps later ones off its files.
//! - Blank lines mean nothing, nor do lines whose first character is `#`. Elsewhere in a line `#`
//!   is part of the pattern; a pattern that begins with one is written `[#]` or `\#`.

use std::{fmt, os::unix::ffi::OsStrExt, path::Path};

use regex::bytes::{RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Serialize;

use crate::{Lifetime, ere};

/// Most memory that a compiled rule may take.
const RULE_BYTES_MAX: usize = 1 << 20;
/// Most memory that all of them together may take.
const RULES_BYTES_MAX: usize = 8 << 20;
/// How many faults of a file are written out.
const FAULTS_SHOWN: usize = 20;

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Line of its file, from 1.
    pub line: usize,
    /// The expression as it was written.
    pub pattern: String,
    /// What its files get.
    pub lifetime: Lifetime,
}

/// Rules in their order, compiled.
#[derive(Clone, Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    set: RegexSet,
}

/// One thing that is wrong with a rule file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Line, from 1.
    pub line: usize,
    /// Character of the line, from 1.
    pub column: usize,
    /// What is wrong, and the way out.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

/// A rule file that cannot be used: everything that is wrong with it, by line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct RulesError {
    /// At least one.
    pub faults: Vec<Fault>,
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.faults.iter().take(FAULTS_SHOWN).enumerate() {
            write!(f, "{}{fault}", if at > 0 { "\n" } else { "" })?;
        }
        match self.faults.len().saturating_sub(FAULTS_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl Rules {
    /// Reads the text of a rule file. No rules at all are fine: nothing gets a hint then.
    ///
    /// # Errors
    /// All faults of all lines.
    pub fn parse(text: &str) -> Result<Self, RulesError> {
        let mut rules = Vec::new();
        let mut patterns = Vec::new();
        let mut faults = Vec::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in (1..).zip(text.lines()) {
            match parse_line(number, line) {
                None => {}
                Some(Ok((rule, pattern))) => {
                    rules.push(rule);
                    patterns.push(pattern);
                }
                Some(Err(found)) => faults.extend(found),
            }
        }
        if !faults.is_empty() {
            return Err(RulesError { faults });
        }
        let mut builder = RegexSetBuilder::new(&patterns);
        builder.unicode(false).dot_matches_new_line(true).size_limit(RULES_BYTES_MAX);
        let set = builder.build().map_err(|_| RulesError {
            faults: vec![Fault {
                line: rules.last().map_or(1, |rule| rule.line),
                column: 1,
                what: "the rules are too large together; use fewer or smaller repetitions".into(),
            }],
        })?;
        Ok(Self { rules, set })
    }

    /// The rules, in their order.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule that decides about a file.
    #[must_use]
    pub fn rule(&self, path: &Path) -> Option<&Rule> {
        self.decide(path.as_os_str().as_bytes())
    }

    /// What a file gets, if any rule matches its absolute path.
    #[must_use]
    pub fn lifetime(&self, path: &Path) -> Option<Lifetime> {
        self.rule(path).map(|rule| rule.lifetime)
    }

    pub(crate) fn decide(&self, path: &[u8]) -> Option<&Rule> {
        self.set.matches(path).iter().next().map(|first| &self.rules[first])
    }
}

/// A rule with its translated pattern; nothing of a line that says nothing.
fn parse_line(number: usize, line: &str) -> Option<Result<(Rule, String), Vec<Fault>>> {
    let rest = line.trim_start();
    if rest.is_empty() || rest.starts_with('#') {
        return None;
    }
    let begin = line.chars().count() - rest.chars().count() + 1;
    let rest = rest.trim_end();
    let fault = |offset: usize, what: String| Fault { line: number, column: begin + offset, what };
    let Some((pattern, word)) = rest.rsplit_once([' ', '\t']) else {
        let at = rest.chars().count();
        let what = format!("the stream is missing; after the pattern stands {}", streams());
        return Some(Err(vec![fault(at, what)]));
    };
    let word_at = pattern.chars().count() + 1;
    let pattern = pattern.trim_end();
    let mut faults = Vec::new();
    let translated = ere::translate(pattern)
        .map_err(|error| fault(error.at, error.what))
        .and_then(|translated| compiles(&translated).map_err(|what| fault(0, what)))
        .map_err(|found| faults.push(found));
    let lifetime = parse_stream(word).map_err(|what| faults.push(fault(word_at, what)));
    Some(match (translated, lifetime) {
        (Ok(translated), Ok(lifetime)) => {
            Ok((Rule { line: number, pattern: pattern.to_owned(), lifetime }, translated))
        }
        _ => Err(faults),
    })
}

fn compiles(translated: &str) -> Result<String, String> {
    let mut builder = RegexBuilder::new(translated);
    builder.unicode(false).dot_matches_new_line(true).size_limit(RULE_BYTES_MAX);
    match builder.build() {
        Ok(_) => Ok(translated.to_owned()),
        Err(_) => Err("the pattern is too large; use fewer or smaller repetitions".into()),
    }
}

fn parse_stream(word: &str) -> Result<Lifetime, String> {
    let is_number =
        word.strip_prefix(['-', '+']).unwrap_or(word).bytes().all(|c| c.is_ascii_digit());
    if !is_number {
        let not = || format!("`{word}` is no stream; write {}", streams());
        return Lifetime::from_name(word).ok_or_else(not);
    }
    let out_of_range = || format!("stream {word} is out of range; write {}", streams());
    word.parse().ok().and_then(Lifetime::from_number).ok_or_else(out_of_range)
}

fn streams() -> String {
    let names = Lifetime::ALL.map(Lifetime::name).join(", ");
    format!("a number from 0 to 5 or one of {names}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    const PUBLISHED: &str = "^/data/mysql/data/ib_logfile 2\n^/data/mysql/data/ibdata1$ 3\n\
                             ^/data/mysql/data/undo 4\n^/data/mysql/data/mysql-bin 5\n";

    fn lifetime(rules: &Rules, path: &str) -> Option<Lifetime> {
        rules.lifetime(Path::new(path))
    }

    #[test]
    fn the_published_rules_are_rules() {
        let rules = Rules::parse(PUBLISHED).unwrap();
        let data = |name: &str| lifetime(&rules, &format!("/data/mysql/data/{name}"));
        assert_eq!(data("ib_logfile0"), Some(Lifetime::Short));
        assert_eq!(data("ibdata1"), Some(Lifetime::Medium));
        assert_eq!(data("ibdata10"), None);
        assert_eq!(data("undo_001"), Some(Lifetime::Long));
        assert_eq!(data("mysql-bin.000001"), Some(Lifetime::Extreme));
        assert_eq!(lifetime(&rules, "/mnt/data/mysql/data/undo_001"), None);
    }

    #[test]
    fn comments_blank_lines_names_and_the_first_match() {
        let text = "\u{feff}# redo\r\n\r\n   # indented\n  ^/d/#innodb_redo/\t short \n\
                    [#]x 0\n\\#y none\nwith blank  inside 5\n/x +3\n. 2\n";
        let rules = Rules::parse(text).unwrap();
        let lines: Vec<usize> = rules.rules().iter().map(|rule| rule.line).collect();
        assert_eq!(lines, [4, 5, 6, 7, 8, 9]);
        assert_eq!(rules.rules()[3].pattern, "with blank  inside");
        assert_eq!(lifetime(&rules, "/d/#innodb_redo/#ib_redo0"), Some(Lifetime::Short));
        assert_eq!(lifetime(&rules, "/d/#x"), Some(Lifetime::NotSet));
        assert_eq!(lifetime(&rules, "/x"), Some(Lifetime::Medium));
        assert_eq!(lifetime(&rules, "/else"), Some(Lifetime::Short));
        assert_eq!(Rules::parse("# nothing\n").unwrap().lifetime(Path::new("/x")), None);
    }

    #[test]
    fn every_fault_of_a_file_is_told_with_its_place() {
        let text =
            "^/ok 2\n^/a(b 2\n  ^/missing\n^/c 6\n^/d -1\n^/e shrot\n\\d wrong\n\n^/f 2 # no\n";
        let error = Rules::parse(text).unwrap_err();
        let places: Vec<(usize, usize)> =
            error.faults.iter().map(|fault| (fault.line, fault.column)).collect();
        assert_eq!(places, [(2, 4), (3, 12), (4, 5), (5, 5), (6, 5), (7, 1), (7, 4), (9, 9)]);
        let told = error.to_string();
        for word in ["line 4, column 5: stream 6 is out of range", "`shrot`", "0 to 5", "[0-9]"] {
            assert!(told.contains(word), "{word} in {told}");
        }
        let error = Rules::parse(&"x\n".repeat(30)).unwrap_err().to_string();
        assert_eq!(error.lines().count(), 21);
        assert!(error.ends_with("and 10 more"));
    }

    #[test]
    fn a_rule_that_would_eat_memory_is_refused() {
        let error = Rules::parse("/ok 2\n(((a{255}){255}){255}){255} 2\n").unwrap_err();
        assert_eq!((error.faults[0].line, error.faults[0].column), (2, 1));
        assert!(error.to_string().contains("too large"), "{error}");
        let large = "((a|bc|def|ghij){250}x){2}";
        assert!(Rules::parse(&format!("{large} 2\n")).is_ok());
        let error = Rules::parse(&format!("{large} 2\n").repeat(40)).unwrap_err();
        assert!(error.to_string().contains("too large together"), "{error}");
    }

    #[test]
    fn names_that_are_no_text_match_by_their_bytes() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        let rules = Rules::parse("^/d/.b$ 2\n^/d/é 3").unwrap();
        assert_eq!(
            rules.lifetime(Path::new(OsStr::from_bytes(b"/d/\xffb"))),
            Some(Lifetime::Short)
        );
        assert_eq!(lifetime(&rules, "/d/é"), Some(Lifetime::Medium));
    }

    proptest! {
        #[test]
        fn nothing_panics_and_every_fault_has_a_place_in_the_text(text in any::<String>()) {
            if let Err(error) = Rules::parse(&text) {
                for fault in error.faults {
                    let line = text.lines().nth(fault.line - 1).unwrap();
                    prop_assert!((1..=line.chars().count() + 1).contains(&fault.column));
                }
            }
        }

        #[test]
        fn the_first_rule_that_matches_alone_decides(
            lines in proptest::collection::vec(("[ab/.]{1,3}", 0_u64..6), 1..6),
            path in "/[ab/]{0,6}"
        ) {
            let text = |(pattern, stream): &(String, u64)| format!("{pattern} {stream}\n");
            let all = Rules::parse(&lines.iter().map(text).collect::<String>()).unwrap();
            let single = lines.iter().find_map(|line| {
                Rules::parse(&text(line)).unwrap().lifetime(Path::new(&path))
            });
            prop_assert_eq!(all.lifetime(Path::new(&path)), single);
        }
    }
}
