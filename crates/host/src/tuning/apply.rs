//! Changing the machine: the journal first, then each value, read back; all of it or nothing.

use super::{
    error::{Refusal, TuningError},
    journal::{Entry, Head, Journal},
    knob::Setting,
    place::Place,
    plan::{Fate, Step, Subject, holds, plan, plan_one},
    revert::put_back,
};
use std::path::Path;

/// How to go about it.
#[derive(Clone, Copy)]
pub struct Manner<'a> {
    /// Goes on after a value that the machine does not take.
    pub keep_going: bool,
    /// Told after each setting how many are done, and of how many; false stops and puts back.
    pub go_on: &'a dyn Fn(usize, usize) -> bool,
}

/// Makes settings. What is changed stands in a journal in `directory` before, and a journal that
/// is left there afterwards holds the way back. Where nothing has to be changed there is none.
///
/// # Errors
/// Nothing is changed where the plan, the permissions or the journal say no. Where the machine
/// does not take a value, or somebody stops it, what was changed is put back.
pub fn apply(
    settings: &[Setting],
    subject: &Subject<'_>,
    directory: &Path,
    head: Head,
    manner: &Manner<'_>,
) -> Result<Vec<Step>, TuningError> {
    let planned = plan(settings, subject)?;
    permitted(&planned, subject)?;
    if planned.iter().all(|step| step.fate != Fate::Change) {
        return Ok(planned);
    }
    let mut journal = Journal::begin(directory, head)?;
    if let Err(error) = journal.intend(entries(&planned)) {
        // Nothing was changed, so that nothing is to be remembered.
        journal.close()?;
        return Err(error.into());
    }
    match carry_out(settings, &planned, subject, &mut journal, manner) {
        Ok(steps) => Ok(steps),
        Err(error) => Err(undone(error, journal, subject)?),
    }
}

/// Puts everything back after an error, which then says what could not be.
fn undone(
    error: TuningError,
    mut journal: Journal,
    subject: &Subject<'_>,
) -> Result<TuningError, TuningError> {
    let backs = put_back(&mut journal, subject.machine, false);
    let stuck = backs.iter().filter(|back| !back.is_well());
    let stuck: Vec<String> = stuck.map(|back| back.place.to_string()).collect();
    if stuck.is_empty() {
        journal.close()?;
    }
    Ok(match error {
        TuningError::Refused(mut refusal) => {
            refusal.left = stuck;
            TuningError::Refused(refusal)
        }
        TuningError::Interrupted { .. } => TuningError::Interrupted { left: stuck },
        other => other,
    })
}

/// Makes sure that everything that is to be changed can be.
///
/// # Errors
/// This process may not write what is named.
pub fn permitted(steps: &[Step], subject: &Subject<'_>) -> Result<(), TuningError> {
    let changes = steps.iter().filter(|step| step.fate == Fate::Change);
    let forbidden = changes.filter_map(|step| {
        let place = step.place.as_ref()?;
        (!subject.machine.may_write(place)).then_some((step.key.as_str(), place))
    });
    not_permitted(forbidden.collect())
}

/// The error for places that cannot be written, named once a setting.
pub(super) fn not_permitted(mut places: Vec<(&str, &Place)>) -> Result<(), TuningError> {
    places.dedup_by_key(|(key, _)| *key);
    if places.is_empty() {
        return Ok(());
    }
    let places: Vec<_> = places.iter().map(|(key, place)| format!("{key} ({place})")).collect();
    Err(TuningError::NotPermitted { places: places.join(", ") })
}

fn entries<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Vec<Entry> {
    let entry = |step: &Step| {
        matches!(step.fate, Fate::Change | Fate::Watched).then_some(())?;
        Some(Entry {
            key: step.key.clone(),
            place: step.place.clone()?,
            old: step.old.clone()?,
            wanted: step.wanted.clone(),
            done: false,
        })
    };
    steps.into_iter().filter_map(entry).collect()
}

/// Each setting is planned again when its turn comes: with other queues there are other
/// interrupts, and without SMT fewer processors.
fn carry_out(
    settings: &[Setting],
    planned: &[Step],
    subject: &Subject<'_>,
    journal: &mut Journal,
    manner: &Manner<'_>,
) -> Result<Vec<Step>, TuningError> {
    let mut all = Vec::new();
    for (setting, done) in settings.iter().zip(1..) {
        let mut steps = plan_one(setting, subject)?;
        let is_new = |step: &&Step| {
            !journal.entries().iter().any(|entry| Some(&entry.place) == step.place.as_ref())
        };
        let new = entries(steps.iter().filter(is_new));
        if !new.is_empty() {
            journal.intend(new)?;
        }
        for step in &mut steps {
            let same = |it: &&Step| it.place.is_some() && it.place == step.place;
            // What is watched beside one setting may be set by another.
            let mut before: Vec<&Step> = planned.iter().filter(same).collect();
            before.sort_by_key(|it| it.fate != Fate::Change);
            let before = before.first();
            if let Some(before) = before {
                step.old.clone_from(&before.old);
            }
            match (&step.fate, &step.place) {
                (Fate::Change, Some(place)) => {
                    step.fate = change(setting, step, place, subject, journal, manner)?;
                }
                // What was to be changed has changed with an earlier setting.
                (Fate::Already, Some(_)) if before.is_some_and(|it| it.fate == Fate::Change) => {
                    step.fate = Fate::Changed;
                }
                _ => {}
            }
        }
        all.extend(steps);
        if !(manner.go_on)(done, settings.len()) {
            return Err(TuningError::Interrupted { left: Vec::new() });
        }
    }
    Ok(all)
}

fn change(
    setting: &Setting,
    step: &Step,
    place: &Place,
    subject: &Subject<'_>,
    journal: &mut Journal,
    manner: &Manner<'_>,
) -> Result<Fate, TuningError> {
    let machine = subject.machine;
    let taken = machine.write(place, &step.wanted).and_then(|()| machine.read(place));
    let why = match taken {
        Err(error) => error.to_string(),
        Ok(Some(found)) if place.is_act() || holds(setting, &found, &step.wanted) => {
            if let Some(at) = journal.entries().iter().position(|entry| entry.place == *place) {
                journal.done(at);
            }
            return Ok(Fate::Changed);
        }
        Ok(Some(found)) => format!("it shows `{found}` afterwards"),
        Ok(None) => "it is gone afterwards".to_owned(),
    };
    if manner.keep_going {
        return Ok(Fate::Refused(why));
    }
    let (key, wanted) = (step.key.clone(), step.wanted.clone());
    let (place, left) = (place.clone(), Vec::new());
    Err(TuningError::Refused(Box::new(Refusal { key, place, wanted, why, left })))
}
