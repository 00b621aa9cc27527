//! Shell completions, man pages and the book's reference, made from the command line's own
//! definition.

mod markdown;

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

/// Writes the book's reference of the command line, docs/reference.
pub(crate) fn reference(directory: &Path, output: &Output) -> Result<Status, Failure> {
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(directory)?;
        for page in markdown::pages(Cli::command()) {
            fs::write(directory.join(page.name), page.text)?;
        }
        Ok(())
    };
    write().with_context(|| format!("writing the reference to {}", directory.display()))?;
    output.note(&format!("the reference is in {}", directory.display()));
    Ok(Status::Good)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::path::PathBuf;

    #[test]
    fn the_reference_in_the_book_says_what_the_code_says() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
        let pages = markdown::pages(Cli::command());
        for page in &pages {
            let kept = fs::read_to_string(folder.join(&page.name)).unwrap_or_default();
            assert!(kept == page.text, "docs/reference/{}: run `make reference`", page.name);
        }
        // A verb that went away leaves its page behind.
        for entry in fs::read_dir(folder).unwrap() {
            let name = entry.as_ref().unwrap().file_name();
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            let is_ours = pages.iter().any(|page| *page.name == *name);
            assert!(is_ours || !text.contains(markdown::NOTE), "{name:?} is of no verb: remove it");
        }
    }
}
