//! `myrig server build` and `builds`.

use super::waiting;
use crate::{
    args::BuildArgs,
    failure::{Failure, Status},
    interrupt,
    output::Output,
};
use serde_json::{Value, json};
use server::{
    Home,
    build::{Build, BuildError, BuildOptions, BuildProgress, Built},
};
use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, SystemTime},
};

const BAR: &str = "{msg} {bar:20} {pos} % {elapsed}";

/// How often the bar moves.
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub(super) fn make(args: &BuildArgs, home: &Home, output: &Output) -> Result<Status, Failure> {
    let jobs = args.jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    if jobs == 0 {
        return Err(Failure::usage("--jobs 0 builds nothing; give 1 or more"));
    }
    let options = BuildOptions {
        name: args.name.clone().unwrap_or_else(|| name_of(&args.source)),
        source: args.source.clone(),
        patches: args.patches.clone(),
        cmake_args: args.cmake_args.clone(),
        prefix: args.prefix.clone(),
        boost: args.boost.clone(),
        jobs,
    };
    let built = under_bar(home, &options, output)?.map_err(usage)?;
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let build = waiting("asking the new server", built.register(now), output)?;
    output.result(&value(&build), &told(&build))?;
    Ok(Status::Good)
}

pub(super) fn list(home: &Home, output: &Output) -> Result<Status, Failure> {
    let builds = Build::list(home)?;
    let values: Vec<Value> = builds.iter().map(value).collect();
    let mut text: String = builds.iter().map(line).collect();
    if text.is_empty() {
        text.push_str("No build. `myrig server build --source TARBALL` makes one.\n");
    }
    output.result(&json!({ "schema": "myrig.builds/1", "builds": values }), &text)?;
    Ok(Status::Good)
}

/// Builds under a bar that shows the step; Ctrl-C ends the step's programs.
fn under_bar(
    home: &Home,
    options: &BuildOptions,
    output: &Output,
) -> Result<Result<Built, BuildError>, Failure> {
    let progress = Arc::new(BuildProgress::default());
    let stopping = Arc::clone(&progress);
    interrupt::watch(move || stopping.stop.store(true, Ordering::Relaxed))?;
    let bar = output.bar(100, BAR);
    let outcome = thread::scope(|scope| {
        let working = scope.spawn(|| Build::make(home, options, &progress));
        while !working.is_finished() {
            if let Some((step, percent)) = progress.now() {
                bar.set_message(step.to_string());
                bar.set_position(percent.unwrap_or_default().into());
            }
            thread::park_timeout(LOOK_EVERY);
        }
        working.join()
    });
    bar.finish_and_clear();
    outcome.map_or_else(|panic| std::panic::resume_unwind(panic), Ok)
}

/// `mysql-boost-8.0.20.tar.gz` is built as `mysql-boost-8.0.20`.
fn name_of(source: &Path) -> String {
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split(".tar").next().unwrap_or_default();
    name.strip_suffix(".tgz").unwrap_or(name).to_owned()
}

fn told(build: &Build) -> String {
    let record = &build.record;
    let steps = record.steps.iter().map(|step| match step.was_done {
        true => format!("{} done before", step.step),
        false => format!("{} {:.1} s", step.step, step.took_s),
    });
    let steps: Vec<String> = steps.collect();
    let name = &record.name;
    format!(
        "{}{}\n`myrig server init NAME --build {name}` makes an instance of it\n",
        line(build),
        steps.join(", ")
    )
}

fn line(build: &Build) -> String {
    let record = &build.record;
    let patches = match record.patches.len() {
        0 => String::new(),
        1 => ", 1 patch".to_owned(),
        several => format!(", {several} patches"),
    };
    let (name, release, prefix) = (&record.name, &record.release, record.prefix.display());
    format!("{name}: {release}{patches}, by {}, in {prefix}\n", record.compiler)
}

fn value(build: &Build) -> Value {
    let record = &build.record;
    json!({
        "schema": "myrig.build/1",
        "name": record.name,
        "flavour": record.release.flavour.to_string(),
        "version": record.release.version.to_string(),
        "mysqld": record.mysqld,
        "prefix": record.prefix,
        "source": record.source,
        "patches": record.patches,
        "cmake_args": record.cmake_args,
        "compiler": record.compiler,
        "steps": record.steps,
        "built_at": record.built_at,
        "log": build.dir.join("build.log"),
    })
}

/// What only another command line can mend.
fn usage(error: BuildError) -> Failure {
    match error {
        BuildError::Name { .. } | BuildError::Argument { .. } => Failure::usage(error),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_called_as_its_tarball() {
        for (file, name) in [
            ("/src/mysql-boost-8.0.20.tar.gz", "mysql-boost-8.0.20"),
            ("percona-8.4.tgz", "percona-8.4"),
            ("mariadb-11.4.tar", "mariadb-11.4"),
        ] {
            assert_eq!(name_of(Path::new(file)), name);
        }
    }
}
