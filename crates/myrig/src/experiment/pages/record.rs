//! The record of a trial: a run whose transactions are passes over the files.

use super::{PagesArgs, files::DataFile, passes::Taken};
use crate::{facts, failure::Failure, recording};
use host::Bytes;
use lab::{
    histogram::LatencyHistogram,
    record::{
        CheckRecord, ClientFacts, Condition, Figure, Outcomes, Phase, RUN_SCHEMA, RunRecord,
        RunStatus, ServerFacts, TransactionRecord, WorkloadFacts,
    },
    statistics::Mean,
};
use rand::Rng;
use server::Instance;
use std::{collections::BTreeMap, path::Path, time::SystemTime};

/// What decimal prefixes mean to those who sell disks.
const MEGA: f64 = 1e6;
const GIGA: f64 = 1e9;
/// Version of what a pass is, in the record.
const PROFILE: &str = "pages/1";
/// What a pass is called among transactions.
const PASS: &str = "pass";

/// What is known of a trial besides its passes.
pub(super) struct Facts<'a> {
    pub(super) args: &'a PagesArgs,
    pub(super) instance: &'a Instance,
    pub(super) files: &'a [DataFile],
    /// The data in words.
    pub(super) data: String,
    /// Name and version of the tool.
    pub(super) program: String,
    pub(super) label: String,
    pub(super) began: SystemTime,
}

/// The whole record.
///
/// # Errors
/// The options cannot be written down.
pub(super) fn record(facts: &Facts<'_>, passes: &[Taken]) -> Result<RunRecord, Failure> {
    let Facts { args, instance, files, .. } = facts;
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let release = instance.installation().release();
    let wall_s: f64 = passes.iter().map(|it| it.wall_s).sum();
    let cpu_s: f64 = passes.iter().map(|it| it.cpu_s).sum();
    let mut settings: BTreeMap<String, serde_json::Value> =
        serde_json::from_value(serde_json::to_value(args)?)?;
    settings.insert("program".into(), facts.program.clone().into());
    Ok(RunRecord {
        schema: RUN_SCHEMA.into(),
        id: recording::run_id(facts.began, rand::rng().next_u32()),
        label: facts.label.clone(),
        started_at: recording::rfc3339(facts.began),
        status: RunStatus::Complete,
        workload: WorkloadFacts {
            name: super::KIND.into(),
            profile: PROFILE.into(),
            scale: format!("{} of {}", Bytes(bytes), facts.data),
            deviations: Vec::new(),
        },
        settings,
        server: ServerFacts {
            flavour: release.flavour.to_string(),
            version: release.version.to_string(),
            ..ServerFacts::default()
        },
        host: facts::machine(Path::new("/")),
        client: ClientFacts {
            version: env!("CARGO_PKG_VERSION").into(),
            threads: args.jobs.map_or(0, |jobs| u32::try_from(jobs.get()).unwrap_or(u32::MAX)),
            cpu_s,
            ..ClientFacts::default()
        },
        phases: vec![Phase { name: "measure".into(), from_s: 0.0, until_s: wall_s }],
        headline: figures(bytes, passes),
        transactions: vec![transaction(passes)],
        errors: Vec::new(),
        intervals: Vec::new(),
        outages: Vec::new(),
        arrivals: None,
        warnings: Vec::new(),
        check: check(passes),
        server_cpus: None,
        watch: None,
        amplification: Vec::new(),
    })
}

/// The speed over all passes, with an interval by their spread, and what it costs.
fn figures(bytes: u64, passes: &[Taken]) -> Vec<Figure> {
    let all_bytes = bytes as f64 * passes.len() as f64;
    let sum = |of: fn(&Taken) -> f64| passes.iter().map(of).sum::<f64>();
    let speeds: Vec<f64> = passes.iter().map(|it| bytes as f64 / MEGA / it.wall_s).collect();
    let ci95 = Mean::of_independent(&speeds).and_then(|mean| mean.ci95());
    let figure = |name: &str, value, unit: &str, ci95| Figure {
        name: name.to_owned(),
        value,
        unit: unit.to_owned(),
        ci95,
    };
    vec![
        figure("MB/s", all_bytes / MEGA / sum(|it| it.wall_s), "MB/s", ci95),
        figure("CPU s/GB", sum(|it| it.cpu_s) / (all_bytes / GIGA), "s/GB", None),
    ]
}

fn transaction(passes: &[Taken]) -> TransactionRecord {
    let mut times = LatencyHistogram::empty();
    for taken in passes {
        let us = (taken.wall_s * 1e6) as u64;
        // What takes more than the histogram's hour is counted as an hour.
        times.0.saturating_record(us.clamp(1, LatencyHistogram::MAX_US));
    }
    let outcomes = Outcomes { committed: passes.len() as u64, ..Outcomes::default() };
    TransactionRecord {
        name: PASS.into(),
        measured: outcomes,
        total: outcomes,
        service: times.clone(),
        queue: LatencyHistogram::empty(),
        response: times,
    }
}

/// Whether every page was sound in every pass; none where no page was looked at.
fn check(passes: &[Taken]) -> Option<CheckRecord> {
    let worst = passes.iter().map(|taken| &taken.pass).max_by_key(|pass| pass.bad)?;
    let examined = worst.pages;
    (examined > 0).then(|| CheckRecord {
        good: worst.bad == 0,
        conditions: vec![Condition {
            id: "pages".into(),
            text: "every page is sound".into(),
            examined,
            violations: worst.bad,
            examples: worst.examples.clone(),
        }],
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{super::tool::Pass, *};

    fn taken(wall_s: f64, bad: u64) -> Taken {
        let pass = Pass { pages: 100, bad, examples: Vec::new() };
        Taken { wall_s, cpu_s: wall_s / 2.0, pass }
    }

    #[test]
    fn the_speed_is_all_bytes_over_all_time() {
        let figures = figures(2_000_000_000, &[taken(1.0, 0), taken(3.0, 0)]);
        assert_eq!((figures[0].name.as_str(), figures[0].value), ("MB/s", 1000.0));
        let (low, high) = figures[0].ci95.unwrap();
        assert!(low < 1000.0 && high > 2000.0, "two passes say little: {low} to {high}");
        assert_eq!((figures[1].value, figures[1].unit.as_str()), (0.5, "s/GB"));
        assert_eq!(super::figures(1, &[taken(1.0, 0)])[0].ci95, None);
    }

    #[test]
    fn one_bad_page_in_one_pass_is_enough() {
        let bad = check(&[taken(1.0, 0), taken(1.0, 2)]).unwrap();
        assert!(!bad.good && bad.conditions[0].violations == 2);
        assert!(check(&[taken(1.0, 0)]).unwrap().good);
        let unseen = Taken { pass: Pass::default(), ..taken(1.0, 0) };
        assert_eq!(check(&[unseen]), None);
    }

    #[test]
    fn a_pass_is_a_transaction_with_its_time() {
        let transaction = transaction(&[taken(0.5, 0), taken(1.5, 0)]);
        assert_eq!(transaction.measured.committed, 2);
        assert!((transaction.response.mean_ms() - 1000.0).abs() < 2.0);
    }
}
