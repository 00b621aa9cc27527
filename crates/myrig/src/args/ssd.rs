//! What can be typed about flash: drives, their write amplification, traces, simulated drives.

use clap::{Args, Subcommand};
use std::{num::NonZeroUsize, path::PathBuf};

/// Verbs on flash.
#[derive(Debug, Subcommand)]
pub(crate) enum SsdVerb {
    /// Write amplification, as the rows of a result_WA.txt tell it
    Waf(SsdWafArgs),
}

/// Of what write amplification is wanted.
#[derive(Clone, Debug, Args)]
pub(crate) struct SsdWafArgs {
    /// A file of rows, such as result_WA.txt
    #[arg(value_name = "FILE")]
    pub(crate) of: PathBuf,
    /// Rows of a file that count: the latest so many that are not zero
    #[arg(long, value_name = "N", default_value = "12")]
    pub(crate) rows: NonZeroUsize,
}
