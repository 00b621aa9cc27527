//! Shell completions and man pages, made from the command line's own definition.

use crate::{
    args::Cli,
    failure::{Failure, Status},
    output::Output,
};
use anyhow::Context;
use clap::CommandFactory;
use std::{fs, path::Path};

pub(crate) fn completions(shell: clap_complete::Shell, output: &Output) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "myrig", &mut script);
    output.write(&String::from_utf8_lossy(&script))?;
    Ok(Status::Good)
}

/// Writes `myrig.1` and a page for each verb, as `myrig-tpcc-run.1`.
pub(crate) fn man_pages(directory: &Path, output: &Output) -> Result<Status, Failure> {
    let write = || {
        fs::create_dir_all(directory)?;
        clap_mangen::generate_to(Cli::command(), directory)
    };
    write().with_context(|| format!("writing man pages to {}", directory.display()))?;
    output.note(&format!("man pages are in {}", directory.display()));
    Ok(Status::Good)
}
