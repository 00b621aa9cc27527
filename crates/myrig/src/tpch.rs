//! `myrig tpch`: one file a verb. There is no `run`: what is measured on this data is how fast its
//! files are read.

mod check;
mod cleanup;
pub(crate) mod prepare;

use crate::{
    args::{ConnectionArgs, TpchVerb},
    connect::{self, Server},
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use client::Target;

pub(crate) fn run(verb: TpchVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    match verb {
        TpchVerb::Prepare(args) => prepare::run(&args, paths, output),
        TpchVerb::Check(args) => check::run(&args, paths, output),
        TpchVerb::Cleanup(args) => cleanup::run(&args, paths, output),
    }
}

/// The database that is used when none is named.
const DEFAULT_DATABASE: &str = "tpch";

fn target(args: &ConnectionArgs, paths: &Paths, output: &Output) -> Result<Target, Failure> {
    connect::target_in(args, DEFAULT_DATABASE, paths, output)
}

fn servers(args: &ConnectionArgs, paths: &Paths, output: &Output) -> Result<Vec<Server>, Failure> {
    connect::servers_in(args, DEFAULT_DATABASE, paths, output)
}

/// `LINEITEM of scale factor 0.5`.
pub(crate) fn words(names: &str, scale_factor: f64) -> String {
    format!("{} of scale factor {scale_factor}", names.to_uppercase().replace(',', ", "))
}
