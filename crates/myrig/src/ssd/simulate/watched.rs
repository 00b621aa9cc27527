//! `myrig ssd simulate --live`: drives that are fed with what a device is written right now.

use super::{
    drives::{self, Asked},
    placements::{self, Named},
    room, table,
};
use crate::{
    args::SsdSimulateArgs,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    ssd::trace::looker::Looking,
};
use anyhow::Context;
use flash::{
    live::{LiveDrives, LiveEnd, Naming, StreamOf, occupied},
    replay::change_interval,
    trace::{
        SECTOR_BYTES,
        live::{Options, Tracer},
        names::Scanner,
        place::Place,
    },
    waf::Reading,
};
use host::Bytes;
use serde_json::{Value, json};
use std::{
    ops::Range,
    path::Path,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    time::{Duration, Instant},
};
use streams::Rules;

/// A drive and how its streams are chosen.
struct Watching<'a> {
    pairs: Vec<(Asked, &'a Named)>,
    /// How many placements each drive is simulated with, the first being compared with.
    placements: usize,
}

/// What was written in an interval, drive by drive.
struct Interval {
    seconds: f64,
    drives: Vec<Reading>,
}

pub(super) fn run(
    device: &Path,
    args: &SsdSimulateArgs,
    output: &Output,
) -> Result<Status, Failure> {
    if args.every.is_zero() {
        return Err(Failure::usage("--every 0: rows need time between them"));
    }
    let tracer = Tracer::attach(device, &Options::default())
        .with_context(|| format!("--live {}", device.display()))?;
    let place = tracer.place().clone();
    let capacity = args.drive.capacity.unwrap_or(place.bytes());
    let drives = drives::asked(&args.drive, capacity, args.seed, None)?;
    let (placements, rules): (Vec<Named>, Vec<Option<Rules>>) =
        placements::live(&args.placement, tracer.carries_hints())?.into_iter().unzip();
    let (pairs, setups) = super::paired(&drives, &placements);
    room::check(&drives, pairs.len())?;
    let watching = Watching { pairs, placements: placements.len() };
    let naming = naming(&place, &placements, &rules, drives.len())?;
    let fill = filled(&place, args)?;
    let (stop, stopped) = channel();
    interrupt::watch(move || {
        // Who is not there any more needs not to be told.
        let _unheard = stop.send(());
    })?;
    let live = LiveDrives::start(tracer, &setups, &fill, naming)?;
    if !output.json() {
        output.write(&watching.head(&place, output.style().width))?;
    }
    let intervals = watching.follow(&live, args, &stopped, output)?;
    let end = live.stop()?;
    let factors = watching.factors(&end);
    let remarks: Vec<String> = end.status.remark().into_iter().collect();
    let value = watching.json(device, &place, &intervals, &end, &remarks);
    let text = watching.sum(&factors, &intervals, &end, &remarks, output.style().width);
    output.result(&value, &text)?;
    Ok(if end.status.lost == 0 { Status::Good } else { Status::Bad })
}

/// What placements by names need, if there are any: each of so many drives has all placements.
fn naming(
    place: &Place,
    placements: &[Named],
    rules: &[Option<Rules>],
    drives: usize,
) -> Result<Option<Naming>, Failure> {
    let Some(at) = rules.iter().position(Option::is_some) else { return Ok(None) };
    if !Scanner::new(place)?.has_mounts() {
        return Err(anyhow::anyhow!(
            "--placement {}: it goes by the names of files, but no file system is mounted from {}; \
             mount it first",
            placements[at].name,
            place.name
        )
        .into());
    }
    let of = |rules: &Option<Rules>| -> Option<StreamOf> {
        let rules = rules.clone()?;
        Some(Arc::new(move |path: &Path| placements::stream(&rules, path)))
    };
    let each: Vec<Option<StreamOf>> = rules.iter().map(of).collect();
    let streams = std::iter::repeat_n(each, drives).flatten().collect();
    Ok(Some(Naming { names: Box::new(Looking::start(place)?), streams }))
}

/// The sectors that drives are filled with: those of files, or so much from the first on.
fn filled(place: &Place, args: &SsdSimulateArgs) -> Result<Vec<Range<u64>>, Failure> {
    match args.fill {
        None => Ok(occupied(place)?),
        Some(share) => {
            let end = (place.sectors as f64 * share.value() / 100.0).round() as u64;
            Ok(std::iter::once(0..end).collect())
        }
    }
}

impl Watching<'_> {
    /// Rows until it is told to end, or the tracer fails.
    fn follow(
        &self,
        live: &LiveDrives,
        args: &SsdSimulateArgs,
        stopped: &Receiver<()>,
        output: &Output,
    ) -> Result<Vec<Interval>, Failure> {
        let began = Instant::now();
        let end = args.duration.map(|duration| began + duration);
        let mut intervals = Vec::new();
        let mut before = live.readings();
        let mut row_began = began;
        loop {
            let next = row_began + args.every;
            let until = end.map_or(next, |end| end.min(next));
            let wait = until.saturating_duration_since(Instant::now());
            let is_over = match stopped.recv_timeout(wait) {
                Ok(()) => true,
                Err(RecvTimeoutError::Timeout) => end.is_some_and(|end| Instant::now() >= end),
                // Signals are not heard any more: nobody could end it.
                Err(RecvTimeoutError::Disconnected) => true,
            };
            let now = Instant::now();
            let after = live.readings();
            let since = after.iter().zip(&before).map(|(now, then)| now.since(*then));
            let drives = since.map(Option::unwrap_or_default).collect();
            let interval = Interval { seconds: (now - row_began).as_secs_f64(), drives };
            if !output.json() {
                output.write(&self.row(now - began, &interval, live.status().lost))?;
            }
            intervals.push(interval);
            (before, row_began) = (after, now);
            if is_over || !live.is_running() {
                return Ok(intervals);
            }
        }
    }

    fn head(&self, place: &Place, width: usize) -> String {
        let Some((first, _)) = self.pairs.first() else { return String::new() };
        let words = format!("{}: {}.", place.name, drives::manner(first));
        let mut head = table::wrapped(&words, width);
        for (at, (drive, named)) in (1..).zip(&self.pairs) {
            let [spare, block] = drive.cells();
            head += &format!("WAF {at}: {spare} spare, blocks of {block}, {}\n", named.name);
        }
        head += &format!("\n{:>9}  {:>10}", "time", "written");
        for at in 1..=self.pairs.len() {
            head += &format!("  {:>6}", format!("WAF {at}"));
        }
        head + "\n"
    }

    fn row(&self, elapsed: Duration, interval: &Interval, lost: u64) -> String {
        let written = interval.drives.first().map_or(0, |drive| drive.host_bytes);
        let written = Bytes(u64::try_from(written).unwrap_or(u64::MAX)).to_string();
        let mut row = format!("{:>8.0}s  {written:>10}", elapsed.as_secs_f64());
        for drive in &interval.drives {
            row += &format!("  {:>6}", table::factor(drive.factor()));
        }
        if lost > 0 {
            row += &format!("  {lost} lost");
        }
        row + "\n"
    }

    /// Write amplification of all that was written.
    fn factors(&self, end: &LiveEnd) -> Vec<Option<f64>> {
        end.counters.iter().map(|counters| counters.factor()).collect()
    }

    /// The change of a drive against the first placement on the same geometry, with its interval.
    fn effect(
        &self,
        at: usize,
        factors: &[Option<f64>],
        intervals: &[Interval],
    ) -> Option<(f64, Option<(f64, f64)>)> {
        let first = at - at % self.placements;
        let change = factors[at]? / factors[first]? - 1.0;
        let media = |drive: usize| -> Vec<f64> {
            intervals.iter().map(|interval| interval.drives[drive].media_bytes as f64).collect()
        };
        let ci95 = change_interval(&media(first), &media(at), 1);
        (at != first).then_some((change, ci95))
    }

    fn sum(
        &self,
        factors: &[Option<f64>],
        intervals: &[Interval],
        end: &LiveEnd,
        remarks: &[String],
        width: usize,
    ) -> String {
        let mut text = String::from("\n");
        let rows: Vec<Vec<String>> = self
            .pairs
            .iter()
            .enumerate()
            .map(|(at, (drive, named))| {
                let effect = self.effect(at, factors, intervals);
                let mut row: Vec<String> = drive.cells().into();
                row.extend([named.short().to_owned(), table::factor(factors[at])]);
                row.extend(table::effect(effect));
                row.push(format!("{:.1}", end.wear[at].mean));
                row
            })
            .collect();
        let head = ["#spare", "#block", "placement", "#WAF", "#change", "#95% interval", "#erased"];
        text += &table::lines(&head, &rows);
        let written = end.counters.first().map_or(0, |counters| counters.programmed_pages);
        let physical =
            self.pairs.first().map_or(0, |(drive, _)| drive.options.geometry.physical_pages());
        if written < physical {
            let words = "! Less was written than the flash holds: the drives were still filling \
                         up, and their write amplification is lower than it will be.";
            text += &format!("\n{}", table::wrapped(words, width));
        }
        for remark in remarks {
            text += &format!("\n{}", table::wrapped(&format!("! {remark}"), width));
        }
        text
    }

    fn json(
        &self,
        device: &Path,
        place: &Place,
        intervals: &[Interval],
        end: &LiveEnd,
        remarks: &[String],
    ) -> Value {
        let factors = self.factors(end);
        let drives: Vec<Value> = self
            .pairs
            .iter()
            .enumerate()
            .map(|(at, (drive, named))| {
                let effect = self.effect(at, &factors, intervals);
                let mut value = super::entry(drive, named);
                value["factor"] = json!(factors[at]);
                value["effect"] =
                    json!(effect.map(|(change, ci95)| json!({ "change": change, "ci95": ci95 })));
                value["counters"] = json!(end.counters[at]);
                value["wear"] = json!(end.wear[at]);
                value
            })
            .collect();
        let interval = |interval: &Interval| {
            let factors: Vec<Option<f64>> =
                interval.drives.iter().map(|drive| drive.factor()).collect();
            let written = interval.drives.first().map_or(0, |drive| drive.host_bytes);
            json!({
                "seconds": interval.seconds,
                "host_bytes": u64::try_from(written).unwrap_or(u64::MAX),
                "factors": factors,
            })
        };
        json!({
            "schema": "myrig.ssd-simulate/1",
            "input": {
                "kind": "live",
                "device": device,
                "device_bytes": place.sectors * SECTOR_BYTES,
                "status": end.status,
            },
            "drives": drives,
            "intervals": intervals.iter().map(interval).collect::<Vec<Value>>(),
            "proposal": null,
            "remarks": remarks,
        })
    }
}
