//! `myrig server`: private instances.

mod build;
mod change;
mod config;
mod init;
mod limits;
mod many;
pub(crate) mod size;
mod snapshot;
mod view;

use crate::{
    args::{InstallationArgs, ServerVerb},
    failure::{Failure, Status},
    interrupt::unless_stopped,
    output::Output,
    paths::Paths,
};
use serde_json::json;
use server::{
    Flavour, Home, Installation, Instance, InstanceName, Search, StartOptions,
    build::{Build, BuildError},
};
use std::{env, path::PathBuf};

pub(crate) fn run(verb: ServerVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let home = Home::at(paths.home())?;
    let open = |name: &str| Ok::<_, Failure>(Instance::open(&home, &parse(name)?)?);
    match verb {
        ServerVerb::Init(args) => init::run(&args, &home, output),
        ServerVerb::Config(args) => config::run(&args, &home, output),
        ServerVerb::Change(args) => change::run(&args, &mut open(&args.name)?, output),
        ServerVerb::Start { names, all, deadline, port, adopt } => {
            let instances = many::open(&names, all, &home)?;
            many::start(instances, &StartOptions { port, deadline }, adopt, output)
        }
        ServerVerb::Stop { names, all, deadline, kill } => {
            many::stop(many::open(&names, all, &home)?, deadline, kill, output)
        }
        ServerVerb::Status { name: Some(name) } => view::one(&open(&name)?, output),
        ServerVerb::Status { name: None } => view::all(&home, output),
        ServerVerb::Snapshot(args) => snapshot::take(&args, &home, output),
        ServerVerb::Restore(args) => snapshot::restore(&args, &home, output),
        ServerVerb::Build(args) => build::make(&args, &home, output),
        ServerVerb::Builds => build::list(&home, output),
        ServerVerb::Snapshots => snapshot::list(&home, output),
        ServerVerb::Size(args) => size::run(&args, &home, output),
        ServerVerb::Remove { name } => {
            waiting("deleting the instance", open(&name)?.remove(), output)?;
            let value = json!({ "schema": "myrig.server/1", "name": name, "state": "removed" });
            output.result(&value, &format!("{name}: removed\n"))?;
            Ok(Status::Good)
        }
    }
}

/// Waits for a server under a sign of life, unless somebody interrupts.
pub(crate) fn waiting<T, E>(
    what: &str,
    future: impl Future<Output = Result<T, E>>,
    output: &Output,
) -> Result<T, Failure>
where
    Failure: From<E>,
{
    let working = output.spinner(what);
    let outcome = unless_stopped(future);
    working.finish_and_clear();
    outcome
}

fn parse(name: &str) -> Result<InstanceName, Failure> {
    name.parse().map_err(Failure::usage)
}

/// Finds the server that is asked for, or any.
pub(crate) async fn find(args: &InstallationArgs, home: &Home) -> Result<Installation, BuildError> {
    find_as(args, None, home).await
}

/// The same, of one flavour only.
pub(crate) async fn find_as(
    args: &InstallationArgs,
    flavour: Option<Flavour>,
    home: &Home,
) -> Result<Installation, BuildError> {
    if let Some(name) = &args.build {
        return Build::open(home, name)?.installation().await;
    }
    let path =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let cache = env::var_os("MYRIG_DEPS").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache/myrig")));
    let search = Search {
        mysqld: args.mysqld.clone(),
        basedir: args.basedir.clone(),
        path,
        roots: cache.into_iter().map(|cache| cache.join("mysql-9")).collect(),
        flavour,
    };
    Ok(Installation::find(&search).await?)
}
