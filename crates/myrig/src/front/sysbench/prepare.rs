//! `sysbench … prepare` and `prewarm`.

use super::{Fatal, Screen, options::Options, refusal, script::Form};
use crate::{failure::Status, interrupt, runtime::block_on};
use client::{Connection, Error};
use std::{
    sync::{Arc, atomic::Ordering},
    thread,
    time::Duration,
};
use workloads::oltp::{self, LoadMethod, LoadOptions, LoadProgress, LoadSummary};

/// How often progress is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Makes the tables and fills them, `--threads` connections at a time; a load that was broken off
/// is gone on with.
///
/// # Errors
/// What kept them from being made; tables that are there already, as for sysbench.
pub(super) fn prepare(options: &Options, screen: &Screen<'_>) -> Result<Status, Fatal> {
    let load = LoadOptions {
        data: options.data.clone(),
        seed: options.seed.unwrap_or(1),
        keys: options.oltp.distribution,
        connections: options.load.threads,
        method: LoadMethod::Auto,
    };
    let progress = Arc::new(LoadProgress::default());
    let stopping = Arc::clone(&progress);
    let stop = move || stopping.stop.store(true, Ordering::Relaxed);
    interrupt::watch(stop).map_err(|error| error.to_string())?;
    if options.script.form == Form::V1_0 {
        screen.notice("Initializing worker threads...\n\n");
    }
    let summary = load_aloud(options, &load, &progress, screen)?;
    if summary.already_there {
        return Err(format!(
            "Table 'sbtest1' already exists in `{}`: drop it with the command cleanup first",
            options.target.database.as_deref().unwrap_or_default()
        ));
    }
    Ok(Status::Good)
}

/// Says what is being done in sysbench's words.
fn load_aloud(
    options: &Options,
    load: &LoadOptions,
    progress: &LoadProgress,
    screen: &Screen<'_>,
) -> Result<LoadSummary, Fatal> {
    let data = &options.data;
    let inserting = format!("Inserting {} records into 'sbtest{{}}'\n", data.table_size);
    let indexing = match options.script.form {
        Form::V1_0 => "Creating a secondary index on 'sbtest{}'...\n",
        Form::V0_5 => "Creating secondary indexes on 'sbtest{}'...\n",
    };
    let mut steps = vec!["Creating table 'sbtest{}'...\n"];
    if data.table_size > 0 {
        steps.push(&inserting);
    }
    if data.create_secondary {
        steps.push(indexing);
    }
    let mut said = 0;
    let mut say = |until: usize| {
        for step in steps.iter().take(until).skip(said) {
            for number in 1..=data.tables {
                screen.always(&step.replace("{}", &number.to_string()));
            }
        }
        said = said.max(until);
    };
    let loaded = thread::scope(|scope| {
        let loading = scope.spawn(|| oltp::load(&options.target, load, progress));
        while !loading.is_finished() {
            say(stage(progress));
            thread::sleep(LOOK);
        }
        loading.join()
    });
    let loaded = loaded.map_err(|_panic| "a thread of the load panicked".to_owned())?;
    let summary = loaded.map_err(|error| refusal::words(error, options))?;
    if !summary.already_there {
        say(steps.len());
    }
    Ok(summary)
}

/// How many of the steps have been begun.
fn stage(progress: &LoadProgress) -> usize {
    let expected = progress.rows_expected.load(Ordering::Relaxed);
    match progress.rows.load(Ordering::Relaxed) {
        _ if expected == 0 => 0,
        rows if rows < expected => 2,
        _ => 3,
    }
}

/// Reads tables and indexes through once, so that a run finds them in memory.
///
/// # Errors
/// What the server says.
pub(super) fn prewarm(options: &Options, screen: &Screen<'_>) -> Result<Status, Fatal> {
    let read = block_on(read_through(options, screen)).map_err(|failure| failure.to_string())?;
    read.map(|()| Status::Good).map_err(|error| error.to_string())
}

async fn read_through(options: &Options, screen: &Screen<'_>) -> Result<(), Error> {
    let mut connection = Connection::connect(&options.target).await?;
    let rows = options.data.table_size;
    for number in 1..=options.data.tables {
        screen.always(&format!("Prewarming table sbtest{number}\n"));
        let table = format!("sbtest{number}");
        for sql in [
            format!("ANALYZE TABLE {table}"),
            format!(
                "SELECT AVG(id) FROM (SELECT * FROM {table} FORCE KEY (PRIMARY) LIMIT {rows}) t"
            ),
            format!(
                "SELECT COUNT(*) FROM (SELECT * FROM {table} WHERE k LIKE '%0%' LIMIT {rows}) t"
            ),
        ] {
            connection.query(&sql).await?;
        }
    }
    connection.close().await;
    Ok(())
}
