//! The twelve consistency conditions of clause 3.3.2.

mod conditions;
mod customers;

use super::{error::Error, state::DataSet};
use client::Target;
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU32, Ordering},
};
use tokio::runtime;

/// Violations that are described in words; the rest are only counted.
const EXAMPLES: usize = 5;

/// One condition and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionResult {
    /// Number of the condition, 1 to 12.
    pub number: u32,
    /// What must hold.
    pub text: &'static str,
    /// Rows or groups looked at.
    pub examined: u64,
    /// Rows or groups in which it does not hold.
    pub violations: u64,
    /// The first few, in words.
    pub examples: Vec<String>,
}

/// What must hold, by number; clause 3.3.2.n.
pub const CONDITIONS: [&str; 12] = [
    "W_YTD = sum(D_YTD) of each warehouse",
    "D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID) of each district",
    "max(NO_O_ID) - min(NO_O_ID) + 1 = number of NEW-ORDER rows of each district",
    "sum(O_OL_CNT) = number of ORDER-LINE rows of each district",
    "O_CARRIER_ID is null if and only if the order has a NEW-ORDER row",
    "O_OL_CNT = number of ORDER-LINE rows of each order",
    "OL_DELIVERY_D is null if and only if the order's O_CARRIER_ID is null",
    "W_YTD = sum(H_AMOUNT) of each warehouse",
    "D_YTD = sum(H_AMOUNT) of each district",
    "C_BALANCE = sum(OL_AMOUNT) of delivered orders - sum(H_AMOUNT) of each customer",
    "number of orders - number of NEW-ORDER rows = 2100 + deliveries of each district",
    "C_BALANCE + C_YTD_PAYMENT = sum(OL_AMOUNT) of delivered orders of each customer",
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
        let empty = |(number, text): (u32, &&'static str)| ConditionResult {
            number,
            text,
            examined: 0,
            violations: 0,
            examples: Vec::new(),
        };
        Self(Mutex::new((1..).zip(&CONDITIONS).map(empty).collect()))
    }

    fn add(&self, number: u32, examined: u64, violations: u64, examples: Vec<String>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = &mut all[number as usize - 1];
        found.examined += examined;
        found.violations += violations;
        let room = EXAMPLES.saturating_sub(found.examples.len());
        found.examples.extend(examples.into_iter().take(room));
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
