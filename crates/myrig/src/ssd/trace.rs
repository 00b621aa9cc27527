//! `myrig ssd trace`: what a block device is written, watched or read from a file.

mod dump;
pub(super) mod looker;
mod sink;
mod stored;
mod summary;
mod view;
mod watched;

use crate::{
    args::SsdTraceArgs,
    failure::{Failure, Status},
    output::Output,
};

pub(super) fn run(args: &SsdTraceArgs, output: &Output) -> Result<Status, Failure> {
    match (&args.show, &args.device) {
        (Some(path), _) if args.events => dump::run(path, output),
        (Some(path), _) => stored::run(path, output),
        (None, Some(device)) => watched::run(device, args, output),
        (None, None) => Err(Failure::usage("a DEVICE to trace, or --show FILE")),
    }
}
