//! `myrig host revert`.

use super::{Machine, directory, told, view};
use crate::{
    args::HostRevertArgs,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
};
use host::tuning::{Back, BackFate, Foreign, Host, Reverted, Turn, revert};
use serde_json::{Value, json};

pub(super) fn run(
    args: &HostRevertArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let machine = Machine::of(args.root.as_deref())?;
    let foreign = match (args.force, args.forget) {
        (true, _) => Foreign::Overwrite,
        (_, true) => Foreign::Forget,
        _ => Foreign::Keep,
    };
    // Half a way back helps nobody: the first Ctrl-C is not heeded.
    interrupt::watch(|| {})?;
    let directory = directory(paths);
    let reverted = match directory.is_dir() {
        true => {
            let _turn = Turn::take(&directory)?;
            let working = output.spinner("putting the machine back");
            let host = Host { root: &machine.root, shell: machine.shell };
            let reverted = revert(&directory, &machine.root, &host, foreign);
            working.finish_and_clear();
            reverted.map_err(told)?
        }
        false => None,
    };
    output.result(&value(reverted.as_ref()), &view::reverted(reverted.as_ref(), output.style()))?;
    Ok(status(reverted.as_ref()))
}

/// Good when everything is as it was; bad when somebody else's values are left.
pub(super) fn status(reverted: Option<&Reverted>) -> Status {
    let backs = reverted.filter(|it| it.open).map_or(&[][..], |it| &it.backs);
    let refused = backs.iter().any(|back| matches!(back.fate, BackFate::Refused(_)));
    match (backs.is_empty(), refused) {
        (true, _) => Status::Good,
        (_, true) => Status::NotDone,
        (_, false) => Status::Bad,
    }
}

fn value(reverted: Option<&Reverted>) -> Value {
    let backs = reverted.map_or(&[][..], |it| &it.backs);
    json!({
        "schema": "myrig.host-revert/1",
        "profile": reverted.map(|it| &it.head.profile),
        "begun_at": reverted.map(|it| &it.head.begun_at),
        "stale": reverted.is_some_and(|it| it.stale),
        "open": reverted.is_some_and(|it| it.open),
        "steps": backs.iter().map(step).collect::<Vec<_>>(),
    })
}

fn step(back: &Back) -> Value {
    let (fate, why) = view::back_fate(&back.fate);
    json!({
        "key": back.key,
        "place": back.place.to_string(),
        "old": back.old,
        "wanted": back.wanted,
        "found": back.found,
        "fate": fate,
        "why": why,
    })
}
