//! `myrig host check`.

use super::{Machine, scope, told, view};
use crate::{
    args::HostCheckArgs,
    failure::{Failure, Status},
    output::Output,
};
use host::check::{Look, Moment, State, check};
use serde_json::json;
use std::{process, thread, time::Duration};

/// How long is looked at what steals time.
const SAMPLE: Duration = Duration::from_secs(1);

pub(super) fn run(args: &HostCheckArgs, output: &Output) -> Result<Status, Failure> {
    let machine = Machine::of(args.scope.root.as_deref())?;
    let scope = scope(&args.scope, &machine)?;
    scope.check(&machine.root).map_err(told)?;
    let before = Moment::of(&machine.root);
    // Files of a tree do not change by themselves.
    if machine.root.is_real() {
        let watching = output.spinner("watching the machine");
        thread::sleep(SAMPLE);
        watching.finish_and_clear();
    }
    let after = Moment::of(&machine.root);
    let look = Look {
        root: &machine.root,
        shell: machine.shell,
        scope: &scope,
        before: &before,
        after: &after,
        own_pid: process::id(),
    };
    let items = check(&look).map_err(told)?;
    let count = |state| items.iter().filter(|item| item.state == state).count();
    let value = json!({
        "schema": "myrig.host-check/1",
        "good": count(State::Good),
        "advice": count(State::Advice),
        "absent": count(State::Absent),
        "unknown": count(State::Unknown),
        "items": items,
    });
    output.result(&value, &view::items(&items, args.explain, output.style()))?;
    Ok(match args.strict && count(State::Advice) > 0 {
        true => Status::Bad,
        false => Status::Good,
    })
}
