//! What can be typed about sizing.

use super::{super::bytes, InstallationArgs};
use clap::Args;
use std::path::PathBuf;

/// What to size for.
#[derive(Clone, Debug, Args)]
pub(crate) struct SizeArgs {
    #[command(flatten)]
    pub(crate) installation: InstallationArgs,
    /// Memory that the server gets [default: what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = bytes::parse)]
    pub(crate) memory: Option<u64>,
    /// Processors' worth of time that it gets [default: what the machine has]
    #[arg(long, value_name = "N")]
    pub(crate) cpus: Option<f64>,
    /// Share of all this that it gets, 50% for one of two servers
    #[arg(long, value_name = "SHARE", default_value = "100%", value_parser = parse_share)]
    pub(crate) share: f64,
    /// Connections that there will be [default: what a quarter of the memory holds, 1000 at most]
    #[arg(long, value_name = "N")]
    pub(crate) connections: Option<u32>,
    /// Where the data will lie: that disk counts [default: the home]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Measure that disk for two seconds, with a temporary file of 256 MiB
    #[arg(long)]
    pub(crate) measure_disk: bool,
}

/// How the options of a new instance are sized.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SizeArg {
    /// To its limits, or else to its part of the machine among those made with it.
    Auto,
    /// To this share of the machine, above 0 and at most 1.
    Share(f64),
}

/// Reads `auto` or a share.
pub(super) fn parse_size(text: &str) -> Result<SizeArg, String> {
    match text {
        "auto" => Ok(SizeArg::Auto),
        _ => parse_share(text).map(SizeArg::Share).map_err(|error| format!("{error}, or auto")),
    }
}

/// Reads `50%`.
fn parse_share(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    match number {
        Some(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err(format!("`{text}` is no share; write one above 0% and up to 100%, such as 50%")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percentages_up_to_the_whole() {
        assert_eq!(parse_share("50%"), Ok(0.5));
        assert_eq!(parse_share("100%"), Ok(1.0));
        assert_eq!(parse_size("auto"), Ok(SizeArg::Auto));
        assert_eq!(parse_size("12.5%"), Ok(SizeArg::Share(0.125)));
        for text in ["50", "0%", "101%", "-1%", "NaN%", "", "%"] {
            assert!(parse_share(text).is_err(), "{text}");
        }
    }
}
