//! What a capability brings to an experiment.
//!
//! There are two kinds. A [`Variant`] changes something before a run and puts it back after: the
//! server's settings, the host's, where writes are placed, which TCP stack is used. A
//! [`Measurement`] takes a series or a figure during one. Each answers to one key of the
//! experiment file, and the rest of the house knows it only by these traits.

use super::spec::Arm;
use crate::record::RunRecord;
use serde_json::Value;
use server::{Change, Instance, StartOptions};
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

/// Why a capability could not do its part. Its words name the key of the file and the way out.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// A trial whose data is not in place yet.
#[derive(Debug)]
pub struct Ground<'a> {
    /// The variant, whole.
    pub arm: &'a Arm,
    /// The directory on whose file system the data of all instances will lie.
    pub dir: &'a Path,
    /// Where the data of each instance will lie; these directories do not exist yet.
    pub data_dirs: &'a [PathBuf],
}

/// A trial whose data is in place and whose server does not run yet.
#[derive(Debug)]
pub struct Stage<'a> {
    /// The variant, whole.
    pub arm: &'a Arm,
    /// The instance, stopped.
    pub instance: &'a Instance,
    /// What is to change of it before it starts; capabilities add to it.
    pub change: &'a mut Change,
    /// How it is to be started; capabilities add to it.
    pub start: &'a mut StartOptions,
}

/// A trial whose servers run.
#[derive(Debug)]
pub struct Served<'a> {
    /// The variant, whole.
    pub arm: &'a Arm,
    /// The instances, running; at least one.
    pub instances: &'a [Instance],
    /// When the ramp-up of the load began; none before it has, and where nobody tells.
    pub began: Option<Instant>,
}

/// Something to change before a run, and to put back after it.
pub trait Variant {
    /// Its key in a variant of the experiment file.
    fn key(&self) -> &'static str;

    /// What it is going to do for this variant, a line each, without touching anything.
    ///
    /// # Errors
    /// Why it cannot be done here.
    fn plan(&self, arm: &Arm) -> Result<Vec<String>, Fault>;

    /// Before the data is put in its place, where each trial lays it out anew
    /// (`server.instances`, section `storage`).
    ///
    /// # Errors
    /// Why it could not be done; the trial is not begun, and [`Self::put_back`] is called.
    fn before_data(&mut self, ground: &Ground<'_>) -> Result<(), Fault> {
        let _nothing_to_do = ground;
        Ok(())
    }

    /// Before the server starts.
    ///
    /// # Errors
    /// Why it could not be done; the trial is not begun, and [`Self::put_back`] is called.
    fn before_start(&mut self, stage: &mut Stage<'_>) -> Result<(), Fault> {
        let _nothing_to_do = stage;
        Ok(())
    }

    /// When the server runs and before it is loaded.
    ///
    /// # Errors
    /// As for [`Self::before_start`].
    fn after_start(&mut self, served: &Served<'_>) -> Result<(), Fault> {
        let _nothing_to_do = served;
        Ok(())
    }

    /// When the server has stopped, whatever came of the trial, and once more when an experiment
    /// is cleaned up whose process was killed: it finds what is there to be put back by itself,
    /// and doing so twice does no harm.
    ///
    /// # Errors
    /// What is left as it was changed, and how to put it back by hand.
    fn put_back(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

/// A series or a figure that is taken during a run.
pub trait Measurement {
    /// Its key in the section `measure` of the experiment file.
    fn key(&self) -> &'static str;

    /// Whether it can be taken as asked for, without touching anything; it keeps in mind what was
    /// asked for.
    ///
    /// # Errors
    /// Why not.
    fn plan(&mut self, asked: &Value) -> Result<(), Fault>;

    /// Before the data is put in its place, where each trial lays it out anew, and after all
    /// variants have done the same.
    ///
    /// # Errors
    /// Why it cannot be taken; the trial is not begun.
    fn before_data(&mut self, ground: &Ground<'_>) -> Result<(), Fault> {
        let _nothing_to_do = ground;
        Ok(())
    }

    /// When the server runs and before it is loaded.
    ///
    /// # Errors
    /// Why it cannot be taken; the trial is not begun.
    fn begin(&mut self, served: &Served<'_>) -> Result<(), Fault>;

    /// When the load is over and while the server still runs: adds figures, series or remarks.
    ///
    /// # Errors
    /// Why there is nothing to add; the run is kept without it, with a warning.
    fn end(&mut self, served: &Served<'_>, run: &mut RunRecord) -> Result<(), Fault>;

    /// After a trial, whatever came of it: nothing of it may go on.
    fn give_up(&mut self) {}
}
