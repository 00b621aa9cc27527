//! What is printed while the load is on: interval lines and checkpoint reports.

use super::{
    Screen,
    options::{Load, Options, Shown},
    report::{Figures, Now},
    script::Form,
    tally::{Counts, Tally},
};
use engine::Interval;
use workloads::oltp::{Oltp, Queries};

/// A moment of the run, for the figures from there on.
#[derive(Clone)]
pub(super) struct Mark {
    /// Seconds from the start of the statistics.
    pub(super) at_s: f64,
    pub(super) counts: Counts,
    pub(super) queries: Queries,
}

/// Prints while the load is on.
pub(super) struct Live<'a> {
    oltp: &'a Oltp,
    pub(super) tally: &'a Tally,
    load: &'a Load,
    shown: &'a Shown,
    form: Form,
    screen: &'a Screen<'a>,
    /// The end of the interval that was printed last.
    interval: Option<Mark>,
    /// The last checkpoint, or the start.
    checkpoint: Option<Mark>,
}

impl<'a> Live<'a> {
    pub(super) fn new(
        oltp: &'a Oltp,
        tally: &'a Tally,
        options: &'a Options,
        screen: &'a Screen<'a>,
    ) -> Self {
        let (load, shown, form) = (&options.load, &options.shown, options.script.form);
        Self { oltp, tally, load, shown, form, screen, interval: None, checkpoint: None }
    }

    /// This moment.
    pub(super) fn mark(&self) -> Mark {
        let since_s = self.tally.began().elapsed().as_secs_f64();
        Mark {
            at_s: since_s - self.load.warmup.as_secs_f64(),
            counts: self.tally.counts(),
            queries: self.oltp.queries(),
        }
    }

    /// Where the statistics begin: nothing was counted before.
    fn zero(&self) -> Mark {
        let counts = self.tally.counts();
        let counts = counts.since(&counts);
        Mark { at_s: 0.0, counts, queries: Queries::default() }
    }

    fn figures(&self, from: &Mark, to: &Mark, total_s: f64) -> Figures {
        Figures {
            counts: to.counts.since(&from.counts),
            queries: to.queries.since(&from.queries),
            seconds: to.at_s - from.at_s,
            total_s,
            percentile: self.shown.percentile,
            unfinished: 0,
        }
    }

    /// A second is over.
    pub(super) fn show(&mut self, interval: &Interval) {
        let warmup_s = self.load.warmup.as_secs_f64();
        let second = interval.at_s.round() as i64 - warmup_s as i64;
        let whole = (interval.at_s - interval.at_s.round()).abs() < 1e-6;
        if !whole || second < 0 {
            return;
        }
        if second == 0 {
            // Queries and errors of the warm-up are not to be counted.
            let mark = Mark { at_s: 0.0, ..self.mark() };
            (self.interval, self.checkpoint) = (Some(mark.clone()), Some(mark));
            return;
        }
        let due = |seconds: u32| second % i64::from(seconds) == 0;
        let shows_interval = self.shown.report_interval_s.is_some_and(due);
        let is_checkpoint = self.shown.checkpoints_s.iter().any(|at| i64::from(*at) == second);
        if shows_interval {
            let mark = self.mark();
            let from = self.interval.take().unwrap_or_else(|| self.zero());
            let figures = self.figures(&from, &mark, second as f64);
            self.screen.notice(&figures.interval(self.form, self.now(interval)));
            self.interval = Some(mark);
        }
        if is_checkpoint {
            let at = match self.form {
                Form::V1_0 => format!("[ {second}s ]"),
                Form::V0_5 => format!("[{second:4}s]"),
            };
            self.screen.notice(&format!("{at} Checkpoint report:\n"));
            let mark = self.mark();
            self.report(mark, 0);
        }
    }

    fn now(&self, interval: &Interval) -> Now {
        let queue = self.load.rate.map(|rate| {
            let now_ns = (interval.at_s * 1e9) as u64;
            (self.tally.queued(rate, now_ns), self.tally.in_flight())
        });
        Now { threads: interval.connected, queue }
    }

    /// Prints the figures since the last report.
    pub(super) fn report(&mut self, mark: Mark, unfinished: u64) {
        let from = self.checkpoint.take().unwrap_or_else(|| self.zero());
        let figures = Figures { unfinished, ..self.figures(&from, &mark, mark.at_s) };
        let extremes = self.tally.take_extremes();
        self.screen.notice(&figures.report(self.form, extremes));
        self.checkpoint = Some(mark);
    }
}
