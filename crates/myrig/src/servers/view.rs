//! How instances are shown: as lines, and as `myrig.server/1`.

use super::limits;
use crate::{
    failure::{Failure, Status},
    output::Output,
};
use serde_json::{Value, json};
use server::{Error, Home, Instance, Status as State};

/// Shows one instance.
pub(super) fn one(instance: &Instance, output: &Output) -> Result<Status, Failure> {
    let state = instance.status();
    output.result(&value(instance, &state), &line(instance, &state))?;
    Ok(Status::Good)
}

/// Shows those that have been made.
pub(super) fn several(instances: &[Instance], output: &Output) -> Result<Status, Failure> {
    let states: Vec<State> = instances.iter().map(Instance::status).collect();
    let shown = || instances.iter().zip(&states);
    let values: Vec<Value> = shown().map(|(instance, state)| value(instance, state)).collect();
    let text: String = shown().map(|(instance, state)| line(instance, state)).collect();
    listed(&values, &text, output)?;
    Ok(Status::Good)
}

/// Shows what became of several; one that failed does not hide the others.
pub(super) fn outcomes(
    outcomes: &[(Instance, Result<(), Error>)],
    output: &Output,
) -> Result<Status, Failure> {
    let (mut values, mut text, mut status) = (Vec::new(), String::new(), Status::Good);
    for (instance, outcome) in outcomes {
        let state = instance.status();
        let mut value = value(instance, &state);
        match outcome {
            Ok(()) => text.push_str(&line(instance, &state)),
            Err(error) => {
                status = Status::NotDone;
                let error = error.to_string();
                text.push_str(&format!("{}: {error}\n", instance.name()));
                value["error"] = error.into();
            }
        }
        values.push(value);
    }
    listed(&values, &text, output)?;
    Ok(status)
}

/// Shows every instance of a home; one that cannot be read does not hide the others.
pub(super) fn all(home: &Home, output: &Output) -> Result<Status, Failure> {
    let (mut values, mut text) = (Vec::new(), String::new());
    for instance in Instance::list(home)? {
        match instance {
            Ok(instance) => {
                let state = instance.status();
                values.push(value(&instance, &state));
                text.push_str(&line(&instance, &state));
            }
            Err(error) => {
                let error = error.to_string();
                text.push_str(&format!("{error}\n"));
                values.push(json!({
                    "schema": "myrig.server/1", "state": "unreadable", "error": error
                }));
            }
        }
    }
    if text.is_empty() {
        text.push_str("No instance. `myrig server init NAME` makes one.\n");
    }
    listed(&values, &text, output)?;
    Ok(Status::Good)
}

fn listed(values: &[Value], text: &str, output: &Output) -> Result<(), Failure> {
    output.result(&json!({ "schema": "myrig.servers/1", "servers": values }), text)
}

fn line(instance: &Instance, state: &State) -> String {
    let (state, pid) = words(state);
    let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    let mut line = format!(
        "{}: {state}{pid}, {}, 127.0.0.1:{}, {}",
        instance.name(),
        instance.installation().release(),
        instance.port(),
        instance.socket().display()
    );
    if instance.size().is_limited() {
        line.push_str(&format!(", {}", instance.size()));
    }
    if instance.placement().is_given() {
        line.push_str(&format!(", {}", instance.placement()));
    }
    line.push('\n');
    line + &instance.limits().map(|it| limits::line(&it)).unwrap_or_default()
}

fn value(instance: &Instance, state: &State) -> Value {
    let (state, pid) = words(state);
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
        "size": instance.size(),
        "placement": instance.placement(),
        "limits": instance.limits().map(|it| limits::value(&it)),
    })
}

fn words(state: &State) -> (&'static str, Option<u32>) {
    match state {
        State::Stopped => ("stopped", None),
        State::Starting { pid } => ("starting", Some(*pid)),
        State::Running(serving) => ("running", Some(serving.pid)),
        State::Crashed { pid } => ("crashed", *pid),
        State::Orphaned { pid } => ("orphaned", Some(*pid)),
    }
}
