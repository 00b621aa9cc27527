//! `myrig runs import`: runs from another machine.

use crate::{
    args::ImportArgs,
    failure::{Failure, Status},
    output::Output,
};
use anyhow::{Context as _, anyhow};
use lab::store::{Imported, Store};
use serde_json::json;
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// The largest file that is taken: several days of a run with five transaction types.
const BYTES_MAX: u64 = 256 << 20;

/// Takes in every file that is a run; the others are told, and make the command fail.
pub(super) fn run(
    args: &ImportArgs,
    store: &mut Store,
    output: &Output,
) -> Result<Status, Failure> {
    let bar = output.bar(args.files.len() as u64, "reading files {bar:30} {pos}/{len}");
    let mut taken: Vec<(&PathBuf, Imported)> = Vec::new();
    let mut refused = Vec::new();
    for path in &args.files {
        match import(path, store) {
            Ok(imported) => taken.push((path, imported)),
            Err(error) => refused.push((path, format!("{error:#}"))),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut text = String::new();
    for (path, Imported { id, is_new }) in &taken {
        let word = if *is_new { "imported" } else { "already there" };
        text += &format!("{word}: run {id} from {}\n", path.display());
    }
    let value = json!({
        "schema": "myrig.runs-import/1",
        "imported": taken.iter().map(|(path, it)| {
            json!({ "file": path, "id": it.id, "new": it.is_new })
        }).collect::<Vec<_>>(),
        "refused": refused.iter().map(|(path, error)| {
            json!({ "file": path, "error": error })
        }).collect::<Vec<_>>(),
    });
    output.result(&value, &text)?;
    for (path, error) in &refused {
        output.note(&format!("myrig: {}: {error}", path.display()));
    }
    Ok(if refused.is_empty() { Status::Good } else { Status::NotDone })
}

fn import(path: &Path, store: &mut Store) -> anyhow::Result<Imported> {
    let file = File::open(path).context("cannot be opened")?;
    // A pipe or a device has no length to ask for; reading ends where no run goes on.
    let mut text = String::new();
    file.take(BYTES_MAX + 1).read_to_string(&mut text).context("cannot be read as text")?;
    if text.len() as u64 > BYTES_MAX {
        return Err(anyhow!("is larger than {} MiB: no run is", BYTES_MAX >> 20));
    }
    Ok(store.import(&text)?)
}
