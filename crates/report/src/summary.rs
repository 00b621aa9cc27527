//! What a reader sees first: the figure, the verdicts, and what stands in the way of believing it.

use crate::{format, table::Tone};
use lab::{
    comparison::caveats,
    headline::measured_phase,
    record::{CheckRecord, Figure, Outage, RunRecord, RunStatus, ServerFacts, WorkloadFacts},
    statistics::warmup::WarmUp,
};

/// At most so many outages are told one by one.
const OUTAGES_TOLD: usize = 4;

/// A figure in words.
#[derive(Clone, Debug)]
pub(crate) struct Headline {
    /// `tpmC`.
    pub(crate) name: String,
    /// `12,345`.
    pub(crate) value: String,
    /// `95% interval 12,190 to 12,500 (±1.3%)`, or why there is none; the unit before it where
    /// the name does not say it.
    pub(crate) detail: String,
}

/// Something a reader must know before believing a figure.
#[derive(Clone, Debug)]
pub(crate) struct Alert {
    /// `Partial run`.
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

/// The run in one line: `TPC-C, 10 warehouses, on MariaDB 10.11.14`.
pub(crate) fn title(record: &RunRecord) -> String {
    title_of(&record.workload, &record.server)
}

/// What was run and on what, in one line.
pub(crate) fn title_of(workload: &WorkloadFacts, server: &ServerFacts) -> String {
    let name = workload_name(&workload.name);
    let server = full_version(&server.flavour, &server.version);
    format!("{name}, {}, on {server}", workload.scale)
}

/// A workload's name as the field writes it.
pub(crate) fn workload_name(name: &str) -> &str {
    match name {
        "tpcc" => "TPC-C",
        "tprocc" => "TPROC-C",
        "oltp" => "OLTP",
        "pages" => "Pages",
        other => other,
    }
}

/// The figures of merit that there are; another one is only called a figure.
pub(crate) fn figure_title(name: Option<&str>) -> &'static str {
    match name {
        Some("tpmC") => "#tpmC",
        Some("NOPM") => "#NOPM",
        Some("TPM") => "#TPM",
        Some("TPS") => "#TPS",
        Some("QPS") => "#QPS",
        _ => "#Figure",
    }
}

/// Flavour and version, without saying the flavour twice.
pub(crate) fn full_version(flavour: &str, version: &str) -> String {
    let version = version.split("-MariaDB").next().unwrap_or(version);
    format!("{flavour} {version}").trim().to_owned()
}

/// `2026-11-21 20:45:00 UTC` from RFC 3339.
pub(crate) fn started(started_at: &str) -> String {
    started_at.replace('T', " ").replace('Z', " UTC")
}

/// The figure in words.
pub(crate) fn headline(figure: &Figure) -> Headline {
    let interval = match figure.ci95 {
        Some((low, high)) => {
            let half = (high - low) / 2.0 / figure.value;
            let relative =
                if half.is_finite() { format!(" (±{:.1}%)", half * 100.0) } else { String::new() };
            format!("95% interval {} to {}{relative}", format::figure(low), format::figure(high))
        }
        None => "too few independent seconds for an interval".to_owned(),
    };
    let detail = match (figure.name.as_str(), figure.unit.as_str()) {
        // Transactions, queries and orders per minute or second: the m and the S say it.
        ("tpmC" | "NOPM" | "TPM" | "TPS" | "QPS", _) => interval,
        // So do names that end in their unit.
        (name, unit) if name.ends_with(unit) => interval,
        (_, "1/min") => format!("per minute, {interval}"),
        (_, "1/s") => format!("per second, {interval}"),
        // A percentile of all latencies has no series of its own to take an interval from.
        (_, "ms") if figure.ci95.is_none() => "ms".to_owned(),
        (_, other) => format!("{other}, {interval}"),
    };
    Headline { name: figure.name.clone(), value: format::figure(figure.value), detail }
}

/// The verdict on the data in a few words, and whether it is good.
pub(crate) fn check(check: Option<&CheckRecord>) -> (String, Tone) {
    let Some(check) = check else {
        return ("not checked".to_owned(), Tone::Plain);
    };
    let holding = check.conditions.iter().filter(|condition| condition.violations == 0).count();
    let text = format!("{holding} of {} conditions hold", check.conditions.len());
    (text, if check.good { Tone::Good } else { Tone::Bad })
}

/// How long was measured, in words.
pub(crate) fn measured(record: &RunRecord) -> String {
    match measured_phase(record) {
        Some(phase) => format!("{} measured", format::duration(phase.until_s - phase.from_s)),
        None => "nothing measured".to_owned(),
    }
}

/// Everything that stands in the way of believing the figures, the worst first.
pub(crate) fn alerts(record: &RunRecord) -> Vec<Alert> {
    let alert = |title: &str, text: String, tone| Alert { title: title.to_owned(), text, tone };
    let mut alerts = Vec::new();
    if let RunStatus::Partial { reason } = &record.status {
        let text = format!("{reason}. The figures count what there is; this is not a full run.");
        alerts.push(alert("Partial run", text, Tone::Bad));
    }
    if record.check.as_ref().is_some_and(|check| !check.good) {
        let text = format!(
            "{}. Figures of a run that harmed its data say little.",
            check(record.check.as_ref()).0
        );
        alerts.push(alert("Consistency check failed", text, Tone::Bad));
    }
    for outage in record.outages.iter().take(OUTAGES_TOLD) {
        alerts.push(alert("Outage", self::outage(outage), Tone::Bad));
    }
    if let Some(more) = record.outages.len().checked_sub(OUTAGES_TOLD).filter(|more| *more > 0) {
        let text = format!("{} more; the charts show them.", format::count(more as u64));
        alerts.push(alert("Outages", text, Tone::Bad));
    }
    if let Some(arrivals) = record.arrivals.as_ref().filter(|arrivals| arrivals.overloaded()) {
        let text = format!(
            "{} of {} transactions that were due had not started at the end; the oldest had waited \
             {}. The server could not keep up with {} a second.",
            format::count(arrivals.unstarted),
            format::count(arrivals.due),
            format::duration(arrivals.oldest_wait_s),
            format::figure(arrivals.rate_per_s),
        );
        alerts.push(alert("Overload", text, Tone::Bad));
    }
    for words in caveats::of_machine(record) {
        alerts.push(alert("Machine", words.to_owned(), Tone::Bad));
    }
    if let Some(words) = WarmUp::of(record).and_then(|warm_up| warm_up.warning()) {
        alerts.push(alert("Warm-up", words, Tone::Plain));
    }
    for warning in &record.warnings {
        alerts.push(alert("Warning", warning.clone(), Tone::Plain));
    }
    alerts
}

/// An outage in a sentence.
pub(crate) fn outage(outage: &Outage) -> String {
    let connections = format::counted(u64::from(outage.connections), "connection");
    let from = format::instant(outage.from_s);
    match outage.until_s {
        Some(until_s) => format!(
            "Up to {connections} down from {from} to {} ({}).",
            format::instant(until_s),
            format::duration(until_s - outage.from_s),
        ),
        None => format!("Up to {connections} down from {from} to the end of the run."),
    }
}
