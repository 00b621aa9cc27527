//! The workloads of an experiment: loading their data, and putting their load on.

use super::options::{Data, Load};
use crate::{
    args::{ConnectionArgs, PacingArgs},
    connect::Server,
    failure::Failure,
    interrupt, oltp,
    output::Output,
    paths::Paths,
    prepare::{Prepared, under_bar},
    run::{Asked, Measured, Stops},
    tpcc, tpch, tprocc,
};
use client::Target;
use std::sync::{Arc, atomic::Ordering};
use workloads::tpcc::LoadProgress;

/// The database that all data goes into.
pub(super) const DATABASE: &str = "myrig";

impl Data {
    /// Loads, or goes on with a load that was broken off, under a bar.
    ///
    /// # Errors
    /// What kept it from being loaded.
    pub(super) fn load(&self, target: &Target, output: &Output) -> Result<Prepared, Failure> {
        let progress = Arc::new(LoadProgress::default());
        let stopping = Arc::clone(&progress);
        interrupt::watch(move || stopping.stop.store(true, Ordering::Relaxed))?;
        under_bar(&[&progress], output, || match self {
            Self::Tpcc(args) => tpcc::load::load_into(target, args, &progress),
            Self::Tprocc(args) => tprocc::prepare::load_into(target, args, &progress),
            Self::Oltp(args) => oltp::prepare::load_into(target, args, &progress),
            Self::Tpch(args) => tpch::prepare::load_into(target, args, &progress),
        })?
    }
}

/// Who asks for a load, and who watches.
#[derive(Clone, Copy)]
pub(super) struct Asker<'a> {
    /// What ends it early.
    pub(super) stops: &'a Stops,
    /// Where runs and reports go.
    pub(super) paths: &'a Paths,
    /// Who watches.
    pub(super) output: &'a Output,
}

impl Load {
    /// The options of the connection and of the pacing.
    pub(super) fn common(&mut self) -> (&mut ConnectionArgs, &mut PacingArgs) {
        match self {
            Self::Tpcc(args) => (&mut args.connection, &mut args.pacing),
            Self::Tprocc(args) => (&mut args.connection, &mut args.pacing),
            Self::Oltp(args) => (&mut args.connection, &mut args.pacing),
        }
    }

    /// Puts the load on, with words before those of the progress bar.
    ///
    /// # Errors
    /// What kept it from being begun.
    pub(super) fn measure(
        &self,
        server: &Server,
        before: &str,
        asker: Asker<'_>,
    ) -> Result<Measured, Failure> {
        let Asker { stops, paths, output } = asker;
        let target = &server.target;
        match self {
            Self::Tpcc(args) => {
                let bench = tpcc::run::bench(args, target, stops)?;
                Asked { args: args.as_ref(), pacing: &args.pacing, stops, paths, output }
                    .quietly(server, before, bench)
            }
            Self::Tprocc(args) => {
                let bench = tprocc::run::bench(args, target, stops)?;
                Asked { args: args.as_ref(), pacing: &args.pacing, stops, paths, output }
                    .quietly(server, before, bench)
            }
            Self::Oltp(args) => {
                let bench = oltp::run::bench(args, target, stops)?;
                Asked { args: args.as_ref(), pacing: &args.pacing, stops, paths, output }
                    .quietly(server, before, bench)
            }
        }
    }
}
