//! What can be typed about private instances.

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
}

/// Verbs on instances.
#[derive(Debug, Subcommand)]
pub(crate) enum ServerVerb {
    /// Make an instance: data directory, configuration, accounts, a random password
    Init {
        /// The instance's name
        name: String,
        #[command(flatten)]
        installation: InstallationArgs,
        /// Port on the loopback [default: a free one, kept]
        #[arg(long, value_name = "PORT")]
        port: Option<u16>,
        /// A setting of the server, as in its option file; may be given again
        #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
        settings: Vec<(String, String)>,
    },
    /// Start an instance and wait until it answers
    Start {
        /// The instance's name
        name: String,
        /// How long to wait for it
        #[arg(long, value_name = "TIME", default_value = "2m", value_parser = parse_duration)]
        deadline: Duration,
        /// Use another port from now on
        #[arg(long, value_name = "PORT")]
        port: Option<u16>,
        /// Take over a server that already works on the instance's data
        #[arg(long)]
        adopt: bool,
    },
    /// Stop an instance cleanly and wait for its end
    Stop {
        /// The instance's name
        name: String,
        /// How long to wait for it
        #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_duration)]
        deadline: Duration,
        /// Kill it; its data is recovered at the next start
        #[arg(long)]
        kill: bool,
    },
    /// Say what one instance, or every one, is doing
    Status {
        /// The instance's name; without one, all
        name: Option<String>,
    },
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
