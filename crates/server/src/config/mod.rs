//! One configuration for every version: settings are given once, in the names of any version, and
//! are rendered for the server that is to read them.
//!
//! - [`Target`]: for which server. `table`: what each option is, and in which versions
//!   (`options.tsv`, with sources). `rules`: what becomes of an option that another version calls
//!   or counts otherwise (`rules.tsv`).
//! - `kind`: the values that an option takes. `names`: which option a spelling means.
//! - [`OptionFile`]: an existing option file, read as servers read it. `line`: one line of it.
//! - [`Translation`]: the settings for the target, and what became of each that was given.
//!   `fate`, `apply` and `render` are its parts.
//!
//! Everything but the reading of files is pure.

mod apply;
mod error;
mod fate;
mod file;
mod given;
mod kind;
mod line;
mod names;
mod render;
mod rules;
mod table;
mod target;
mod translation;

pub use error::ConfigError;
pub use fate::{DefaultDiffers, Fate, FateKind};
pub use file::{OptionFile, PassedOver};
pub use given::{Given, Place};
pub use kind::{Kind, format_size, parse_size};
pub use names::canonical;
pub use table::{KnownOption, Life, Table, table};
pub use target::Target;
pub use translation::{For, Setting, SettingValue, Translation};
