//! `myrig tpcc`: one file a verb.

pub(crate) mod check;
mod cleanup;
pub(crate) mod load;
pub(crate) mod run;

pub(crate) use crate::runtime::block_on;

use crate::{
    args::TpccVerb,
    connect,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};

pub(crate) fn run(verb: TpccVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    match verb {
        TpccVerb::Prepare(args) => {
            let servers = connect::servers(&args.connection, paths, output)?;
            load::run(&servers, &args.load, output)
        }
        TpccVerb::Run(args) => run::run(&args, paths, output),
        TpccVerb::Check(args) => check::run(&args, paths, output),
        TpccVerb::Cleanup(args) => cleanup::run(&args, paths, output),
    }
}

/// `1 warehouse`, `10 warehouses`.
pub(crate) fn warehouses(number: u32) -> String {
    format!("{number} warehouse{}", if number == 1 { "" } else { "s" })
}
