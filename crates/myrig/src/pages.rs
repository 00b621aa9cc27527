//! `myrig pages`: InnoDB's pages, checked and summed up.

mod read;
mod summary;
mod verify;
mod view;

use crate::{
    args::PagesVerb,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};

pub(crate) fn run(verb: PagesVerb, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    match verb {
        PagesVerb::Verify(args) => verify::run(&args, paths, output),
        PagesVerb::Summary(args) => summary::run(&args, output),
    }
}
