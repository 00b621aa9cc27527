//! A device is watched until somebody says stop, or for a while.

use super::{
    looker::Looker,
    sink::{Sink, lies_on},
    summary::{Kept, Summary},
    view,
};
use crate::{
    args::SsdTraceArgs,
    failure::{Failure, Status},
    interrupt,
    output::Output,
};
use flash::trace::{
    Event, Kind, SECTOR_BYTES,
    file::{Header, Trailer},
    live::{Options, Tracer},
    names::{Attribution, Look},
};
use host::Bytes;
use indicatif::ProgressBar;
use report::text::count;
use rustix::time::{ClockId, clock_gettime};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// How often progress is shown and what is complete is given to the file.
const TICK: Duration = Duration::from_millis(500);

/// Now on the clock of the events.
pub(super) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // It counts from the start of the machine.
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// What comes in, and where it goes.
struct Intake {
    looker: Option<Looker>,
    sink: Option<Sink>,
    counted: Attribution,
    events: u64,
    written_bytes: u64,
}

impl Intake {
    fn take(&mut self, events: &[Event]) -> anyhow::Result<()> {
        let writes = events.iter().filter(|event| event.kind == Kind::Write);
        self.written_bytes +=
            writes.map(|event| u64::from(event.sectors) * SECTOR_BYTES).sum::<u64>();
        self.events += events.len() as u64;
        self.counted.events(events);
        self.sink.as_mut().map_or(Ok(()), |sink| sink.events(events))
    }

    fn look(&mut self, look: &Look) -> anyhow::Result<()> {
        self.counted.looked(look.began_ns, &look.files);
        self.sink.as_mut().map_or(Ok(()), |sink| sink.files(&look.files))
    }

    /// What has been found of files, and to the file what is complete.
    fn tick(&mut self) -> anyhow::Result<()> {
        let found: Vec<Look> = self.looker.iter().flat_map(Looker::found).collect();
        found.iter().try_for_each(|look| self.look(look))?;
        self.sink.as_mut().map_or(Ok(()), Sink::flush)
    }
}

pub(super) fn run(device: &Path, args: &SsdTraceArgs, output: &Output) -> Result<Status, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopping = stop.clone();
    interrupt::watch(move || stopping.store(true, Ordering::Relaxed))?;
    let ring_bytes = u32::try_from(args.ring).unwrap_or(u32::MAX);
    let mut tracer = Tracer::attach(device, &Options { ring_bytes, ..Options::default() })?;
    let header = header(&tracer)?;
    let kept = args.output.as_deref();
    if kept.is_some_and(|path| lies_on(path, tracer.place())) {
        output.note("myrig: the trace lies on the device that it is of: its own writes are in it");
    }
    let mut intake = Intake {
        looker: args.files.then(|| Looker::start(tracer.place())).transpose()?,
        sink: kept.map(|path| Sink::create(path, &header)).transpose()?,
        counted: Attribution::default(),
        events: 0,
        written_bytes: 0,
    };
    let spinner = output.spinner(&format!("{}: waiting for writes", header.device));
    let until = args.duration.map(|duration| Instant::now() + duration);
    watch(&mut tracer, &mut intake, until, &stop, &spinner)?;
    spinner.finish_and_clear();
    let is_zoned = tracer.place().is_zoned();
    let (summary, lost) = finish(tracer, intake, &header, kept)?;
    output.result(&summary, &view::text(&summary, output.style()))?;
    if lost > 0 && is_zoned {
        output.note(&format!(
            "myrig: {lost} events are in none of these figures: {} is zoned, and what is appended \
             to a zone has no sector yet when it is watched; or they found no room in the ring \
             buffer",
            header.device
        ));
    } else if lost > 0 {
        let ring = Bytes(args.ring.saturating_mul(4));
        output.note(&format!(
            "myrig: {lost} events were LOST: they found no room in the ring buffer, and are in \
             none of these figures; `--ring {}` would give them more",
            ring.to_string().replace(' ', "").replace("iB", "")
        ));
    }
    Ok(Status::Good)
}

fn header(tracer: &Tracer) -> Result<Header, Failure> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(Header {
        device: tracer.place().name.clone(),
        device_bytes: tracer.place().bytes(),
        started_unix_ns: u64::try_from(since.as_nanos())?,
        started_ns: now_ns(),
        carries_hints: tracer.carries_hints(),
    })
}

fn watch(
    tracer: &mut Tracer,
    intake: &mut Intake,
    until: Option<Instant>,
    stop: &AtomicBool,
    spinner: &ProgressBar,
) -> Result<(), Failure> {
    let mut batch = Vec::new();
    let (mut ticked, mut shown) = (Instant::now(), (0, 0));
    while !stop.load(Ordering::Relaxed) {
        let left = until.map_or(TICK, |until| until.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            break;
        }
        tracer.next_batch(&mut batch, left.min(TICK / 2))?;
        intake.take(&batch)?;
        let passed = ticked.elapsed();
        if passed >= TICK {
            ticked = Instant::now();
            intake.tick()?;
            let rate =
                |now: u64, before: u64| ((now - before) as f64 / passed.as_secs_f64()) as u64;
            spinner.set_message(format!(
                "{}: {} events/s, {}/s written, {} lost",
                tracer.place().name,
                count(rate(intake.events, shown.0)),
                Bytes(rate(intake.written_bytes, shown.1)),
                count(tracer.lost()?)
            ));
            shown = (intake.events, intake.written_bytes);
        }
    }
    Ok(())
}

/// Takes in what is left, and adds up.
fn finish(
    mut tracer: Tracer,
    mut intake: Intake,
    header: &Header,
    kept: Option<&Path>,
) -> Result<(Summary, u64), Failure> {
    tracer.detach()?;
    let ended_ns = now_ns();
    let mut batch = Vec::new();
    loop {
        tracer.next_batch(&mut batch, Duration::ZERO)?;
        if batch.is_empty() {
            break;
        }
        intake.take(&batch)?;
    }
    let has_files = intake.looker.is_some();
    let looks = intake.looker.take().map(Looker::finish).unwrap_or_default();
    looks.iter().try_for_each(|look| intake.look(look))?;
    let lost = tracer.lost()?;
    let bytes = intake.sink.map(|sink| sink.finish(lost, ended_ns)).transpose()?;
    let kept = kept.zip(bytes).map(|(path, bytes)| Kept { path: path.to_owned(), bytes });
    let trailer = Trailer { events: intake.events, lost, ended_ns };
    let (totals, names) = intake.counted.finish();
    let names = has_files.then_some(&names);
    Ok((Summary::new(header, &totals, names, Some(&trailer), kept), lost))
}
