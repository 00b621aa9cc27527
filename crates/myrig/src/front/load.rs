//! A load that a front end shows in its own way, kept in the store like any other.

use crate::{
    args::PacingArgs,
    failure::Failure,
    output::Output,
    paths::Paths,
    run::{Bench, Run, Settings, Shown, Stops, plan, saving},
};
use clap::{Args, Command, FromArgMatches};
use client::Target;
use engine::Interval;
use lab::record::RunRecord;

/// A load that is about to be.
pub(super) struct Load<'a> {
    pub(super) pacing: &'a PacingArgs,
    pub(super) settings: Settings,
    pub(super) target: &'a Target,
    pub(super) stops: &'a Stops,
    pub(super) paths: &'a Paths,
    pub(super) output: &'a Output,
}

impl Load<'_> {
    /// Puts the load on, shows each second to `observer`, and keeps the record.
    ///
    /// # Errors
    /// What kept the load from being begun.
    pub(super) fn carry_out(
        self,
        bench: &mut dyn Bench,
        observer: &mut dyn FnMut(&Interval),
    ) -> Result<RunRecord, Failure> {
        let Self { pacing, settings, target, stops, paths, output } = self;
        let mut store = paths.store()?;
        let step = plan::steps(pacing)?[0];
        let run = Run {
            pacing,
            settings,
            target,
            instance: None,
            stops,
            paths,
            output,
            began: None,
            gate: None,
            before: "",
        };
        let record = run.step(bench, step, &mut store, Shown::To(observer))?;
        if let Err(words) = saving::keep(&mut store, &record) {
            output.note(&format!("myrig: {words}"));
        }
        Ok(record)
    }
}

/// What `run` does when it is told nothing, to be changed by the front end. Nobody watches: the
/// tools that front ends stand for do not.
///
/// # Errors
/// None that a person can mend: an option of `run` has no default.
pub(super) fn usual_pacing() -> Result<PacingArgs, Failure> {
    let command = PacingArgs::augment_args(Command::new("run").no_binary_name(true));
    let matches = command.try_get_matches_from::<_, &str>([])?;
    Ok(PacingArgs { no_watch: true, ..PacingArgs::from_arg_matches(&matches)? })
}
