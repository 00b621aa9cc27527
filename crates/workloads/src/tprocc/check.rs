//! The consistency conditions of clause 3.3.2 on HammerDB's tables. Names are the
//! specification's, so that TPC-C's own check reads them.

use super::{error::Error, profile::Profile, state::DataSet};
use crate::{
    ConditionResult,
    tpcc::{self, CheckProgress},
};
use client::Target;

/// What a condition that does not hold means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// The profile breaks it by design: a deviation, no fault of the server's.
    Deviates,
    /// It must hold and does not.
    Fails,
}

impl Verdict {
    /// The verdict on a condition in data of `profile`.
    pub fn of(profile: Profile, result: &ConditionResult) -> Self {
        match result.violations {
            0 => Self::Holds,
            _ if profile.conditions_broken().contains(&result.name) => Self::Deviates,
            _ => Self::Fails,
        }
    }
}

/// Checks all conditions over `connections` connections and blocks until that is done. The data
/// must be at rest. [`Verdict::of`] says what a violation means.
///
/// # Errors
/// What the server said, or [`tpcc::Error::Stopped`].
pub fn check(
    target: &Target,
    data: &DataSet,
    connections: u32,
    progress: &CheckProgress,
) -> Result<Vec<ConditionResult>, Error> {
    Ok(tpcc::check(target, &data.as_tpcc(), connections, progress)?)
}
