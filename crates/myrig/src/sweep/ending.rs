//! Why a sweep ends, in words.

use crate::run::Step;
use lab::{
    record::RunStatus,
    sweep::{SweepRecord, Varied, analysis::steps_without_gain},
};

/// Why a sweep ends; as long as it goes on, because all steps are taken.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ending {
    /// The last step was taken.
    AllTaken,
    /// So many steps in a row brought nothing, this one the last.
    NoGain(Step, u32),
    /// Somebody ended it in or before this step.
    Interrupted(Step),
    /// The run of this step ended early, for this reason.
    Partial(Step, String),
    /// This step could not begin, for this reason.
    NotBegun(Step, String),
}

impl Ending {
    /// What `step`, which was taken last or not begun, changes about it. An interruption is the
    /// reason for whatever else went wrong.
    pub(super) fn after(
        self,
        sweep: &SweepRecord,
        stop_after_peak: Option<u32>,
        stopped: bool,
        step: Step,
    ) -> Self {
        let last = sweep.steps.last().map(|last| &last.status);
        match (self, last, stop_after_peak) {
            (_, _, _) if stopped => Self::Interrupted(step),
            (Self::AllTaken, Some(RunStatus::Partial { reason }), _) => {
                Self::Partial(step, reason.clone())
            }
            (Self::AllTaken, _, Some(steps)) if is_dry(sweep, steps) => Self::NoGain(step, steps),
            (ending, _, _) => ending,
        }
    }

    /// Writes status and sentence into the record; `planned` steps were asked for.
    pub(super) fn tell(&self, sweep: &mut SweepRecord, planned: usize) {
        let taken = sweep.steps.len();
        let named = |step: &Step| name(*step, sweep.varied);
        let partial = |reason: &str| RunStatus::Partial { reason: reason.to_owned() };
        (sweep.status, sweep.ended) = match self {
            // What is on record if this process does not live to take the next step.
            Self::AllTaken if taken < planned => {
                let reason = "myrig did not live to see its end";
                (partial(reason), format!("{reason}."))
            }
            Self::AllTaken => (RunStatus::Complete, format!("All {planned} steps were taken.")),
            Self::NoGain(step, 1) => (
                RunStatus::Complete,
                format!(
                    "It stopped after {}, which brought no more throughput (--stop-after-peak 1).",
                    named(step)
                ),
            ),
            Self::NoGain(step, steps) => (
                RunStatus::Complete,
                format!(
                    "It stopped after {}: {steps} steps in a row brought no more throughput \
                     (--stop-after-peak {steps}).",
                    named(step)
                ),
            ),
            Self::Interrupted(step) => {
                (partial("interrupted"), format!("It was interrupted at {}.", named(step)))
            }
            Self::Partial(step, reason) => {
                (partial(reason), format!("It ended with {}: {reason}.", named(step)))
            }
            Self::NotBegun(step, reason) => {
                (partial(reason), format!("{} could not be begun: {reason}.", named(step)))
            }
        };
    }
}

fn is_dry(sweep: &SweepRecord, steps: u32) -> bool {
    steps_without_gain(&sweep.steps) >= steps as usize
}

/// `8 connections`, `200 transactions/s`.
pub(super) fn name(step: Step, varied: Varied) -> String {
    match (varied, step.rate_per_s) {
        (Varied::Rate, Some(rate_per_s)) => format!("{rate_per_s} transactions/s"),
        _ if step.connections == 1 => "1 connection".into(),
        _ => format!("{} connections", step.connections),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SWEEP: &str = include_str!("../../../lab/tests/data/sweep-1.json");

    /// Three steps with 500, 990 and 1000 TPS, all of them complete.
    fn sweep() -> SweepRecord {
        let mut sweep = lab::sweep::parse(SWEEP).unwrap();
        sweep.steps[2].status = RunStatus::Complete;
        sweep
    }

    fn step(connections: u32) -> Step {
        Step { connections, rate_per_s: None }
    }

    fn sentence(ending: &Ending, planned: usize) -> (RunStatus, String) {
        let mut sweep = sweep();
        ending.tell(&mut sweep, planned);
        (sweep.status, sweep.ended)
    }

    #[test]
    fn a_sweep_goes_on_until_there_is_a_reason_not_to() {
        let after = |sweep: &SweepRecord, rule, stopped| {
            Ending::AllTaken.after(sweep, rule, stopped, step(4))
        };
        assert_eq!(after(&sweep(), None, false), Ending::AllTaken);
        assert_eq!(after(&sweep(), Some(2), false), Ending::AllTaken);
        assert_eq!(after(&sweep(), Some(1), false), Ending::NoGain(step(4), 1));
        assert_eq!(after(&sweep(), Some(1), true), Ending::Interrupted(step(4)));
        let mut ended = sweep();
        ended.steps[2].status = RunStatus::Partial { reason: "server gone".into() };
        assert_eq!(after(&ended, None, false), Ending::Partial(step(4), "server gone".into()));
        assert_eq!(after(&ended, None, true), Ending::Interrupted(step(4)));
    }

    #[test]
    fn the_sentence_says_why_it_ended() {
        assert_eq!(
            sentence(&Ending::AllTaken, 3),
            (RunStatus::Complete, "All 3 steps were taken.".into())
        );
        let (status, words) = sentence(&Ending::NoGain(step(8), 2), 6);
        assert_eq!(status, RunStatus::Complete);
        assert_eq!(
            words,
            "It stopped after 8 connections: 2 steps in a row brought no more throughput \
             (--stop-after-peak 2)."
        );
        let (status, words) = sentence(&Ending::NotBegun(step(1), "no server".into()), 3);
        assert!(matches!(status, RunStatus::Partial { reason } if reason == "no server"));
        assert_eq!(words, "1 connection could not be begun: no server.");
        assert!(matches!(sentence(&Ending::AllTaken, 4).0, RunStatus::Partial { .. }));
    }

    #[test]
    fn steps_are_named_by_what_varies() {
        let step = Step { connections: 4, rate_per_s: Some(200.5) };
        assert_eq!(name(step, Varied::Rate), "200.5 transactions/s");
        assert_eq!(name(step, Varied::Connections), "4 connections");
    }
}
