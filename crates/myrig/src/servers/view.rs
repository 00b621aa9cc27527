//! How instances are shown: as lines, and as `myrig.server/1`.

use crate::{
    failure::{Failure, Status},
    output::Output,
};
use serde_json::{Value, json};
use server::{Home, Instance, Status as State};

/// Shows one instance.
pub(super) fn one(instance: &Instance, output: &Output) -> Result<Status, Failure> {
    let state = instance.status();
    output.result(&value(instance, &state), &line(instance, &state))?;
    Ok(Status::Good)
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
    output.result(&json!({ "schema": "myrig.servers/1", "servers": values }), &text)?;
    Ok(Status::Good)
}

fn line(instance: &Instance, state: &State) -> String {
    let (state, pid) = words(state);
    let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    format!(
        "{}: {state}{pid}, {}, 127.0.0.1:{}, {}\n",
        instance.name(),
        instance.installation().release(),
        instance.port(),
        instance.socket().display()
    )
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
