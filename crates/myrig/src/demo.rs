//! `myrig demo`: everything at once, on a server of its own.

use crate::{
    args::{
        Cli, Command, ConnectionArgs, DemoArgs, LoadArgs, Method, PacingArgs, RunArgs, TpccVerb,
    },
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
    run::Stops,
    runtime::block_on,
    servers,
    tpcc::{
        load::load_with_bar,
        run::{measure, plan},
    },
};
use clap::Parser;
use client::Target;
use host::{Root, Topology};
use indicatif::HumanCount;
use server::{
    Error, Flavour, Home, InitOptions, Installation, Instance, Settings, StartOptions,
    Status as ServerStatus, Via,
};
use std::{
    net::TcpListener,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use workloads::tpcc::{self, DataSet, LoadProgress, LoadSummary, Profile};

/// Name of the demonstration's instance.
const INSTANCE: &str = "demo";
const STOP_DEADLINE: Duration = Duration::from_secs(120);
const GIB: u64 = 1 << 30;

pub(crate) fn run(args: &DemoArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let run_args = run_args(args)?;
    plan::validate(&run_args)?;
    paths.prepare()?;
    let progress = Arc::new(LoadProgress::default());
    let stops = Stops::default();
    let (loading, running) = (Arc::clone(&progress), stops.clone());
    interrupt::watch(move || {
        loading.stop.store(true, Ordering::Relaxed);
        running.stop();
    })?;
    let mut instance = start(args, paths, output)?;
    let outcome = load_and_measure(args, &run_args, &instance, &progress, &stops, paths, output);
    // Whatever came of it, no server stays behind.
    let stopped = block_on(instance.stop(STOP_DEADLINE))?;
    let status = outcome?;
    stopped?;
    Ok(status)
}

/// The demonstration's server, running: the one from last time, or a new one.
fn start(args: &DemoArgs, paths: &Paths, output: &Output) -> Result<Instance, Failure> {
    let home = Home::at(paths.home())?;
    let name = INSTANCE.parse().map_err(Failure::usage)?;
    let installation = block_on(servers::find(&args.installation, &home))??;
    let existing = match Instance::open(&home, &name) {
        Ok(instance) => Some(instance),
        Err(Error::NoInstance { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let mut instance = match existing {
        Some(instance) if instance.installation() == &installation => instance,
        other => {
            if let Some(mut outdated) = other {
                block_on(outdated.stop(STOP_DEADLINE))??;
                block_on(outdated.remove())??;
            }
            let settings = settings(&installation, Topology::of(&Root::real()).memory_bytes);
            let options = InitOptions { settings, ..InitOptions::default() };
            let made = Instance::init(&home, &name, &installation, &options);
            servers::waiting("making a private server", made, output)?
        }
    };
    if matches!(instance.status(), ServerStatus::Orphaned { .. }) {
        block_on(instance.stop(STOP_DEADLINE))??;
    }
    if !matches!(instance.status(), ServerStatus::Running(_)) {
        servers::waiting("starting it", start_on_a_free_port(&mut instance), output)?;
    }
    output.note(&format!(
        "server: {} on 127.0.0.1:{}",
        instance.installation().release(),
        instance.port()
    ));
    Ok(instance)
}

/// The port was free when the instance was made; another program may have it by now.
async fn start_on_a_free_port(instance: &mut Instance) -> Result<(), Error> {
    let mut options = StartOptions::default();
    match instance.start(&options).await {
        Err(error @ Error::PortInUse { .. }) => {
            let free = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
            options.port = Some(free.map_err(|_| error)?.port());
            instance.start(&options).await.map(drop)
        }
        outcome => outcome.map(drop),
    }
}

/// A quarter of the memory, up to 2 GiB, holds the demonstration's data; the redo log holds a
/// minute of its writes.
fn settings(installation: &Installation, memory_bytes: u64) -> Settings {
    let buffer_pool = (memory_bytes / 4).clamp(GIB / 8, 2 * GIB);
    let redo = match installation.release().flavour {
        Flavour::MariaDb => "innodb-log-file-size",
        Flavour::MySql | Flavour::Percona => "innodb-redo-log-capacity",
    };
    [
        ("innodb-buffer-pool-size", buffer_pool.to_string()),
        (redo, GIB.to_string()),
        ("max-connections", "2000".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

fn load_and_measure(
    args: &DemoArgs,
    run_args: &RunArgs,
    instance: &Instance,
    progress: &LoadProgress,
    stops: &Stops,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let target = instance.target(Via::Tcp)?.with_database("tpcc");
    let load = LoadArgs {
        profile: Profile::Spec,
        warehouses: args.warehouses,
        connections: 2,
        seed: 1,
        load_method: Method::Auto,
    };
    if !is_loaded(&target, &load)? {
        let summary = load_anew(&target, &load, progress, output)?;
        let rate = summary.rows as f64 / summary.rows_time.as_secs_f64().max(1e-9);
        let (rows, rate) = (HumanCount(summary.rows), HumanCount(rate as u64));
        output.note(&format!("data: {rows} rows at {rate} rows/s"));
    }
    measure(run_args, &target, stops, paths, output)
}

/// Whether last time's data will do.
fn is_loaded(target: &Target, load: &LoadArgs) -> Result<bool, Failure> {
    let wanted = DataSet {
        profile: load.profile,
        warehouses: load.warehouses,
        seed: load.seed,
        ready: true,
    };
    Ok(block_on(DataSet::expect(target, None))?.is_ok_and(|data| data == wanted))
}

/// Loads, or goes on with a load that was broken off; data of another size makes room.
fn load_anew(
    target: &Target,
    load: &LoadArgs,
    progress: &LoadProgress,
    output: &Output,
) -> Result<LoadSummary, Failure> {
    match block_on(DataSet::expect(target, None))? {
        Err(tpcc::Error::HalfLoaded { warehouses, .. }) if warehouses == load.warehouses => {}
        Err(tpcc::Error::NoDatabase { .. }) => {}
        _ => drop(block_on(tpcc::cleanup(target))??),
    }
    load_with_bar(target, load, progress, output)
}

/// The options of `myrig tpcc run` as if typed, so that its defaults are said in one place.
fn run_args(args: &DemoArgs) -> Result<RunArgs, Failure> {
    let typed = Cli::try_parse_from(["myrig", "tpcc", "run"])?;
    let Command::Tpcc { verb: TpccVerb::Run(usual) } = typed.command else {
        return Err(anyhow::anyhow!("`tpcc run` is no longer a command").into());
    };
    Ok(RunArgs {
        connection: ConnectionArgs { instance: vec![INSTANCE.into()], ..usual.connection },
        pacing: PacingArgs {
            connections: vec![args.connections],
            ramp_up: args.ramp_up,
            duration: args.duration,
            label: "demo".into(),
            report: args.report.clone(),
            ..usual.pacing
        },
        ..*usual
    })
}
