//! The counts of drives, asked again and again while a load is on.

use super::{rows::Sample, source::Source};
use flash::waf::Reading;
use lab::experiment::Fault;
use std::{
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// So often is asked in an interval, so that its borders are met well.
const TIMES_AN_INTERVAL: u32 = 10;
/// Least and most time between two samples.
const BETWEEN: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));

/// A thread that asks.
pub(super) struct Sampler {
    over: Sender<()>,
    thread: JoinHandle<Raw>,
}

/// What was asked, before anybody knows when the load began.
struct Raw {
    samples: Vec<(Instant, Vec<Reading>)>,
    /// The last answer that was none.
    fault: Option<String>,
    remarks: Vec<String>,
    log: Option<String>,
}

/// What was asked, on the run's axis.
pub(super) struct Sampled {
    samples: Vec<(f64, Vec<Reading>)>,
    /// What of it a reader must know.
    pub(super) warnings: Vec<String>,
    /// The log of a real drive that was read, in words; its readings are the last.
    pub(super) log: Option<String>,
}

impl Sampler {
    /// Begins to ask, often enough for intervals of that length.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub(super) fn begin(mut source: Source, every: Duration) -> Result<Self, Fault> {
        let between = (every / TIMES_AN_INTERVAL).clamp(BETWEEN.0, BETWEEN.1);
        let (over, is_over) = mpsc::channel();
        let body = move || {
            let (mut samples, mut fault) = (Vec::new(), None);
            loop {
                match source.read() {
                    Ok(readings) => samples.push((Instant::now(), readings)),
                    Err(error) => fault = Some(error.to_string()),
                }
                if is_over.recv_timeout(between) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            let log = source.log();
            Raw { samples, fault, remarks: source.end(), log }
        };
        let thread = thread::Builder::new().name("flash".into()).spawn(body)?;
        Ok(Self { over, thread })
    }

    /// What was asked, on the axis of a load that began at that moment.
    ///
    /// # Errors
    /// There was no answer at all.
    pub(super) fn end(self, began: Instant) -> Result<Sampled, Fault> {
        drop(self.over);
        let raw = self.thread.join().map_err(|_| "the thread that asked the drives broke off")?;
        if raw.samples.is_empty() {
            return Err(raw.fault.unwrap_or_else(|| "no drive answered".into()).into());
        }
        let fault = raw.fault.map(|fault| format!("The drives were not always read: {fault}."));
        let seconds = |at: Instant| match at.checked_duration_since(began) {
            Some(after) => after.as_secs_f64(),
            None => -began.duration_since(at).as_secs_f64(),
        };
        let samples = raw.samples.into_iter().map(|(at, readings)| (seconds(at), readings));
        let warnings = raw.remarks.into_iter().chain(fault).collect();
        Ok(Sampled { samples: samples.collect(), warnings, log: raw.log })
    }
}

impl Sampled {
    /// The samples of a drive, by its place.
    pub(super) fn of(&self, place: usize) -> Vec<Sample> {
        let of = |(at_s, readings): &(f64, Vec<Reading>)| Some((*at_s, *readings.get(place)?));
        self.samples.iter().filter_map(of).collect()
    }
}
