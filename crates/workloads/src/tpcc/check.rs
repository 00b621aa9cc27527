//! The twelve consistency conditions of clause 3.3.2.

mod conditions;
mod customers;

use super::{error::Error, state::DataSet};
use crate::condition::ConditionResult;
use client::Target;
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU32, Ordering},
};
use tokio::runtime;

/// What must hold, by clause.
pub const CONDITIONS: [(&str, &str); 12] = [
    ("3.3.2.1", "W_YTD = sum(D_YTD) of each warehouse"),
    ("3.3.2.2", "D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID) of each district"),
    ("3.3.2.3", "max(NO_O_ID) - min(NO_O_ID) + 1 = number of NEW-ORDER rows of each district"),
    ("3.3.2.4", "sum(O_OL_CNT) = number of ORDER-LINE rows of each district"),
    ("3.3.2.5", "O_CARRIER_ID is null if and only if the order has a NEW-ORDER row"),
    ("3.3.2.6", "O_OL_CNT = number of ORDER-LINE rows of each order"),
    ("3.3.2.7", "OL_DELIVERY_D is null if and only if the order's O_CARRIER_ID is null"),
    ("3.3.2.8", "W_YTD = sum(H_AMOUNT) of each warehouse"),
    ("3.3.2.9", "D_YTD = sum(H_AMOUNT) of each district"),
    ("3.3.2.10", "C_BALANCE = sum(OL_AMOUNT) of delivered orders - sum(H_AMOUNT) of each customer"),
    (
        "3.3.2.11",
        "number of orders - number of NEW-ORDER rows = 2100 + deliveries of each district",
    ),
    ("3.3.2.12", "C_BALANCE + C_YTD_PAYMENT = sum(OL_AMOUNT) of delivered orders of each customer"),
];

/// How far a check has come.
#[derive(Debug, Default)]
pub struct CheckProgress {
    /// Steps done.
    pub done: AtomicU32,
    /// Steps in all; 0 until that is known.
    pub steps: AtomicU32,
    /// Set to make the check end early.
    pub stop: AtomicBool,
}

/// Findings of all threads, added up by condition.
#[derive(Debug)]
struct Findings(Mutex<Vec<ConditionResult>>);

impl Findings {
    fn new() -> Self {
        Self(Mutex::new(CONDITIONS.map(|(name, text)| ConditionResult::new(name, text)).into()))
    }

    fn add(&self, number: u32, examined: u64, violations: u64, examples: Vec<String>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all[number as usize - 1].add(examined, violations, examples);
    }
}

/// Checks all conditions over `connections` connections and blocks until that is done. The data
/// must be at rest: a load that runs meanwhile shows as violations.
///
/// # Errors
/// What the server said, or [`Error::Stopped`].
pub fn check(
    target: &Target,
    data: &DataSet,
    connections: u32,
    progress: &CheckProgress,
) -> Result<Vec<ConditionResult>, Error> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    progress.steps.store(data.warehouses + 1, Ordering::Relaxed);
    let findings = Findings::new();
    let payments = runtime.block_on(customers::payments(target, data, &findings))?;
    progress.done.fetch_add(1, Ordering::Relaxed);

    let next = AtomicU32::new(1);
    let work = || -> Result<(), Error> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut checker = conditions::Checker::open(target, data).await?;
            loop {
                let warehouse = next.fetch_add(1, Ordering::Relaxed);
                if warehouse > data.warehouses {
                    return Ok(());
                }
                if progress.stop.load(Ordering::Relaxed) {
                    return Err(Error::Stopped);
                }
                checker.warehouse(warehouse, &payments, &findings).await?;
                progress.done.fetch_add(1, Ordering::Relaxed);
            }
        })
    };
    let count = connections.clamp(1, data.warehouses.max(1));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or(Err(Error::Panicked)))
    })?;
    Ok(findings.0.into_inner().unwrap_or_else(PoisonError::into_inner))
}
