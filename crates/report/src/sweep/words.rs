//! What a sweep says, in sentences.

use crate::{format, summary};
use lab::{
    record::RunStatus,
    sweep::{KneePlace, SweepRecord, SweepStep, Varied},
};

/// Where a step is: `8 connections`, `200 transactions/s due`.
pub(crate) fn at(sweep: &SweepRecord, step: &SweepStep) -> String {
    let value = sweep.value(step);
    match sweep.varied {
        Varied::Connections => format::counted(u64::from(step.connections), "connection"),
        Varied::Rate => format!("{} {}", format::short(value), sweep.varied.unit()),
    }
}

fn at_index(sweep: &SweepRecord, index: usize) -> String {
    sweep.steps.get(index).map(|step| at(sweep, step)).unwrap_or_default()
}

/// The figures of a step, one each.
pub(crate) fn figures(step: &SweepStep) -> Vec<String> {
    let mut told = Vec::new();
    for headline in step.headline.iter().map(summary::headline) {
        told.push(format!("{}: {}", headline.name, headline.value));
        told.push(headline.detail);
    }
    if told.is_empty() {
        told.push("no figure".to_owned());
    }
    told
}

/// `12,345 tpmC at 16 connections; 8 and 32 connections cannot be told from it.`
pub(crate) fn peak(sweep: &SweepRecord) -> String {
    let Some(peak) = &sweep.peak else { return "No step has a figure.".to_owned() };
    let at_peak = at_index(sweep, peak.step);
    let highest = format!("{} {} at {at_peak}", format::figure(peak.value), peak.figure);
    let ends = match sweep.steps.len() {
        steps if steps > 1 && peak.step + 1 == steps => {
            " That is the last step: the true peak may lie beyond."
        }
        _ => "",
    };
    if peak.not_different.is_empty() {
        return format!("{highest}.{ends}");
    }
    let values: Vec<String> = peak
        .not_different
        .iter()
        .filter_map(|index| Some(format::short(sweep.value(sweep.steps.get(*index)?))))
        .collect();
    let unit = match values.as_slice() {
        [one] if one == "1" && sweep.varied == Varied::Connections => "connection",
        _ => sweep.varied.unit(),
    };
    let alike = match values.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    format!("{highest}; {alike} {unit} cannot be told from it.{ends}")
}

/// Where throughput is cheapest in latency.
pub(crate) fn knee(sweep: &SweepRecord) -> String {
    let Some(knee) = &sweep.knee else {
        return "Fewer than three steps measured anything.".to_owned();
    };
    let place = at_index(sweep, knee.step);
    match knee.place {
        KneePlace::Inside => format!("{place}: there throughput over response time is greatest."),
        KneePlace::First => {
            format!("{place} or fewer: throughput over response time falls from the first step on.")
        }
        KneePlace::Last => {
            format!("{place} or more: throughput over response time still grew at the last step.")
        }
    }
}

/// Everything that stands in the way of believing a step.
pub(crate) fn trouble(step: &SweepStep) -> Option<String> {
    let mut words = Vec::new();
    if let RunStatus::Partial { reason } = &step.status {
        words.push(format!("partial: {reason}"));
    }
    if step.check_good == Some(false) {
        words.push("consistency check failed".to_owned());
    }
    if step.failed > 0 {
        words.push(format!("{} failed", format::count(step.failed)));
    }
    (!words.is_empty()).then(|| words.join("; "))
}

/// The sweep in one line: what was run, and over what.
pub(crate) fn title(sweep: &SweepRecord) -> String {
    summary::title_of(&sweep.workload, &sweep.server)
}
