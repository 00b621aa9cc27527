//! Rules at work on the settings that were given.

use super::{
    error::ConfigError,
    fate::{Fate, FateKind},
    given::Given,
    kind::{Kind, format_size, parse_size},
    names::{Meaning, meaning},
    rules::{Action, Named, Rule, Scale, fits},
    table::{KnownOption, table},
    target::Target,
    translation::{Setting, SettingValue},
};

/// A setting on its way to the target.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) given: Given,
    /// The option that was meant.
    pub(super) option: String,
    /// What it has become so far.
    pub(super) settings: Vec<Setting>,
    pub(super) kind: FateKind,
    why: Vec<String>,
    source: Option<String>,
    /// True for what the table cannot judge: options of plugins, and what nobody knows.
    is_foreign: bool,
}

impl Draft {
    /// A setting as it was given, its name and its value understood.
    pub(super) fn of(given: &Given) -> Result<Self, ConfigError> {
        let bare = || match &given.value {
            Some(value) => SettingValue::Text(value.clone()),
            None => SettingValue::Bare,
        };
        let (option, value, why, is_foreign) = match meaning(given)? {
            Meaning::Known { option, value, spelt } => {
                (option.name.to_owned(), value, Vec::from_iter(spelt), false)
            }
            Meaning::OfPlugin(name, plugin) => {
                let why = format!("of the plugin {plugin}: known once that is loaded");
                (name, bare(), vec![why], true)
            }
            Meaning::Loose(name) => {
                (name, bare(), vec!["no version knows it; loose- lets it pass".to_owned()], true)
            }
        };
        let settings = vec![Setting { name: option.clone(), value }];
        let (given, kind, source) = (given.clone(), FateKind::Kept, None);
        Ok(Self { given, option, settings, kind, why, source, is_foreign })
    }

    /// Ends it without a setting.
    pub(super) fn end(&mut self, kind: FateKind, why: String, source: Option<&str>) {
        self.settings.clear();
        self.tell(kind, why, source);
    }

    /// Drops what the target does not have, and says what it deprecates.
    pub(super) fn settle(&mut self, target: &Target) {
        let [setting] = self.settings.as_slice() else { return };
        let Some(option) = table().get(&setting.name).filter(|_| !self.is_foreign) else { return };
        if !option.exists(target) {
            self.end(FateKind::Dropped, absence(option, target), Some(option.source));
            return;
        }
        let deprecated = option.life(target.flavour).and_then(|life| life.deprecated);
        if let Some(since) = deprecated.filter(|since| *since <= target.version) {
            self.why.push(format!("deprecated since {} {since}", target.flavour));
            self.source.get_or_insert(option.source.to_owned());
        }
    }

    pub(super) fn into_fate(self) -> Fate {
        let Self { given, option, settings, kind, why, source, .. } = self;
        let carried_by = settings.into_iter().map(|setting| setting.name).collect();
        Fate { given, option, kind, why, source, carried_by }
    }

    /// The one setting that it is, if the target may still have it otherwise.
    fn current(&self) -> Option<&Setting> {
        match self.settings.as_slice() {
            [setting] if !self.is_foreign => Some(setting),
            _ => None,
        }
    }

    /// The value of the one setting, in the words that a rule would compare it to.
    fn current_value(&self) -> Option<String> {
        let setting = self.current()?;
        let kind = table().get(&setting.name).map(|option| &option.kind)?;
        match (&setting.value, kind) {
            (SettingValue::Text(value), _) => Some(kind.normal(value)),
            (SettingValue::Bare, Kind::Bool) => Some("ON".into()),
            _ => None,
        }
    }

    /// True when the target lacks the option of the one setting.
    fn is_missing(&self, target: &Target) -> bool {
        let known = self.current().and_then(|setting| table().get(&setting.name));
        known.is_some_and(|option| !option.exists(target))
    }

    /// What a rule's option leaves open, if the rule speaks of this setting.
    fn fits(&self, what: &Named, target: &Target) -> bool {
        let Some(setting) = self.current() else { return false };
        match what.value {
            _ if fits(what.option, &setting.name).is_none() => false,
            None => self.is_missing(target),
            Some(value) => self.current_value().is_some_and(|it| it.eq_ignore_ascii_case(value)),
        }
    }

    fn tell(&mut self, kind: FateKind, why: String, source: Option<&str>) {
        self.kind = kind;
        if !why.is_empty() {
            self.why.push(why);
        }
        self.source = source.map(str::to_owned);
    }

    fn replace(&mut self, kind: FateKind, name: &str, value: String, why: String, rule: &Rule) {
        let value = SettingValue::Text(value);
        self.settings = vec![Setting { name: name.to_owned(), value }];
        self.tell(kind, why, Some(rule.source));
    }
}

/// Why the target does not have an option.
fn absence(option: &KnownOption, target: &Target) -> String {
    match option.life(target.flavour) {
        None => format!("{} has no such option", target.flavour),
        Some(life) if target.version < life.since => {
            format!("{} has it from {} on", target.flavour, life.since)
        }
        Some(life) => match life.removed {
            Some(removed) => format!("removed in {} {removed}", target.flavour),
            None => format!("{} has no such option", target.flavour),
        },
    }
}

/// Applies a rule to every setting that it speaks of.
pub(super) fn apply(rule: &Rule, drafts: &mut [Draft], target: &Target, from: Option<&Target>) {
    match &rule.action {
        Action::Product { one, many, whole, many_else } => {
            let known = from.and_then(|from| table().get(many)?.default(from)?.parse().ok());
            let many_else = known.or(*many_else);
            product(rule, drafts, [one, many, whole], many_else);
        }
        Action::Divide { whole, one, many, many_else } => {
            divide(rule, drafts, [whole, one, many], *many_else);
        }
        action => {
            for draft in drafts {
                apply_to_one(rule, action, draft, target);
            }
        }
    }
}

fn apply_to_one(rule: &Rule, action: &Action, draft: &mut Draft, target: &Target) {
    match action {
        Action::Rename { from, to, scale } => rename(rule, draft, (from, to, *scale), target),
        Action::Values { option, words } => other_word(rule, draft, option, words),
        Action::Without { option, members } => without(rule, draft, option, members),
        Action::Become { what, settings } if draft.fits(what, target) => {
            turn_into(rule, draft, settings);
        }
        Action::Drop { what } if draft.fits(what, target) => {
            let missing = draft.current().and_then(|setting| table().get(&setting.name));
            let absence = missing.filter(|option| !option.exists(target));
            let absence = absence.map(|option| absence_words(option, target, rule.why));
            let why = absence.unwrap_or_else(|| rule.why.to_owned());
            draft.end(FateKind::Dropped, why, Some(rule.source));
        }
        _ => {}
    }
}

fn absence_words(option: &KnownOption, target: &Target, why: &str) -> String {
    format!("{}: {why}", absence(option, target))
}

fn place_of(drafts: &[Draft], name: &str) -> Option<usize> {
    drafts.iter().position(|draft| draft.current().is_some_and(|it| it.name == name))
}

/// `one` of `many` equal parts becomes the `whole`.
fn product(rule: &Rule, drafts: &mut [Draft], names: [&str; 3], many_else: Option<u64>) {
    let [one, many, whole] = names;
    let (one_at, many_at) = (place_of(drafts, one), place_of(drafts, many));
    let size = |drafts: &[Draft], at: usize| parse_size(&drafts[at].current_value()?);
    if whole != one && place_of(drafts, whole).is_some() {
        for at in [one_at, many_at].into_iter().flatten() {
            drafts[at].end(FateKind::Dropped, format!("{whole} says it all"), Some(rule.source));
        }
        return;
    }
    let count = many_at.and_then(|at| size(drafts, at));
    let Some(part) = one_at.and_then(|at| size(drafts, at)) else {
        if let Some(at) = many_at {
            let why = format!("{}; without {one} it says nothing", rule.why);
            drafts[at].end(FateKind::Dropped, why, Some(rule.source));
        }
        return;
    };
    let Some(parts) = count.or(many_else).filter(|parts| whole != one || *parts > 1) else {
        if let Some(at) = many_at {
            drafts[at].end(FateKind::Dropped, rule.why.to_owned(), Some(rule.source));
        }
        return;
    };
    let most = table().get(whole).and_then(|option| match option.kind {
        Kind::Int { max: Some(max), .. } => u64::try_from(max).ok(),
        _ => None,
    });
    let exact = part.saturating_mul(parts);
    let total = most.map_or(exact, |most| exact.min(most));
    let cut = if total < exact { ", the most that it takes" } else { "" };
    let by_default = if count.is_none() { " files by default" } else { "" };
    let why = format!(
        "{}: {} × {parts}{by_default} = {}{cut}",
        rule.why,
        format_size(part),
        format_size(total)
    );
    if let Some(at) = one_at {
        drafts[at].replace(FateKind::Translated, whole, format_size(total), why, rule);
    }
    if let Some(at) = many_at {
        let why = format!("{}: it is in {whole}", rule.why);
        drafts[at].end(FateKind::Translated, why, Some(rule.source));
    }
}

/// The `whole` becomes `one` of `many` equal parts.
fn divide(rule: &Rule, drafts: &mut [Draft], names: [&str; 3], many_else: u64) {
    let [whole, one, many] = names;
    let Some(at) = place_of(drafts, whole) else { return };
    if place_of(drafts, one).is_some() {
        drafts[at].end(FateKind::Dropped, format!("{one} is given, too"), Some(rule.source));
        return;
    }
    let count = place_of(drafts, many).and_then(|at| parse_size(&drafts[at].current_value()?));
    let parts = count.unwrap_or(many_else).max(1);
    let Some(total) = drafts[at].current_value().and_then(|value| parse_size(&value)) else {
        return;
    };
    // A part is whole megabytes, as the servers round it, too.
    let part = ((total / parts) >> 20).max(1) << 20;
    let (total, part) = (format_size(total), format_size(part));
    let why = format!("{}: {total} / {parts} files = {part}", rule.why);
    drafts[at].replace(FateKind::Translated, one, part, why, rule);
}

fn rename(rule: &Rule, draft: &mut Draft, names: (&str, &str, Scale), target: &Target) {
    let (from, to, scale) = names;
    let Some(setting) = draft.current() else { return };
    let Some(rest) = fits(from, &setting.name) else { return };
    let to = to.replace('*', rest);
    let Some(option) = table().get(&to).filter(|option| option.exists(target)) else { return };
    if !draft.is_missing(target) && table().get(&setting.name).is_some() {
        return;
    }
    let (number, word) = match scale {
        Scale::Same => {
            let value = setting.value.clone();
            draft.settings = vec![Setting { name: to, value }];
            return draft.tell(FateKind::Renamed, rule.why.to_owned(), Some(rule.source));
        }
        Scale::Times(factor) => (f64::from(factor), format!("× {factor}")),
        Scale::Per(factor) => (f64::from(factor).recip(), format!("/ {factor}")),
    };
    let Some(value) = draft.current_value() else { return };
    let Ok(before) = value.parse::<f64>() else { return };
    let exact = before * number;
    // Rounded up, so that a time that was set does not become none.
    let now = if matches!(option.kind, Kind::Int { .. }) { exact.ceil() } else { exact };
    let rounded = if now > exact { ", rounded up" } else { "" };
    let why = format!("{}: {value} {word} = {now}{rounded}", rule.why);
    draft.replace(FateKind::Translated, &to, now.to_string(), why, rule);
}

fn other_word(rule: &Rule, draft: &mut Draft, option: &str, words: &[(&str, &str)]) {
    if draft.current().is_none_or(|setting| setting.name != option) {
        return;
    }
    let Some(value) = draft.current_value() else { return };
    let lower = value.to_ascii_lowercase();
    let other = words.iter().find_map(|(old, new)| {
        fits(&old.to_ascii_lowercase(), &lower).map(|rest| new.replace('*', rest))
    });
    if let Some(other) = other {
        let why = format!("{value} becomes {other}: {}", rule.why);
        draft.replace(FateKind::Translated, option, other, why, rule);
    }
}

fn without(rule: &Rule, draft: &mut Draft, option: &str, members: &[&str]) {
    if draft.current().is_none_or(|setting| setting.name != option) {
        return;
    }
    let Some(value) = draft.current_value() else { return };
    let goes = |member: &&str| members.iter().any(|known| known.eq_ignore_ascii_case(member));
    let (gone, left): (Vec<&str>, Vec<&str>) = value.split(',').partition(goes);
    if !gone.is_empty() {
        let why = format!("without {}: {}", gone.join(", "), rule.why);
        draft.replace(FateKind::Translated, option, left.join(","), why, rule);
    }
}

fn turn_into(rule: &Rule, draft: &mut Draft, settings: &[(&str, &str)]) {
    let value = match draft.current().map(|setting| &setting.value) {
        Some(SettingValue::Text(value)) => value.clone(),
        _ => String::new(),
    };
    let directory = value.trim_end_matches('/').rsplit_once('/').map_or("", |(dir, _)| dir);
    let first = value.split(',').next().unwrap_or_default();
    let of = |(name, pattern): &(&str, &str)| {
        let text = pattern.replace("{}", &value).replace("{dir}", directory);
        let text = text.replace("{first}", first);
        Setting { name: (*name).to_owned(), value: SettingValue::Text(text) }
    };
    draft.settings = settings.iter().map(of).collect();
    draft.tell(FateKind::Translated, rule.why.to_owned(), Some(rule.source));
}
