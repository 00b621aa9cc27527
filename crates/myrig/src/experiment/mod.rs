//! `myrig run`: an experiment from its file to its verdict.
//!
//! - [`options`]: the options of a file as those of the command line.

pub(crate) mod options;
