//! The rules of translation: `rules.tsv`, which says at its head how it is written.

use std::sync::LazyLock;

use super::{table::version, target::Target};
use crate::version::{Flavour, Version};

/// The rules' text. A test reads every one, and others hold them against real servers.
const TEXT: &str = include_str!("rules.tsv");

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    // What is embedded never changes, and a test of this file reads it.
    parse(TEXT).expect("the embedded rules are well-formed")
});

/// The rules for a target, in the order in which they are tried.
pub(super) fn rules_for(target: &Target) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(|rule| rule.when.holds(target))
}

/// What becomes of an option in some servers.
#[derive(Debug)]
pub(super) struct Rule {
    when: When,
    pub(super) action: Action,
    /// Why, for a person; may be empty.
    pub(super) why: &'static str,
    /// Where that is known from, in the keys of `options.tsv`.
    pub(super) source: &'static str,
}

/// What a rule does.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    /// Two options become their product.
    Product { one: &'static str, many: &'static str, whole: &'static str, many_else: Option<u64> },
    /// One option becomes one of several equal parts.
    Divide { whole: &'static str, one: &'static str, many: &'static str, many_else: u64 },
    /// An option has another name, and perhaps another unit.
    Rename { from: &'static str, to: &'static str, scale: Scale },
    /// Values have other words.
    Values { option: &'static str, words: Vec<(&'static str, &'static str)> },
    /// A list loses members.
    Without { option: &'static str, members: Vec<&'static str> },
    /// An option, perhaps with one value only, becomes others.
    Become { what: Named, settings: Vec<(&'static str, &'static str)> },
    /// An option, perhaps with one value only, has no successor.
    Drop { what: Named },
}

/// What a number is multiplied by in another unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    Same,
    Times(u32),
    Per(u32),
}

/// An option, or one value of it. A star at the end stands for any end.
#[derive(Debug, PartialEq)]
pub(super) struct Named {
    pub(super) option: &'static str,
    pub(super) value: Option<&'static str>,
}

/// Some servers.
#[derive(Debug)]
struct When {
    flavours: &'static [Flavour],
    since: Option<Version>,
    before: Option<Version>,
}

impl When {
    fn parse(text: &str) -> Option<Self> {
        let end = text.find(['<', '>']).unwrap_or(text.len());
        let flavours: &'static [Flavour] = match text.get(..end)? {
            "any" => &[Flavour::MySql, Flavour::Percona, Flavour::MariaDb],
            "mysql" => &[Flavour::MySql, Flavour::Percona],
            "oracle" => &[Flavour::MySql],
            "percona" => &[Flavour::Percona],
            "mariadb" => &[Flavour::MariaDb],
            _ => return None,
        };
        let mut when = Self { flavours, since: None, before: None };
        for bound in text.get(end..)?.split(',').filter(|bound| !bound.is_empty()) {
            match bound.strip_prefix(">=") {
                Some(bound) => when.since = Some(version(bound)?),
                None => when.before = Some(version(bound.strip_prefix('<')?)?),
            }
        }
        Some(when)
    }

    fn holds(&self, target: &Target) -> bool {
        self.flavours.contains(&target.flavour)
            && self.since.is_none_or(|since| since <= target.version)
            && self.before.is_none_or(|before| target.version < before)
    }
}

impl Named {
    fn parse(text: &'static str) -> Self {
        match text.split_once('=') {
            Some((option, value)) => Self { option, value: Some(value) },
            None => Self { option: text, value: None },
        }
    }
}

/// Fits a name to a pattern; gives what the star stands for.
pub(super) fn fits<'a>(pattern: &str, name: &'a str) -> Option<&'a str> {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.strip_prefix(beginning),
        None => (pattern == name).then_some(""),
    }
}

fn parse(text: &'static str) -> Result<Vec<Rule>, String> {
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|line| rule(line).ok_or_else(|| format!("`{line}`"))).collect()
}

fn rule(line: &'static str) -> Option<Rule> {
    let fields: Vec<&'static str> = line.split('\t').collect();
    let [when, rule, option, detail, why, source] = fields[..] else { return None };
    let words: Vec<&'static str> = detail.split(' ').filter(|word| !word.is_empty()).collect();
    let pairs = || words.iter().map(|word| word.split_once('=')).collect::<Option<Vec<_>>>();
    let action = match rule {
        "product" => {
            let (one, many) = option.split_once('*')?;
            let [whole, many_else] = words[..] else { return None };
            let many_else = if many_else == "-" { None } else { Some(many_else.parse().ok()?) };
            Action::Product { one, many, whole, many_else }
        }
        "divide" => {
            let [one, many, many_else] = words[..] else { return None };
            Action::Divide { whole: option, one, many, many_else: many_else.parse().ok()? }
        }
        "rename" => {
            let (to, scale) = match words[..] {
                [to] => (to, Scale::Same),
                [to, scale] => (to, scale_of(scale)?),
                _ => return None,
            };
            Action::Rename { from: option, to, scale }
        }
        "value" => Action::Values { option, words: pairs()? },
        "without" => Action::Without { option, members: words },
        "become" => Action::Become { what: Named::parse(option), settings: pairs()? },
        "drop" if detail.is_empty() => Action::Drop { what: Named::parse(option) },
        _ => return None,
    };
    Some(Rule { when: When::parse(when)?, action, why, source })
}

fn scale_of(text: &str) -> Option<Scale> {
    match text.strip_prefix('*') {
        Some(factor) => factor.parse().ok().map(Scale::Times),
        None => text.strip_prefix('/')?.parse().ok().map(Scale::Per),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::config::table::table;

    #[test]
    fn every_rule_is_well_formed_and_speaks_of_known_options() {
        for rule in parse(TEXT).unwrap() {
            assert!(!rule.source.is_empty(), "{rule:?}");
            let names: Vec<&str> = match &rule.action {
                Action::Product { one, many, whole, .. }
                | Action::Divide { whole, one, many, .. } => vec![one, many, whole],
                Action::Rename { from, to, .. } => vec![from, to],
                Action::Values { option, .. } | Action::Without { option, .. } => vec![option],
                Action::Become { what, settings } => {
                    settings.iter().map(|(name, _)| *name).chain([what.option]).collect()
                }
                Action::Drop { what } => vec![what.option],
            };
            for name in names {
                let mut known = table().options().map(|option| option.name);
                assert!(known.any(|known| fits(name, known).is_some()), "{name}: {rule:?}");
            }
        }
    }

    #[test]
    fn a_rule_holds_for_its_versions_alone() {
        let when = When::parse("mysql>=8.0.30,<8.4.0").unwrap();
        let holds = |text: &str| when.holds(&Target::parse(text).unwrap());
        assert!(holds("mysql-8.0.30") && holds("percona-8.0.39"));
        assert!(!holds("mysql-8.0.29") && !holds("mysql-8.4.0") && !holds("mariadb-10.11"));
        assert!(When::parse("any").unwrap().holds(&Target::parse("mariadb").unwrap()));
        assert!(When::parse("tidb").is_none() && When::parse("mysql>8").is_none());
    }

    #[test]
    fn damaged_rules_are_refused() {
        for line in ["any\tdrop\ta\tb\tc\td", "any\tproduct\ta\tb 1\tc\td", "any\tfly\ta\tb\tc\td"]
        {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
