//! Profiles: settings of the machine that belong together, as files.
//!
//! ```toml
//! description = "what it is for"
//! source = "where that is written"
//!
//! [set]
//! vm.swappiness = 1
//! cpu.governor = "performance"
//! ```

use crate::tuning::{Setting, TuningError};
use serde::Deserialize;

/// Settings of the machine that belong together.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its name, or the path of its file.
    pub name: String,
    /// What it is for; may be empty.
    pub description: String,
    /// Where that is written; may be empty.
    pub source: String,
    /// What it sets, in the order in which that is done.
    pub settings: Vec<Setting>,
}

/// A text that is no profile.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// It is not TOML, or not of this form.
    #[error("{file}: {why}")]
    Form {
        /// Its name or path.
        file: String,
        /// What is wrong, and where.
        why: String,
    },
    /// It sets what there is not.
    #[error("{file}: {source}")]
    Setting {
        /// Its name or path.
        file: String,
        /// What is wrong.
        source: TuningError,
    },
}

/// The profiles that come with the house, by name.
const BUILT_IN: &[(&str, &str)] = &[
    ("database", include_str!("profiles/database.toml")),
    ("astream", include_str!("profiles/astream.toml")),
    ("gazelle", include_str!("profiles/gazelle.toml")),
    ("hammerdb", include_str!("profiles/hammerdb.toml")),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    #[serde(default)]
    description: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    set: toml::Table,
}

impl Profile {
    /// The names of those that come with the house.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// One that comes with the house; none where no such does.
    pub fn built_in(name: &str) -> Option<Result<Self, ProfileError>> {
        let (name, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Some(Self::parse(name, text))
    }

    /// One of nothing but settings that were typed.
    pub fn empty(name: &str) -> Self {
        let (description, source) = (String::new(), String::new());
        Self { name: name.to_owned(), description, source, settings: Vec::new() }
    }

    /// Reads a profile; `name` is what errors call it.
    ///
    /// # Errors
    /// It is not TOML, not of this form, or sets what there is not.
    pub fn parse(name: &str, text: &str) -> Result<Self, ProfileError> {
        let file = || name.to_owned();
        let form = |why: String| ProfileError::Form { file: file(), why };
        let read: Text = toml::from_str(text).map_err(|it| form(it.to_string()))?;
        let mut pairs = Vec::new();
        flatten("", read.set, &mut pairs).map_err(form)?;
        let pairs = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let settings =
            Setting::all(pairs).map_err(|source| ProfileError::Setting { file: file(), source })?;
        let Text { description, source, .. } = read;
        Ok(Self { name: file(), description, source, settings })
    }

    /// The same with further settings, each over one of its own of the same key.
    ///
    /// # Errors
    /// A setting that there is not, or a value that it does not take.
    pub fn with(mut self, pairs: &[(String, String)]) -> Result<Self, TuningError> {
        let own = self.settings.iter().map(|it| (it.key.as_str(), it.value.as_str()));
        let more = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        self.settings = Setting::all(own.chain(more))?;
        Ok(self)
    }
}

/// A key with dots is a table in a table to TOML.
fn flatten(
    prefix: &str,
    table: toml::Table,
    pairs: &mut Vec<(String, String)>,
) -> Result<(), String> {
    for (name, value) in table {
        let key = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
        let text = match value {
            toml::Value::Table(table) => {
                flatten(&key, table, pairs)?;
                continue;
            }
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Boolean(switch) => if switch { "on" } else { "off" }.to_owned(),
            other => {
                return Err(format!(
                    "`{key}` is a text, a number, true or false, not {}",
                    other.type_str()
                ));
            }
        };
        pairs.push((key, text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_profile_of_the_house_is_sound_and_says_what_it_is_for() {
        for name in Profile::names() {
            let profile = Profile::built_in(name).unwrap().unwrap();
            assert!(!profile.settings.is_empty() && !profile.description.is_empty());
            assert!(!profile.source.is_empty());
        }
        assert!(Profile::built_in("fast").is_none());
    }

    #[test]
    fn only_who_names_a_firewall_stops_it() {
        let stops = |name: &str| {
            let profile = Profile::built_in(name).unwrap().unwrap();
            profile.settings.iter().any(|it| it.key == "service.firewalld")
        };
        assert!(stops("astream") && stops("gazelle"));
        assert!(!stops("database") && !stops("hammerdb"));
    }

    #[test]
    fn typed_settings_go_over_those_of_the_profile() {
        let profile = Profile::parse("x", "[set]\nvm.swappiness = 1\ncpu.turbo = false\n").unwrap();
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let profile = profile.with(&[pair("vm.swappiness", "10")]).unwrap();
        let shown: Vec<_> =
            profile.settings.iter().map(|it| format!("{}={}", it.key, it.value)).collect();
        assert_eq!(shown, ["cpu.turbo=off", "vm.swappiness=10"]);
    }

    #[test]
    fn what_is_no_profile_says_where_and_why() {
        for (text, words) in [
            ("[set]\nvm.swapiness = 1\n", &["my.toml", "vm.swapiness", "vm.swappiness"][..]),
            ("[set]\nvm.swappiness = 500\n", &["my.toml", "500", "0 to 200"]),
            ("[set]\nvm.swappiness = [1]\n", &["my.toml", "vm.swappiness"]),
            ("[set]\nvm = \n", &["my.toml", "line 2"]),
            ("[sett]\n", &["my.toml", "sett", "set"]),
        ] {
            let error = Profile::parse("my.toml", text).unwrap_err().to_string();
            for word in words {
                assert!(error.contains(word), "`{word}` is not in: {error}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_an_answer(text in "(\\[set\\]\n)?[a-z.= \"\\[\\]0-9\n]{0,60}") {
            let _answer = Profile::parse("any", &text);
        }
    }
}
