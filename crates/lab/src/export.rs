//! Runs for other programs: JSON of the whole record, CSV of the series and of the sums.

mod csv;
#[cfg(test)]
pub(crate) mod document;

pub(crate) use csv::{optional, row};
pub use csv::{series_csv, summary_csv, watch_csv};

use crate::{
    experiment::EXPERIMENT_SCHEMA,
    group::GROUP_SCHEMA,
    histogram::HistogramError,
    record::{RUN_SCHEMA, RunRecord},
    sweep::SWEEP_SCHEMA,
};
use serde::{Deserialize, de::DeserializeOwned};

/// A record that cannot be written down, or a text that is no record.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A figure is infinite or not a number, which JSON cannot say.
    #[error("the run cannot be saved: {0} is not a finite number")]
    NotFinite(&'static str),
    /// A histogram cannot be encoded.
    #[error("the run cannot be saved: {0}")]
    Histogram(#[from] HistogramError),
    /// The text is a run, a sweep, a group or an experiment of a schema that this version does not
    /// know.
    #[error(
        "this is in the schema {0:?}, and this myrig reads {RUN_SCHEMA:?}, {SWEEP_SCHEMA:?}, \
         {GROUP_SCHEMA:?} and {EXPERIMENT_SCHEMA:?}: use the newer myrig that wrote it"
    )]
    Schema(String),
    /// The text is no run.
    #[error("this is not a run as `myrig runs export --format json` writes it: {0}")]
    Json(#[from] serde_json::Error),
}

/// The record in the schema [`RUN_SCHEMA`], indented, fields in the order of the documentation, so
/// that two runs can be compared line by line.
pub fn json(record: &RunRecord) -> Result<String, ExportError> {
    refuse_non_finite(record)?;
    let mut text = serde_json::to_string_pretty(record)?;
    text.push('\n');
    Ok(text)
}

/// [`json`] on one line.
pub fn compact(record: &RunRecord) -> Result<String, ExportError> {
    refuse_non_finite(record)?;
    Ok(serde_json::to_string(record)?)
}

/// Reads what [`json`] wrote, in this version or an earlier one. Fields that this version does not
/// know are passed over.
pub fn parse(text: &str) -> Result<RunRecord, ExportError> {
    parse_as(text, RUN_SCHEMA)
}

/// Reads a record that must be of that schema.
pub(crate) fn parse_as<T: DeserializeOwned>(text: &str, schema: &str) -> Result<T, ExportError> {
    #[derive(Deserialize)]
    struct Head {
        schema: String,
    }
    let head: Head = serde_json::from_str(text)?;
    if head.schema != schema {
        return Err(ExportError::Schema(head.schema));
    }
    Ok(serde_json::from_str(text)?)
}

/// Says which figure is infinite or not a number, before half of a run is written.
pub(crate) fn refuse_non_finite(record: &RunRecord) -> Result<(), ExportError> {
    let refuse = |what, figures: &[f64]| match figures.iter().all(|figure| figure.is_finite()) {
        true => Ok(()),
        false => Err(ExportError::NotFinite(what)),
    };
    for phase in &record.phases {
        refuse("a phase's time", &[phase.from_s, phase.until_s])?;
    }
    for figure in &record.headline {
        let (low, high) = figure.ci95.unwrap_or_default();
        refuse("a headline figure", &[figure.value, low, high])?;
    }
    for interval in &record.intervals {
        refuse("an interval", &[interval.at_s, interval.length_s, interval.client_cpu])?;
        for t in &interval.transactions {
            refuse("an interval's latency", &[t.p50_ms, t.p95_ms, t.p99_ms, t.max_ms])?;
        }
    }
    for outage in &record.outages {
        refuse("an outage's time", &[outage.from_s, outage.until_s.unwrap_or_default()])?;
    }
    if let Some(arrivals) = &record.arrivals {
        refuse("an arrival figure", &[arrivals.rate_per_s, arrivals.oldest_wait_s])?;
    }
    if let Some(watch) = &record.watch {
        refuse("the time of a sample", &watch.at_s)?;
        for series in &watch.series {
            let values: Vec<f64> = series.values.iter().copied().flatten().collect();
            refuse("a value of a series", &values)?;
        }
        let waits = watch.waits.iter().flat_map(|waits| &waits.classes);
        let sessions: Vec<f64> = waits.map(|class| class.sessions).collect();
        refuse("an average number of sessions", &sessions)?;
    }
    refuse("the server's use of processors", &[record.server_cpus.unwrap_or_default()])?;
    refuse("the client's use of processors", &[record.client.cpu_s, record.client.busiest_thread])
}

#[cfg(test)]
mod tests;
