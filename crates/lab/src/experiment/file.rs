//! Experiment files: from TOML to an [`Experiment`].
//!
//! What a file says is laid one over the other: the file itself, the scale that was chosen, the
//! overrides that were typed; and for each variant its own sections over all that. Tables merge,
//! everything else replaces.
//!
//! - `tree`: the text as items that know their lines; `layers`: one laid over another;
//! - [`Vocabulary`]: the keys that this crate does not know of itself;
//! - `reader`: keys that must be known, values that must be of a kind; `sections` and `arms`: what
//!   the sections say; `matrix`: variants as a product of lists; `settings`: server options;
//! - `sense`: what contradicts itself.
//!
//! Everything here is pure: what a machine can bear is looked at elsewhere.

mod arms;
mod error;
mod layers;
mod matrix;
mod reader;
mod sections;
mod sense;
mod settings;
#[cfg(test)]
mod tests;
mod tree;
mod vocabulary;

pub use error::FileError;
pub use vocabulary::{Kind, Vocabulary, Workload};

use super::spec::Experiment;
use error::Fault;
use tree::Table;

/// The scale that is taken where a file has several and none was asked for.
pub const USUAL_SCALE: &str = "laptop";

/// Longest file that is read, bytes; what is longer is no experiment file.
pub const FILE_BYTES_MAX: usize = 1 << 20;

/// Reads an experiment file. `origin` is what errors call it, `scale` the scale that was asked for,
/// and `overrides` are `KEY=VALUE` as they were typed.
///
/// Keys and kinds are looked at in every scale, so that a slip in one is found at once.
///
/// # Errors
/// [`FileError`] names the line and the key at fault, and the way out.
pub fn parse(
    text: &str,
    origin: &str,
    scale: Option<&str>,
    overrides: &[String],
    vocabulary: &Vocabulary,
) -> Result<Experiment, FileError> {
    read(text, scale, overrides, vocabulary).map_err(|fault| fault.in_file(origin))
}

/// The names of a file's scales, in alphabetical order; none for a file without them.
///
/// # Errors
/// The text is not TOML.
pub fn scales(text: &str, origin: &str) -> Result<Vec<String>, FileError> {
    let document = tree::parse(text).map_err(|fault| fault.in_file(origin))?;
    Ok(layers::scales(&document).map_err(|fault| fault.in_file(origin))?.into_keys().collect())
}

fn read(
    text: &str,
    scale: Option<&str>,
    overrides: &[String],
    vocabulary: &Vocabulary,
) -> Result<Experiment, Fault> {
    let mut document = tree::parse(text)?;
    settings::spell_alike(&mut document)?;
    let scales = layers::scales(&document)?;
    document.remove("scale");
    let chosen = layers::chosen(&scales, scale)?;
    for (name, layer) in scales.iter().filter(|(name, _)| Some(*name) != chosen) {
        let whole = layers::with(document.clone(), layer);
        experiment(&whole, name, &[], vocabulary)?;
    }
    let mut whole = match chosen.and_then(|name| scales.get(name)) {
        Some(layer) => layers::with(document, layer),
        None => document,
    };
    let mut over = Vec::new();
    for typed in overrides {
        let mut layer = layers::override_of(typed)?;
        settings::spell_alike(&mut layer)?;
        whole = layers::with(whole, &layer);
        over.push(layer);
    }
    let experiment = experiment(&whole, chosen.map_or("", |name| name), &over, vocabulary)?;
    sense::check(&experiment, &whole)?;
    Ok(experiment)
}

/// The experiment that a document describes; `over` is laid over each variant as well.
fn experiment(
    document: &Table,
    scale: &str,
    over: &[Table],
    vocabulary: &Vocabulary,
) -> Result<Experiment, Fault> {
    let reader = sections::top(document, vocabulary)?;
    Ok(Experiment {
        name: sections::name(&reader)?,
        title: sections::title(&reader)?,
        question: reader.text("question")?.unwrap_or_default(),
        scale: scale.to_owned(),
        published: sections::published(&reader)?,
        variants: arms::all(document, over, vocabulary)?,
        repeat: sections::repeat(&reader)?,
        measure: sections::measure(&reader, vocabulary)?,
        compare: sections::compare(&reader)?,
    })
}
