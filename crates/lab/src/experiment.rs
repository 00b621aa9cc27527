//! Experiments: one file a procedure, several variants, a verdict.
//!
//! - [`spec`]: an experiment file as data, its scale chosen and its overrides applied;
//! - [`record`]: what became of it, trial for trial, schema `myrig.experiment/1`;
//! - [`seam`]: what can be changed before a run and taken during one, as two small traits. A new
//!   capability (where writes are placed, which TCP stack carries the queries) is one more of them
//!   and nothing else here.

pub mod record;
pub mod seam;
pub mod spec;

pub use record::{EXPERIMENT_SCHEMA, ExperimentRecord, TrialRecord, VariantRecord};
pub use seam::{Fault, Measurement, Served, Stage, Variant};
pub use spec::Experiment;
