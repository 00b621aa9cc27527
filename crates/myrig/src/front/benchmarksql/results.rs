//! The directory of results: run.properties, data/runInfo.csv and data/result.csv.

use super::properties::Properties;
use engine::{Completion, Finished};
use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use workloads::tpcc::input::Kind;

/// Characters that a terminal keeps before it writes them.
const KEPT: usize = 8192;

/// An open directory of results.
pub(super) struct Results {
    run: u32,
    file: Mutex<Open>,
}

struct Open {
    file: File,
    /// The first failure; nothing is written after it.
    failure: Option<io::Error>,
}

/// What the header of runInfo.csv asks for.
pub(super) struct RunInfo<'a> {
    pub(super) session_start: &'a str,
    pub(super) run_mins: u32,
    pub(super) load_warehouses: u32,
    pub(super) run_warehouses: u32,
    pub(super) terminals: u32,
    pub(super) limit_per_min: u32,
}

impl Results {
    /// Makes the directory and opens its files.
    ///
    /// # Errors
    /// What could not be made, with its path.
    pub(super) fn create(directory: &Path, run: u32, source: &[u8]) -> Result<Self, String> {
        let failed = |path: &Path| {
            let path = path.display().to_string();
            move |error: io::Error| format!("resultDirectory: {path}: {error}")
        };
        let data = directory.join("data");
        fs::create_dir(directory).map_err(failed(directory))?;
        fs::create_dir(&data).map_err(failed(&data))?;
        let copy = directory.join("run.properties");
        fs::write(&copy, without_password(source)).map_err(failed(&copy))?;
        let path = result_path(directory);
        let mut file = File::create_new(&path).map_err(failed(&path))?;
        let header = "run,elapsed,latency,dblatency,ttype,rbk,dskipped,error\n";
        file.write_all(header.as_bytes()).map_err(failed(&path))?;
        Ok(Self { run, file: Mutex::new(Open { file, failure: None }) })
    }

    /// Writes runInfo.csv; a failure is kept for the end.
    pub(super) fn write_info(&self, directory: &Path, info: &RunInfo<'_>) {
        let RunInfo { session_start, run_mins, load_warehouses, run_warehouses, .. } = info;
        let text = format!(
            "run,driver,driverVersion,db,sessionStart,runMins,loadWarehouses,runWarehouses,\
             numSUTThreads,limitTxnsPerMin,thinkTimeMultiplier,keyingTimeMultiplier\n\
             {},simple,5.0-myrig-{},mysql,{session_start},{run_mins},{load_warehouses},\
             {run_warehouses},{},{},1.0,1.0\n",
            self.run,
            env!("CARGO_PKG_VERSION"),
            info.terminals,
            info.limit_per_min
        );
        if let Err(error) = fs::write(info_path(directory), text) {
            self.open().failure.get_or_insert(error);
        }
    }

    /// Why not all of it was written.
    pub(super) fn failure(&self) -> Option<String> {
        let open = self.open();
        open.failure.as_ref().map(|error| format!("resultDirectory is not complete: {error}"))
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // A thread that panics while it holds the file ends the run all the same.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, text: &str) {
        let mut open = self.open();
        if open.failure.is_none() {
            open.failure = open.file.write_all(text.as_bytes()).err();
        }
    }
}

/// Where runInfo.csv is.
pub(super) fn info_path(directory: &Path) -> PathBuf {
    directory.join("data/runInfo.csv")
}

/// Where result.csv is.
pub(super) fn result_path(directory: &Path) -> PathBuf {
    directory.join("data/result.csv")
}

/// The lines of one terminal that are not written yet. Written when there are enough, and in the
/// end.
pub(super) struct Lines {
    results: Arc<Results>,
    text: String,
}

impl Lines {
    pub(super) fn new(results: Arc<Results>) -> Self {
        Self { results, text: String::with_capacity(KEPT + 256) }
    }

    /// Adds a transaction. A Delivery is queued at once, and carried out as one of its own.
    pub(super) fn add(&mut self, finished: &Finished, skipped: u32) {
        let ms = |from_ns: u64| (finished.ended_ns.saturating_sub(from_ns)) / 1_000_000;
        let elapsed = finished.ended_ns / 1_000_000;
        let (latency, database) = (ms(finished.intended_ns), ms(finished.started_ns));
        let rolled_back = u8::from(finished.completion == Some(Completion::RolledBack));
        let error = u8::from(finished.completion.is_none());
        let run = self.results.run;
        // Writing to a string cannot fail.
        let _ = match Kind::ALL.get(finished.kind) {
            Some(Kind::Delivery) => {
                let queued = finished.started_ns / 1_000_000;
                writeln!(
                    self.text,
                    "{run},{queued},0,0,DELIVERY,0,0,0\n\
                     {run},{elapsed},{latency},{database},DELIVERY_BG,0,{skipped},{error}"
                )
            }
            kind => {
                let name = match kind {
                    Some(Kind::Payment) => "PAYMENT",
                    Some(Kind::OrderStatus) => "ORDER_STATUS",
                    Some(Kind::StockLevel) => "STOCK_LEVEL",
                    _ => "NEW_ORDER",
                };
                writeln!(
                    self.text,
                    "{run},{elapsed},{latency},{database},{name},{rolled_back},0,{error}"
                )
            }
        };
        if self.text.len() >= KEPT {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.results.write(&self.text);
        self.text.clear();
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.flush();
    }
}

/// A properties file for keeping: the password is masked, wherever it is.
fn without_password(source: &[u8]) -> Vec<u8> {
    let Ok(properties) = Properties::read(source) else { return Vec::new() };
    let mut text = String::new();
    for pair in properties.iter() {
        let value = match pair.key.as_str() {
            "password" => "***********".to_owned(),
            "conn" => super::jdbc::without_password(&pair.value),
            _ => pair.value.clone(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}={}", pair.key, value.replace('\\', "\\\\").replace('\n', "\\n"));
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn finished(kind: usize, completion: Option<Completion>) -> Finished {
        let ms = 1_000_000;
        Finished { kind, intended_ns: 10 * ms, started_ns: 12 * ms, ended_ns: 30 * ms, completion }
    }

    fn made() -> (tempfile::TempDir, PathBuf, Arc<Results>) {
        let dir = tempfile::tempdir().unwrap();
        let directory = dir.path().join("r");
        let source = b"# mine\nuser=u\npassword=hunter2\nconn=jdbc:mysql://h/d?password=hunter2\n";
        let results = Arc::new(Results::create(&directory, 3, source).unwrap());
        (dir, directory, results)
    }

    #[test]
    fn every_transaction_is_a_line_and_a_delivery_two() {
        let (_dir, directory, results) = made();
        let mut lines = Lines::new(Arc::clone(&results));
        lines.add(&finished(0, Some(Completion::RolledBack)), 0);
        lines.add(&finished(1, None), 0);
        lines.add(&finished(3, Some(Completion::Committed)), 2);
        drop(lines);
        let expected = "run,elapsed,latency,dblatency,ttype,rbk,dskipped,error\n\
                        3,30,20,18,NEW_ORDER,1,0,0\n\
                        3,30,20,18,PAYMENT,0,0,1\n\
                        3,12,0,0,DELIVERY,0,0,0\n\
                        3,30,20,18,DELIVERY_BG,0,2,0\n";
        assert_eq!(fs::read_to_string(result_path(&directory)).unwrap(), expected);
        assert_eq!(results.failure(), None);
    }

    #[test]
    fn the_copy_of_the_properties_has_no_password() {
        let (_dir, directory, _results) = made();
        let copy = fs::read_to_string(directory.join("run.properties")).unwrap();
        assert!(copy.contains("user=u\n") && !copy.contains("hunter2"), "{copy}");
    }

    #[test]
    fn a_directory_that_is_there_is_refused_by_name() {
        let (_dir, directory, _results) = made();
        let refusal = Results::create(&directory, 1, b"").err().unwrap();
        assert!(refusal.contains("resultDirectory"), "{refusal}");
    }

    #[test]
    fn the_facts_of_the_run_are_a_line_under_a_header() {
        let (_dir, directory, results) = made();
        let info = RunInfo {
            session_start: "2026-11-02 09:05:07.012",
            run_mins: 5,
            load_warehouses: 10,
            run_warehouses: 8,
            terminals: 4,
            limit_per_min: 300,
        };
        results.write_info(&directory, &info);
        let text = fs::read_to_string(info_path(&directory)).unwrap();
        let row: Vec<&str> = text.lines().nth(1).unwrap().split(',').collect();
        assert_eq!(row.len(), text.lines().next().unwrap().split(',').count());
        assert_eq!(
            row[3..],
            ["mysql", "2026-11-02 09:05:07.012", "5", "10", "8", "4", "300", "1.0", "1.0"]
        );
    }
}
