//! `myrig ssd`: flash, of drives and simulated.

mod device;
mod info;
mod journal;
mod simulate;
mod trace;
mod waf;
mod watch;

use crate::{
    args::SsdVerb,
    failure::{Failure, Status},
    output::Output,
};

pub(crate) fn run(verb: SsdVerb, output: &Output) -> Result<Status, Failure> {
    match verb {
        SsdVerb::Info(args) => info::run(&args, output),
        SsdVerb::Waf(args) => waf::run(&args, output),
        SsdVerb::Watch(args) => watch::run(&args, output),
        SsdVerb::Trace(args) => trace::run(&args, output),
        SsdVerb::Simulate(args) => simulate::run(&args, output),
    }
}
