//! Ctrl-C and SIGTERM: once to end cleanly, twice to end at once.

use std::{io, thread};
use tokio::{
    runtime,
    signal::unix::{SignalKind, signal},
};

/// Calls `first` at the first signal and ends the process at the second.
pub(crate) fn watch(first: impl Fn() + Send + 'static) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    // The handlers must be in place before anything that wants a clean end begins.
    let (mut interrupt, mut terminate) = {
        let _inside = runtime.enter();
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    let wait = move || {
        runtime.block_on(async {
            for count in 0.. {
                tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
                match count {
                    0 => first(),
                    // 128 + SIGINT, as shells say it.
                    _ => immediately(130),
                }
            }
        });
    };
    thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
}

/// The one exit beside the end of `main`: a person who interrupts twice wants no more cleaning up.
#[allow(clippy::exit)]
fn immediately(status: i32) {
    std::process::exit(status);
}
