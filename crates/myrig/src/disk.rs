//! `myrig disk`: devices and their file systems.

mod fill;
mod format;
pub(crate) mod limit;

use crate::{
    args::DiskVerb,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};

pub(crate) fn run(verb: DiskVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    match verb {
        DiskVerb::Fill(args) => fill::run(&args, output),
        DiskVerb::Format(args) => format::run(&args, paths, output),
    }
}
