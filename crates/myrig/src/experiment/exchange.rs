//! The exchange of processors between the two of a duet, while their load runs.
//!
//! No two halves of a machine are alike: interrupts, the hypervisor and other programs fall on one
//! more than on the other, and for as long as a run. So the two change over several times a
//! second; then every second's ratio has both halves on both sides.

use crate::failure::Failure;
use anyhow::anyhow;
use host::{Halves, Root};
use std::{
    process,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

/// How long the two stay where they are: each second, the step of a run's series, has both places.
/// Short against what disturbs a machine, long against the microseconds until caches are warm.
const STAY: Duration = Duration::from_millis(500);

/// Does `load`, exchanging all the while the halves of `servers`, by their process numbers and the
/// half that each began on, and of the threads of this process that keep to a half. Also says how
/// often.
///
/// # Errors
/// Those of `load`, and the kernel's refusal.
pub(super) fn during<T>(
    halves: &Halves,
    servers: &[(u32, usize)],
    load: impl FnOnce() -> Result<T, Failure>,
) -> Result<(T, u32), Failure> {
    let (over, is_over) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let exchanges = scope.spawn(move || until(halves, servers, &is_over));
        let done = load();
        drop(over);
        let exchanges =
            exchanges.join().map_err(|_| anyhow!("the exchange of halves broke off"))?;
        Ok((done?, exchanges?))
    })
}

fn until(
    halves: &Halves,
    servers: &[(u32, usize)],
    is_over: &Receiver<()>,
) -> Result<u32, Failure> {
    let root = Root::real();
    let mut exchanges = 0;
    while is_over.recv_timeout(STAY) == Err(RecvTimeoutError::Timeout) {
        exchanges += 1;
        // Servers start threads at any time, and none may stay behind; ours are all there.
        for (pid, began) in servers {
            halves.gather(*pid, began + exchanges as usize, &root).map_err(|it| anyhow!(it))?;
        }
        halves.exchange(process::id(), &root).map_err(|error| anyhow!(error))?;
    }
    Ok(exchanges)
}
