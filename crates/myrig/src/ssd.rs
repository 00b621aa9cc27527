//! `myrig ssd`: flash, of drives and simulated.

mod waf;

use crate::{
    args::SsdVerb,
    failure::{Failure, Status},
    output::Output,
};

pub(crate) fn run(verb: SsdVerb, output: &Output) -> Result<Status, Failure> {
    match verb {
        SsdVerb::Waf(args) => waf::run(&args, output),
    }
}
