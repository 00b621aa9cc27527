//! What can be typed about private instances.

mod build;
mod config;
mod init;
mod place;
mod size;
mod snapshot;

pub(crate) use build::BuildArgs;
pub(crate) use config::ConfigArgs;
pub(crate) use init::{ChangeArgs, InitArgs};
pub(crate) use place::PlaceArgs;
pub(crate) use size::{SizeArg, SizeArgs};
pub(crate) use snapshot::{RestoreArgs, SnapshotArgs, VerifyArg};

use super::duration::parse as parse_duration;
use clap::{Args, Subcommand};
use std::{path::PathBuf, time::Duration};

/// Which server program to use.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct InstallationArgs {
    /// The server program, mariadbd or mysqld
    #[arg(long, value_name = "FILE", conflicts_with = "basedir")]
    pub(crate) mysqld: Option<PathBuf>,
    /// A server's installation directory, or where its packages were unpacked
    #[arg(long, value_name = "DIR")]
    pub(crate) basedir: Option<PathBuf>,
    /// A server that `server build` has built
    #[arg(long, value_name = "NAME", conflicts_with_all = ["mysqld", "basedir"])]
    pub(crate) build: Option<String>,
}

/// Verbs on instances.
#[derive(Debug, Subcommand)]
pub(crate) enum ServerVerb {
    /// Make instances: data directory, configuration, accounts, a random password
    Init(InitArgs),
    /// Write one configuration for a server of any version, and say what became of each option
    Config(ConfigArgs),
    /// Change the settings, limits or place of a stopped instance
    Change(ChangeArgs),
    /// Start instances, all at once, and wait until they answer
    Start {
        /// Names of the instances
        #[arg(required_unless_present = "all", value_name = "NAME")]
        names: Vec<String>,
        /// Every instance
        #[arg(long, conflicts_with = "names")]
        all: bool,
        /// How long to wait for them
        #[arg(long, value_name = "TIME", default_value = "2m", value_parser = parse_duration)]
        deadline: Duration,
        /// Use another port from now on; of one instance only
        #[arg(long, value_name = "PORT", conflicts_with = "all")]
        port: Option<u16>,
        /// Take over servers that already work on the instances' data
        #[arg(long)]
        adopt: bool,
    },
    /// Stop instances cleanly, all at once, and wait for their end
    Stop {
        /// Names of the instances
        #[arg(required_unless_present = "all", value_name = "NAME")]
        names: Vec<String>,
        /// Every instance
        #[arg(long, conflicts_with = "names")]
        all: bool,
        /// How long to wait for them
        #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_duration)]
        deadline: Duration,
        /// Kill them; their data is recovered at the next start
        #[arg(long)]
        kill: bool,
    },
    /// Say what one instance, or every one, is doing
    Status {
        /// The instance's name; without one, all
        name: Option<String>,
    },
    /// Keep the data of a stopped instance, with its settings and password
    Snapshot(SnapshotArgs),
    /// Put a snapshot's data back, or make an instance of it; the instance is stopped
    Restore(RestoreArgs),
    /// Build a server from source: unpack, patch, configure, compile, install, register
    Build(BuildArgs),
    /// List the servers that were built
    Builds,
    /// List the snapshots
    Snapshots,
    /// Say what a server's options should be on this machine, or a part of it, each with the reason
    Size(SizeArgs),
    /// Delete a stopped instance with all its data
    Remove {
        /// The instance's name
        name: String,
    },
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    if name.trim().is_empty() {
        return Err("a setting is NAME=VALUE".into());
    }
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_split_at_the_first_equals_sign() {
        let parsed = parse_setting("optimizer_switch=a=on");
        assert_eq!(parsed, Ok(("optimizer_switch".into(), "a=on".into())));
        assert_eq!(parse_setting("skip-x"), Ok(("skip-x".into(), String::new())));
        assert!(parse_setting("=1").is_err());
    }
}
