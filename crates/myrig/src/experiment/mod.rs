//! `myrig run`: an experiment from its file to its verdict.
//!
//! - [`options`]: the options of a file as those of the command line.

mod capability;
mod conclusion;
mod course;
mod duet;
mod holdings;
mod load;
pub(crate) mod options;
pub(crate) mod runner;
mod stand;
mod trial;
