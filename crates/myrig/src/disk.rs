//! `myrig disk`: devices and their file systems.

mod bench;
mod fill;
mod fio;
mod format;
pub(crate) mod limit;
mod list;
mod measure;

use crate::{
    args::DiskVerb,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};

pub(crate) fn run(verb: DiskVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    match verb {
        DiskVerb::List(args) => list::run(&args, output),
        DiskVerb::Bench(args) => bench::run(&args, paths, output),
        DiskVerb::Fill(args) => fill::run(&args, output),
        DiskVerb::Format(args) => format::run(&args, paths, output),
    }
}
