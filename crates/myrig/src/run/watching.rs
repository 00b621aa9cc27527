//! Watching server and machine while a load is on, from a thread and a connection of its own.

use client::Target;
use engine::Phases;
use host::Root;
use lab::record::{MeanCount, Series, WaitClass, WaitSummary, Watch, WatchCost};
use server::watch::{Class, Meter, Plan, Waits, Watched, Watcher};
use std::{
    io,
    sync::mpsc::{Receiver, Sender, TryRecvError, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use tokio::runtime;

/// Between two samples: the step of the run's own series.
const EVERY: Duration = Duration::from_secs(1);

/// The thread that watches.
pub(super) struct Watching(JoinHandle<Option<Watch>>);

impl Watching {
    /// Connects, and is ready for a load that tells by the returned end of a channel when it
    /// began, and by dropping it that it is over. `tell` hears of every value as it comes.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub(super) fn begin(
        target: &Target,
        phases: Phases,
        tell: impl FnMut(&Meter, f64) + Send + 'static,
    ) -> io::Result<(Self, Sender<Instant>)> {
        let (began, hears) = channel();
        let target = target.clone();
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (ready, is_ready) = channel();
        let body = move || {
            runtime.block_on(async {
                let watcher = Watcher::open(&target, Root::real()).await;
                // Nobody waits any more only where the thread that did has panicked.
                let _unheard = ready.send(());
                follow(watcher, phases, &hears, tell).await.map(recorded)
            })
        };
        let thread = thread::Builder::new().name("watching".into()).spawn(body)?;
        // A thread that died says so when it is joined.
        let _died = is_ready.recv();
        Ok((Self(thread), began))
    }

    /// What was seen, once the load is over; none where it did not begin.
    pub(super) fn seen(self) -> Option<Watch> {
        self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

async fn follow(
    watcher: Watcher,
    phases: Phases,
    hears: &Receiver<Instant>,
    tell: impl FnMut(&Meter, f64),
) -> Option<Watched> {
    // Nothing else is to be done on this thread until then.
    let began = hears.recv().ok()?;
    let from_s = phases.ramp_up.as_secs_f64();
    let measured_s = (from_s, from_s + phases.measure.as_secs_f64());
    let over = || hears.try_recv() == Err(TryRecvError::Disconnected);
    Some(watcher.follow(began, Plan { every: EVERY, measured_s }, over, tell).await)
}

/// What was seen, as it is kept.
fn recorded(watched: Watched) -> Watch {
    let series = watched.tracks.into_iter().map(|track| Series {
        name: track.meter.name.into_owned(),
        label: track.meter.label.into_owned(),
        group: track.meter.group.into(),
        unit: track.meter.unit.into(),
        source: track.meter.source.into_owned(),
        values: track.values,
    });
    Watch {
        at_s: watched.axis_s.into_iter().map(thousandths).collect(),
        series: series.collect(),
        waits: watched.waits.map(summary),
        remarks: watched.remarks.iter().map(ToString::to_string).collect(),
        cost: WatchCost {
            cpus: watched.cost.cpus,
            server_cpus: watched.cost.server_cpus,
            answer_ms: watched.cost.answer_ms,
        },
    }
}

fn summary(waits: Waits) -> WaitSummary {
    let is_idle = |class: Class| class == Class::Idle;
    let active: f64 =
        waits.classes.iter().filter(|it| !is_idle(it.class)).map(|it| it.sessions).sum();
    let classes = waits.classes.iter().map(|share| WaitClass {
        name: share.class.name().into(),
        label: share.class.label().into(),
        sessions: share.sessions,
        share: (!is_idle(share.class) && active > 0.0).then(|| share.sessions / active),
        meaning: share.class.meaning().into(),
        source: share.source.into(),
    });
    let counts = |counts: Vec<(String, f64)>| {
        counts.into_iter().map(|(label, mean)| MeanCount { label, mean }).collect()
    };
    WaitSummary {
        classes: classes.collect(),
        states: counts(waits.states),
        instruments: counts(waits.instruments),
    }
}

/// Milliseconds are as much as the axis needs, and take little room.
fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use client::{Endpoint, Secret};

    const PHASES: Phases =
        Phases { ramp_up: Duration::ZERO, measure: EVERY, ramp_down: Duration::ZERO };

    fn nowhere() -> Target {
        let endpoint = Endpoint::Tcp { host: "127.0.0.1".into(), port: 9 };
        Target::new(endpoint, "u", Secret::default())
    }

    #[test]
    fn a_server_that_is_not_there_leaves_the_machine_to_be_watched() {
        let (watching, began) = Watching::begin(&nowhere(), PHASES, |_, _| {}).unwrap();
        began.send(Instant::now()).unwrap();
        drop(began);
        let watch = watching.seen().unwrap();
        assert_eq!(watch.waits, None);
        assert!(watch.remarks[0].contains("could not be asked"), "{:?}", watch.remarks);
        assert!(!watch.at_s.is_empty() && watch.named("memory.available").is_some());
    }

    #[test]
    fn a_load_that_does_not_begin_is_not_watched() {
        let (watching, began) = Watching::begin(&nowhere(), PHASES, |_, _| {}).unwrap();
        drop(began);
        assert_eq!(watching.seen(), None);
    }
}
