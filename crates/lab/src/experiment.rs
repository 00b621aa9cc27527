//! Experiments: one file a procedure, several variants, a verdict.
//!
//! - [`spec`]: an experiment file as data, its scale chosen and its overrides applied;
//! - [`file`]: from TOML to that; [`differs`](fn@differs): what variants differ in;
//! - [`schedule`](fn@schedule): in which order the trials are taken; [`data_sets`]: what is loaded
//!   for them;
//! - [`plan`](mod@plan): every step, and about how long it takes;
//! - [`record`]: what became of it, trial for trial, schema `myrig.experiment/1`;
//! - [`seam`]: what can be changed before a run and taken during one, as two small traits. A new
//!   capability (where writes are placed, which TCP stack carries the queries) is one more of them
//!   and nothing else here.

mod data_set;
mod differs;
#[cfg(test)]
pub(crate) mod example;
mod export;
pub mod file;
pub mod plan;
pub mod record;
mod schedule;
pub mod seam;
pub mod spec;
#[cfg(test)]
pub(crate) mod testing;

pub use data_set::{DataSet, data_sets, shapes_data};
pub use differs::differs;
pub(crate) use export::compact;
pub use export::{csv, json, parse};
pub use plan::{Estimates, PLAN_SCHEMA, Plan, plan};
pub use record::{EXPERIMENT_SCHEMA, ExperimentRecord, TrialRecord, VariantRecord};
pub use schedule::{Scheduled, TRIALS_MAX, schedule};
pub use seam::{Fault, Ground, Measurement, Served, Stage, Variant};
pub use spec::Experiment;
