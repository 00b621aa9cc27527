//! What can be typed about the machine.

use clap::{Args, Subcommand};
use host::CpuSet;
use std::{ffi::OsString, path::PathBuf};

/// Verbs on the machine.
#[derive(Debug, Subcommand)]
pub(crate) enum HostVerb {
    /// Say what of the machine bears on a database benchmark, and what would be better
    Check(HostCheckArgs),
    /// Tune the machine by a profile; a journal keeps the way back
    Apply(HostApplyArgs),
    /// Put back what `host apply` has changed
    Revert(HostRevertArgs),
}

/// Which parts of the machine are meant.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Parts of the machine")]
pub(crate) struct HostScopeArgs {
    /// The server's data directory: its file system and its disks
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The network card that the load comes in by
    #[arg(long, value_name = "NAME")]
    pub(crate) nic: Option<String>,
    /// Processors that the server runs on, such as 0-60,67-127
    #[arg(long, value_name = "LIST", visible_alias = "server-cpus")]
    pub(crate) cpus: Option<CpuSet>,
    /// Directory tree to look at, or change, in place of this machine's /
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

/// What to look at.
#[derive(Clone, Debug, Args)]
pub(crate) struct HostCheckArgs {
    /// End with 1 when something would be better
    #[arg(long)]
    pub(crate) strict: bool,
    /// Name the source of everything, not only of advice
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) scope: HostScopeArgs,
}

/// What to change.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Profiles: database, astream, gazelle, hammerdb, or a file (docs/host.md \
                        has its form and every setting).\n\nWith --for the exit status is the \
                        command's; 3 where all went well but the machine could not be put back.")]
pub(crate) struct HostApplyArgs {
    /// The profile: a name, or the path of a file
    #[arg(required_unless_present = "settings")]
    pub(crate) profile: Option<String>,
    /// A setting over the profile's; may be given again
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// Show what would be changed, and change nothing
    #[arg(long)]
    pub(crate) plan: bool,
    /// Go on after a value that the machine does not take, instead of putting all back
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Processors for the interrupts of --nic, one each in turns [default: chosen apart from
    /// --cpus and near the card, where the profile binds them]
    #[arg(long, value_name = "LIST", requires = "nic")]
    pub(crate) irq_cpus: Option<CpuSet>,
    /// Apply, run the command after `--`, and revert, whatever happens
    #[arg(long = "for", requires = "command", conflicts_with = "plan")]
    pub(crate) guarded: bool,
    /// The command of --for, with its arguments
    #[arg(last = true, value_name = "COMMAND", requires = "guarded")]
    pub(crate) command: Vec<OsString>,
    #[command(flatten)]
    pub(crate) scope: HostScopeArgs,
}

/// What to put back.
#[derive(Clone, Debug, Args)]
pub(crate) struct HostRevertArgs {
    /// Put back also what somebody else has changed since
    #[arg(long, conflicts_with = "forget")]
    pub(crate) force: bool,
    /// Leave what somebody else has changed since as it is, for good
    #[arg(long)]
    pub(crate) forget: bool,
    /// Directory tree that was changed in place of this machine's /
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() && !value.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().trim_matches('"').to_owned()))
        }
        _ => Err("a setting is KEY=VALUE, such as vm.swappiness=1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_taken_as_they_stand_in_a_profile_or_without_quotes() {
        let pair = |key: &str, value: &str| Ok((key.to_owned(), value.to_owned()));
        assert_eq!(parse_setting("vm.swappiness=1"), pair("vm.swappiness", "1"));
        assert_eq!(parse_setting("thp.enabled = \"never\""), pair("thp.enabled", "never"));
        assert!(parse_setting("vm.swappiness").is_err() && parse_setting("=1").is_err());
    }
}
