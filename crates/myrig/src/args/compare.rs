//! Options of `myrig runs compare`, `trend` and `import`.

use clap::Args;
use std::path::PathBuf;

/// Two sets of stored runs.
#[derive(Clone, Debug, Args)]
pub(crate) struct CompareArgs {
    /// The runs to compare with: ids or beginnings of ids, `latest`, label:NAME, a sweep, a group,
    /// or EXPERIMENT/VARIANT; several with commas
    #[arg(value_name = "BASELINE")]
    pub(crate) baseline: String,
    /// The runs that are compared with them, named in the same way
    #[arg(value_name = "VARIANT")]
    pub(crate) variant: String,
    /// Take what became worse by less than this for no regression, such as 3%
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub(crate) threshold: Option<f64>,
    /// Judge this metric alone, the first one named above all; may be given again [default: the
    /// headline figures and the percentiles of all transactions]
    #[arg(long = "metric", value_name = "NAME")]
    pub(crate) metrics: Vec<String>,
    /// A setting that is meant to differ, so that another that does is told; may be given again
    #[arg(long = "changed", value_name = "NAME")]
    pub(crate) changed: Vec<String>,
    /// Show the metrics that are not judged too
    #[arg(long)]
    pub(crate) all: bool,
    /// What the bootstrap's randomness begins with
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print the comparison as Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
}

/// A history of stored runs.
#[derive(Clone, Debug, Args)]
pub(crate) struct TrendArgs {
    /// Only runs of this workload: tpcc, tprocc, oltp
    #[arg(long, value_name = "NAME")]
    pub(crate) workload: Option<String>,
    /// Only runs of this profile, with or without its version
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Only runs whose label has this in it
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,
    /// Only runs on servers whose flavour and version have this in it
    #[arg(long, value_name = "TEXT")]
    pub(crate) server: Option<String>,
    /// The metric [default: the first figure of the latest run]
    #[arg(long, value_name = "NAME")]
    pub(crate) metric: Option<String>,
    /// Only runs since then, in UTC: 2026-11-21, or the beginning of a time
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// At most so many runs, the latest
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) limit: u32,
    /// Pass over changes smaller than this
    #[arg(long, value_name = "PERCENT", default_value = "0%", value_parser = parse_percent)]
    pub(crate) min_change: f64,
    /// Pass over changes that chance explains more often than this
    #[arg(long, value_name = "P", default_value_t = 0.001)]
    pub(crate) max_p: f64,
    /// Exit with 1 when the last change is for the worse and among the latest N runs
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5")]
    pub(crate) fail_on_regression: Option<u32>,
    /// Print the history as Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
}

/// Runs from elsewhere.
#[derive(Clone, Debug, Args)]
pub(crate) struct ImportArgs {
    /// Files that `myrig runs export --format json` wrote
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
}

/// Reads `3%` or `3`.
fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end();
    match number.parse::<f64>() {
        Ok(percent) if (0.0..=1000.0).contains(&percent) => Ok(percent),
        _ => Err(format!("`{text}` is no percentage; write 3% or 2.5")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_come_with_and_without_their_sign() {
        assert_eq!(parse_percent("3%"), Ok(3.0));
        assert_eq!(parse_percent("2.5"), Ok(2.5));
        for text in ["", "%", "-1", "x%", "nan", "inf%", "5000"] {
            assert!(parse_percent(text).is_err(), "{text}");
        }
    }
}
