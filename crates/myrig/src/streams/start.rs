//! `myrig streams start`: in the foreground, or as a daemon.
//!
//! A daemon is this program started again, in the foreground and in a session of its own. It tells
//! by systemd's protocol that it is ready, so that both ways of starting are one.

use super::{
    daemon, lock,
    notify::{self, Listener, Told},
    place::Place,
    plan::Plan,
};
use crate::{
    args::{StreamsStartArgs, show_duration},
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use anyhow::{Context, anyhow};
use clap::ValueEnum;
use report::text::printable;
use serde_json::json;
use std::{
    env,
    ffi::OsString,
    fs::OpenOptions,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// How long a daemon may read its directories before it is ready.
const READY_WITHIN: Duration = Duration::from_secs(120);

/// How often it is looked whether it has died.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A daemon that was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Started {
    pid: u32,
    log: PathBuf,
}

pub(super) fn run(
    args: &StreamsStartArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    if args.foreground {
        return daemon::run(args, paths);
    }
    let waiting = output.spinner("reading the directories");
    let started = begin(args, paths);
    waiting.finish_and_clear();
    let Started { pid, log } = started?;
    let place = Place::new(&args.place, paths)?;
    let value = json!({
        "schema": "myrig.streams-start/1",
        "pid": pid,
        "pid_file": place.pid_file(),
        "log": log,
        "directories": args.directories,
    });
    let text = format!(
        "process {pid} keeps the hints; it logs to {}\n",
        printable(&log.display().to_string())
    );
    output.result(&value, &text)?;
    Ok(Status::Good)
}

/// Starts a daemon and waits until it is ready.
///
/// # Errors
/// What it was told cannot be, another daemon runs, or it does not come up.
pub(crate) fn begin(args: &StreamsStartArgs, paths: &Paths) -> Result<Started, Failure> {
    let place = Place::new(&args.place, paths)?;
    // What is wrong with the command line is told here, and not by a daemon's log.
    Plan::of(args)?.targets()?;
    place.prepare()?;
    if let Some(holder) = super::holder(&place)? {
        return Err(lock::refusal(Some(holder), place.pid_file()));
    }
    let log = args.log.clone().unwrap_or_else(|| place.log());
    let ready = place.ready();
    let listener = Listener::at(&ready)
        .with_context(|| format!("{}: give a shorter --pid-file", ready.display()))?;
    let program = env::current_exe().context("finding this program")?;
    let mut command = Command::new(&program);
    command.args(words(args, &place)).env(notify::VARIABLE, &ready).env_remove("JOURNAL_STREAM");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(sink(&log)?);
    let mut child = command.spawn().with_context(|| format!("starting {}", program.display()))?;
    let outcome = wait(&listener, &mut child);
    if outcome.is_err() {
        // It is ours, and it must not come up when nobody expects it any more.
        let _gone = child.kill();
        let _gone = child.wait();
    }
    outcome.with_context(|| format!("the daemon did not come up (log: {})", log.display()))?;
    Ok(Started { pid: child.id(), log })
}

fn wait(listener: &Listener, child: &mut Child) -> anyhow::Result<()> {
    let begun = Instant::now();
    loop {
        match listener.wait(LOOK_EVERY)? {
            Some(Told::Ready) => return Ok(()),
            Some(Told::Failed(words)) => return Err(anyhow!(words)),
            None => {}
        }
        if let Some(status) = child.try_wait()? {
            // Its last words may have come between the two looks.
            return match listener.wait(LOOK_EVERY)? {
                Some(Told::Failed(words)) => Err(anyhow!(words)),
                _ => Err(anyhow!("it ended with {status}")),
            };
        }
        if begun.elapsed() > READY_WITHIN {
            return Err(anyhow!("it was not ready within {READY_WITHIN:?}"));
        }
    }
}

/// Where the daemon's standard error goes.
fn sink(log: &Path) -> Result<Stdio, Failure> {
    if is_syslog(log) {
        return Ok(Stdio::null());
    }
    let mut options = OpenOptions::new();
    let file = options.create(true).append(true).mode(0o600).open(log);
    Ok(file.with_context(|| format!("--log {}", log.display()))?.into())
}

/// Whether that is the system's log, and no file.
pub(super) fn is_syslog(log: &Path) -> bool {
    log == Path::new("syslog")
}

/// The command line of a daemon that does what `args` say.
fn words(args: &StreamsStartArgs, place: &Place) -> Vec<OsString> {
    let mut words: Vec<OsString> =
        ["streams", "start", "--foreground", "--detached"].map(OsString::from).into();
    let mut add = |name: &str, values: Vec<OsString>| {
        words.push(name.into());
        words.extend(values);
    };
    let all = |paths: &[PathBuf]| paths.iter().map(OsString::from).collect::<Vec<_>>();
    add("--directory", all(&args.directories));
    if !args.rules.is_empty() {
        add("--rules", all(&args.rules));
    }
    let value = |value: Option<clap::builder::PossibleValue>| {
        value.map(|value| OsString::from(value.get_name())).into_iter().collect::<Vec<_>>()
    };
    if let Some(set) = args.rules_for {
        add("--rules-for", value(set.to_possible_value()));
    }
    add("--log-level", value(args.log_level.to_possible_value()));
    if let Some(log) = &args.log {
        add("--log", vec![log.into()]);
    }
    if args.await_missing {
        add("--await-missing", Vec::new());
    }
    add("--check-every", vec![show_duration(args.check_every).into()]);
    if let Some(address) = &args.metrics_addr {
        add("--metrics-addr", vec![address.words().into()]);
    }
    add("--pid-file", vec![place.pid_file().into()]);
    words
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::args::{Cli, Command as Verb, StreamsVerb};
    use clap::Parser;

    fn parsed(words: impl IntoIterator<Item = OsString>) -> StreamsStartArgs {
        let program = ["myrig".into()].into_iter();
        let cli = Cli::try_parse_from(program.chain(words)).unwrap();
        match cli.command {
            Verb::Streams { verb: StreamsVerb::Start(args) } => args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_daemon_is_told_all_that_was_said() {
        for line in [
            "-i /a --rules-for mysql-9",
            "-i /a /b c -r r1 r2 r3 --log-level warn --log syslog --check-every 1500ms",
            "-i /a --rules-for mysql --await-missing",
            "-i /a --rules-for mariadb --metrics-addr 127.0.0.1:9400 --pid-file /x/y",
        ] {
            let typed = ["streams", "start"].into_iter().chain(line.split(' '));
            let args = parsed(typed.map(OsString::from));
            let place = Place::new(&args.place, &Paths::new(Some("/h".into())).unwrap()).unwrap();
            let mut told = parsed(words(&args, &place));
            assert!(told.foreground && told.detached, "{line}");
            assert_eq!(told.place.pid_file.as_deref(), Some(place.pid_file()), "{line}");
            (told.foreground, told.detached) = (false, false);
            told.place.pid_file = args.place.pid_file.clone();
            assert_eq!(format!("{told:?}"), format!("{args:?}"), "{line}");
        }
    }
}
