//! What is shown while a load is on.

use crate::output::Output;
use engine::{Interval, Phases};
use indicatif::{MultiProgress, ProgressBar};

const BAR: &str = "{prefix:9} {bar:20} {pos}/{len} s  {msg}";

/// A progress bar over the phases of a load; without a terminal, nothing is shown.
pub(super) struct LiveBar {
    bar: ProgressBar,
    ramp_up_s: f64,
    measured_s: f64,
    /// Words before all others, such as the step of a sweep.
    before: String,
}

impl LiveBar {
    /// At the start, while connections are opened; alone, or `among` the bars of other loads.
    pub(super) fn new(
        phases: &Phases,
        before: &str,
        output: &Output,
        among: Option<&MultiProgress>,
    ) -> Self {
        let (ramp_up_s, measured_s) = (phases.ramp_up.as_secs_f64(), phases.measure.as_secs_f64());
        let length_s = ramp_up_s + measured_s + phases.ramp_down.as_secs_f64();
        let bar = output.bar(length_s.ceil() as u64, BAR);
        let bar = match among {
            Some(bars) => bars.add(bar),
            None => bar,
        };
        bar.set_prefix("connect");
        bar.set_message(before.to_owned());
        Self { bar, ramp_up_s, measured_s, before: before.to_owned() }
    }

    /// Shows the second that is over.
    pub(super) fn show(&self, interval: &Interval, words: &str) {
        self.bar.set_prefix(match interval.at_s {
            at_s if at_s <= self.ramp_up_s => "ramp-up",
            at_s if at_s <= self.ramp_up_s + self.measured_s => "measure",
            _ => "ramp-down",
        });
        self.bar.set_position(interval.at_s as u64);
        self.bar.set_message(format!("{}{words}", self.before));
    }

    /// Leaves the line empty.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}
