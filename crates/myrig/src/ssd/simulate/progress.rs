//! Replays under a spinner, ended by Ctrl-C.

use crate::{failure::Failure, interrupt, output::Output};
use flash::replay::Watch;
use std::{
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

/// How often the spinner's words change.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// How far replays are, and the way to end them.
pub(super) struct Replaying<'a> {
    output: &'a Output,
    watch: Arc<Watch>,
}

impl<'a> Replaying<'a> {
    /// From here on Ctrl-C ends what is replayed.
    pub(super) fn begin(output: &'a Output) -> Result<Self, Failure> {
        let watch = Arc::new(Watch::default());
        let stopping = Arc::clone(&watch);
        interrupt::watch(move || stopping.stop.store(true, Ordering::Relaxed))?;
        Ok(Self { output, watch })
    }

    /// What others see of it, and by which they hear that it should end.
    pub(super) fn watch(&self) -> &Arc<Watch> {
        &self.watch
    }

    /// Does the work, `drives` of them if that is known, under a spinner that says how far it is.
    pub(super) fn show<T: Send>(
        &self,
        what: &str,
        drives: Option<usize>,
        work: impl FnOnce(&Watch) -> T + Send,
    ) -> Result<T, Failure> {
        self.watch.done.store(0, Ordering::Relaxed);
        self.watch.pages.store(0, Ordering::Relaxed);
        let spinner = self.output.spinner(what);
        let outcome = thread::scope(|scope| {
            let (at_work, end) = mpsc::channel::<()>();
            let watch = &self.watch;
            let working = scope.spawn(move || {
                let _at_work = at_work;
                work(watch)
            });
            while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(LOOK_EVERY) {
                let done = watch.done.load(Ordering::Relaxed);
                let of = drives.map_or(String::new(), |drives| format!(" of {drives}"));
                let pages = watch.pages.load(Ordering::Relaxed) as f64 / 1e6;
                spinner.set_message(format!(
                    "{what}: {done}{of} drives done, {pages:.0} million pages written"
                ));
            }
            working.join()
        });
        spinner.finish_and_clear();
        match outcome {
            Ok(outcome) => Ok(outcome),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}
