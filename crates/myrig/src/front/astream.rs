//! `myrig astream`: astream's command lines and words, on the daemon of `myrig streams`.
//!
//! It starts at once, says nothing, and logs to syslog as astream does. What it does better than
//! astream is in docs/streams.md; what a script could notice is that `-h` is no failure, that who
//! owns the files need not be root, and that `stop` fails where there is nothing to stop.

mod command_line;

use crate::{
    args::{LogLevelArg, StreamsPlaceArgs, StreamsStartArgs},
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    streams,
};
use command_line::{USAGE, Wanted};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// What astream's `return -1` is to a shell.
const FAILED: Status = Status::Of(255);

/// How often it is looked whether the hints are still there.
const CHECK_EVERY: Duration = Duration::from_secs(10);

/// How long a daemon may take to end.
const STOP_WITHIN: Duration = Duration::from_secs(10);

/// Carries out a call and says how it ended.
pub(super) fn call(words: &[String], paths: &Paths, output: &Output) -> Status {
    let place = StreamsPlaceArgs { pid_file: Some(pid_file(paths)) };
    let (said, status) = match command_line::read(words) {
        Ok(Wanted::Help) => (USAGE.to_owned(), Status::Good),
        Ok(Wanted::Stop) => stop(&place, paths),
        Ok(Wanted::Start { directories, rules, level }) => {
            start(directories, rules, level, place, paths)
        }
        Err(mistake) => {
            let words = if mistake.words.is_empty() { mistake.words } else { mistake.words + "\n" };
            (words + if mistake.usage { USAGE } else { "" }, FAILED)
        }
    };
    // astream says everything on standard output.
    match output.write(&said) {
        Ok(()) => status,
        Err(failure) => failure.status,
    }
}

/// Where astream has it for root, and nobody else's for others.
fn pid_file(paths: &Paths) -> PathBuf {
    match paths.runtime() == Path::new("/run/myrig") {
        true => "/run/astream.pid".into(),
        false => paths.runtime().join("astream.pid"),
    }
}

fn start(
    directories: Vec<PathBuf>,
    rules: Vec<PathBuf>,
    log_level: LogLevelArg,
    place: StreamsPlaceArgs,
    paths: &Paths,
) -> (String, Status) {
    let missing = |kind: &str, path: &Path| {
        let words = format!("error: the {kind} {} don't exist\n", path.display());
        (words, FAILED)
    };
    if let Some(path) = directories.iter().find(|path| !path.exists()) {
        return missing("monitored directory", path);
    }
    if let Some(path) = rules.iter().find(|path| !path.exists()) {
        return missing("rule file", path);
    }
    let args = StreamsStartArgs {
        directories,
        rules,
        rules_for: None,
        await_missing: false,
        foreground: false,
        detached: false,
        log_level,
        log: Some("syslog".into()),
        check_every: CHECK_EVERY,
        metrics_addr: None,
        place,
    };
    let running = || -> Result<bool, Failure> { streams::is_running(&args.place, paths) };
    if running().unwrap_or(false) {
        let words = "error: astream daemon is running, if you need to restart it, stop it first \
                     using [astream stop] command\n";
        return (words.to_owned(), FAILED);
    }
    match streams::begin(&args, paths) {
        Ok(_) => (String::new(), Status::Good),
        Err(failure) => (format!("error: {failure}\n"), FAILED),
    }
}

fn stop(place: &StreamsPlaceArgs, paths: &Paths) -> (String, Status) {
    match streams::end(place, STOP_WITHIN, paths) {
        Ok(Some(_)) => ("the astream daemon has been stopped\n".to_owned(), Status::Good),
        Ok(None) => ("error: no astream daemon is running\n".to_owned(), FAILED),
        Err(failure) => (format!("error: {failure}\n"), FAILED),
    }
}
