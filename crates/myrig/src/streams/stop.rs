//! `myrig streams stop`: the process that holds the lock is asked to end, and is waited for.

use super::place::Place;
use crate::{
    args::{StreamsPlaceArgs, StreamsStopArgs},
    failure::{Failure, Status},
    live::Writer,
    output::Output,
    paths::Paths,
};
use anyhow::{Context, anyhow};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde_json::json;
use std::{
    thread,
    time::{Duration, Instant},
};

pub(super) fn run(
    args: &StreamsStopArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let place = Place::new(&args.place, paths)?;
    let waiting = output.spinner("waiting for the daemon to end");
    let stopped = end(&args.place, args.timeout, paths);
    waiting.finish_and_clear();
    let stopped = stopped?;
    let value = json!({ "schema": "myrig.streams-stop/1", "stopped": stopped });
    match stopped {
        Some(pid) => {
            output
                .result(&value, &format!("process {pid} has ended; hints that are set stay\n"))?;
            Ok(Status::Good)
        }
        None => {
            output.result(&value, &nobody(&place))?;
            Ok(Status::Bad)
        }
    }
}

/// That no daemon runs.
pub(super) fn nobody(place: &Place) -> String {
    format!("no daemon runs (nobody holds {})\n", place.pid_file().display())
}

/// Ends the daemon of a place and waits until it has; the process that it was, if there was one.
///
/// # Errors
/// It is another user's, or does not end in time.
pub(crate) fn end(
    place: &StreamsPlaceArgs,
    within: Duration,
    paths: &Paths,
) -> Result<Option<u32>, Failure> {
    let place = Place::new(place, paths)?;
    let Some(holder) = super::holder(&place)? else { return Ok(None) };
    if !signal(holder, Signal::TERM)? {
        return Ok(None);
    }
    let begun = Instant::now();
    while holder.is_alive() {
        if begun.elapsed() > within {
            return Err(anyhow!(
                "process {} has not ended within {within:?}: wait for it with a longer --timeout, \
                 or end it with `kill -KILL {0}`, which harms no file",
                holder.pid
            )
            .into());
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(Some(holder.pid))
}

/// Signals the daemon and nobody else: a handle on the process is taken before it is made sure
/// that it is the one. False if it has ended meanwhile.
pub(super) fn signal(holder: Writer, signal: Signal) -> Result<bool, Failure> {
    let Some(pid) = holder.pid.try_into().ok().and_then(Pid::from_raw) else { return Ok(false) };
    let handle = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) => handle,
        Err(rustix::io::Errno::SRCH) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    if !holder.is_alive() {
        return Ok(false);
    }
    match pidfd_send_signal(&handle, signal) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::SRCH) => Ok(false),
        Err(error) => Err(error).with_context(|| {
            format!("ending process {pid}, which runs as another user: try as root")
        })?,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_process_that_got_the_number_of_the_daemon_is_left_alone() {
        let own = Writer::this_process();
        let stale = Writer { pid_start: own.pid_start - 1, ..own };
        assert!(!signal(stale, Signal::KILL).unwrap());
        assert!(!signal(Writer { pid: 0, ..own }, Signal::KILL).unwrap());
        assert!(!signal(Writer { pid: u32::MAX, ..own }, Signal::KILL).unwrap());
    }
}
