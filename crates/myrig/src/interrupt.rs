//! Ctrl-C and SIGTERM: once to end cleanly, twice to end at once.

use crate::failure::Failure;
use std::{io, thread};
use tokio::{
    runtime::{self, Runtime},
    signal::unix::{Signal, SignalKind, signal},
};

/// Calls `first` at the first signal and ends the process at the second.
pub(crate) fn watch(first: impl Fn() + Send + 'static) -> io::Result<()> {
    let runtime = runtime()?;
    // The handlers must be in place before anything that wants a clean end begins.
    let mut signals = Signals::caught(&runtime)?;
    let wait = move || {
        runtime.block_on(async {
            signals.next().await;
            first();
            signals.next().await;
            crate::exit_at_once();
        });
    };
    thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
}

/// Runs `future` to its end, or drops it at the first signal: a server that was being started is
/// then killed, a data directory in the making left to the next command to clear away.
pub(crate) fn unless_stopped<T, E>(future: impl Future<Output = Result<T, E>>) -> Result<T, Failure>
where
    Failure: From<E>,
{
    let runtime = runtime()?;
    let mut signals = Signals::caught(&runtime)?;
    runtime.block_on(async {
        tokio::select! {
            outcome = future => Ok(outcome?),
            () = signals.next() => Err(anyhow::anyhow!("interrupted").into()),
        }
    })
}

fn runtime() -> io::Result<Runtime> {
    runtime::Builder::new_current_thread().enable_all().build()
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn caught(runtime: &Runtime) -> io::Result<Self> {
        let _inside = runtime.enter();
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! { _ = self.interrupt.recv() => {}, _ = self.terminate.recv() => {} }
    }
}
