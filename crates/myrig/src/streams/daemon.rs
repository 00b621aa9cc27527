//! The keeper with what a process needs around it: one at a place, asked over a socket, with new
//! rules and its log opened anew at a SIGHUP.

use super::{
    control::Socket,
    figures,
    lock::Lock,
    log::Log,
    notify::Notify,
    place::Place,
    plan::Plan,
    report::{Directory, Figures, Files, Report, SCHEMA},
    start::is_syslog,
};
use crate::{
    args::StreamsStartArgs,
    failure::{Failure, Status},
    paths::Paths,
};
use anyhow::{Context, anyhow};
use std::{
    env,
    io::{self, Write},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};
use streams::{
    Keeper, Options, Target,
    keeper::{News, StartError},
};
use tokio::{
    runtime::{self, Runtime},
    signal::unix::{Signal, SignalKind, signal},
};

/// How long the files that are there may take to get their hints before it is ready all the same.
const SETTLED_WITHIN: Duration = Duration::from_secs(60);

/// Keeps hints until a signal ends it.
pub(super) fn run(args: &StreamsStartArgs, paths: &Paths) -> Result<Status, Failure> {
    let notify = Notify::of_environment();
    let kept = keep(args, paths, &notify);
    if let Err(failure) = &kept {
        notify.failed(&failure.to_string());
    }
    kept.map(|()| Status::Good)
}

fn keep(args: &StreamsStartArgs, paths: &Paths, notify: &Notify) -> Result<(), Failure> {
    let place = Place::new(&args.place, paths)?;
    let plan = Plan::of(args)?;
    let targets = plan.targets()?;
    // By its whole name, since it is opened again from another working directory.
    let log_file = std::path::absolute(args.log.clone().unwrap_or_else(|| place.log()))?;
    if args.detached {
        // Who leads a group already has no terminal to leave.
        let _own = rustix::process::setsid();
        env::set_current_dir("/").context("leaving the working directory")?;
    }
    place.prepare()?;
    let _lock = Lock::take(place.pid_file())?;
    let socket = Socket::make(&place)?;
    // From here on no signal ends us by itself.
    let (runtime, mut signals) = Signals::caught()?;
    let log = match args.log.as_deref() {
        Some(named) if is_syslog(named) => Log::to_syslog(args.log_level),
        None if !args.detached => Log::to_stderr(args.log_level),
        _ => Log::to_file(args.log_level, &log_file)
            .with_context(|| format!("--log {}", log_file.display()))?,
    };
    let endpoint = args.metrics_addr.as_ref().map(|address| address.take()).transpose()?;

    let daemon = Arc::new(Daemon::start(plan, targets, args, &log)?);
    let asked = Arc::clone(&daemon);
    socket.serve(move |question, into| asked.answer(question, into))?;
    if let Some(endpoint) = endpoint {
        let scraped = Arc::clone(&daemon);
        endpoint.add(move || scraped.told(figures::families));
        log.info(&format!("metrics at http://{}/metrics", endpoint.address()));
    }
    if !daemon.keeper.settle(SETTLED_WITHIN) {
        log.info("there are many files: they get their hints one after the other");
    }
    notify.ready(&daemon.words());
    log.info(&daemon.words());
    while runtime.block_on(signals.next()) == Wish::Reload {
        notify.status("reading the rules anew");
        log.reopen();
        daemon.reload(&log);
        notify.status(&daemon.words());
    }
    notify.stopping();
    log.info("ended; the hints that are set stay");
    Ok(())
}

/// The keeper, and what is told of it.
struct Daemon {
    plan: Plan,
    keeper: Keeper,
    /// What the rules that hold are called, and how many they are, by directory.
    rules: Mutex<Vec<(String, usize)>>,
    /// Why the rules that were last read do not hold.
    rules_error: Mutex<Option<String>>,
    reloads: AtomicU64,
    reloads_failed: AtomicU64,
    began: Instant,
    since: SystemTime,
}

impl Daemon {
    fn start(
        plan: Plan,
        targets: Vec<Target>,
        args: &StreamsStartArgs,
        log: &Log,
    ) -> Result<Self, Failure> {
        let rules = named(&plan, targets.iter().map(|target| target.rules.rules().len()));
        let heard = log.clone();
        let news = move |news: &News<'_>| tell(&heard, news);
        let options = Options {
            check_every: args.check_every,
            await_missing: args.await_missing,
            news: Some(Arc::new(news)),
            ..Options::default()
        };
        let keeper = Keeper::start(targets, options).map_err(refused)?;
        Ok(Self {
            plan,
            keeper,
            rules: Mutex::new(rules),
            rules_error: Mutex::default(),
            reloads: AtomicU64::new(0),
            reloads_failed: AtomicU64::new(0),
            began: Instant::now(),
            since: SystemTime::now(),
        })
    }

    /// Puts the rules as they are now in the place of those that hold; of rules with a fault none
    /// is taken.
    fn reload(&self, log: &Log) {
        let taken = self.plan.targets().and_then(|targets| {
            let counts = targets.iter().map(|target| target.rules.rules().len());
            let names = named(&self.plan, counts);
            self.keeper.reload(targets.into_iter().map(|target| target.rules).collect())?;
            Ok(names)
        });
        let error = match taken {
            Ok(names) => {
                self.reloads.fetch_add(1, Ordering::Relaxed);
                *self.rules.lock().unwrap_or_else(PoisonError::into_inner) = names;
                None
            }
            Err(failure) => {
                self.reloads_failed.fetch_add(1, Ordering::Relaxed);
                log.error(&format!(
                    "the new rules are not taken, the earlier ones hold: {failure}"
                ));
                Some(failure.to_string())
            }
        };
        *self.rules_error.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }

    /// What is said to a question over the socket.
    fn answer(&self, question: &str, into: &mut dyn Write) -> io::Result<()> {
        if question == "check" {
            self.keeper.check(SETTLED_WITHIN);
        }
        self.told(|report| serde_json::to_writer(into, report)).map_err(io::Error::from)
    }

    /// Hands over what it does now.
    fn told<T>(&self, to: impl FnOnce(&Report<Files<'_>>) -> T) -> T {
        let status = self.keeper.status();
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
        let reloads = (count(&self.reloads), count(&self.reloads_failed));
        to(&Report {
            schema: SCHEMA.to_owned(),
            running: true,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            since: humantime::format_rfc3339_seconds(self.since).to_string(),
            uptime_s: self.began.elapsed().as_secs_f64(),
            directories: Directory::all(&status, &rules),
            rules_error: self.rules_error.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            figures: Figures::new(&status.counters, reloads),
            files: Files(&status),
        })
    }

    /// What it does, in a line.
    fn words(&self) -> String {
        let status = self.keeper.status();
        let files = status.files().count();
        let wrong = status.files().filter(|file| !file.is_right()).count();
        let directories = status.targets.len();
        let missing = status.targets.iter().filter(|target| target.missing.is_some()).count();
        let waits = match missing {
            0 => String::new(),
            some => format!("; {some} of them are waited for"),
        };
        let without = match wrong {
            0 => String::new(),
            some => format!("; {some} are without theirs"),
        };
        format!("keeping the hints of {files} files in {directories} directories{waits}{without}")
    }
}

/// Why no keeper could be started, with the way out.
fn refused(error: StartError) -> anyhow::Error {
    match &error {
        StartError::Missing { .. } => {
            anyhow!("{error}; with --await-missing the daemon starts and waits for it")
        }
        _ => error.into(),
    }
}

fn named(plan: &Plan, counts: impl Iterator<Item = usize>) -> Vec<(String, usize)> {
    plan.names().into_iter().zip(counts).collect()
}

/// What happens, with its weight.
fn tell(log: &Log, news: &News<'_>) {
    match news {
        News::Set { .. } | News::Cleared { .. } => log.debug(&news.to_string()),
        News::Failed(_) | News::Conflict { .. } | News::Overflow | News::Lost { .. } => {
            log.warn(&news.to_string());
        }
        _ => log.info(&news.to_string()),
    }
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    /// The rules are to be read anew.
    Reload,
    /// It is to end.
    End,
}

struct Signals {
    reload: Signal,
    /// Ctrl-C, systemd's, and the one that astream's `stop` sends.
    ends: [Signal; 3],
}

impl Signals {
    fn caught() -> io::Result<(Runtime, Self)> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let inside = runtime.enter();
        let reload = signal(SignalKind::hangup())?;
        let ends = [
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::user_defined1())?,
        ];
        drop(inside);
        Ok((runtime, Self { reload, ends }))
    }

    async fn next(&mut self) -> Wish {
        let [interrupt, terminate, user] = &mut self.ends;
        tokio::select! {
            _ = self.reload.recv() => Wish::Reload,
            _ = interrupt.recv() => Wish::End,
            _ = terminate.recv() => Wish::End,
            _ = user.recv() => Wish::End,
        }
    }
}
