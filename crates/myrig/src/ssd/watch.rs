//! `myrig ssd watch`: a row of `result_WA.txt` each hour.

use super::{
    device::{Commands, Place},
    journal::Journal,
    waf,
};
use crate::{
    args::{SsdWatchArgs, show_duration},
    failure::{Failure, Status},
    interrupt,
    output::Output,
};
use anyhow::anyhow;
use flash::{
    drive::{
        Drive, DriveError,
        watch::{Step, Taken, Why},
    },
    result_file::Row,
    waf::Meter,
};
use serde::Serialize;
use std::{
    sync::mpsc::{self, Receiver},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// A drive that has vanished is looked for that often.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// A line of `waf.jsonl`.
#[derive(Debug, Default, Serialize)]
struct Line<'a> {
    schema: &'static str,
    time: String,
    event: &'static str,
    device: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    serial: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Why>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host_bytes: Option<u128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_bytes: Option<u128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    factor: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<&'a str>,
}

/// What came of it, `myrig.ssd-watch/1`.
#[derive(Debug, Default, Serialize)]
struct Told {
    schema: &'static str,
    device: String,
    rows: usize,
    idle_rows: usize,
    resets: usize,
    failures: usize,
}

pub(super) fn run(args: &SsdWatchArgs, output: &Output) -> Result<Status, Failure> {
    let place = Place::of(args.device.as_ref(), args.recorded.as_ref());
    let place = place.ok_or_else(|| Failure::usage("say which drive"))?;
    if args.every < Duration::from_millis(100) {
        return Err(Failure::usage("--every is at least 100ms"));
    }
    // A drive that was never there, or cannot be read, is no drive that has vanished.
    let drive = waf::detect(&place)?;
    let journal = Journal::open(&args.output)?;
    let shown = place.path().display().to_string();
    output.note(&format!(
        "{shown}: {} each {}, into {}",
        drive.source(),
        show_duration(args.every),
        args.output.join(Journal::ROWS).display()
    ));
    drop(drive);
    let told = Told { schema: "myrig.ssd-watch/1", device: shown, ..Told::default() };
    let mut watch = Watch { args, output, place, journal, told, well: Instant::now() };
    let ended = watch.until_ended();
    let told = &watch.told;
    let text = format!(
        "{} rows ({} of them idle), {} resets, {} failures; `myrig ssd waf {}` sums them up\n",
        told.rows,
        told.idle_rows,
        told.resets,
        told.failures,
        args.output.join(Journal::ROWS).display()
    );
    output.result(told, &text)?;
    ended
}

struct Watch<'a> {
    args: &'a SsdWatchArgs,
    output: &'a Output,
    place: Place,
    journal: Journal,
    told: Told,
    /// When the last reading was kept.
    well: Instant,
}

impl Watch<'_> {
    /// Reads until all rows are there, somebody ends it, or it has failed for too long.
    fn until_ended(&mut self) -> Result<Status, Failure> {
        let (stopped, stop) = mpsc::channel();
        interrupt::watch(move || {
            // The receiver is there until the process ends.
            let _heard = stopped.send(());
        })?;
        let every = self.args.every;
        let mut due = Instant::now() + self.left_of_the_last();
        while !waited(&stop, due) {
            match self.reading() {
                Ok(()) => {
                    self.well = Instant::now();
                    if self.args.rows.is_some_and(|rows| self.told.rows >= rows.get()) {
                        break;
                    }
                    due += every;
                    // After a machine that slept there is one long row, not many empty ones.
                    while due <= Instant::now() {
                        due += every;
                    }
                }
                Err(error) => {
                    self.failed(&error);
                    if self.well.elapsed() >= self.args.give_up_after {
                        let time = show_duration(self.args.give_up_after);
                        return Err(anyhow!("{error}; given up after {time}").into());
                    }
                    due = Instant::now() + every.min(LOOK_EVERY);
                }
            }
        }
        Ok(Status::Good)
    }

    /// What is left of the interval in which another process ended.
    fn left_of_the_last(&self) -> Duration {
        let since = self.journal.last().map(|last| now_ms().saturating_sub(last.unix_ms));
        let since = since.map(Duration::from_millis);
        since.map_or(Duration::ZERO, |since| self.args.every.saturating_sub(since))
    }

    /// Reads the drive and keeps what that means.
    fn reading(&mut self) -> anyhow::Result<()> {
        // Opened anew: a drive that was away has another device behind the same name.
        let taken = taken(Drive::detect(self.place.open()?)?)?;
        let step = taken.after(self.journal.last());
        let before = self.journal.last().cloned();
        let (row, line) = described(&self.told.device, &taken, &step)?;
        let kept = self.journal.keep(taken, row.as_deref(), &line);
        if self.journal.last() != before.as_ref() {
            // It counts from when it is kept, also if a full disk has it appended later.
            self.count(&step);
        }
        kept.map_err(|error| anyhow!("{}: {error}", self.args.output.display()))
    }

    fn count(&mut self, step: &Step) {
        match step {
            Step::Row { row, .. } => {
                self.told.rows += 1;
                self.told.idle_rows += usize::from(row.factor().is_none());
                self.output.note(&row_words(row));
            }
            Step::Baseline(why) => {
                self.told.resets += usize::from(*why != Why::First);
                self.output.note(match why {
                    Why::First => "first reading; the next one gives a row",
                    Why::Reset => "a counter went back: the drive was reset; begun anew",
                    Why::OtherDrive => "another drive is there now; begun anew",
                    Why::OtherSource => "the drive counts in another way now; begun anew",
                });
            }
        }
    }

    fn failed(&mut self, error: &anyhow::Error) {
        self.told.failures += 1;
        let words = format!("{error:#}");
        self.output.note(&format!("{}: {words}; tried again", self.told.device));
        let error = Some(words.as_str());
        let line = Line { error, ..line(&self.told.device, now_ms(), "failed") };
        if let Ok(line) = serde_json::to_string(&line) {
            self.journal.remark(&line);
        }
    }
}

fn row_words(row: &Row) -> String {
    match row.factor() {
        Some(_) => row.to_string(),
        None => format!("{row} (idle)"),
    }
}

fn taken(mut drive: Drive<Commands>) -> Result<Taken, DriveError> {
    let reading = drive.read()?;
    let serial = drive.controller().serial.clone();
    Ok(Taken { serial, source: drive.source(), unix_ms: now_ms(), reading })
}

/// The row and the line of a reading.
fn described(
    device: &str,
    taken: &Taken,
    step: &Step,
) -> serde_json::Result<(Option<String>, String)> {
    let head = Line { serial: Some(&taken.serial), ..line(device, taken.unix_ms, "") };
    match step {
        Step::Baseline(why) => {
            let line = Line { event: "baseline", reason: Some(*why), ..head };
            Ok((None, serde_json::to_string(&line)?))
        }
        Step::Row { interval, seconds, row } => {
            let row = row.to_string();
            let line = Line {
                event: "row",
                seconds: Some(*seconds),
                host_bytes: Some(interval.host_bytes),
                media_bytes: Some(interval.media_bytes),
                factor: interval.factor(),
                row: Some(&row),
                ..head
            };
            let line = serde_json::to_string(&line)?;
            Ok((Some(row), line))
        }
    }
}

fn line<'a>(device: &'a str, unix_ms: u64, event: &'static str) -> Line<'a> {
    let time = UNIX_EPOCH + Duration::from_millis(unix_ms);
    let time = humantime::format_rfc3339_millis(time).to_string();
    Line { schema: "myrig.ssd-watch-line/1", time, event, device, ..Line::default() }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Waits for a moment; true when it is to end before.
fn waited(stop: &Receiver<()>, due: Instant) -> bool {
    let left = due.saturating_duration_since(Instant::now());
    stop.recv_timeout(left).is_ok()
}
