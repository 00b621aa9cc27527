//! `benchmarksql build`: what runDatabaseBuild.sh does.

use super::{data, jdbc, log::Log, options::Options, properties::Properties};
use crate::{failure::Status, interrupt};
use std::{
    sync::{Arc, atomic::Ordering},
    thread,
    time::Duration,
};
use workloads::tpcc::{self, LoadMethod, LoadOptions, LoadProgress, LoadSummary, Profile};

/// How often progress is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// Seed of the data. BenchmarkSQL draws one from the clock; here every build gives the same rows.
const SEED: u64 = 1;

/// Makes the tables and loads them; a load that was broken off is gone on with.
///
/// # Errors
/// What kept them from being loaded.
pub(super) fn build(
    options: &Options,
    properties: &Properties,
    log: Log<'_>,
) -> Result<Status, String> {
    log.plain(&format!("Starting BenchmarkSQL LoadData\n\n{}\n", echo(properties)));
    let load = LoadOptions {
        profile: Profile::BenchmarkSql,
        warehouses: options.warehouses,
        seed: SEED,
        connections: options.load_workers,
        method: LoadMethod::Auto,
    };
    let progress = Arc::new(LoadProgress::default());
    let stopping = Arc::clone(&progress);
    let stop = move || stopping.stop.store(true, Ordering::Relaxed);
    interrupt::watch(stop).map_err(|error| error.to_string())?;
    let summary = load_aloud(options, &load, &progress, log)?;
    log.plain(&format!(
        "Loading done: {} rows in {:.1} s, indexes and foreign keys in {:.1} s\n",
        summary.rows,
        summary.rows_time.as_secs_f64(),
        summary.finish_time.as_secs_f64()
    ));
    Ok(Status::Good)
}

/// The properties as LoadData repeats them.
fn echo(properties: &Properties) -> String {
    let mut text = String::new();
    for key in ["driver", "conn", "user", "password", "warehouses", "loadWorkers", "fileLocation"] {
        text.push_str(&match (key, properties.get(key)) {
            ("loadWorkers", None) => "loadWorkers (not defined - using default '4')\n".into(),
            (key, None) => format!("{key} (not defined)\n"),
            ("password", Some(_)) => "password=***********\n".into(),
            ("conn", Some(url)) => format!("conn={}\n", jdbc::without_password(url)),
            (key, Some(value)) => format!("{key}={value}\n"),
        });
    }
    text
}

/// A line for each tenth of the rows.
fn load_aloud(
    options: &Options,
    load: &LoadOptions,
    progress: &LoadProgress,
    log: Log<'_>,
) -> Result<LoadSummary, String> {
    let mut said = 0;
    let mut say = || {
        let expected = progress.rows_expected.load(Ordering::Relaxed);
        let rows = progress.rows.load(Ordering::Relaxed);
        let tenths = rows.saturating_mul(10).checked_div(expected).unwrap_or(0);
        for tenth in said + 1..=tenths {
            log.plain(&format!("Loading {:3}%\n", tenth * 10));
        }
        said = said.max(tenths);
    };
    let loaded = thread::scope(|scope| {
        let loading = scope.spawn(|| tpcc::load(&options.target, load, progress));
        while !loading.is_finished() {
            say();
            thread::sleep(LOOK);
        }
        say();
        loading.join()
    });
    let loaded = loaded.map_err(|_panic| "a thread of the load panicked".to_owned())?;
    loaded.map_err(data::words)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn properties_are_repeated_without_the_password() {
        let text = b"conn=jdbc:mysql://h/d?password=hunter2\nuser=u\npassword=hunter2\n";
        let echoed = echo(&Properties::read(text).unwrap());
        assert!(!echoed.contains("hunter2"), "{echoed}");
        assert!(echoed.contains("password=***********\nwarehouses (not defined)\n"), "{echoed}");
    }
}
