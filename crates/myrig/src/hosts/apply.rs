//! `myrig host apply`.

use super::{Machine, directory, guarded, scope, told, view};
use crate::{
    args::HostApplyArgs,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
};
use anyhow::Context;
use host::{
    profile::Profile,
    tuning::{
        Fate, Head, Host, Journal, Manner, Scope, Setting, Step, Subject, Turn, apply, permitted,
        plan,
    },
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

pub(super) fn run(args: &HostApplyArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let machine = Machine::of(args.scope.root.as_deref())?;
    let profile = profile(args)?;
    let tuning = Tuning {
        scope: scope(&args.scope, &machine)?,
        machine,
        profile: profile.name,
        settings: profile.settings,
        keep_going: args.keep_going,
        directory: directory(paths),
    };
    if args.plan {
        return tuning.show_plan(output);
    }
    if args.guarded {
        return guarded::run(&tuning, &args.command, output);
    }
    let stopped = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&stopped);
    interrupt::watch(move || stop.store(true, Ordering::Relaxed))?;
    let (steps, _) = tuning.apply(&|| stopped.load(Ordering::Relaxed), output)?;
    tuning.show(&steps, output)
}

/// The profile with what was typed over it.
fn profile(args: &HostApplyArgs) -> Result<Profile, Failure> {
    let profile = match args.profile.as_deref() {
        None => Profile::empty("--set"),
        Some(name) => named(name)?,
    };
    let mut pairs = args.settings.clone();
    if let Some(cpus) = &args.irq_cpus {
        pairs.push(("net.irq-cpus".to_owned(), cpus.to_string()));
    }
    profile.with(&pairs).map_err(|error| Failure::usage(format!("--set: {error}")))
}

/// The profile of that name: built in, or a file.
///
/// # Errors
/// There is none, or it cannot be read.
pub(super) fn named(name: &str) -> Result<Profile, Failure> {
    match Profile::built_in(name) {
        Some(profile) => Ok(profile?),
        None => from_file(name),
    }
}

fn from_file(name: &str) -> Result<Profile, Failure> {
    let path = Path::new(name);
    if !path.is_file() {
        let names: Vec<&str> = Profile::names().collect();
        return Err(Failure::usage(format!(
            "there is no profile `{name}`, and no such file; there are {}",
            names.join(", ")
        )));
    }
    let text = fs::read_to_string(path).with_context(|| format!("reading {name}"))?;
    Profile::parse(name, &text).map_err(Failure::usage)
}

/// Everything that a machine is to be tuned by.
pub(super) struct Tuning {
    pub(super) machine: Machine,
    pub(super) scope: Scope,
    pub(super) profile: String,
    pub(super) settings: Vec<Setting>,
    pub(super) keep_going: bool,
    pub(super) directory: PathBuf,
}

impl Tuning {
    fn subject<'a>(&'a self, host: &'a Host<'a>) -> Subject<'a> {
        let Machine { root, shell } = &self.machine;
        Subject { root, shell: *shell, machine: host, scope: &self.scope }
    }

    pub(super) fn host(&self) -> Host<'_> {
        Host { root: &self.machine.root, shell: self.machine.shell }
    }

    fn show_plan(&self, output: &Output) -> Result<Status, Failure> {
        self.show(&self.planned()?, output)
    }

    /// What would be done; nothing is touched.
    ///
    /// # Errors
    /// What cannot be on this machine.
    pub(super) fn planned(&self) -> Result<Vec<Step>, Failure> {
        let host = self.host();
        plan(&self.settings, &self.subject(&host)).map_err(told)
    }

    /// Applies, unless `stopped`; with the head of the journal that was begun.
    pub(super) fn apply(
        &self,
        stopped: &dyn Fn() -> bool,
        output: &Output,
    ) -> Result<(Vec<Step>, Head), Failure> {
        let host = self.host();
        let subject = self.subject(&host);
        // What cannot be is said before anything is made, a home included.
        let planned = plan(&self.settings, &subject).map_err(told)?;
        permitted(&planned, &subject)?;
        let _turn = Turn::take(&self.directory)?;
        self.clear_stale(output)?;
        let begun_at = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let head = Head::new(&self.machine.root, &self.profile, &begun_at);
        let bar = output.bar(self.settings.len() as u64, "{bar:30} {pos}/{len} settings");
        let go_on = |done: usize, _| {
            bar.set_position(done as u64);
            !stopped()
        };
        let manner = Manner { keep_going: self.keep_going, go_on: &go_on };
        let steps = apply(&self.settings, &subject, &self.directory, head.clone(), &manner);
        bar.finish_and_clear();
        Ok((steps.map_err(told)?, head))
    }

    /// The values of an earlier boot are gone, and their journal with them.
    fn clear_stale(&self, output: &Output) -> Result<(), Failure> {
        let Some(journal) = Journal::open(&self.directory)? else { return Ok(()) };
        if journal.head().is_stale(&self.machine.root) {
            let profile = journal.head().profile.clone();
            journal.close()?;
            output.note(&format!("`{profile}` was applied before the last boot, and is gone"));
        }
        Ok(())
    }

    fn show(&self, steps: &[Step], output: &Output) -> Result<Status, Failure> {
        let has = |fate: fn(&Fate) -> bool| steps.iter().any(|step| fate(&step.fate));
        let value = json!({
            "schema": "myrig.host-apply/1",
            "profile": self.profile,
            "changed": has(|fate| *fate == Fate::Changed),
            "steps": steps.iter().map(step).collect::<Vec<_>>(),
        });
        output.result(&value, &view::steps(steps, output.style()))?;
        Ok(match has(|fate| matches!(fate, Fate::Refused(_))) {
            true => Status::NotDone,
            false => Status::Good,
        })
    }
}

fn step(step: &Step) -> Value {
    let (fate, why) = view::fate(&step.fate);
    json!({
        "key": step.key,
        "place": step.place.as_ref().map(ToString::to_string),
        "old": step.old,
        "wanted": step.wanted,
        "fate": fate,
        "why": why,
    })
}
