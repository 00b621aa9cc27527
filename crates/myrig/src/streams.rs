//! `myrig streams`: files get their write hints by rules, and keep them.
//!
//! # Layers
//! - `plan`: which directories, by which rules; `daemon`: the crate's keeper with what a process
//!   needs around it; `start`, `stop`, `status`: the verbs;
//! - `place`, `lock`, `control`, `notify`: where a daemon is, what makes it the only one, how it is
//!   asked, whom it tells that it is ready;
//! - `log`, `log_file`, `repeats`: what it says, where, and how often;
//! - `report`: what it tells of itself; `figures`: the same for Prometheus;
//! - `check`: whether hints reach the flash.

mod check;
mod control;
mod daemon;
mod figures;
mod lock;
mod log;
mod log_file;
mod notify;
mod place;
mod plan;
mod repeats;
mod report;
mod start;
mod status;
mod stop;

pub(crate) use start::begin;
pub(crate) use stop::end;

use crate::{
    args::{StreamsPlaceArgs, StreamsRulesArgs, StreamsVerb},
    failure::{Failure, Status},
    live::Writer,
    output::Output,
    paths::Paths,
};
use anyhow::Context;
use place::Place;
use serde_json::json;

pub(crate) fn run(verb: StreamsVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    match verb {
        StreamsVerb::Start(args) => start::run(&args, paths, output),
        StreamsVerb::Stop(args) => stop::run(&args, paths, output),
        StreamsVerb::Status(args) => status::run(&args, paths, output),
        StreamsVerb::Check(args) => check::run(&args, output),
        StreamsVerb::Rules(args) => rules(&args, output),
    }
}

/// Whether a daemon runs at a place.
pub(crate) fn is_running(place: &StreamsPlaceArgs, paths: &Paths) -> Result<bool, Failure> {
    Ok(holder(&Place::new(place, paths)?)?.is_some())
}

/// The daemon of a place.
fn holder(place: &Place) -> Result<Option<Writer>, Failure> {
    let path = place.pid_file();
    Ok(lock::holder(path).with_context(|| format!("--pid-file {}", path.display()))?)
}

fn rules(args: &StreamsRulesArgs, output: &Output) -> Result<Status, Failure> {
    let set = args.set.builtin();
    let directory = std::path::absolute(&args.directory)?;
    let text = set.text(&directory)?;
    let value = json!({
        "schema": "myrig.streams-rules/1",
        "set": set.name(),
        "description": set.description(),
        "directory": directory,
        "rules": set.rules(&directory)?.rules(),
        "text": text,
    });
    output.result(&value, &text)?;
    Ok(Status::Good)
}
