//! `myrig host apply --for COMMAND`: apply, run, revert, whatever happens.

use super::{apply::Tuning, revert, told, view};
use crate::{
    failure::{Failure, Status},
    output::Output,
};
use anyhow::Context;
use host::tuning::{Foreign, Head, Journal, JournalError, Reverted, Turn};
use rustix::process::{Pid, Signal as Number, kill_process};
use std::{
    cell::Cell,
    ffi::OsString,
    io::{self, IsTerminal},
    os::unix::process::ExitStatusExt,
    process::ExitStatus,
    thread,
    time::{Duration, Instant},
};
use tokio::{
    process::{Child, Command},
    runtime,
    signal::unix::{Signal, SignalKind, signal},
};

/// How long somebody else may be changing the machine when the command has ended.
const TURN_WITHIN: Duration = Duration::from_secs(60);

/// How long is waited for a signal that has come already: long enough for the runtime to see it.
const LOOK: Duration = Duration::from_millis(1);

pub(super) fn run(
    tuning: &Tuning,
    command: &[OsString],
    output: &Output,
) -> Result<Status, Failure> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    // From here on no signal ends us before the machine is put back.
    let signals = {
        let _inside = runtime.enter();
        Signals::caught()?
    };
    let caught = Cell::new(None);
    let signals = Cell::new(Some(signals));
    let stopped = || {
        let Some(mut all) = signals.take() else { return false };
        let now = async { tokio::time::timeout(LOOK, all.next()).await };
        let seen = caught.get().or(runtime.block_on(now).ok());
        caught.set(seen);
        signals.set(Some(all));
        seen.is_some()
    };
    let (steps, head) = tuning.apply(&stopped, output)?;
    output.note(view::steps(&steps, output.style()).trim_end());
    let ended = match (stopped(), caught.get(), signals.take()) {
        (false, _, Some(mut all)) => runtime.block_on(carried_out(command, &mut all)),
        (_, number, _) => Ok(Status::Of(shell_status(number))),
    };
    let reverted = put_back(tuning, &head)?;
    output.note(view::reverted(reverted.as_ref(), output.style()).trim_end());
    match (ended?, revert::status(reverted.as_ref())) {
        // The command went well, but the machine is not as it was.
        (Status::Of(0), left) if left != Status::Good => Ok(Status::NotDone),
        (status, _) => Ok(status),
    }
}

/// Runs the command to its end, whatever signals come: they are its own business.
async fn carried_out(command: &[OsString], signals: &mut Signals) -> Result<Status, Failure> {
    let (program, arguments) = command.split_first().context("no command")?;
    let started = Command::new(program).args(arguments).spawn();
    let mut child = started.with_context(|| format!("starting {}", program.to_string_lossy()))?;
    loop {
        tokio::select! {
            ended = child.wait() => return Ok(Status::Of(status_of(ended?))),
            number = signals.next() => pass_on(number, &child),
        }
    }
}

/// The keys of a terminal reach the command by themselves; a second copy would be taken for a
/// second press.
fn pass_on(number: Number, child: &Child) {
    let is_key = number == Number::INT || number == Number::QUIT;
    if is_key && io::stdin().is_terminal() {
        return;
    }
    let pid = child.id().and_then(|pid| Pid::from_raw(pid.try_into().ok()?));
    // It may have ended meanwhile.
    let _gone = pid.map(|pid| kill_process(pid, number));
}

/// The exit status as shells tell it.
fn status_of(status: ExitStatus) -> u8 {
    let signalled = status.signal().map(|number| 128 + number);
    let code = status.code().or(signalled).unwrap_or(255);
    u8::try_from(code).unwrap_or(255)
}

fn shell_status(number: Option<Number>) -> u8 {
    number.map_or(0, |number| u8::try_from(128 + number.as_raw()).unwrap_or(255))
}

/// Puts back what we have applied, and nothing that somebody else has since.
fn put_back(tuning: &Tuning, head: &Head) -> Result<Option<Reverted>, Failure> {
    let _turn = turn(tuning)?;
    let is_ours = Journal::open(&tuning.directory)?.is_some_and(|it| it.head() == head);
    if !is_ours {
        return Ok(None);
    }
    let (root, host) = (&tuning.machine.root, tuning.host());
    host::tuning::revert(&tuning.directory, root, &host, Foreign::Keep).map_err(told)
}

fn turn(tuning: &Tuning) -> Result<Turn, JournalError> {
    let begun = Instant::now();
    loop {
        match Turn::take(&tuning.directory) {
            Err(JournalError::Held { .. }) if begun.elapsed() < TURN_WITHIN => {
                thread::sleep(Duration::from_millis(100));
            }
            taken => return taken,
        }
    }
}

/// Everything that asks a process to end.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
    quit: Signal,
}

impl Signals {
    fn caught() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
        })
    }

    async fn next(&mut self) -> Number {
        tokio::select! {
            _ = self.interrupt.recv() => Number::INT,
            _ = self.terminate.recv() => Number::TERM,
            _ = self.hangup.recv() => Number::HUP,
            _ = self.quit.recv() => Number::QUIT,
        }
    }
}
