//! Changing the machine for a benchmark, with a way back.
//!
//! # How things flow
//! [`Setting`]s (of a [`Profile`](crate::profile::Profile), or typed) are looked up in the table
//! of [`KNOBS`] → [`plan`] says for each [`Place`] what is there and what would become of it →
//! [`apply`] writes the journal, then the values, and reads each back → [`revert`] puts them back
//! from the journal alone.
//!
//! # What holds
//! - A value is in the journal, on disk, before it is written. A process that dies between any two
//!   writes leaves a journal that [`revert`] restores every value from.
//! - A value that the machine does not take puts everything back.
//! - A value that somebody else has changed since is left alone, and told.
//! - What this machine lacks is told, and nothing is done about it.

mod apply;
mod error;
mod find;
mod journal;
mod knob;
mod place;
mod plan;
mod revert;
mod scope;
mod shell;
#[cfg(test)]
mod tests;

pub use apply::{Manner, apply, permitted};
pub use error::{Refusal, TuningError};
pub use journal::{Entry, Head, Journal, JournalError, Turn};
pub use knob::{KNOBS, Knob, Setting};
pub use place::{Host, Machine, Place};
pub use plan::{Fate, Step, Subject, plan};
pub use revert::{Back, BackFate, Foreign, Reverted, revert};
pub use scope::Scope;
pub use shell::{Answer, Nothing, Programs, Queues, Shell};

pub(crate) use find::FEATURES;
pub(crate) use place::chosen;
