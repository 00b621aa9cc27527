//! `myrig oltp`: one file a verb.

mod check;
mod cleanup;
mod plan;
pub(crate) mod prepare;
pub(crate) mod run;

use crate::{
    args::{ConnectionArgs, OltpVerb},
    connect::{self, Server},
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use client::Target;
use workloads::oltp::Error;

pub(crate) fn run(verb: OltpVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    match verb {
        OltpVerb::Prepare(args) => prepare::run(&args, paths, output),
        OltpVerb::Run(args) => run::run(&args, paths, output),
        OltpVerb::Check(args) => check::run(&args, paths, output),
        OltpVerb::Cleanup(args) => cleanup::run(&args, paths, output),
    }
}

/// The database that is used when none is named, as sysbench calls it.
const DEFAULT_DATABASE: &str = "sbtest";

fn target(args: &ConnectionArgs, paths: &Paths, output: &Output) -> Result<Target, Failure> {
    connect::target_in(args, DEFAULT_DATABASE, paths, output)
}

fn servers(args: &ConnectionArgs, paths: &Paths, output: &Output) -> Result<Vec<Server>, Failure> {
    connect::servers_in(args, DEFAULT_DATABASE, paths, output)
}

/// An option that makes no sense is a wrong usage, whoever finds it.
fn failure(error: Error) -> Failure {
    match error {
        Error::Options(words) => Failure::usage(words),
        other => other.into(),
    }
}

/// `1 table`, `20 tables`.
fn tables(number: u32) -> String {
    format!("{number} table{}", if number == 1 { "" } else { "s" })
}
