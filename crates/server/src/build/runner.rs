//! Running the programs of a build: logged, watched, and ended with all their children.

use std::{
    collections::VecDeque,
    ffi::OsStr,
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, PipeReader, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use super::{Step, error::BuildError};

/// How often a program is asked whether it has ended.
const ASK_EVERY: Duration = Duration::from_millis(20);
/// How long programs may take to end when they are told to.
const END_WITHIN: Duration = Duration::from_secs(5);
/// How many of the last lines a failure shows.
const TAIL_LINES: usize = 8;

/// How far a build is; shared by who builds and who watches.
#[derive(Debug, Default)]
pub struct BuildProgress {
    /// Set from outside to end it; the next build goes on from there.
    pub stop: AtomicBool,
    now: Mutex<Option<(Step, Option<u8>)>>,
}

impl BuildProgress {
    /// The step that is being taken and how much of it is done in percent, where it tells.
    pub fn now(&self) -> Option<(Step, Option<u8>)> {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn at(&self, step: Step, percent: Option<u8>) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = Some((step, percent));
    }

    pub(super) fn check(&self) -> Result<(), BuildError> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(BuildError::Interrupted),
            false => Ok(()),
        }
    }
}

/// Runs programs for a build.
#[derive(Debug)]
pub(super) struct Runner<'a> {
    pub(super) log: PathBuf,
    pub(super) progress: &'a BuildProgress,
}

/// What a program said.
#[derive(Debug, Default)]
pub(super) struct Said {
    first_error: Option<String>,
    tail: VecDeque<String>,
}

impl Runner<'_> {
    /// Runs a program to its end; it has failed unless it says otherwise.
    pub(super) fn run<S: AsRef<OsStr>>(
        &self,
        step: Step,
        program: &str,
        arguments: &[S],
        dir: &Path,
    ) -> Result<(), BuildError> {
        self.progress.check()?;
        self.progress.at(step, None);
        let (status, said) = self.logged(step, program, arguments, dir)?;
        self.progress.check()?;
        if status.success() {
            return Ok(());
        }
        let (ended, log) = (status.to_string(), self.log.clone());
        Err(BuildError::Failed { step, ended, log, said: said.told() })
    }

    fn logged<S: AsRef<OsStr>>(
        &self,
        step: Step,
        program: &str,
        arguments: &[S],
        dir: &Path,
    ) -> Result<(ExitStatus, Said), BuildError> {
        let failed = |error| BuildError::io("write", &self.log, error);
        let mut log =
            OpenOptions::new().append(true).create(true).open(&self.log).map_err(failed)?;
        let words: Vec<_> = arguments.iter().map(|word| word.as_ref().to_string_lossy()).collect();
        writeln!(log, "== {step}: {program} {}", words.join(" ")).map_err(failed)?;
        let (reader, mut child) = spawn(program, arguments, dir)?;
        thread::scope(|scope| {
            let reading = scope.spawn(|| self.read(step, reader, log));
            let status = self.wait(&mut child).map_err(|e| BuildError::io("run", dir, e));
            // What it left in its group would keep the log open.
            signal(&child, Signal::KILL);
            let said = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok((status?, said))
        })
    }

    fn wait(&self, child: &mut Child) -> io::Result<ExitStatus> {
        let mut told = None;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            match told {
                None if self.progress.stop.load(Ordering::Relaxed) => {
                    signal(child, Signal::TERM);
                    told = Some(Instant::now());
                }
                Some(since) if since.elapsed() > END_WITHIN => signal(child, Signal::KILL),
                _ => {}
            }
            thread::sleep(ASK_EVERY);
        }
    }

    fn read(&self, step: Step, reader: PipeReader, mut log: File) -> Said {
        let mut said = Said::default();
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            // A log that cannot be written must not end a build that can.
            let _ = log.write_all(&line);
            let text = String::from_utf8_lossy(&line);
            if let Some(percent) = percent(&text) {
                self.progress.at(step, Some(percent));
            }
            said.hear(text.trim_end());
            line.clear();
        }
        said
    }
}

impl Said {
    fn hear(&mut self, line: &str) {
        if self.first_error.is_none() && is_error(line) {
            self.first_error = Some(line.trim().to_owned());
        }
        if !line.trim().is_empty() {
            self.tail.push_back(line.to_owned());
            if self.tail.len() > TAIL_LINES {
                self.tail.pop_front();
            }
        }
    }

    /// The first error, then the last lines.
    fn told(&self) -> String {
        let first = self.first_error.iter().filter(|line| !self.tail.contains(line));
        let first = first.map(|line| format!("\n  {line}\n  ..."));
        first.chain(self.tail.iter().map(|line| format!("\n  {line}"))).collect()
    }
}

/// Starts a program at the head of a process group of its own: a Ctrl-C reaches it through us.
fn spawn<S: AsRef<OsStr>>(
    program: &str,
    arguments: &[S],
    dir: &Path,
) -> Result<(PipeReader, Child), BuildError> {
    let start = || {
        let (reader, writer) = io::pipe()?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(dir).env("LC_ALL", "C").process_group(0);
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        Ok((reader, command.spawn()?))
    };
    start().map_err(|error: io::Error| match error.kind() {
        io::ErrorKind::NotFound if dir.is_dir() => {
            BuildError::NoProgram { program: program.to_owned() }
        }
        _ => BuildError::io("run a program in", dir, error),
    })
}

fn signal(child: &Child, signal: Signal) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // There may be nobody left to hear it.
        let _ = kill_process_group(group, signal);
    }
}

fn is_error(line: &str) -> bool {
    ["error:", "Error at", "*** [", "undefined reference"].iter().any(|mark| line.contains(mark))
}

/// How far make (`[ 42%]`) or ninja (`[12/345]`) say they are.
fn percent(line: &str) -> Option<u8> {
    let (inside, _) = line.strip_prefix('[')?.split_once(']')?;
    let percent = match inside.split_once('/') {
        Some((done, all)) => {
            let (done, all): (u64, u64) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
            done.checked_mul(100)?.checked_div(all)?
        }
        None => inside.strip_suffix('%')?.trim().parse().ok()?,
    };
    u8::try_from(percent).ok().filter(|percent| *percent <= 100)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn run(script: &str, progress: &BuildProgress) -> (Result<(), BuildError>, String) {
        let dir = tempfile::tempdir().unwrap();
        let runner = Runner { log: dir.path().join("log"), progress };
        let outcome = runner.run(Step::Compile, "sh", &["-c", script], dir.path());
        (outcome, std::fs::read_to_string(dir.path().join("log")).unwrap())
    }

    #[test]
    fn make_and_ninja_say_how_far_they_are() {
        assert_eq!(percent("[ 42%] Building CXX object x.o"), Some(42));
        assert_eq!(percent("[100%] Built target mysqld"), Some(100));
        assert_eq!(percent("[12/48] Linking"), Some(25));
        for line in ["", "[", "[x%]", "[1/0] x", "[101%] x", "[ 5 ] x", "a [ 5%]"] {
            assert_eq!(percent(line), None, "{line}");
        }
    }

    #[test]
    fn a_failure_shows_the_first_error_and_the_last_lines() {
        let script = "echo '[  3%] a'; echo 'lock0lock.cc:7: error: no such thing' >&2; \
                      for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $n; done; exit 2";
        let progress = BuildProgress::default();
        let (outcome, log) = run(script, &progress);
        let error = outcome.unwrap_err().to_string();
        for word in ["compile", "exit status: 2", "lock0lock.cc:7: error:", "line 12"] {
            assert!(error.contains(word), "{word} in {error}");
        }
        assert!(!error.contains("line 3\n"), "{error}");
        assert!(log.contains("line 3") && log.contains("no such thing"), "{log}");
        assert_eq!(progress.now(), Some((Step::Compile, Some(3))));
    }

    #[test]
    fn a_stopped_build_ends_its_programs_and_their_children() {
        let progress = BuildProgress::default();
        let outcome = thread::scope(|scope| {
            let running = scope.spawn(|| run("echo [5%]; sleep 600 & wait", &progress).0);
            while progress.now() != Some((Step::Compile, Some(5))) {
                thread::sleep(ASK_EVERY);
            }
            progress.stop.store(true, Ordering::Relaxed);
            running.join().unwrap()
        });
        assert!(matches!(outcome, Err(BuildError::Interrupted)), "{outcome:?}");
    }

    #[test]
    fn a_program_that_is_not_installed_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let progress = BuildProgress::default();
        let runner = Runner { log: dir.path().join("log"), progress: &progress };
        let none: [&str; 0] = [];
        let error = runner.run(Step::Unpack, "no-such-program", &none, dir.path()).unwrap_err();
        assert!(error.to_string().contains("no-such-program"), "{error}");
    }

    proptest! {
        #[test]
        fn any_line_gives_an_answer(line in "\\[?[0-9/% ]{0,24}\\]?.{0,10}") {
            prop_assert!(percent(&line).is_none_or(|percent| percent <= 100));
        }
    }
}
