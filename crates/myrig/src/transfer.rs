//! Work that is measured in bytes: its bar and its interruption.

use crate::{failure::Failure, interrupt, output::Output};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

const BAR: &str = "{msg} {bar:20} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left";

/// How often the bar moves.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What a worker in bytes lets others see and do.
pub(crate) trait Watched: Send + Sync + 'static {
    /// What is to be done, and what has been.
    fn bytes(&self) -> (&AtomicU64, &AtomicU64);
    /// Ends it when set.
    fn stop(&self) -> &AtomicBool;
}

impl Watched for server::snapshot::Progress {
    fn bytes(&self) -> (&AtomicU64, &AtomicU64) {
        (&self.total_bytes, &self.done_bytes)
    }

    fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

impl Watched for host::storage::Filling {
    fn bytes(&self) -> (&AtomicU64, &AtomicU64) {
        (&self.total_bytes, &self.done_bytes)
    }

    fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

/// Does the work under a bar; Ctrl-C has it end and clean up. Returns how long it took, too.
pub(crate) fn under_bar<W: Watched + Default, T: Send>(
    what: &str,
    output: &Output,
    work: impl FnOnce(&W) -> T + Send,
) -> Result<(T, Duration), Failure> {
    let begun = Instant::now();
    let progress = Arc::new(W::default());
    let stopping = Arc::clone(&progress);
    interrupt::watch(move || stopping.stop().store(true, Ordering::Relaxed))?;
    let bar = output.bar(0, BAR);
    bar.set_message(what.to_owned());
    let outcome = thread::scope(|scope| {
        // Its end is heard at once, however the work ends: a tenth of a second is a gigabyte.
        let (at_work, end) = mpsc::channel::<()>();
        let progress = &progress;
        let working = scope.spawn(move || {
            let _at_work = at_work;
            work(progress)
        });
        while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(LOOK_EVERY) {
            let (total, done) = progress.bytes();
            bar.set_length(total.load(Ordering::Relaxed));
            bar.set_position(done.load(Ordering::Relaxed));
        }
        working.join()
    });
    bar.finish_and_clear();
    match outcome {
        Ok(outcome) => Ok((outcome, begun.elapsed())),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
