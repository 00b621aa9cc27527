//! What the trials of an experiment say together.

use crate::failure::Failure;
use lab::{
    experiment::ExperimentRecord,
    record::RunRecord,
    store::Store,
};

/// Draws the conclusions anew from the trials that there are; returns their runs.
///
/// # Errors
/// The store cannot be read.
pub(super) fn draw(
    record: &mut ExperimentRecord,
    store: &Store,
) -> Result<Vec<RunRecord>, Failure> {
    let runs: Result<Vec<RunRecord>, _> = record.runs().map(|run| store.load(run)).collect();
    let runs = runs?;
    Ok(runs)
}
