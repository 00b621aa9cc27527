//! An experiment file as data.
//!
//! A file has the sections of [`Experiment`]; a variant has those of [`Arm`], each laid over the
//! file's own, so that what is here of a variant is whole: nobody has to look elsewhere for what
//! it does not say.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf};

/// Options by name, as the command line calls them without the dashes. A list stands for values
/// with commas between them, `true` for an option that takes none, `false` for one left out.
pub type Options = BTreeMap<String, serde_json::Value>;

/// An experiment whose scale is chosen and whose overrides are applied.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Experiment {
    /// A short name of letters, digits and dashes.
    pub name: String,
    /// What it is called in reports.
    pub title: String,
    /// What it is to find out, a sentence or two.
    pub question: String,
    /// The scale that was chosen, `laptop`; empty where the file has none.
    pub scale: String,
    /// The published procedure that it follows.
    pub published: Option<Published>,
    /// What is compared or tabulated, in order; at least one.
    pub variants: Vec<Arm>,
    /// How often and in which order.
    pub repeat: Repeat,
    /// What is taken during each run beside the load's own figures, by the key of a
    /// [`Measurement`](super::Measurement).
    pub measure: Options,
    /// Which comparisons are made; none for a table of variants side by side.
    pub compare: Option<Compare>,
}

/// One variant, whole.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Arm {
    /// Its name, unique in the experiment.
    pub name: String,
    /// What it is, a sentence; may be empty.
    pub note: String,
    /// The server.
    pub server: ServerSpec,
    /// Name or path of the host profile that holds during its runs; none for the host as it is.
    pub host: Option<String>,
    /// What is loaded.
    pub data: WorkloadSpec,
    /// What is run on it.
    pub workload: WorkloadSpec,
    /// Sections of other capabilities, by the key of a [`Variant`](super::Variant).
    pub others: Options,
}

/// A workload and its options.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct WorkloadSpec {
    /// `tpcc`, `tprocc`, `oltp` or `tpch`; of what is run another kind of trial, too, as `pages`.
    pub name: String,
    /// Options of its `prepare` or `run`, or of that kind of trial.
    pub options: Options,
}

/// A server to be made for the experiment.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ServerSpec {
    /// `mariadb`, `mysql` or `percona`; none for what is found first.
    pub flavour: Option<String>,
    /// The server's program.
    pub mysqld: Option<PathBuf>,
    /// Where a server is installed.
    pub basedir: Option<PathBuf>,
    /// A server that was built here, by its name.
    pub build: Option<String>,
    /// How many of it run at the same time, each with the whole data and the whole load; none for
    /// one.
    pub instances: Option<u32>,
    /// Server options and their values.
    pub settings: BTreeMap<String, serde_json::Value>,
    /// Limit on processor time, cores.
    pub cores: Option<f64>,
    /// Limit on memory, `4G`.
    pub memory: Option<String>,
    /// Processors that it runs on, `0-3`.
    pub cpus: Option<String>,
    /// Whether buffer pool, redo log and the like are sized to the machine or the limits; what
    /// `settings` names stays as it is named.
    pub sized: bool,
    /// Where its data lies; none for the home.
    pub data_dir: Option<PathBuf>,
}

/// How often each variant is run, and in which order.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Repeat {
    /// Runs of each variant.
    pub runs: u32,
    /// The order.
    pub order: Order,
    /// Seed of a random order and of the bootstrap.
    pub seed: u64,
}

impl Default for Repeat {
    fn default() -> Self {
        Self { runs: 1, order: Order::Abba, seed: 1 }
    }
}

/// The order of runs.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Forth and back, so that what drifts falls on all alike: A B B A B A A B.
    #[default]
    Abba,
    /// Shuffled inside each round of all variants, by the seed.
    Random,
    /// All runs of a variant one after the other.
    InOrder,
    /// Two variants at the same time, each on its own processors, which they exchange.
    Duet,
}

/// Which comparisons are made.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Compare {
    /// The variant that the others are held against; none for the first.
    pub baseline: Option<String>,
    /// The comparisons that are made, in place of all variants against one: a baseline and what is
    /// held against it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<[String; 2]>,
    /// Figures that are judged, the most important first; none for the workload's headline and the
    /// 95th percentile.
    pub metrics: Vec<String>,
    /// Smallest effect that matters, percent; smaller ones are told and do not count.
    pub threshold_percent: Option<f64>,
}

/// A published procedure and what it came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Published {
    /// Who published it, where and when.
    pub source: String,
    /// How this set-up differs from theirs, a sentence each.
    pub differs: Vec<String>,
    /// Their figures.
    #[serde(rename = "figure")]
    pub figures: Vec<PublishedFigure>,
}

/// One published figure.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PublishedFigure {
    /// The variant that stands for theirs.
    pub variant: String,
    /// What was theirs: `16-core, 64 GB, 378 GB of data`.
    pub setup: String,
    /// The step of a sweep, connections; none for a run or a sweep's peak.
    pub connections: Option<u32>,
    /// `QPS`.
    pub metric: String,
    /// The value.
    pub value: f64,
    /// `1/s`.
    pub unit: String,
}

impl Arm {
    /// How many servers run at the same time.
    pub fn instances(&self) -> u32 {
        self.server.instances.unwrap_or(1).max(1)
    }

    /// Whether its trials look at the data's files with the server down, instead of putting the
    /// workload's load on.
    pub fn is_at_rest(&self) -> bool {
        self.workload.name != self.data.name
    }
}

impl Experiment {
    /// The variant of that name.
    pub fn arm(&self, name: &str) -> Option<&Arm> {
        self.variants.iter().find(|arm| arm.name == name)
    }

    /// The comparisons that are made, the baseline of each first: those that the file names, or
    /// every other variant against the baseline.
    pub fn compared(&self) -> Vec<[&Arm; 2]> {
        let Some(compare) = &self.compare else { return Vec::new() };
        if !compare.pairs.is_empty() {
            let arms = |[a, b]: &[String; 2]| Some([self.arm(a)?, self.arm(b)?]);
            return compare.pairs.iter().filter_map(arms).collect();
        }
        let baseline = match &compare.baseline {
            Some(name) => self.arm(name),
            None => self.variants.first(),
        };
        let Some(baseline) = baseline else { return Vec::new() };
        let others = self.variants.iter().filter(|arm| arm.name != baseline.name);
        others.map(|arm| [baseline, arm]).collect()
    }
}
