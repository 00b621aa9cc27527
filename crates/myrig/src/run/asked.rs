//! `run` on one server or on several: what all workloads do alike.

use super::{Bench, Measured, Run, Stops, settings};
use crate::{
    args::PacingArgs,
    connect::Server,
    failure::{Failure, Status},
    group::{self, Group, Member},
    output::Output,
    paths::Paths,
};
use client::Target;
use serde::Serialize;

/// What was asked for.
pub(crate) struct Asked<'a, A> {
    /// As it was typed.
    pub(crate) args: &'a A,
    /// Of that, how the load is put on.
    pub(crate) pacing: &'a PacingArgs,
    /// What ends it early.
    pub(crate) stops: &'a Stops,
    /// Where runs and reports go.
    pub(crate) paths: &'a Paths,
    /// Who watches.
    pub(crate) output: &'a Output,
}

impl<A: Serialize> Asked<'_, A> {
    /// Measures one server for somebody else to tell of, with words before those of the bar.
    ///
    /// # Errors
    /// What kept it from being begun.
    pub(crate) fn quietly<B: Bench>(
        &self,
        server: &Server,
        before: &str,
        mut bench: B,
    ) -> Result<Measured, Failure> {
        let Self { args, pacing, stops, paths, output } = *self;
        let Server { target, instance } = server;
        let settings = settings(args, target, server.name())?;
        let (instance, began, gate) = (instance.as_ref(), None, None);
        Run { pacing, settings, target, instance, stops, paths, output, began, gate, before }
            .measure(&mut bench)
    }

    /// Runs what `bench` makes of each server: a run or a sweep of one, a group of several. The
    /// benches come back, for what they have learned.
    ///
    /// # Errors
    /// What kept it from being begun.
    pub(crate) fn of<B: Bench>(
        &self,
        servers: &[Server],
        bench: impl Fn(&Target) -> Result<B, Failure>,
    ) -> Result<(Status, Vec<B>), Failure> {
        let Self { args, pacing, stops, paths, output } = *self;
        if let [Server { target, instance }] = servers {
            let mut bench = bench(target)?;
            let settings = settings(args, target, servers[0].name())?;
            let (instance, began, gate, before) = (instance.as_ref(), None, None, "");
            let run = Run {
                pacing,
                settings,
                target,
                instance,
                stops,
                paths,
                output,
                began,
                gate,
                before,
            };
            return Ok((run.carry_out(&mut bench)?, vec![bench]));
        }
        let step = group::only_step(pacing)?;
        let mut benches: Vec<B> =
            servers.iter().map(|server| bench(&server.target)).collect::<Result<_, _>>()?;
        let member = |(server, bench)| {
            let Server { target, .. }: &Server = server;
            let settings = settings(args, target, server.name())?;
            Ok::<_, Failure>(Member { server, pacing: pacing.clone(), settings, bench })
        };
        let benches_mut = benches.iter_mut().map(|bench| bench as &mut dyn Bench);
        let mut members: Vec<Member<'_>> =
            servers.iter().zip(benches_mut).map(member).collect::<Result<_, _>>()?;
        let mut settings = members.first().map(|it| it.settings.clone()).unwrap_or_default();
        let names: Vec<&str> = servers.iter().filter_map(Server::name).collect();
        settings.insert("instance".into(), names.join(",").into());
        let status =
            Group { pacing, step, settings, stops, paths, output }.carry_out(&mut members)?;
        Ok((status, benches))
    }
}
