//! Results in sysbench's words, to the blank: logs are read by programs.

use super::{histogram, script::Form, tally::Counts};
use std::fmt::{self, Write};
use workloads::oltp::Queries;

/// The figures of a stretch of time.
#[derive(Clone, Debug)]
pub(super) struct Figures {
    pub(super) counts: Counts,
    pub(super) queries: Queries,
    /// Length of the stretch.
    pub(super) seconds: f64,
    /// From the start of the statistics to the end of the stretch.
    pub(super) total_s: f64,
    /// None where percentiles are disabled.
    pub(super) percentile: Option<u32>,
    /// Events that a forced shutdown has cut off.
    pub(super) unfinished: u64,
}

/// What an interval line says beside its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Now {
    pub(super) threads: u32,
    /// Events that are due and not started, and those under way; none without `--rate`.
    pub(super) queue: Option<(u64, u64)>,
}

/// SQL statements by sysbench's sorts: a write that changes no row is another one.
struct Sorts {
    read: u64,
    write: u64,
    other: u64,
}

impl Figures {
    fn sorts(&self) -> Sorts {
        let Queries { read, write, other, idle_writes } = self.queries;
        Sorts { read, write: write.saturating_sub(idle_writes), other: other + idle_writes }
    }

    /// A count as so many a second.
    fn per_s(&self, count: u64) -> f64 {
        count as f64 / self.seconds.max(1e-9)
    }

    fn percentile_ms(&self) -> f64 {
        let ms = |percent| histogram::percentile_ms(&self.counts.histogram, percent);
        self.percentile.map_or(0.0, ms)
    }

    /// The lines at the end of an interval.
    pub(super) fn interval(&self, form: Form, now: Now) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = match form {
            Form::V1_0 => self.interval_1_0(&mut text, now),
            Form::V0_5 => self.interval_0_5(&mut text, now),
        };
        text
    }

    fn interval_1_0(&self, out: &mut String, now: Now) -> fmt::Result {
        let Sorts { read, write, other } = self.sorts();
        let (at_s, threads) = (self.total_s, now.threads);
        writeln!(
            out,
            "[ {at_s:.0}s ] thds: {threads} tps: {:4.2} qps: {:4.2} (r/w/o: {:4.2}/{:4.2}/{:4.2}) \
             lat (ms,{}%): {:4.2} err/s: {:4.2} reconn/s: {:4.2}",
            self.per_s(self.counts.events()),
            self.per_s(read + write + other),
            self.per_s(read),
            self.per_s(write),
            self.per_s(other),
            self.percentile.unwrap_or(0),
            self.percentile_ms(),
            self.per_s(self.counts.errors),
            self.per_s(self.counts.reconnects),
        )?;
        match now.queue {
            Some((length, under_way)) => {
                writeln!(out, "[ {at_s:.0}s ] queue length: {length}, concurrency: {under_way}")
            }
            None => Ok(()),
        }
    }

    fn interval_0_5(&self, out: &mut String, now: Now) -> fmt::Result {
        let Sorts { read, write, .. } = self.sorts();
        let (at_s, threads) = (self.total_s, now.threads);
        writeln!(
            out,
            "[{at_s:4.0}s] threads: {threads}, tps: {:4.2}, reads: {:4.2}, writes: {:4.2}, \
             response time: {:4.2}ms ({}%), errors: {:4.2}, reconnects: {:5.2}",
            self.per_s(self.counts.events()),
            self.per_s(read),
            self.per_s(write),
            self.percentile_ms(),
            self.percentile.unwrap_or(0),
            self.per_s(self.counts.errors),
            self.per_s(self.counts.reconnects),
        )?;
        match now.queue {
            Some((length, under_way)) => {
                writeln!(out, "[{at_s:4.0}s] queue length: {length}, concurrency: {under_way}")
            }
            None => Ok(()),
        }
    }

    /// The report at the end; `extremes_ns` are the shortest and the longest latency.
    pub(super) fn report(&self, form: Form, extremes_ns: Option<(u64, u64)>) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_report(&mut text, form, extremes_ns.unwrap_or((0, 0)));
        text
    }

    fn write_report(&self, out: &mut String, form: Form, extremes: (u64, u64)) -> fmt::Result {
        self.sql(out, form)?;
        if self.unfinished > 0 {
            let unfinished = self.unfinished;
            let title = "Number of unfinished transactions on forced shutdown";
            writeln!(out, "\n{title}: {unfinished}")?;
        }
        writeln!(out, "\nGeneral statistics:")?;
        writeln!(out, "    total time:                          {:.4}s", self.total_s)?;
        let events = self.counts.events();
        writeln!(out, "    total number of events:              {events}")?;
        match form {
            Form::V1_0 => self.latency_1_0(out, extremes)?,
            Form::V0_5 => self.latency_0_5(out, extremes)?,
        }
        self.fairness(out)
    }

    fn sql(&self, out: &mut String, form: Form) -> fmt::Result {
        let Sorts { read, write, other } = self.sorts();
        let title = if form == Form::V1_0 { "SQL statistics:" } else { "OLTP test statistics:" };
        writeln!(out, "{title}\n    queries performed:")?;
        let total = read + write + other;
        for (name, count) in
            [("read:", read), ("write:", write), ("other:", other), ("total:", total)]
        {
            writeln!(out, "        {name:33}{count}")?;
        }
        let (events, errors) = (self.counts.events(), self.counts.errors);
        let reconnects = ("reconnects:", self.counts.reconnects);
        let rates: &[(&str, u64)] = match form {
            Form::V1_0 => &[
                ("transactions:", events),
                ("queries:", total),
                ("ignored errors:", errors),
                reconnects,
            ],
            Form::V0_5 => &[
                ("transactions:", events),
                ("read/write requests:", read + write),
                ("other operations:", other),
                ("ignored errors:", errors),
                reconnects,
            ],
        };
        for (name, count) in rates {
            writeln!(out, "    {name:37}{count:<6} ({:.2} per sec.)", self.per_s(*count))?;
        }
        Ok(())
    }

    /// Mean latency, milliseconds.
    fn mean_ms(&self) -> f64 {
        match self.counts.events() {
            0 => 0.0,
            events => self.counts.sum_s() * 1e3 / events as f64,
        }
    }

    fn latency_1_0(&self, out: &mut String, (least_ns, most_ns): (u64, u64)) -> fmt::Result {
        writeln!(out, "\nLatency (ms):")?;
        writeln!(out, "         min: {:39.2}", least_ns as f64 / 1e6)?;
        writeln!(out, "         avg: {:39.2}", self.mean_ms())?;
        writeln!(out, "         max: {:39.2}", most_ns as f64 / 1e6)?;
        match self.percentile {
            Some(percent) => {
                writeln!(out, "        {percent:3}th percentile: {:27.2}", self.percentile_ms())?;
            }
            None => writeln!(out, "         percentile stats:               disabled")?,
        }
        writeln!(out, "         sum: {:39.2}\n", self.counts.sum_s() * 1e3)
    }

    fn latency_0_5(&self, out: &mut String, (least_ns, most_ns): (u64, u64)) -> fmt::Result {
        writeln!(out, "    total time taken by event execution: {:.4}s", self.counts.sum_s())?;
        writeln!(out, "    response time:")?;
        writeln!(out, "         min:                            {:10.2}ms", least_ns as f64 / 1e6)?;
        writeln!(out, "         avg:                            {:10.2}ms", self.mean_ms())?;
        writeln!(out, "         max:                            {:10.2}ms", most_ns as f64 / 1e6)?;
        if let Some(percent) = self.percentile.filter(|_| self.counts.events() > 0) {
            let ms = self.percentile_ms();
            writeln!(out, "         approx. {percent:3} percentile:         {ms:10.2}ms")?;
        }
        writeln!(out)
    }

    fn fairness(&self, out: &mut String) -> fmt::Result {
        let events = self.counts.connections.iter().map(|(events, _)| *events as f64);
        let seconds = self.counts.connections.iter().map(|(_, sum_ns)| *sum_ns as f64 / 1e9);
        let (events, events_deviation) = mean_and_deviation(events);
        let (seconds, seconds_deviation) = mean_and_deviation(seconds);
        writeln!(out, "Threads fairness:")?;
        writeln!(out, "    events (avg/stddev):           {events:.4}/{events_deviation:.2}")?;
        writeln!(out, "    execution time (avg/stddev):   {seconds:.4}/{seconds_deviation:.2}\n")
    }
}

/// The mean and the standard deviation of a whole population.
fn mean_and_deviation(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / count).sqrt())
}

#[cfg(test)]
mod tests;
