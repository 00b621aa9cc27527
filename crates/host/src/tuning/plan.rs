//! What would be changed: every step known before the first is taken.

use super::{
    error::TuningError,
    find::{Lack, wishes},
    knob::{Setting, Takes},
    place::{Machine, Place},
    scope::Scope,
    shell::Shell,
};
use crate::Root;

/// The machine that is tuned, and which parts of it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// Its tree.
    pub root: &'a Root,
    /// Who is asked about services and queues.
    pub shell: &'a dyn Shell,
    /// Where values are read and written: [`super::Host`] of the two.
    pub machine: &'a dyn Machine,
    /// Which parts.
    pub scope: &'a Scope,
}

/// A value at a place, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The setting that asks for it.
    pub key: String,
    /// Where; none where the machine lacks the whole setting.
    pub place: Option<Place>,
    /// The value that is there.
    pub old: Option<String>,
    /// The value that is wanted.
    pub wanted: String,
    /// What becomes of it.
    pub fate: Fate,
}

/// What becomes of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is to be changed.
    Change,
    /// It is as wanted.
    Already,
    /// This kernel or machine lacks it, so that nothing is done; the text says why.
    Absent(String),
    /// The kernel changes it beside another value; it is put back with that.
    Watched,
    /// It was changed, and read back as wanted.
    Changed,
    /// The machine did not take it; the text says why.
    Refused(String),
}

/// What would be done for settings, in the order in which it would be.
///
/// # Errors
/// A value that cannot be read, two settings of one place, or processors that are not there.
pub fn plan(settings: &[Setting], subject: &Subject<'_>) -> Result<Vec<Step>, TuningError> {
    subject.scope.check(subject.root)?;
    let mut steps: Vec<Step> = Vec::new();
    for setting in settings {
        for step in plan_one(setting, subject)? {
            let same = |other: &&Step| step.place.is_some() && other.place == step.place;
            match steps.iter().position(|other| same(&other)) {
                None => steps.push(step),
                // It is set after all, by a setting of its own, and put back either way.
                Some(at) if steps[at].fate == Fate::Watched => steps.push(step),
                Some(at) => {
                    let first = steps[at].key.clone();
                    return Err(TuningError::Conflict { first, second: step.key });
                }
            }
        }
    }
    Ok(steps)
}

/// The same for one setting.
pub(super) fn plan_one(setting: &Setting, subject: &Subject<'_>) -> Result<Vec<Step>, TuningError> {
    let alone = |fate: Fate| {
        let (key, wanted) = (setting.key.clone(), setting.value.clone());
        Ok(vec![Step { key, place: None, old: None, wanted, fate }])
    };
    let wishes = match wishes(setting, subject) {
        Ok(wishes) if wishes.is_empty() => return alone(Fate::Already),
        Ok(wishes) => wishes,
        Err(Lack::Absent(why)) => return alone(Fate::Absent(why)),
        Err(Lack::Wrong(error)) => return Err(error),
    };
    let mut steps = Vec::new();
    for wish in wishes {
        let key = setting.key.clone();
        let old = subject.machine.read(&wish.place).map_err(|error| TuningError::Unreadable {
            key: key.clone(),
            place: wish.place.to_string(),
            why: error.to_string(),
        })?;
        let fate = match &old {
            None => Fate::Absent("it is not there".to_owned()),
            Some(_) if wish.watched => Fate::Watched,
            Some(old) if holds(setting, old, &wish.wanted) => Fate::Already,
            Some(_) => Fate::Change,
        };
        steps.push(Step { key, place: Some(wish.place), old, wanted: wish.wanted, fate });
    }
    Ok(steps)
}

/// Whether a value that is there will do.
pub(super) fn holds(setting: &Setting, old: &str, wanted: &str) -> bool {
    let number = |text: &str| text.parse::<u64>().ok();
    match setting.knob.takes {
        Takes::AtLeast(_) => number(old) >= number(wanted),
        _ => old == wanted,
    }
}
