//! `benchmarksql run`: what runBenchmark.sh does.

use super::{
    super::load::Load,
    bench::{self, TerminalsBench},
    data, jdbc,
    log::{Log, java_double, per_minute},
    options::{Length, Options, Run},
    pattern::{self, Moment},
    properties::Properties,
    results::{self, Results, RunInfo},
    terminals::{Counts, Terminals},
};
use crate::{
    failure::Status, interrupt, output::Output, paths::Paths, run::Stops, runtime::block_on,
};
use engine::Interval;
use lab::record::{RunRecord, RunStatus};
use rustix::process::getpid;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};
use workloads::tpcc::{DataSet, RunOptions, Tpcc, random::NuRandConstants};

/// The file that counts the runs of a directory.
const SEQUENCE: &str = ".jTPCC_run_seq.dat";

/// A run that is called for.
pub(super) struct Called<'a> {
    pub(super) options: &'a Options,
    pub(super) run: &'a Run,
    pub(super) properties: &'a Properties,
    /// The properties file, by name and as it is.
    pub(super) source: (&'a str, &'a [u8]),
    pub(super) paths: &'a Paths,
    pub(super) output: &'a Output,
}

impl Called<'_> {
    fn log(&self) -> Log<'_> {
        Log { output: self.output }
    }

    /// Puts the load on and prints as BenchmarkSQL does.
    ///
    /// # Errors
    /// What kept the run from being begun.
    pub(super) fn carry_out(&self) -> Result<Status, String> {
        self.header();
        let data = data::find(self.options)?;
        let used = DataSet { warehouses: self.options.warehouses, ..data };
        let seed = clock_seed();
        let c_last = NuRandConstants::for_run(seed, data.c_last_load()).c_last;
        let tpcc = Tpcc::new(self.options.target.clone(), used, self.run_options(seed))?;
        let asked = block_on(tpcc.preflight(self.run.terminals)).map_err(|f| f.to_string())?;
        asked.map_err(data::words)?;
        let results = self.open_results()?;
        let log = self.log();
        log.info(&format!("C value for C_LAST during load: {}", data.c_last_load()));
        log.info(&format!("C value for C_LAST this run:    {c_last}"));
        log.info("");

        let stops = Stops::default();
        let stopping = stops.clone();
        interrupt::watch(move || stopping.stop()).map_err(|error| error.to_string())?;
        let terminals = self.terminals(tpcc, results.as_ref(), &data);
        let counts = terminals.counts();
        let mut bench = TerminalsBench { terminals: Arc::new(terminals), data: used };
        let load = Load {
            pacing: &bench::pacing(self.run, seed).map_err(|failure| failure.to_string())?,
            settings: bench::settings(self.properties, &self.options.target),
            target: &self.options.target,
            stops: &stops,
            paths: self.paths,
            output: self.output,
        };
        let started = SystemTime::now();
        let mut observer = |interval: &Interval| log.plain(&status_line(&counts, interval));
        let record = load.carry_out(&mut bench, &mut observer);
        let record = record.map_err(|failure| failure.to_string())?;
        self.report(&record, &counts, started);
        // The terminals' last lines are written when they are gone.
        drop(bench);
        self.judge(&record, results.as_ref().map(|open| &open.results))
    }

    fn run_options(&self, seed: u64) -> RunOptions {
        RunOptions {
            weights: self.run.drawn_weights(),
            home_warehouse_fixed: self.run.warehouse_fixed,
            seed,
            ..RunOptions::default()
        }
    }

    fn terminals(&self, tpcc: Tpcc, open: Option<&OpenResults>, data: &DataSet) -> Terminals {
        let quota = match self.run.length {
            Length::Minutes(_) => None,
            Length::Transactions(each) => Some(each),
        };
        let results = open.map(|open| Arc::clone(&open.results));
        let when_open: Box<dyn Fn() + Send + Sync> = match open {
            None => Box::new(|| ()),
            Some(OpenResults { results, directory }) => {
                let (results, directory) = (Arc::clone(results), directory.clone());
                let (run, options) = (self.run.clone(), self.options.clone());
                let load_warehouses = data.warehouses;
                Box::new(move || {
                    let now = Moment::of(SystemTime::now());
                    let session_start =
                        format!("{} {}.{}", now.date(), now.time(), now.milliseconds());
                    let run_mins = match run.length {
                        Length::Minutes(minutes) => minutes,
                        Length::Transactions(_) => 0,
                    };
                    let info = RunInfo {
                        session_start: &session_start,
                        run_mins,
                        load_warehouses,
                        run_warehouses: options.warehouses,
                        terminals: run.terminals,
                        limit_per_min: run.limit_per_min,
                    };
                    results.write_info(&directory, &info);
                })
            }
        };
        Terminals::new(tpcc, self.run.terminals, quota, self.run.gap(), results, when_open)
    }

    /// What BenchmarkSQL repeats of its properties.
    fn header(&self) {
        let log = self.log();
        let rule = "+-------------------------------------------------------------+";
        let ours =
            format!("     BenchmarkSQL v5.0-compatible (myrig {})", env!("CARGO_PKG_VERSION"));
        for line in ["", rule, &ours, rule, ""] {
            log.info(line);
        }
        let value = |key: &str| match (key, self.properties.get(key)) {
            (_, None) => "null".to_owned(),
            ("conn", Some(url)) => jdbc::without_password(url),
            (_, Some(value)) => value.to_owned(),
        };
        let say = |keys: &[&str]| {
            keys.iter().for_each(|key| log.info(&format!("{key}={}", value(key))));
        };
        say(&["db", "driver", "conn", "user"]);
        log.info("");
        say(&["warehouses", "terminals"]);
        match self.run.length {
            Length::Minutes(minutes) => log.info(&format!("runMins={minutes}")),
            Length::Transactions(each) => log.info(&format!("runTxnsPerTerminal={each}")),
        }
        say(&["limitTxnsPerMin", "terminalWarehouseFixed"]);
        log.info("");
        say(&[
            "newOrderWeight",
            "paymentWeight",
            "orderStatusWeight",
            "deliveryWeight",
            "stockLevelWeight",
        ]);
        log.info("");
        say(&["resultDirectory", "osCollectorScript"]);
        log.info("");
    }

    fn open_results(&self) -> Result<Option<OpenResults>, String> {
        let Some(text) = &self.run.results else { return Ok(None) };
        let log = self.log();
        let directory = PathBuf::from(pattern::fill(text, &Moment::of(SystemTime::now())));
        let number = next_run(Path::new(SEQUENCE))?;
        let (name, source) = self.source;
        let results = Arc::new(Results::create(&directory, number, source)?);
        let copy = directory.join("run.properties");
        log.info(&format!("copied {name} to {}", copy.display()));
        let info = results::info_path(&directory);
        log.info(&format!("created {} for runID {number}", info.display()));
        let csv = results::result_path(&directory);
        log.info(&format!("writing per transaction results to {}", csv.display()));
        log.info("");
        Ok(Some(OpenResults { results, directory }))
    }

    /// The figures at the end.
    fn report(&self, record: &RunRecord, counts: &Counts, started: SystemTime) {
        let log = self.log();
        let end_s = record.phases.last().map_or(0.0, |phase| phase.until_s);
        let elapsed_ms = (end_s * 1000.0) as u64;
        let (tpmc, total) = (
            per_minute(counts.new_orders(), elapsed_ms),
            per_minute(counts.transactions(), elapsed_ms),
        );
        let shown = |time: SystemTime| {
            let moment = Moment::of(time);
            format!("{} {}", moment.date(), moment.time())
        };
        let thread = self.run.terminals.saturating_sub(1);
        let say = |words: &str| log.info_of(thread, &format!("Term-00, {words}"));
        log.plain("\n");
        say("");
        say("");
        say(&format!("Measured tpmC (NewOrders) = {}", java_double(tpmc)));
        say(&format!("Measured tpmTOTAL = {}", java_double(total)));
        say(&format!("Session Start     = {}", shown(started)));
        say(&format!("Session End       = {}", shown(SystemTime::now())));
        say(&format!("Transaction Count = {}", counts.transactions()));
        for (kind, sum_ms) in counts.executed() {
            log.info_of(thread, &format!("executeTime[{}]={sum_ms}", kind.name()));
        }
    }

    fn judge(&self, record: &RunRecord, results: Option<&Arc<Results>>) -> Result<Status, String> {
        let failed: u64 = record.transactions.iter().map(|kind| kind.total.failed).sum();
        if failed > 0 {
            let first = record.errors.iter().find(|error| error.failed > 0);
            let words =
                first.map_or_else(String::new, |error| format!(", the first: {}", error.message));
            self.log().error(&format!("{failed} transactions failed and are not counted{words}"));
        }
        if let Some(words) = results.and_then(|results| results.failure()) {
            return Err(words);
        }
        match &record.status {
            RunStatus::Complete => Ok(Status::Good),
            RunStatus::Partial { reason } => {
                Err(format!("the run is not complete: {}", data::translated(reason)))
            }
        }
    }
}

/// Results and where they are.
struct OpenResults {
    results: Arc<Results>,
    directory: PathBuf,
}

/// The number of this run, counted in a file as runBenchmark.sh does.
fn next_run(file: &Path) -> Result<u32, String> {
    let failed = |error| format!("{}: {error}", file.display());
    let before = match fs::read_to_string(file) {
        Ok(text) => text.trim().parse().unwrap_or(0),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(error) => return Err(failed(error)),
    };
    let number = u32::saturating_add(before, 1);
    fs::write(file, format!("{number}\n")).map_err(failed)?;
    Ok(number)
}

fn clock_seed() -> u64 {
    let age = SystemTime::now().duration_since(UNIX_EPOCH);
    age.map_or(1, |age| age.as_nanos() as u64)
}

/// The line that BenchmarkSQL writes over itself each second.
fn status_line(counts: &Counts, interval: &Interval) -> String {
    let average = per_minute(counts.transactions(), counts.elapsed_ms());
    let done =
        interval.transactions.iter().map(|kind| kind.committed + kind.rolled_back).sum::<u64>();
    let current = done as f64 / interval.length_s.max(1e-9) * 60.0;
    let (used, most) = memory_mib();
    let text = format!(
        "Term-00, Running Average tpmTOTAL: {average:.2}    Current tpmTOTAL: {current:.0}    \
         Memory Usage: {used}MB / {most}MB          "
    );
    let back = "\u{8}".repeat(text.len() + 1);
    format!("{text}{back}")
}

/// Memory of this process now and at most so far, MiB.
fn memory_mib() -> (u64, u64) {
    let path = format!("/proc/{}/status", getpid().as_raw_nonzero());
    let status = fs::read_to_string(path).unwrap_or_default();
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib = line.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
        kib.unwrap_or(0) / 1024
    };
    (of("VmRSS:"), of("VmHWM:"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn runs_are_counted_in_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("seq");
        assert_eq!(next_run(&file), Ok(1));
        assert_eq!(next_run(&file), Ok(2));
        fs::write(&file, "rubbish").unwrap();
        assert_eq!(next_run(&file), Ok(1));
        assert!(next_run(dir.path()).is_err());
    }
}
