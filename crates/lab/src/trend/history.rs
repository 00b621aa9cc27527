//! The history of runs that can be compared with the latest of them.

use crate::{
    comparison::{Metric, metrics_of},
    record::RunRecord,
};
use serde::{Deserialize, Serialize};

/// One run of a history.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Point {
    /// Id of the run.
    pub run: String,
    /// Start, UTC, RFC 3339.
    pub started_at: String,
    /// The value in the metric's unit.
    pub value: f64,
}

/// What makes two runs comparable: workload, profile, size of the data set, connections, rate and
/// the machine. The server's version and settings may change; that is what a history is for.
pub fn comparable(record: &RunRecord) -> String {
    let rate = match &record.arrivals {
        Some(arrivals) => format!(" at {}/s", arrivals.rate_per_s),
        None => String::new(),
    };
    format!(
        "{} {}, {}, {} connections{rate}, {} × {}",
        record.workload.name,
        record.workload.profile,
        record.workload.scale,
        record.client.connections,
        record.host.cpus,
        record.host.cpu_model
    )
}

/// A run as a point of the history of the metric called `name`, its first one when none is named;
/// with what the metric is. None where the run has no such metric.
pub fn history(record: &RunRecord, name: Option<&str>) -> Option<(Metric, Point)> {
    let mut metrics = metrics_of(record).into_iter();
    let (metric, value) = match name {
        Some(name) => metrics.find(|(metric, _)| metric.name == name)?,
        None => metrics.next()?,
    };
    let (run, started_at) = (record.id.clone(), record.started_at.clone());
    Some((metric, Point { run, started_at, value }))
}
