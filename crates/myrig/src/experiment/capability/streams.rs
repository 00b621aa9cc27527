//! Rules for where writes go: write hints on the files of all servers, from before their data is
//! copied in until they have stopped.

use lab::experiment::{Fault, Ground, Stage, Variant, spec::Arm};
use serde::Deserialize;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use streams::{Builtin, Keeper, Options, Rules as Compiled, Target};

/// The section of a variant.
pub(crate) const KEY: &str = "streams";

/// How long the hints of files that are there may take.
const SETTLE_WITHIN: Duration = Duration::from_secs(60);

/// What stands for a server's data directory in rules.
const DIR: &str = "DIR";

/// The section `streams`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Section {
    rules: Wanted,
}

/// Which rules.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Wanted {
    /// Those of a built-in set.
    Named(String),
    /// These, a line each; `DIR` stands for a server's data directory.
    Lines(Vec<String>),
}

impl Section {
    fn of(arm: &Arm) -> Result<Option<Self>, Fault> {
        let Some(section) = arm.others.get(KEY) else { return Ok(None) };
        let read = serde_json::from_value(section.clone());
        let wanted = "give `rules`, the name of a built-in set or a list of lines";
        Ok(Some(read.map_err(|error| format!("streams: {error}; {wanted}"))?))
    }

    /// The text of the rules for one server's data.
    fn text(&self, data: &Path) -> Result<String, Fault> {
        match &self.rules {
            Wanted::Lines(lines) => {
                let dir = escaped(&data.display().to_string());
                Ok(lines.iter().map(|line| line.replace(DIR, &dir) + "\n").collect())
            }
            Wanted::Named(name) => {
                let set = Builtin::from_name(name).ok_or_else(|| {
                    let names: Vec<&str> = Builtin::ALL.map(Builtin::name).to_vec();
                    let names = names.join(", ");
                    format!("streams.rules: there is no set `{name}`; there are {names}")
                })?;
                Ok(set.text(data)?)
            }
        }
    }

    /// The rules for the data of all servers.
    ///
    /// # Errors
    /// The line of the list that is at fault.
    fn rules(&self, data_dirs: &[PathBuf]) -> Result<Compiled, Fault> {
        let texts = data_dirs.iter().map(|data| self.text(data));
        let text = texts.collect::<Result<Vec<_>, _>>()?.concat();
        Compiled::parse(&text).map_err(|error| format!("streams.rules: {error}").into())
    }
}

/// A path as an expression that matches it alone.
fn escaped(path: &str) -> String {
    let special = |c: char| ".[](){}*+?^$|\\".contains(c);
    path.chars().fold(String::new(), |mut all, c| {
        if special(c) {
            all.push('\\');
        }
        all.push(c);
        all
    })
}

/// The capability.
#[derive(Default)]
pub(super) struct Rules {
    /// Sets the hints; none where the variant has no rules. The kernel forgets them with the files.
    keeper: Option<Keeper>,
}

impl Variant for Rules {
    fn key(&self) -> &'static str {
        KEY
    }

    fn plan(&self, arm: &Arm) -> Result<Vec<String>, Fault> {
        let Some(section) = Section::of(arm)? else { return Ok(Vec::new()) };
        let rules = section.rules(&[PathBuf::from("/data")])?;
        Ok(vec![format!("streams: {} rules for the write hints of files", rules.rules().len())])
    }

    fn before_data(&mut self, ground: &Ground<'_>) -> Result<(), Fault> {
        self.keeper = None;
        let Some(section) = Section::of(ground.arm)? else { return Ok(()) };
        // Rules match paths without links, and the data's directories are not there yet.
        let dir = ground.dir.canonicalize()?;
        let below =
            |data: &PathBuf| data.file_name().map_or_else(|| dir.clone(), |it| dir.join(it));
        let data_dirs: Vec<PathBuf> = ground.data_dirs.iter().map(below).collect();
        let rules = section.rules(&data_dirs)?;
        self.keeper = Some(Keeper::start(vec![Target { dir, rules }], Options::default())?);
        Ok(())
    }

    /// All data is in place, and every file of it is to have its hint before a server opens it.
    fn before_start(&mut self, _stage: &mut Stage<'_>) -> Result<(), Fault> {
        let Some(keeper) = &self.keeper else { return Ok(()) };
        match keeper.settle(SETTLE_WITHIN) {
            true => Ok(()),
            false => Err("streams: the files did not get their hints in time".into()),
        }
    }

    fn put_back(&mut self) -> Result<(), Fault> {
        // Whatever it had trouble with is over with the file system.
        let _status = self.keeper.take().map(Keeper::stop);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::experiment::capability::testing::arm;
    use serde_json::{Value, json};
    use streams::Lifetime;

    fn section(section: Value) -> Result<Section, String> {
        let read = Section::of(&arm(KEY, section)).map_err(|fault| fault.to_string())?;
        read.ok_or_else(|| "none".to_owned())
    }

    #[test]
    fn rules_hold_for_the_data_of_every_server() {
        let list = json!({ "rules": ["^DIR/ibdata1$ 3", "^DIR/undo long"] });
        let dirs = ["/a.b/one", "/a.b/two"].map(PathBuf::from);
        let rules = section(list).unwrap().rules(&dirs).unwrap();
        let lifetime = |path: &str| rules.lifetime(Path::new(path));
        assert_eq!(lifetime("/a.b/one/ibdata1"), Some(Lifetime::Medium));
        assert_eq!(lifetime("/a.b/two/undo001"), Some(Lifetime::Long));
        assert_eq!(lifetime("/aXb/two/undo001"), None, "a point is a point");
        assert_eq!(lifetime("/a.b/three/ibdata1"), None);
        let named = section(json!({ "rules": "astream" })).unwrap().rules(&dirs).unwrap();
        assert_eq!(named.lifetime(Path::new("/a.b/one/ibdata1")), Some(Lifetime::Medium));
    }

    #[test]
    fn what_are_no_rules_is_told() {
        let refused = |value: Value| {
            let rules = section(value).and_then(|it| {
                it.rules(&[PathBuf::from("/data")]).map_err(|fault| fault.to_string())
            });
            rules.unwrap_err()
        };
        assert!(refused(json!({ "rules": "mine" })).contains("mariadb"), "the sets are listed");
        assert!(refused(json!({ "rules": ["^DIR/x 9"] })).contains("line 1"));
        assert!(refused(json!({ "rule": [] })).contains("give `rules`"));
        assert!(refused(json!({ "rules": 3 })).contains("streams: "));
    }
}
