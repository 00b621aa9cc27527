//! `myrig server start` and `stop`, on several instances at once.

use super::{parse, view, waiting};
use crate::{
    failure::{Failure, Status},
    output::Output,
};
use futures_util::future::join_all;
use server::{Error, Home, Instance, StartOptions, Stopped};
use std::time::Duration;

/// The instances of those names, or all of them.
pub(super) fn open(names: &[String], all: bool, home: &Home) -> Result<Vec<Instance>, Failure> {
    if !all {
        return names.iter().map(|name| Ok(Instance::open(home, &parse(name)?)?)).collect();
    }
    let instances: Vec<_> = Instance::list(home)?.into_iter().collect::<Result<_, _>>()?;
    match instances.is_empty() {
        true => Err(anyhow::anyhow!("--all: no instance; `myrig server init` makes one").into()),
        false => Ok(instances),
    }
}

pub(super) fn start(
    instances: Vec<Instance>,
    options: &StartOptions,
    adopt: bool,
    output: &Output,
) -> Result<Status, Failure> {
    if options.port.is_some() && instances.len() > 1 {
        return Err(Failure::usage("--port is for one instance; each keeps its own"));
    }
    let options = *options;
    let all = at_once(instances, move |mut instance| async move {
        let started = match adopt {
            true => instance.adopt(options.deadline).await,
            false => instance.start(&options).await,
        };
        (instance, started.map(drop))
    });
    told(waiting("starting the server", all, output)?, output)
}

pub(super) fn stop(
    instances: Vec<Instance>,
    deadline: Duration,
    kill: bool,
    output: &Output,
) -> Result<Status, Failure> {
    let all = at_once(instances, move |mut instance| async move {
        let stopped = match kill {
            true => instance.kill(deadline).await,
            false => instance.stop(deadline).await,
        };
        (instance, stopped)
    });
    let outcomes = waiting("stopping the server", all, output)?;
    let several = outcomes.len() > 1;
    for (instance, stopped) in &outcomes {
        let whose = if several { format!("{}: ", instance.name()) } else { String::new() };
        match stopped {
            Ok(Stopped::WasStopped) => output.note(&format!("{whose}it was not running")),
            Ok(Stopped::HadCrashed) => {
                output.note(&format!("{whose}it had crashed; the next start recovers it"));
            }
            Ok(Stopped::Ended { .. }) | Err(_) => {}
        }
    }
    let outcomes = outcomes.into_iter().map(|(instance, it)| (instance, it.map(drop))).collect();
    told(outcomes, output)
}

/// An instance, and what became of it.
type Outcome<T> = (Instance, Result<T, Error>);

/// Does the same to all instances side by side; the outcomes are in the order of the instances.
async fn at_once<T, F: Future<Output = Outcome<T>>>(
    instances: Vec<Instance>,
    verb: impl Fn(Instance) -> F,
) -> Result<Vec<Outcome<T>>, Error> {
    Ok(join_all(instances.into_iter().map(verb)).await)
}

/// Shows the instances; of one alone, a failure is the command's.
fn told(outcomes: Vec<Outcome<()>>, output: &Output) -> Result<Status, Failure> {
    if outcomes.len() > 1 {
        return view::outcomes(&outcomes, output);
    }
    for (instance, outcome) in outcomes {
        outcome?;
        view::one(&instance, output)?;
    }
    Ok(Status::Good)
}
