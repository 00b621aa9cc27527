//! What an experiment will do, step by step, and about how long it will take.
//!
//! Pure: sizes and times come in as [`Estimates`], so that they are as good as whoever made them.
//! They are for a person who decides whether to wait, and never more than rough.

use super::{
    data_set::{DataSet, data_sets},
    schedule::{Scheduled, schedule},
    spec::{Arm, Experiment, Order},
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Name and version of the schema that a plan is told in.
pub const PLAN_SCHEMA: &str = "myrig.plan/1";

/// How long it takes to make an instance.
const MAKE_S: f64 = 5.0;
/// How long a server takes to start on data that was shut down cleanly.
const START_S: f64 = 2.0;
/// How long one takes to come to rest.
const SETTLE_S: f64 = 2.0;
/// How long one takes to stop, its changed pages written.
const STOP_S: f64 = 3.0;
/// How long a profile of the host takes to be applied or put back.
const PROFILE_S: f64 = 1.0;
/// How long the servers and snapshots of a data set take to be removed.
const REMOVE_S: f64 = 1.0;

/// What is expected of the data and of the loads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimates {
    /// By the key of the data set.
    pub data: BTreeMap<String, DataEstimate>,
    /// By the name of the variant.
    pub loads: BTreeMap<String, LoadEstimate>,
}

/// What is expected of a data set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataEstimate {
    /// What it is, in words: `tpcc, 10 warehouses`.
    pub words: String,
    /// Its files.
    pub bytes: u64,
    /// How long it takes to load.
    pub load_s: f64,
    /// How long it takes to copy, checksums included.
    pub copy_s: f64,
}

/// What is expected of one trial of a variant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadEstimate {
    /// What is run, in words: `8 connections`.
    pub words: String,
    /// Steps of the sweep; 1 for a single run.
    pub steps: u32,
    /// Ramp-up of each.
    pub ramp_up_s: f64,
    /// Measured phase of each.
    pub measure_s: f64,
    /// Ramp-down of each.
    pub ramp_down_s: f64,
    /// How long the check after each takes; 0 where nothing is checked.
    pub check_s: f64,
}

/// What an experiment will do.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Plan {
    /// Every step, in order.
    pub steps: Vec<PlannedStep>,
    /// How many trials there are.
    pub trials: u32,
    /// About how long all of it takes, seconds.
    pub expected_s: f64,
    /// Room that it needs on the disk at the same time, about, bytes.
    pub bytes_needed: u64,
    /// What a person should know before it begins, a sentence each.
    pub remarks: Vec<String>,
}

/// One step.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct PlannedStep {
    /// Its place, from 1.
    pub number: u32,
    /// What it is.
    pub what: StepKind,
    /// What it is, in words.
    pub words: String,
    /// The data set that it is for, by its key.
    pub data: Option<String>,
    /// The trial that it is part of; of a duet's pair the first.
    pub trial: Option<u32>,
    /// The variant of that trial; none in a duet, where two run at the same time.
    pub variant: Option<String>,
    /// About how long it takes, seconds.
    pub expected_s: f64,
}

/// What a step is.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// A server's instance is made.
    Make,
    /// Data is loaded into it.
    Load,
    /// The data is kept as it is.
    Snapshot,
    /// The host is changed by a profile.
    Apply,
    /// The data is put back to what it was.
    Restore,
    /// The server starts.
    Start,
    /// The server is waited for until it rests.
    Settle,
    /// The load is put on, not measured yet.
    WarmUp,
    /// The load is measured; in a sweep warming up and the waits between belong to it.
    Measure,
    /// The data is checked.
    Check,
    /// The server stops.
    Stop,
    /// The host is put back.
    PutBack,
    /// Servers and snapshots are removed.
    Remove,
}

/// Everything that an experiment will do.
pub fn plan(experiment: &Experiment, estimates: &Estimates) -> Plan {
    let (sets, trials) = (data_sets(experiment), schedule(experiment));
    let mut steps = Steps { all: Vec::new(), experiment, estimates };
    let mut provided: Vec<&str> = Vec::new();
    let is_duet = experiment.repeat.order == Order::Duet;
    for trials in trials.chunk_by(|a, b| is_duet && a.pair == b.pair) {
        for trial in trials {
            let of_trial = |set: &&DataSet| set.variants.contains(&trial.variant);
            if let Some(set) = sets.iter().find(of_trial)
                && !provided.contains(&set.key.as_str())
            {
                provided.push(&set.key);
                steps.provide(set);
            }
        }
        steps.trial(trials, &sets);
    }
    let instances = sets.len() as f64;
    steps.add(StepKind::Remove, "remove servers and snapshots".into(), None, REMOVE_S * instances);
    let steps = steps.all;
    Plan {
        trials: trials.len() as u32,
        expected_s: steps.iter().map(|step| step.expected_s).sum(),
        bytes_needed: bytes_needed(experiment, &sets, estimates),
        remarks: remarks(experiment),
        steps,
    }
}

/// Every data set is there as an instance and as a snapshot, in a duet in two instances more; and
/// a restored one is whole beside the old one before it takes its place. What is only read is there
/// once.
fn bytes_needed(experiment: &Experiment, sets: &[DataSet], estimates: &Estimates) -> u64 {
    let is_duet = experiment.repeat.order == Order::Duet;
    let bytes = |set: &DataSet| estimates.data.get(&set.key).map_or(0, |data| data.bytes);
    let instances = |set: &DataSet| {
        let arms = set.variants.iter().filter_map(|name| experiment.arm(name));
        arms.map(Arm::instances).max().map_or(1, u64::from)
    };
    let copies = |set: &DataSet| match (set.at_rest, is_duet) {
        (true, _) => 1,
        (_, true) => 4,
        // Those that run side by side have their data beside that which was loaded.
        (_, false) => 2 + if instances(set) > 1 { instances(set) } else { 0 },
    };
    let kept: u64 = sets.iter().map(|set| bytes(set).saturating_mul(copies(set))).sum();
    let restored = sets.iter().filter(|set| !set.at_rest).map(bytes).max();
    kept.saturating_add(restored.unwrap_or_default())
}

fn remarks(experiment: &Experiment) -> Vec<String> {
    let mut remarks = Vec::new();
    let repeat = &experiment.repeat;
    if experiment.compare.is_some() && repeat.runs < 2 {
        remarks.push(
            "With one run of each variant nothing is known of how runs differ by themselves, and \
             the comparison cannot be sure of anything; set repeat.runs to 2 or more, better 5."
                .to_owned(),
        );
    }
    if experiment.compare.is_some() && repeat.order == Order::InOrder && repeat.runs > 1 {
        remarks.push(
            "Variants that run one after the other take a drift of the machine for a difference; \
             repeat.order = \"abba\" spreads it over all."
                .to_owned(),
        );
    }
    if repeat.order == Order::Abba
        && experiment.compare.is_some()
        && repeat.runs > 1
        && !repeat.runs.is_multiple_of(2)
    {
        remarks.push(
            "A drift is spread evenly by even numbers of runs only; with an odd one it is nearly \
             so."
            .to_owned(),
        );
    }
    remarks
}

/// Steps in the making.
struct Steps<'a> {
    all: Vec<PlannedStep>,
    experiment: &'a Experiment,
    estimates: &'a Estimates,
}

impl Steps<'_> {
    fn add(&mut self, what: StepKind, words: String, trial: Option<&[Scheduled]>, expected_s: f64) {
        let trial = trial.unwrap_or_default();
        self.all.push(PlannedStep {
            number: self.all.len() as u32 + 1,
            what,
            words,
            data: None,
            trial: trial.first().map(|trial| trial.number),
            variant: match trial {
                [one] => Some(one.variant.clone()),
                _ => None,
            },
            expected_s,
        });
    }

    /// A data set is made, once.
    fn provide(&mut self, set: &DataSet) {
        let data = self.estimates.data.get(&set.key).cloned().unwrap_or_default();
        let first = self.all.len();
        let flavour = set.server.flavour.as_ref().map(|it| format!(" of {it}"));
        let words = format!("make an instance{}", flavour.unwrap_or_default());
        self.add(StepKind::Make, words, None, MAKE_S);
        self.add(StepKind::Start, "start it".into(), None, START_S);
        self.add(StepKind::Load, format!("load {}", data.words), None, data.load_s);
        self.add(StepKind::Stop, "stop it".into(), None, STOP_S);
        if !set.at_rest {
            self.add(StepKind::Snapshot, "keep its data as a snapshot".into(), None, data.copy_s);
        }
        for step in &mut self.all[first..] {
            step.data = Some(set.key.clone());
        }
    }

    /// A trial, or a duet's pair of trials at the same time.
    fn trial(&mut self, trials: &[Scheduled], sets: &[DataSet]) {
        let of = |name: &str| self.estimates.loads.get(name).cloned().unwrap_or_default();
        let loads: Vec<LoadEstimate> = trials.iter().map(|trial| of(&trial.variant)).collect();
        let longest = |s: fn(&LoadEstimate) -> f64| loads.iter().map(s).fold(0.0, f64::max);
        let of_trials = |set: &&DataSet| trials.iter().any(|it| set.variants.contains(&it.variant));
        let data: Vec<&DataSet> = sets.iter().filter(of_trials).collect();
        let copies_s: f64 = trials
            .iter()
            .filter_map(|trial| {
                let set = data.iter().find(|set| set.variants.contains(&trial.variant))?;
                let copy_s = self.estimates.data.get(&set.key).map_or(0.0, |data| data.copy_s);
                let instances = self.experiment.arm(&trial.variant).map_or(1, Arm::instances);
                Some(f64::from(instances) * copy_s)
            })
            .sum();
        let words = loads.first().map_or(String::new(), |load| load.words.clone());
        let steps = loads.iter().map(|load| load.steps.max(1)).max().unwrap_or(1);
        let host = trials.iter().find_map(|it| self.experiment.arm(&it.variant)?.host.clone());
        let of = Some(trials);
        if let Some(profile) = &host {
            self.add(StepKind::Apply, format!("apply host profile {profile}"), of, PROFILE_S);
        }
        let is_at_rest =
            |it: &Scheduled| self.experiment.arm(&it.variant).is_some_and(|arm| arm.is_at_rest());
        let at_rest = trials.iter().all(is_at_rest);
        if data.iter().any(|set| !set.at_rest) {
            self.add(StepKind::Restore, "restore".into(), of, copies_s);
        }
        if !at_rest {
            self.add(StepKind::Start, "start".into(), of, START_S);
            self.add(StepKind::Settle, "settle".into(), of, SETTLE_S);
        }
        let (ramp_up_s, measure_s) = (longest(|it| it.ramp_up_s), longest(|it| it.measure_s));
        let (ramp_down_s, check_s) = (longest(|it| it.ramp_down_s), longest(|it| it.check_s));
        if steps == 1 {
            if ramp_up_s > 0.0 {
                self.add(StepKind::WarmUp, "warm up".into(), of, ramp_up_s);
            }
            let words = if at_rest { words } else { format!("measure {words}") };
            self.add(StepKind::Measure, words.trim().into(), of, measure_s + ramp_down_s);
            if check_s > 0.0 {
                self.add(StepKind::Check, "check".into(), of, check_s);
            }
        } else {
            let waits_s = SETTLE_S * f64::from(steps - 1);
            let each_s = ramp_up_s + measure_s + ramp_down_s + check_s;
            let words = format!("warm up, measure and check {words}");
            self.add(StepKind::Measure, words, of, f64::from(steps) * each_s + waits_s);
        }
        if !at_rest {
            self.add(StepKind::Stop, "stop".into(), of, STOP_S);
        }
        if host.is_some() {
            self.add(StepKind::PutBack, "put the host back".into(), of, PROFILE_S);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{
        spec::{Compare, Repeat},
        testing::{arm, experiment},
    };
    use StepKind::*;

    const TRIAL: [StepKind; 7] = [Restore, Start, Settle, WarmUp, Measure, Check, Stop];
    const PROVIDE: [StepKind; 5] = [Make, Start, Load, Stop, Snapshot];

    fn estimates(steps: u32) -> Estimates {
        let data = DataEstimate {
            words: "tpcc, 1 warehouse".into(),
            bytes: 100,
            load_s: 10.0,
            copy_s: 1.0,
        };
        let load = LoadEstimate {
            words: "8 connections".into(),
            steps,
            ramp_up_s: 5.0,
            measure_s: 30.0,
            ramp_down_s: 0.0,
            check_s: 2.0,
        };
        let names = ["a", "b"].map(str::to_owned);
        Estimates {
            data: [("data-1".to_owned(), data.clone()), ("data-2".to_owned(), data)].into(),
            loads: names.map(|name| (name, load.clone())).into(),
        }
    }

    fn planned(arms: Vec<Arm>, runs: u32, order: Order, steps: u32) -> Plan {
        plan(&experiment(arms, Repeat { runs, order, seed: 1 }), &estimates(steps))
    }

    fn kinds(plan: &Plan) -> Vec<StepKind> {
        plan.steps.iter().map(|step| step.what).collect()
    }

    #[test]
    fn data_is_loaded_once_and_restored_before_every_trial() {
        let plan = planned(vec![arm("a"), arm("b")], 1, Order::Abba, 1);
        let expected: Vec<StepKind> =
            PROVIDE.into_iter().chain(TRIAL).chain(TRIAL).chain([Remove]).collect();
        assert_eq!(kinds(&plan), expected);
        let trials: Vec<_> = plan.steps.iter().map(|step| step.trial.unwrap_or(0)).collect();
        assert_eq!(trials, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 0]);
        assert_eq!(plan.steps[6].variant.as_deref(), Some("a"));
        assert_eq!((plan.trials, plan.bytes_needed), (2, 300));
        // 5 + 2 + 10 + 3 + 1 to provide, 1 + 2 + 2 + 5 + 30 + 2 + 3 each, 1 to remove.
        assert_eq!(plan.expected_s, 21.0 + 2.0 * 45.0 + 1.0);
    }

    #[test]
    fn a_second_data_set_is_loaded_when_its_first_trial_comes() {
        let mut large = arm("b");
        large.data.options.insert("warehouses".into(), 9.into());
        let plan = planned(vec![arm("a"), large], 1, Order::InOrder, 1);
        let expected: Vec<StepKind> =
            PROVIDE.into_iter().chain(TRIAL).chain(PROVIDE).chain(TRIAL).chain([Remove]).collect();
        assert_eq!(kinds(&plan), expected);
        assert_eq!(plan.bytes_needed, 500);
    }

    #[test]
    fn data_at_rest_is_loaded_once_and_only_read() {
        let mut only_read = arm("a");
        only_read.workload.name = "pages".into();
        let plan = planned(vec![only_read], 2, Order::Abba, 1);
        assert_eq!(
            kinds(&plan),
            [Make, Start, Load, Stop, WarmUp, Measure, Check, WarmUp, Measure, Check, Remove]
        );
        assert_eq!(plan.bytes_needed, 100);
    }

    #[test]
    fn a_host_profile_holds_during_a_trial_only() {
        let mut tuned = arm("a");
        tuned.host = Some("database".into());
        let plan = planned(vec![tuned], 1, Order::Abba, 1);
        let of_trial: Vec<StepKind> =
            plan.steps.iter().filter(|it| it.trial.is_some()).map(|it| it.what).collect();
        let expected: Vec<StepKind> = [Apply].into_iter().chain(TRIAL).chain([PutBack]).collect();
        assert_eq!(of_trial, expected);
    }

    #[test]
    fn a_sweep_is_one_step_as_long_as_all_of_its_own() {
        let plan = planned(vec![arm("a")], 1, Order::Abba, 3);
        let measure = plan.steps.iter().find(|step| step.what == Measure);
        assert_eq!(measure.map(|step| step.expected_s), Some(3.0 * 37.0 + 2.0 * SETTLE_S));
        assert!(!kinds(&plan).contains(&WarmUp));
    }

    #[test]
    fn the_trials_of_a_duet_take_their_time_together() {
        let plan = planned(vec![arm("a"), arm("b")], 2, Order::Duet, 1);
        let measured: Vec<_> = plan.steps.iter().filter(|step| step.what == Measure).collect();
        assert_eq!(measured.len(), 2);
        assert_eq!((measured[1].trial, measured[1].variant.as_ref()), (Some(3), None));
        let restored = plan.steps.iter().find(|step| step.what == Restore);
        assert_eq!(restored.map(|step| step.expected_s), Some(2.0), "one after the other");
        assert_eq!((plan.trials, plan.bytes_needed), (4, 500));
    }

    #[test]
    fn a_comparison_that_cannot_be_sure_is_remarked_upon() {
        let remarked = |runs, order| {
            let arms = vec![arm("a"), arm("b")];
            let mut experiment = experiment(arms, Repeat { runs, order, seed: 1 });
            experiment.compare = Some(Compare::default());
            plan(&experiment, &estimates(1)).remarks.join(" ")
        };
        assert!(remarked(1, Order::Abba).contains("repeat.runs"));
        assert!(remarked(3, Order::Abba).contains("even numbers"));
        assert!(remarked(2, Order::InOrder).contains("drift"));
        assert_eq!(remarked(4, Order::Abba), "");
        let alone = planned(vec![arm("a")], 1, Order::Abba, 1);
        assert_eq!(alone.remarks, Vec::<String>::new());
    }
}
