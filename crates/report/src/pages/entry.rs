//! A line of the list of everything that is stored.

use crate::{format, summary};
use lab::store::{ExperimentSummary, GroupSummary, HeadlineSummary, RunSummary, SweepSummary};
use serde::Serialize;

/// Something stored, at a glance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// `run`, `sweep`, `group` or `experiment`.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// What a person called it, or empty.
    pub label: String,
    /// Start, UTC, RFC 3339.
    pub started_at: String,
    /// Workload's name, `tpcc`; empty for an experiment.
    pub workload: String,
    /// Declared profile with its version; empty for an experiment.
    pub profile: String,
    /// Flavour and version; of a group, names of its members; of an experiment, its variants.
    pub server: String,
    /// `complete` or `partial`; `live` where the caller knows that it goes on.
    pub status: String,
    /// Name of its most important figure, `tpmC`; empty where it has none.
    pub figure: String,
    /// That figure's value.
    pub value: Option<f64>,
    /// More in words: `step 2 of 1f3a9c`, `peak at 16`, a verdict; or empty.
    pub remark: String,
}

impl Entry {
    /// Everything that these lists have, the latest first.
    pub fn all(
        runs: Vec<RunSummary>,
        sweeps: Vec<SweepSummary>,
        groups: Vec<GroupSummary>,
        experiments: Vec<ExperimentSummary>,
    ) -> Vec<Self> {
        let runs = runs.into_iter().map(of_run);
        let sweeps = sweeps.into_iter().map(of_sweep);
        let groups = groups.into_iter().map(of_group);
        let experiments = experiments.into_iter().map(of_experiment);
        let mut all: Vec<Self> = experiments.chain(sweeps).chain(groups).chain(runs).collect();
        all.sort_by(|one, other| other.started_at.cmp(&one.started_at));
        all
    }

    /// Where its report is.
    pub(crate) fn link(&self) -> String {
        format!("/{}s/{}", self.kind, self.id)
    }

    /// Its start as people read it.
    pub(crate) fn started(&self) -> String {
        self.started_at.replace('T', " ").trim_end_matches('Z').to_owned()
    }

    /// The class of its status in the style sheet.
    pub(crate) fn tone(&self) -> &'static str {
        match self.status.as_str() {
            "complete" => "good",
            "live" => "live",
            _ => "bad",
        }
    }

    /// Its figure as people read it.
    pub(crate) fn result(&self) -> String {
        self.value.map_or_else(|| "–".to_owned(), format::figure)
    }

    /// What it is of, in a few words.
    pub(crate) fn of(&self) -> String {
        let name = summary::workload_name(&self.workload);
        format!("{name} {}", self.profile).trim().to_owned()
    }
}

fn split(headline: Option<HeadlineSummary>) -> (String, Option<f64>) {
    headline.map_or((String::new(), None), |it| (it.name, Some(it.value)))
}

fn of_run(run: RunSummary) -> Entry {
    let (figure, value) = split(run.headline);
    let mut remarks = Vec::new();
    for (part, whole) in [("step", run.sweep), ("member", run.group)] {
        if let Some(place) = whole {
            let tail = place.id.rsplit('-').next().unwrap_or_default().to_owned();
            remarks.push(format!("{part} {} of {tail}", place.step));
        }
    }
    Entry {
        kind: "run",
        id: run.id,
        label: run.label,
        started_at: run.started_at,
        workload: run.workload,
        profile: run.profile,
        server: summary::full_version("", &run.server),
        status: run.status,
        figure,
        value,
        remark: remarks.join(", "),
    }
}

fn of_sweep(sweep: SweepSummary) -> Entry {
    let peak = sweep.peak_at.map(|at| format!(", peak at {}", format::short(at)));
    Entry {
        kind: "sweep",
        id: sweep.id,
        label: sweep.label,
        started_at: sweep.started_at,
        workload: sweep.workload,
        profile: sweep.profile,
        server: summary::full_version("", &sweep.server),
        status: sweep.status,
        figure: sweep.peak_name.unwrap_or_default(),
        value: sweep.peak_value,
        remark: format!("{}{}", sweep.range, peak.unwrap_or_default()),
    }
}

fn of_group(group: GroupSummary) -> Entry {
    let (figure, value) = split(group.headline);
    Entry {
        kind: "group",
        id: group.id,
        label: group.label,
        started_at: group.started_at,
        workload: group.workload,
        profile: group.profile,
        server: group.members.join(", "),
        status: group.status,
        figure,
        value,
        remark: format!("{} together", group.members.len()),
    }
}

fn of_experiment(experiment: ExperimentSummary) -> Entry {
    let steps = format!("{} of {} trials", experiment.trials, experiment.planned);
    Entry {
        kind: "experiment",
        id: experiment.id,
        label: experiment.title,
        started_at: experiment.started_at,
        workload: String::new(),
        profile: String::new(),
        server: experiment.variants.join(", "),
        status: experiment.status,
        figure: String::new(),
        value: None,
        remark: if experiment.verdict.is_empty() { steps } else { experiment.verdict },
    }
}
