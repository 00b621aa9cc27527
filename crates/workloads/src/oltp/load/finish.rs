//! The end of a load: indexes and statistics, several tables at once.

use super::{DataSet, Error, LoadProgress, tables, tpcc};
use client::{Connection, Target};
use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};
use tokio::runtime;

/// Adds what is missing to each table, over as many connections as asked for.
pub(super) fn finish(
    target: &Target,
    data: &DataSet,
    connections: u32,
    progress: &LoadProgress,
) -> Result<(), Error> {
    progress.enter("indexes");
    let next = AtomicU32::new(1);
    let first_error = Mutex::new(None);
    let work = || {
        let outcome = finish_some(target, data, &next, progress);
        if let Err(error) = outcome {
            // The others find no table left to do.
            next.store(u32::MAX / 2, Ordering::Relaxed);
            first_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    };
    let panicked = thread::scope(|scope| {
        let count = connections.clamp(1, data.tables);
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        threads.into_iter().any(|thread| thread.join().is_err())
    });
    match first_error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None if panicked => Err(tpcc::Error::Panicked.into()),
        None => Ok(()),
    }
}

/// The work of one connection.
fn finish_some(
    target: &Target,
    data: &DataSet,
    next: &AtomicU32,
    progress: &LoadProgress,
) -> Result<(), Error> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let connected = Connection::connect(target).await;
        let mut connection = connected.map_err(Error::of_target("connecting", target))?;
        let found = tables::list(&mut connection, target).await?;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number > data.tables {
                break;
            }
            progress.stopped()?;
            finish_table(&mut connection, target, data, &found, number).await?;
        }
        connection.close().await;
        Ok(())
    })
}

async fn finish_table(
    connection: &mut Connection,
    target: &Target,
    data: &DataSet,
    found: &BTreeMap<u32, tables::Found>,
    number: u32,
) -> Result<(), Error> {
    // A resumed load finds what an earlier one added.
    if data.create_secondary && !found.get(&number).is_some_and(tables::Found::is_k_indexed) {
        let doing = format!("adding the index k_{number}");
        let added = connection.run(&DataSet::create_index(number)).await;
        added.map_err(Error::of_target(&doing, target))?;
    }
    let analyzed = connection.query(&format!("ANALYZE TABLE sbtest{number}")).await;
    analyzed.map(drop).map_err(Error::of_target("gathering statistics", target))
}
