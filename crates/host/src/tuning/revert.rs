//! The way back: every old value, in reverse order, read back.

use super::{
    apply::not_permitted,
    error::TuningError,
    journal::{Entry, Head, Journal},
    place::{Machine, Place},
};
use crate::Root;
use std::path::Path;

/// Times that values are looked at again after the first round. The kernel does not take some
/// before others (the energy preference under the governor `performance`), and changes some beside
/// others (the queue's length beside its scheduler).
const ROUNDS: usize = 2;

/// A value that was to be put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Back {
    /// The setting.
    pub key: String,
    /// Where.
    pub place: Place,
    /// The value before the machine was tuned.
    pub old: String,
    /// The value that it was tuned to.
    pub wanted: String,
    /// The value that was found.
    pub found: Option<String>,
    /// What became of it.
    pub fate: BackFate,
}

/// What became of a value that was to be put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackFate {
    /// The old value is there again.
    Restored,
    /// The old value was there.
    AsBefore,
    /// The place is there no more.
    Gone,
    /// There is no way back, and none is needed: a cache was emptied.
    Act,
    /// Somebody else has changed it since; it was left alone.
    Foreign,
    /// The machine does not take the old value; the text says why.
    Refused(String),
}

impl Back {
    /// True where nothing is left to do.
    pub fn is_well(&self) -> bool {
        !matches!(self.fate, BackFate::Foreign | BackFate::Refused(_))
    }
}

/// What came of a revert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reverted {
    /// What the journal was about.
    pub head: Head,
    /// True where the machine was booted since, so that its values are gone anyway.
    pub stale: bool,
    /// Each value, the one that was changed last first.
    pub backs: Vec<Back>,
    /// True where the journal is still open, because not every value is as before.
    pub open: bool,
}

/// What to do about values that somebody else has changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// Leave them alone, and the journal open.
    Keep,
    /// Put them back, too.
    Overwrite,
    /// Leave them alone for good, and close the journal.
    Forget,
}

/// Puts back what the journal in `directory` tells; none where there is no journal.
///
/// # Errors
/// The journal cannot be read, is of another machine, or this process may not write what is to be
/// put back: nothing is changed then.
pub fn revert(
    directory: &Path,
    root: &Root,
    machine: &dyn Machine,
    foreign: Foreign,
) -> Result<Option<Reverted>, TuningError> {
    let Some(mut journal) = Journal::open(directory)? else { return Ok(None) };
    journal.is_of(root)?;
    let head = journal.head().clone();
    if head.is_stale(root) {
        journal.close()?;
        return Ok(Some(Reverted { head, stale: true, backs: Vec::new(), open: false }));
    }
    permitted(&journal, machine)?;
    let backs = put_back(&mut journal, machine, foreign == Foreign::Overwrite);
    let is_forgotten = |back: &Back| foreign == Foreign::Forget && back.fate == BackFate::Foreign;
    let open = backs.iter().any(|back| !back.is_well() && !is_forgotten(back));
    if !open {
        journal.close()?;
    }
    Ok(Some(Reverted { head, stale: false, backs, open }))
}

fn permitted(journal: &Journal, machine: &dyn Machine) -> Result<(), TuningError> {
    let entries = journal.entries().iter().rev().filter(|entry| !entry.place.is_act());
    let forbidden = entries.filter(|entry| {
        let found = machine.read(&entry.place);
        found.is_ok_and(|found| found.is_some_and(|found| found != entry.old))
            && !machine.may_write(&entry.place)
    });
    not_permitted(forbidden.map(|entry| (entry.key.as_str(), &entry.place)).collect())
}

/// Puts back every value of a journal, whatever becomes of one of them.
pub(super) fn put_back(journal: &mut Journal, machine: &dyn Machine, force: bool) -> Vec<Back> {
    let entries = journal.entries();
    let mut backs: Vec<Back> =
        entries.iter().rev().map(|entry| back(entry, machine, force)).collect();
    for _ in 0..ROUNDS {
        for (entry, known) in entries.iter().zip(backs.iter_mut().rev()) {
            if matches!(known.fate, BackFate::Foreign | BackFate::Act) {
                continue;
            }
            let again = back(entry, machine, true);
            known.fate = match (&known.fate, again.fate) {
                // It came back with another one.
                (BackFate::Refused(_) | BackFate::Gone, BackFate::AsBefore) => BackFate::Restored,
                (known, BackFate::AsBefore) => known.clone(),
                (_, fate) => fate,
            };
        }
    }
    backs
}

fn back(entry: &Entry, machine: &dyn Machine, force: bool) -> Back {
    let read = machine.read(&entry.place);
    let found = read.as_ref().ok().cloned().flatten();
    let fate = match (&read, &found) {
        _ if entry.place.is_act() => BackFate::Act,
        (Err(error), _) => BackFate::Refused(error.to_string()),
        (_, None) => BackFate::Gone,
        (_, Some(found)) if *found == entry.old => BackFate::AsBefore,
        // Of an entry without its mark nobody knows how far it came.
        (_, Some(found)) if entry.done && *found != entry.wanted && !force => BackFate::Foreign,
        _ => restore(entry, machine),
    };
    let Entry { key, place, old, wanted, .. } = entry.clone();
    Back { key, place, old, wanted, found, fate }
}

fn restore(entry: &Entry, machine: &dyn Machine) -> BackFate {
    let taken = machine.write(&entry.place, &entry.old);
    match taken.and_then(|()| machine.read(&entry.place)) {
        Err(error) => BackFate::Refused(error.to_string()),
        Ok(Some(found)) if found == entry.old => BackFate::Restored,
        Ok(Some(found)) => BackFate::Refused(format!("it shows `{found}` afterwards")),
        Ok(None) => BackFate::Gone,
    }
}
