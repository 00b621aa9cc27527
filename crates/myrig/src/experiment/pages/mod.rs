//! Trials that put no load on: `workload.kind = "pages"`. The files of the data set are read, and
//! their pages verified, with the server down: by the program that came with the server, by ours,
//! or by a reader that looks at nothing, which is the disk's limit.
//!
//! - [`PagesArgs`]: what a file may say of such a trial;
//! - [`files`]: which files they are, and what of them lies in memory before a pass;
//! - [`tool`]: one pass; [`passes`]: all of a trial, with their times;
//! - [`record`]: what is kept; [`trial`]: the trial among the others of the experiment.

mod files;
mod passes;
mod record;
mod tool;
pub(super) mod trial;

pub(super) use tool::INNOCHECKSUM;

use clap::{Parser, ValueEnum};
use serde::Serialize;
use std::num::NonZeroUsize;

/// The value of `workload.kind` that names these trials.
pub(super) const KIND: &str = "pages";

/// What a file may say of such a trial. It is read by the same parser as the command line.
#[derive(Clone, Debug, Parser, Serialize)]
#[command(name = KIND, disable_help_flag = true)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct PagesArgs {
    /// What reads the files
    #[arg(long, value_enum)]
    pub(crate) tool: Tool,
    /// What of them lies in memory before each pass
    #[arg(long, value_enum, default_value = "cold")]
    pub(crate) cache: Cache,
    /// How often each file is read
    #[arg(long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) passes: u32,
    /// The only table whose file is read [default: all that the data has]
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,
    /// Words for the stock program before the file's name, with commas
    #[arg(long, value_name = "WORDS", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) stock_options: Vec<String>,
    /// Threads of our own reader [default: its own choice]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// What reads the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tool {
    /// The innochecksum that came with the server
    Stock,
    /// `myrig pages verify`
    Myrig,
    /// Our reader past the page cache, looking at nothing: the disk's limit
    Limit,
}

/// What of the files lies in memory before a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Cache {
    /// Nothing
    Cold,
    /// All
    Warm,
}

impl Tool {
    /// As an experiment file has it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Myrig => "myrig",
            Self::Limit => "limit",
        }
    }
}

impl PagesArgs {
    /// Refuses what says nothing.
    ///
    /// # Errors
    /// The key at fault.
    pub(super) fn validate(&self) -> Result<(), String> {
        match (self.tool, self.cache) {
            (Tool::Limit, Cache::Warm) => Err(
                "--cache: the disk's limit is that of files that are not in memory; take `cold`"
                    .to_owned(),
            ),
            _ => Ok(()),
        }
    }

    /// What a trial does, in words: `verify by stock, cold, 3 passes`.
    pub(super) fn words(&self) -> String {
        let what = match self.tool {
            Tool::Limit => "read at the disk's limit".to_owned(),
            tool => format!("verify by {}", tool.name()),
        };
        let cache = match self.cache {
            Cache::Cold => "cold",
            Cache::Warm => "warm",
        };
        let s = if self.passes == 1 { "" } else { "es" };
        format!("{what}, {cache}, {} pass{s}", self.passes)
    }
}
