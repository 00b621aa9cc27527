//! `myrig server`: private instances.

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
    Error, Home, InitOptions, Installation, Instance, InstanceName, Search, StartOptions, Stopped,
};
use std::{env, path::PathBuf};

pub(crate) fn run(verb: ServerVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let home = Home::at(paths.home())?;
    let open = |name: &str| Ok::<_, Failure>(Instance::open(&home, &parse(name)?)?);
    match verb {
        ServerVerb::Init { name, installation, port, settings } => {
            let name = parse(&name)?;
            let settings = settings.into_iter().collect();
            let options = InitOptions { port, settings, ..InitOptions::default() };
            let made = async {
                let installation = find(&installation).await?;
                Instance::init(&home, &name, &installation, &options).await
            };
            view::one(&waiting("making the instance", made, output)?, output)
        }
        ServerVerb::Start { name, deadline, port, adopt } => {
            let mut instance = open(&name)?;
            let options = StartOptions { port, deadline };
            let started = async {
                match adopt {
                    true => instance.adopt(deadline).await,
                    false => instance.start(&options).await,
                }
            };
            waiting("starting the server", started, output)?;
            view::one(&instance, output)
        }
        ServerVerb::Stop { name, deadline, kill } => {
            let mut instance = open(&name)?;
            let stopped = async {
                match kill {
                    true => instance.kill(deadline).await,
                    false => instance.stop(deadline).await,
                }
            };
            match waiting("stopping the server", stopped, output)? {
                Stopped::Ended { .. } => {}
                Stopped::WasStopped => output.note("it was not running"),
                Stopped::HadCrashed => output.note("it had crashed; the next start recovers it"),
            }
            view::one(&instance, output)
        }
        ServerVerb::Status { name: Some(name) } => view::one(&open(&name)?, output),
        ServerVerb::Status { name: None } => view::all(&home, output),
        ServerVerb::Remove { name } => {
            waiting("deleting the instance", open(&name)?.remove(), output)?;
            let value = json!({ "schema": "myrig.server/1", "name": name, "state": "removed" });
            output.result(&value, &format!("{name}: removed\n"))?;
            Ok(Status::Good)
        }
    }
}

/// Waits for a server under a sign of life, unless somebody interrupts.
pub(crate) fn waiting<T>(
    what: &str,
    future: impl Future<Output = Result<T, Error>>,
    output: &Output,
) -> Result<T, Failure> {
    let working = output.spinner(what);
    let outcome = unless_stopped(future);
    working.finish_and_clear();
    outcome
}

fn parse(name: &str) -> Result<InstanceName, Failure> {
    name.parse().map_err(Failure::usage)
}

/// Finds the server that is asked for, or any.
pub(crate) async fn find(args: &InstallationArgs) -> Result<Installation, Error> {
    let path =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let cache = env::var_os("MYRIG_DEPS").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache/myrig")));
    let search = Search {
        mysqld: args.mysqld.clone(),
        basedir: args.basedir.clone(),
        path,
        roots: cache.into_iter().map(|cache| cache.join("mysql-9")).collect(),
        flavour: None,
    };
    Installation::find(&search).await
}
