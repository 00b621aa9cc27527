//! What a load tells of itself while it is on: to the live feed, and to whoever scrapes metrics.

use super::{Bench, Run};
use crate::{
    failure::Failure,
    live::{Begin, End, Event, Feed, Kind, PlannedPhase, Second, SecondOfType, State},
    metrics::{Board, LoadFacts, MetricsAddr},
    serve,
};
use engine::{Interval, IntervalTransactions, LoadOptions, Pacing, Phases, Responses};
use lab::record::{RunRecord, RunStatus};
use server::watch::Meter;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Series that the live page shows beside the load's own.
const WATCHED: [&str; 9] = [
    "cpu.user",
    "cpu.system",
    "cpu.iowait",
    "cpu.steal",
    "disk.read_bytes",
    "disk.written_bytes",
    "rows.read",
    "server.threads_running",
    "redo.written",
];

/// Values that were watched, by name.
type Latest = Arc<Mutex<BTreeMap<String, f64>>>;

/// Whoever is told of one load.
pub(super) struct Broadcast {
    feed: Feed,
    board: Option<Board>,
    phases: Phases,
    latest: Latest,
}

impl Broadcast {
    /// Begins to tell of the load that `record` will be of, and tells a person where it can be
    /// watched.
    ///
    /// # Errors
    /// The metrics' address cannot be had.
    pub(super) fn begin(
        run: &Run<'_>,
        bench: &dyn Bench,
        record: &RunRecord,
        options: &LoadOptions,
    ) -> Result<Self, Failure> {
        let rate_per_s = match options.pacing {
            Pacing::Closed => None,
            Pacing::Open { rate_per_s, .. } => Some(rate_per_s),
        };
        let server = run.instance.map(|instance| instance.name().to_string());
        let server = server.or_else(|| record.server.endpoints.first().cloned());
        let facts = LoadFacts {
            run: record.id.clone(),
            label: record.label.clone(),
            workload: record.workload.name.clone(),
            profile: record.workload.profile.clone(),
            scale: record.workload.scale.clone(),
            server: server.unwrap_or_default(),
            server_version: format!("{} {}", record.server.flavour, record.server.version),
            types: bench.transaction_types(),
            connections: options.connections,
            rate_per_s,
            histograms: options.histograms,
        };
        let begin = Begin {
            label: facts.label.clone(),
            workload: facts.workload.clone(),
            server: facts.server.clone(),
            types: facts.types.clone(),
            phases: planned(&options.phases),
            connections: Some(options.connections),
            rate_per_s,
            settings: record.settings.clone(),
            command: report::brief::command(record),
            ..Begin::of(Kind::Run, &record.id, &report::brief::title(record), &record.started_at)
        };
        let board = run.pacing.metrics_addr.as_ref().map(|it| it.board(facts)).transpose()?;
        if let Some(link) = run.pacing.metrics_addr.as_ref().and_then(MetricsAddr::found) {
            run.output.note(&format!("metrics: {link}"));
        }
        let feed = Feed::begin(run.paths.home(), begin);
        if let Some(link) = serve::link(run.paths.home(), &record.id) {
            run.output.note(&format!("live: {link}"));
        }
        Ok(Self { feed, board, phases: options.phases, latest: Latest::default() })
    }

    /// Takes values that are watched, on the thread that watches.
    pub(super) fn listener(&self) -> impl FnMut(&Meter, f64) + Send + 'static {
        let (board, latest) = (self.board.clone(), Arc::clone(&self.latest));
        move |meter, value| {
            if let Some(board) = &board {
                board.watched(&meter.name, &meter.label, meter.unit, value);
            }
            if WATCHED.contains(&meter.name.as_ref()) {
                let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
                latest.insert(meter.name.to_string(), value);
            }
        }
    }

    /// Says what is being done now.
    pub(super) fn phase(&mut self, name: &str) {
        self.feed.tell(&Event::Phase { name: name.to_owned() });
        if let Some(board) = &self.board {
            board.phase(name);
        }
    }

    /// Tells of a second that is over.
    pub(super) fn second(&mut self, interval: &Interval, responses: &Responses<'_>) {
        let phase = phase_at(&self.phases, interval.at_s - interval.length_s / 2.0);
        if let Some(board) = &self.board {
            board.second(phase, interval, responses);
        }
        let watch = self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.feed.tell(&Event::Second(second(interval, phase, watch)));
    }

    /// Says how it ended.
    pub(super) fn end(mut self, record: &RunRecord) {
        if let Some(board) = self.board.take() {
            board.phase("done");
        }
        let (state, reason) = match &record.status {
            RunStatus::Complete => (State::Complete, String::new()),
            RunStatus::Partial { reason } => (State::Partial, reason.clone()),
        };
        let figures = report::text::figures(record);
        let mut figures = if figures.is_empty() { Vec::new() } else { vec![figures] };
        if let Some(check) = record.check.as_ref().filter(|check| !check.good) {
            let violated = check.conditions.iter().filter(|it| it.violations > 0).count();
            figures.push(format!("consistency check failed: {violated} conditions"));
        }
        self.feed.end(End { state, reason, figures });
    }
}

/// The phases that have a length.
fn planned(phases: &Phases) -> Vec<PlannedPhase> {
    let mut from_s = 0.0;
    let named =
        [("ramp-up", phases.ramp_up), ("measure", phases.measure), ("ramp-down", phases.ramp_down)];
    let mut planned = Vec::new();
    for (name, length) in named.into_iter().filter(|(_, length)| !length.is_zero()) {
        let until_s = from_s + length.as_secs_f64();
        planned.push(PlannedPhase { name: name.into(), from_s, until_s });
        from_s = until_s;
    }
    planned
}

fn phase_at(phases: &Phases, at_s: f64) -> &'static str {
    let measure_s = phases.ramp_up.as_secs_f64();
    let ramp_down_s = measure_s + phases.measure.as_secs_f64();
    let drain_s = ramp_down_s + phases.ramp_down.as_secs_f64();
    match at_s {
        _ if at_s < measure_s => "ramp-up",
        _ if at_s < ramp_down_s => "measure",
        _ if at_s < drain_s => "ramp-down",
        _ => "drain",
    }
}

fn second(interval: &Interval, phase: &str, watch: BTreeMap<String, f64>) -> Second {
    let of_type = |kind: &IntervalTransactions| SecondOfType {
        committed: kind.committed,
        rolled_back: kind.rolled_back,
        failed: kind.failed,
        retries: kind.retries,
        p50_ms: kind.p50_ms,
        p95_ms: kind.p95_ms,
        p99_ms: kind.p99_ms,
    };
    Second {
        at_s: interval.at_s,
        length_s: interval.length_s,
        phase: phase.to_owned(),
        connected: interval.connected,
        client_cpu: interval.client_cpu,
        transactions: interval.transactions.iter().map(of_type).collect(),
        watch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_second_lies_in_the_phase_of_its_middle() {
        let s = Duration::from_secs;
        let phases = Phases { ramp_up: s(2), measure: s(3), ramp_down: s(0) };
        let seen = [0.5, 1.5, 2.5, 4.5, 5.5].map(|at_s| phase_at(&phases, at_s));
        assert_eq!(seen, ["ramp-up", "ramp-up", "measure", "measure", "drain"]);
        let planned = planned(&phases);
        let spans: Vec<_> = planned.iter().map(|it| (it.name.as_str(), it.until_s)).collect();
        assert_eq!(spans, [("ramp-up", 2.0), ("measure", 5.0)], "no length, no phase");
    }
}
