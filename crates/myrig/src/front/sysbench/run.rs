//! `sysbench … run`.

use super::{
    super::load,
    Fatal, Screen,
    bench::{self, SysbenchBench},
    command_line::CommandLine,
    histogram,
    live::{Live, Mark},
    observed::Observed,
    options::{Load, Options},
    refusal,
    script::Form,
    tally::Tally,
};
use crate::{failure::Status, interrupt, paths::Paths, run::Stops, runtime::block_on};
use engine::ABANDONED_CODE;
use lab::record::{RunRecord, RunStatus};
use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};
use workloads::oltp::{self, Oltp};

/// Puts the load on and prints as sysbench does.
///
/// # Errors
/// What kept the run from being begun, or ended it.
pub(super) fn run(
    options: &Options,
    line: &CommandLine,
    paths: &Paths,
    screen: &Screen<'_>,
) -> Result<Status, Fatal> {
    screen.notice(&run_mode(options));
    screen.notice("Initializing worker threads...\n\n");
    let stops = Stops::default();
    let stopping = stops.clone();
    interrupt::watch(move || stopping.stop()).map_err(|error| error.to_string())?;
    let (warmup, rated) = (options.load.warmup, options.load.rate.is_some());
    let tally = Tally::new(options.load.threads, warmup.as_nanos() as u64, rated);
    let tally = Arc::new(tally);
    let seed = options.seed.unwrap_or_else(clock_seed);
    let mut bench = SysbenchBench {
        observed: observed(options, seed, &tally, &stops, screen)?,
        percentile: options.shown.percentile,
    };
    let refused = |error| refusal::words(error, options);
    let asked = block_on(bench.observed.oltp().preflight(options.load.threads));
    asked.map_err(|failure| failure.to_string())?.map_err(refused)?;
    let pacing = bench::pacing(&options.load, seed).map_err(|failure| failure.to_string())?;
    let load = load::Load {
        pacing: &pacing,
        settings: bench::settings(&line.options, options),
        target: &options.target,
        stops: &stops,
        paths,
        output: screen.output,
    };
    let observed = Arc::clone(&bench.observed);
    let mut live = Live::new(observed.oltp(), &tally, options, screen);
    let record = load.carry_out(&mut bench, &mut |interval| live.show(interval));
    let record = record.map_err(|failure| failure.to_string())?;
    finish(options, &record, live, screen)
}

fn observed(
    options: &Options,
    seed: u64,
    tally: &Arc<Tally>,
    stops: &Stops,
    screen: &Screen<'_>,
) -> Result<Arc<Observed>, Fatal> {
    let oltp = oltp::Options { seed, unique_seed: clock_seed(), ..options.oltp.clone() };
    let oltp = Oltp::new(options.target.clone(), oltp);
    let oltp = oltp.map_err(|error| refusal::words(error, options))?;
    let (output, verbosity) = (*screen.output, screen.verbosity);
    let warmup_s = options.load.warmup.as_secs();
    let started = move || {
        let screen = Screen { output: &output, verbosity };
        screen.notice("Threads started!\n\n");
        if warmup_s > 0 {
            screen.notice(&format!("Warming up for {warmup_s} seconds...\n\n"));
        }
    };
    let (tally, stop) = (Arc::clone(tally), stops.load.clone());
    Ok(Arc::new(Observed::new(oltp, tally, stop, Box::new(started))))
}

/// What sysbench seeds its numbers with where nobody says: the time.
fn clock_seed() -> u64 {
    let age = SystemTime::now().duration_since(UNIX_EPOCH);
    age.map_or(1, |age| age.as_nanos() as u64)
}

/// The lines before the connections are opened.
fn run_mode(options: &Options) -> String {
    let (load, shown) = (&options.load, &options.shown);
    let mut text = "Running the test with following options:\n".to_owned();
    text.push_str(&format!("Number of threads: {}\n", load.threads));
    if let Some(rate) = load.rate {
        text.push_str(&format!("Target transaction rate: {rate}/sec\n"));
    }
    if let Some(seconds) = shown.report_interval_s {
        text.push_str(&format!("Report intermediate results every {seconds} second(s)\n"));
    }
    if !shown.checkpoints_s.is_empty() {
        let points: Vec<String> = shown.checkpoints_s.iter().map(u32::to_string).collect();
        text.push_str(&format!("Report checkpoint(s) at {} seconds\n", points.join(", ")));
    }
    text.push_str(&match (options.seed, options.script.form) {
        (Some(seed), _) => {
            format!("Initializing random number generator from seed ({seed}).\n\n")
        }
        (None, Form::V1_0) => "Initializing random number generator from current time\n\n".into(),
        (None, Form::V0_5) => "Initializing random number generator from timer.\n\n".into(),
    });
    if let Some(seconds) = forced_at_s(load) {
        text.push_str(&format!("Forcing shutdown in {seconds} seconds\n"));
    }
    text.push('\n');
    text
}

/// When what is under way is given up, seconds from the start.
fn forced_at_s(load: &Load) -> Option<u64> {
    Some((load.time? + load.forced_shutdown?).as_secs())
}

/// The report at the end.
fn finish(
    options: &Options,
    record: &RunRecord,
    mut live: Live<'_>,
    screen: &Screen<'_>,
) -> Result<Status, Fatal> {
    if let Some(words) = live.tally.fatal() {
        return Err(words);
    }
    let unfinished: u64 =
        record.errors.iter().filter(|e| e.code == ABANDONED_CODE).map(|e| e.failed).sum();
    if unfinished > 0 {
        screen.fatal("The --max-time limit has expired, forcing shutdown...");
    }
    if options.shown.histogram {
        let drawn = histogram::draw(&live.tally.counts().histogram);
        screen.notice(&format!("Latency histogram (values are in milliseconds)\n{drawn} \n"));
    }
    let end_s = record.phases.last().map_or(0.0, |phase| phase.until_s);
    let at_s = (end_s - options.load.warmup.as_secs_f64()).max(0.0);
    live.report(Mark { at_s, ..live.mark() }, unfinished);
    if unfinished > 0 {
        return Ok(Status::NotDone);
    }
    match &record.status {
        RunStatus::Complete => Ok(Status::Good),
        RunStatus::Partial { reason } => {
            let reason = refusal::translated(reason);
            screen.output.note(&format!("sysbench: the run is not complete: {reason}"));
            Ok(Status::NotDone)
        }
    }
}
