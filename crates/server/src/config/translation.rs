//! Settings for one server, made of settings that were given for any.

use super::{
    apply::{Draft, apply},
    error::ConfigError,
    fate::{DefaultDiffers, Fate, FateKind},
    given::{Given, Place},
    kind::Kind,
    rules::rules_for,
    table::table,
    target::Target,
};
use crate::{options::Settings, options::belongs_to_instance};

/// Options that add up when they are given again, where the last one counts of all others.
const ADDED_UP: [&str; 13] = [
    "binlog_do_db",
    "binlog_ignore_db",
    "early_plugin_load",
    "ignore_db_dir",
    "performance_schema_instrument",
    "plugin_load_add",
    "replicate_do_db",
    "replicate_do_table",
    "replicate_ignore_db",
    "replicate_ignore_table",
    "replicate_rewrite_db",
    "replicate_wild_do_table",
    "replicate_wild_ignore_table",
];

/// A setting for the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The option, with underscores.
    pub name: String,
    /// Its value.
    pub value: SettingValue,
}

/// How an option is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// By its bare name.
    Bare,
    /// By its bare name after `skip_`, since it has no value that means that.
    Off,
    /// To a value, which may be empty.
    Text(String),
}

/// The settings for a server, and what became of each that was given.
#[derive(Clone, Debug)]
pub struct Translation {
    /// For which server.
    pub target: Target,
    /// For which server the settings were written, where that is known.
    pub from: Option<Target>,
    /// The settings, in their order; a later step may change them before they are rendered.
    pub settings: Vec<Setting>,
    /// What became of each setting that was given, in the order in which they were.
    pub fates: Vec<Fate>,
    /// Options that nobody set and whose defaults differ, where `from` is known.
    pub differing: Vec<DefaultDiffers>,
}

/// Who is to have the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// Any server, by an option file.
    AnyServer,
    /// An instance, which decides its ports and directories itself.
    Instance,
}

impl Setting {
    /// The line of an option file.
    pub fn line(&self) -> String {
        match &self.value {
            SettingValue::Bare => self.name.clone(),
            SettingValue::Off => format!("skip_{}", self.name),
            SettingValue::Text(value) if value.is_empty() => format!("{} =", self.name),
            SettingValue::Text(value) => format!("{} = {}", self.name, quoted(value)),
        }
    }
}

impl Translation {
    /// Carries settings over to the target. Of a setting that is given several times, the last
    /// one counts.
    ///
    /// # Errors
    /// [`ConfigError::Unknown`] for an option that no version knows and that was not given as
    /// `loose-`, [`ConfigError::Value`] for a value that the option cannot have.
    pub fn of(
        given: &[Given],
        target: Target,
        from: Option<Target>,
        by: For,
    ) -> Result<Self, ConfigError> {
        let mut drafts = given.iter().map(Draft::of).collect::<Result<Vec<_>, _>>()?;
        // An instance keeps one value of each.
        let adds_up = |name: &str| by == For::AnyServer && ADDED_UP.contains(&name);
        override_earlier(&mut drafts, adds_up);
        if by == For::Instance {
            // What is given on the command line is meant, so that the instance refuses it aloud.
            let is_of_file = |draft: &&mut Draft| matches!(draft.given.place, Place::File { .. });
            for draft in drafts.iter_mut().filter(is_of_file) {
                if let Some(why) = belongs_to_instance(&draft.option) {
                    draft.end(FateKind::Instance, why.to_owned(), None);
                }
            }
        }
        for rule in rules_for(&target) {
            apply(rule, &mut drafts, &target, from.as_ref());
        }
        for draft in &mut drafts {
            draft.settle(&target);
        }
        let mut settings: Vec<Setting> = Vec::new();
        for setting in drafts.iter().flat_map(|draft| &draft.settings) {
            // Two old names may have come to the same new one.
            settings.retain(|earlier| earlier.name != setting.name || adds_up(&setting.name));
            settings.push(setting.clone());
        }
        let differing = from.map(|from| differing(&from, &target, &settings)).unwrap_or_default();
        let fates = drafts.into_iter().map(Draft::into_fate).collect();
        Ok(Self { target, from, settings, fates, differing })
    }

    /// How many settings met each fate, those that none met left out.
    pub fn counts(&self) -> Vec<(FateKind, usize)> {
        let count = |kind| (kind, self.fates.iter().filter(|fate| fate.kind == kind).count());
        FateKind::ALL.into_iter().map(count).filter(|(_, count)| *count > 0).collect()
    }

    /// The settings as an instance takes them.
    pub fn instance_settings(&self) -> Settings {
        let each = |setting: &Setting| match &setting.value {
            SettingValue::Bare => (setting.name.clone(), String::new()),
            SettingValue::Off => (format!("skip_{}", setting.name), String::new()),
            // An empty value would be a bare option there.
            SettingValue::Text(value) if value.is_empty() => {
                (setting.name.clone(), "''".to_owned())
            }
            SettingValue::Text(value) => (setting.name.clone(), value.clone()),
        };
        self.settings.iter().map(each).collect()
    }
}

fn override_earlier(drafts: &mut [Draft], adds_up: impl Fn(&str) -> bool) {
    for place in 0..drafts.len() {
        let (before, rest) = drafts.split_at_mut(place);
        let Some(last) = rest.first().filter(|last| !adds_up(&last.option)) else { continue };
        for draft in before.iter_mut().filter(|draft| draft.option == last.option) {
            if draft.kind == FateKind::Kept {
                let why = format!("{} gives it again", last.given.place);
                draft.end(FateKind::Overridden, why, None);
            }
        }
    }
}

fn differing(from: &Target, target: &Target, settings: &[Setting]) -> Vec<DefaultDiffers> {
    let is_set = |name: &str| settings.iter().any(|setting| setting.name == name);
    let both = table().options().filter(|option| !is_set(option.name)).filter_map(|option| {
        let (before, now) = (option.default(from)?, option.default(target)?);
        let is_list = matches!(option.kind, Kind::Set | Kind::Text) && before.contains(',');
        let (before, now) = match is_list {
            true => (only_in(before, now), only_in(now, before)),
            false => (option.kind.normal(before), option.kind.normal(now)),
        };
        let (name, source) = (option.name, option.source);
        (before != now).then_some(DefaultDiffers { name, before, now, source })
    });
    both.collect()
}

/// The members of a list that another list lacks; their order says nothing.
fn only_in(one: &str, other: &str) -> String {
    let lacks = |member: &&str| !other.split(',').any(|it| it.eq_ignore_ascii_case(member));
    one.split(',').filter(lacks).collect::<Vec<_>>().join(",")
}

/// The value as an option file takes it: `#` begins a comment outside quotes, blanks at the ends
/// are dropped, and a backslash begins an escape.
fn quoted(value: &str) -> String {
    let escaped = value.replace('\\', "\\\\");
    if value.trim() == value && !value.contains(['#', '"', '\'']) {
        return escaped;
    }
    // Whichever quote it does not hold; where it holds both, the escape tells them apart.
    match value.contains('"') {
        true if !value.contains('\'') => format!("'{escaped}'"),
        _ => format!("\"{}\"", escaped.replace('"', "\\\"")),
    }
}

#[cfg(test)]
mod tests;
