//! What can be typed about a configuration.

use super::{InstallationArgs, parse_setting};
use clap::Args;
use server::config::Target;
use std::path::PathBuf;

/// A configuration for a server of any version.
#[derive(Clone, Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Option files to carry over; what a later one sets counts
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The server to write for, such as mysql-8.0.20, mysql-8.4, percona-8.0, mariadb-10.11; a
    /// series means its newest known release [default: the server that is found]
    #[arg(long = "for", value_name = "SERVER", conflicts_with_all = ["mysqld", "basedir", "build"])]
    pub(crate) target: Option<Target>,
    /// The server that the files were written for; other defaults than its are told, too
    #[arg(long, value_name = "SERVER")]
    pub(crate) from: Option<Target>,
    #[command(flatten)]
    pub(crate) installation: InstallationArgs,
    /// A setting over those of the files, in any version's words; may be given again
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// Make settings smaller that this machine cannot hold, and say which
    #[arg(long)]
    pub(crate) fit: bool,
    /// Say beside each option what it was, and at the end what was not carried over, and why
    #[arg(long)]
    pub(crate) explain: bool,
    /// Write it to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
