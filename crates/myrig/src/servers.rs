//! `myrig server`: private instances.

use crate::{
    args::{InstallationArgs, ServerVerb},
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    tpcc::block_on,
};
use serde_json::{Value, json};
use server::{
    Home, InitOptions, Installation, Instance, InstanceName, Search, StartOptions, Stopped,
};
use std::{env, path::PathBuf};

pub(crate) fn run(verb: ServerVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let home = Home::at(paths.home())?;
    match verb {
        ServerVerb::Init { name, installation, port, settings } => {
            let name = parse(&name)?;
            let installation = block_on(find(&installation))??;
            let settings = settings.into_iter().collect();
            let options = InitOptions { port, settings, ..InitOptions::default() };
            let working = output.spinner("making the instance");
            let made = block_on(Instance::init(&home, &name, &installation, &options))?;
            working.finish_and_clear();
            show(&made?, output)
        }
        ServerVerb::Start { name, deadline, port, adopt } => {
            let mut instance = Instance::open(&home, &parse(&name)?)?;
            let working = output.spinner("starting the server");
            let started = if adopt {
                block_on(instance.adopt(deadline))?
            } else {
                block_on(instance.start(&StartOptions { port, deadline }))?
            };
            working.finish_and_clear();
            started?;
            show(&instance, output)
        }
        ServerVerb::Stop { name, deadline, kill } => {
            let mut instance = Instance::open(&home, &parse(&name)?)?;
            let working = output.spinner("stopping the server");
            let stopped = match kill {
                true => block_on(instance.kill(deadline))?,
                false => block_on(instance.stop(deadline))?,
            };
            working.finish_and_clear();
            match stopped? {
                Stopped::Ended { .. } => {}
                Stopped::WasStopped => output.note("it was not running"),
                Stopped::HadCrashed => output.note("it had crashed; the next start recovers it"),
            }
            show(&instance, output)
        }
        ServerVerb::Status { name: Some(name) } => {
            show(&Instance::open(&home, &parse(&name)?)?, output)
        }
        ServerVerb::Status { name: None } => list(&home, output),
        ServerVerb::Remove { name } => {
            let name = parse(&name)?;
            block_on(Instance::open(&home, &name)?.remove())??;
            let value =
                json!({ "schema": "myrig.server/1", "name": name.as_str(), "state": "removed" });
            output.result(&value, &format!("{} is removed\n", name.as_str()))?;
            Ok(Status::Good)
        }
    }
}

fn parse(name: &str) -> Result<InstanceName, Failure> {
    name.parse().map_err(Failure::usage)
}

/// Finds the server that is asked for, or any.
pub(crate) async fn find(args: &InstallationArgs) -> Result<Installation, server::Error> {
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

fn list(home: &Home, output: &Output) -> Result<Status, Failure> {
    let (mut values, mut text) = (Vec::new(), String::new());
    for instance in Instance::list(home)? {
        match instance {
            Ok(instance) => {
                values.push(value(&instance));
                text.push_str(&line(&instance));
            }
            Err(error) => {
                values.push(json!({ "state": "unreadable", "error": error.to_string() }));
                text.push_str(&format!("{error}\n"));
            }
        }
    }
    if text.is_empty() {
        text.push_str("No instance. `myrig server init NAME` makes one.\n");
    }
    output.result(&json!({ "schema": "myrig.servers/1", "servers": values }), &text)?;
    Ok(Status::Good)
}

fn show(instance: &Instance, output: &Output) -> Result<Status, Failure> {
    output.result(&value(instance), &line(instance))?;
    Ok(Status::Good)
}

fn line(instance: &Instance) -> String {
    let (state, pid) = state(instance);
    let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    let release = instance.installation().release();
    format!(
        "{}: {state}{pid}, {release}, 127.0.0.1:{}, {}\n",
        instance.name().as_str(),
        instance.port(),
        instance.socket().display()
    )
}

fn value(instance: &Instance) -> Value {
    let (state, pid) = state(instance);
    let release = instance.installation().release();
    json!({
        "schema": "myrig.server/1",
        "name": instance.name().as_str(),
        "state": state,
        "pid": pid,
        "flavour": release.flavour.to_string(),
        "version": release.version.to_string(),
        "host": "127.0.0.1",
        "port": instance.port(),
        "socket": instance.socket(),
        "user": "root",
        "password_file": instance.password_file(),
        "data_dir": instance.data_dir(),
        "log": instance.log(),
        "options_file": instance.options_file(),
    })
}

fn state(instance: &Instance) -> (&'static str, Option<u32>) {
    use server::Status;
    match instance.status() {
        Status::Stopped => ("stopped", None),
        Status::Starting { pid } => ("starting", Some(pid)),
        Status::Running(serving) => ("running", Some(serving.pid)),
        Status::Crashed { pid } => ("crashed", pid),
        Status::Orphaned { pid } => ("orphaned", Some(pid)),
    }
}
