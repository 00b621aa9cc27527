//! `myrig tprocc`: one file a verb.

mod check;
mod cleanup;
mod figures;
pub(crate) mod prepare;
pub(crate) mod run;

use crate::{
    args::TproccVerb,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};

pub(crate) fn run(verb: TproccVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    match verb {
        TproccVerb::Prepare(args) => prepare::run(&args, paths, output),
        TproccVerb::Run(args) => run::run(&args, paths, output),
        TproccVerb::Check(args) => check::run(&args, paths, output),
        TproccVerb::Cleanup(args) => cleanup::run(&args, paths, output),
    }
}
