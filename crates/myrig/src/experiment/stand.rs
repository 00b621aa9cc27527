//! The servers of an experiment: made, loaded once, put back to that before every trial.

use super::{
    capability, carried::carried, holdings::Holdings, load::DATABASE, options,
    program::installation,
};
use crate::{failure::Failure, output::Output, paths::Paths, runtime::block_on, servers, transfer};
use anyhow::Context;
use client::Target;
use lab::experiment::{
    DataSet,
    spec::{Arm, ServerSpec},
};
use server::{
    Error, Home, InitOptions, Installation, Instance, InstanceName, StartOptions, Status, Via,
    snapshot::{Progress, RestoreOptions, Snapshot, SnapshotError, SnapshotOptions, Verify},
};
use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// How long a server may take to shut down: a large buffer pool has much to write.
const STOP_DEADLINE: Duration = Duration::from_secs(600);

/// Where the servers of an experiment are made and kept.
pub(super) struct Stand<'a> {
    paths: &'a Paths,
    output: &'a Output,
    home: Home,
    /// What is held of the machine.
    pub(super) holdings: Holdings,
}

impl<'a> Stand<'a> {
    /// A stand whose holdings are these.
    ///
    /// # Errors
    /// The home cannot be told.
    pub(super) fn new(
        holdings: Holdings,
        paths: &'a Paths,
        output: &'a Output,
    ) -> Result<Self, Failure> {
        Ok(Self { paths, output, home: Home::at(paths.home())?, holdings })
    }

    /// The instance and the snapshot of a data set are called the same.
    fn name(&self, set: &DataSet, half: Option<u8>) -> Result<InstanceName, Failure> {
        let tail = self.holdings.id().rsplit('-').next().unwrap_or_default();
        let half = half.map(|half| format!("-{half}")).unwrap_or_default();
        format!("x{tail}-{}{half}", set.key).parse().map_err(Failure::usage)
    }

    /// The name of an instance of a data set among several.
    ///
    /// # Errors
    /// It is no name.
    pub(super) fn place(&self, set: &DataSet, number: u32) -> Result<InstanceName, Failure> {
        format!("{}-{number}", self.name(set, None)?).parse().map_err(Failure::usage)
    }

    /// Makes sure that the data set is there, whole and, unless it is only read, kept as a
    /// snapshot: loads it if need be, by the settings of the first variant that uses it, without
    /// its limits.
    ///
    /// # Errors
    /// What kept it from being there; what there is of it is gone on with next time.
    pub(super) fn provide(&mut self, set: &DataSet, first: &Arm) -> Result<(), Failure> {
        let name = self.name(set, None)?;
        if set.at_rest && self.is_loaded(&name) {
            return Ok(());
        }
        match Snapshot::open(&self.home, name.as_str()) {
            Ok(snapshot) if snapshot.check_sizes().is_ok() => return Ok(()),
            Ok(_) => Snapshot::remove(&self.home, name.as_str())?,
            Err(SnapshotError::NoSnapshot { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        self.holdings.take(name.as_str())?;
        let mut instance = self.instance(&name, set)?;
        let loaded = self.load(&mut instance, set, first);
        self.stop(&mut instance)?;
        loaded?;
        if set.at_rest {
            // What the load has left to be written would be in the way of the first trials.
            rustix::fs::sync();
            let note = self.loaded(&name);
            let written = std::fs::write(&note, []);
            return Ok(written.with_context(|| format!("writing {}", note.display()))?);
        }
        let options = SnapshotOptions {
            name: name.as_str().to_owned(),
            dir: None,
            note: Some(self.holdings.id().to_owned()),
            workload: Some(set.workload.name.clone()),
            created_at: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            copy: true,
        };
        let take = |progress: &Progress| instance.snapshot(&options, progress);
        let (taken, took) = transfer::under_bar("taking the snapshot", self.output, take)?;
        let size = host::Bytes(taken?.snapshot.manifest().size_bytes());
        self.output.note(&format!("kept as it is: {size} in {:.1} s", took.as_secs_f64()));
        Ok(())
    }

    /// The note that says that data which is only read is whole.
    fn loaded(&self, name: &InstanceName) -> PathBuf {
        self.holdings.dir().join(format!("{name}.loaded"))
    }

    fn is_loaded(&self, name: &InstanceName) -> bool {
        self.loaded(name).exists() && Instance::open(&self.home, name).is_ok()
    }

    /// The instance of a data set that is only read, as it was stopped after its load.
    ///
    /// # Errors
    /// It is not there.
    pub(super) fn at_rest(&self, set: &DataSet) -> Result<Instance, Failure> {
        let mut instance = Instance::open(&self.home, &self.name(set, None)?)?;
        self.stop(&mut instance)?;
        Ok(instance)
    }

    /// The instance of a data set, stopped: the one that there is, or a new one.
    fn instance(&self, name: &InstanceName, set: &DataSet) -> Result<Instance, Failure> {
        match Instance::open(&self.home, name) {
            Ok(mut instance) => {
                self.stop(&mut instance)?;
                return Ok(instance);
            }
            Err(Error::NoInstance { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let installation = self.installation(&set.server)?;
        let told = |fault: lab::experiment::Fault| Failure::usage(fault);
        let data = set.server.data_dir.as_ref().map(|dir| dir.join(name.as_str()));
        let settings = carried(&set.server, installation.release()).map_err(told)?;
        let options = InitOptions { settings, data, ..InitOptions::default() };
        let made = Instance::init(&self.home, name, &installation, &options);
        servers::waiting(&format!("making a {}", installation.release()), made, self.output)
    }

    /// The server that a file asks for.
    ///
    /// # Errors
    /// There is none on this machine.
    pub(super) fn installation(&self, spec: &ServerSpec) -> Result<Installation, Failure> {
        installation(spec, self.paths, self.output)
    }

    fn load(&self, instance: &mut Instance, set: &DataSet, first: &Arm) -> Result<(), Failure> {
        let data = options::data_args(&set.workload)?;
        let mut server =
            ServerSpec { cores: None, memory: None, cpus: None, ..first.server.clone() };
        // The binary log of a load would be restored with the data, and nobody wants it.
        server.settings.retain(|name, _| name.replace('_', "-") != "log-bin");
        let change = capability::server::change(&server, instance).map_err(Failure::usage)?;
        instance.change(&change)?;
        self.start(instance)?;
        let target = target(instance)?;
        let prepared = data.load(&target, self.output)?;
        self.output.note(prepared.text.trim_end());
        Ok(())
    }

    /// Starts a server, on another port where somebody has taken its own meanwhile.
    ///
    /// # Errors
    /// Why it does not answer; then nothing of it runs.
    pub(super) fn start(&self, instance: &mut Instance) -> Result<(), Failure> {
        self.start_with(instance, StartOptions::default())
    }

    /// The same with other options.
    ///
    /// # Errors
    /// As for [`Self::start`].
    pub(super) fn start_with(
        &self,
        instance: &mut Instance,
        mut options: StartOptions,
    ) -> Result<(), Failure> {
        let starting = async {
            match instance.start(&options).await {
                Err(error @ Error::PortInUse { .. }) => {
                    let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
                    options.port = Some(free.map_err(|_| error)?.port());
                    instance.start(&options).await.map(drop)
                }
                outcome => outcome.map(drop),
            }
        };
        servers::waiting("starting the server", starting, self.output)
    }

    /// Puts the data set back into its instance, or into that of a half of a duet, and returns it
    /// stopped, with the time that took.
    ///
    /// # Errors
    /// The snapshot is not what it was, or there is no room.
    pub(super) fn restore(
        &mut self,
        set: &DataSet,
        half: Option<u8>,
    ) -> Result<(Instance, Duration), Failure> {
        let snapshot = Snapshot::open(&self.home, self.name(set, None)?.as_str())?;
        let name = self.name(set, half)?;
        self.holdings.take(name.as_str())?;
        if let Ok(mut instance) = Instance::open(&self.home, &name) {
            self.stop(&mut instance)?;
        }
        let options = RestoreOptions {
            into: Some(name),
            verify: Verify::Full,
            // What is shared costs an allocation when it is written next, which would be measured.
            copy: true,
            ..RestoreOptions::default()
        };
        let restore = |progress: &Progress| snapshot.restore(&self.home, &options, progress);
        let (restored, took) = transfer::under_bar("restoring the data", self.output, restore)?;
        Ok((restored?.instance, took))
    }

    /// Lays the data set out in a directory that does not exist yet, as a new instance's; returns
    /// it stopped, with the time that took.
    ///
    /// # Errors
    /// The snapshot is not what it was, or there is no room.
    pub(super) fn restore_anew(
        &mut self,
        set: &DataSet,
        name: &InstanceName,
        data: &Path,
    ) -> Result<(Instance, Duration), Failure> {
        let snapshot = Snapshot::open(&self.home, self.name(set, None)?.as_str())?;
        self.holdings.take(name.as_str())?;
        let options = RestoreOptions {
            into: Some(name.clone()),
            verify: Verify::Full,
            copy: true,
            data: Some(data.to_owned()),
            ..RestoreOptions::default()
        };
        let restore = |progress: &Progress| snapshot.restore(&self.home, &options, progress);
        let (restored, took) = transfer::under_bar("copying the data in", self.output, restore)?;
        Ok((restored?.instance, took))
    }

    /// Stops and removes an instance, data and all; nothing where there is none. What is still
    /// there is an error.
    pub(super) fn clear(&self, name: &InstanceName) -> Result<(), Failure> {
        match Instance::open(&self.home, name) {
            Ok(mut instance) => {
                self.end(&mut instance)?;
                servers::waiting("clearing up", instance.remove(), self.output)
            }
            Err(Error::NoInstance { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Stops a server of which nothing is wanted any more. One whose data lies elsewhere is killed:
    /// where it has filled its disk it waits for room, and would not shut down before it has some.
    fn end(&self, instance: &mut Instance) -> Result<(), Failure> {
        if instance.data_dir().is_symlink() && instance.status() != Status::Stopped {
            block_on(instance.kill(STOP_DEADLINE))??;
        }
        self.stop(instance)
    }

    /// Shuts a server down; one that does not want to is killed, and so is one whose start nobody
    /// has seen the end of: MariaDB takes a SIGTERM that comes while it starts, and then goes on
    /// for ever. No data is lost by it: InnoDB recovers, and a trial's data is restored anyway.
    ///
    /// # Errors
    /// It is still there.
    pub(super) fn stop(&self, instance: &mut Instance) -> Result<(), Failure> {
        let has_begun = match instance.status() {
            Status::Stopped => return Ok(()),
            Status::Running(_) => true,
            Status::Starting { .. } | Status::Crashed { .. } | Status::Orphaned { .. } => false,
        };
        let stopping = self.output.spinner("stopping the server");
        // Not given up at a signal: no server is to stay behind.
        let mut stopped = match has_begun {
            true => block_on(instance.stop(STOP_DEADLINE))?,
            false => block_on(instance.kill(STOP_DEADLINE))?,
        };
        if let Err(Error::StillRunning { .. }) = stopped {
            stopped = block_on(instance.kill(STOP_DEADLINE))?;
        }
        stopping.finish_and_clear();
        stopped?;
        Ok(())
    }

    /// Stops every server that the experiment holds.
    ///
    /// # Errors
    /// One that is still there.
    pub(super) fn stop_all(&self) -> Result<(), Failure> {
        for name in self.holdings.instances() {
            let name: InstanceName = name.parse().map_err(Failure::usage)?;
            match Instance::open(&self.home, &name) {
                Ok(mut instance) => self.end(&mut instance)?,
                // It was about to be made, or is a snapshot's name alone.
                Err(Error::NoInstance { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Nothing is held any more.
    ///
    /// # Errors
    /// The list of holdings cannot be removed.
    pub(super) fn close(self) -> Result<(), Failure> {
        self.holdings.close()
    }

    /// Removes every instance and every snapshot that the experiment holds.
    ///
    /// # Errors
    /// What could not be removed; it stays on the list.
    pub(super) fn remove_all(&mut self) -> Result<(), Failure> {
        self.stop_all()?;
        for name in self.holdings.instances() {
            let parsed: InstanceName = name.parse().map_err(Failure::usage)?;
            self.clear(&parsed)?;
            match Snapshot::remove(&self.home, &name) {
                Ok(()) | Err(SnapshotError::NoSnapshot { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            self.holdings.give_back(&name)?;
        }
        Ok(())
    }
}

/// Where the load of an experiment goes: over TCP, as a client elsewhere would.
///
/// # Errors
/// The instance's account cannot be read.
pub(super) fn target(instance: &Instance) -> Result<Target, Failure> {
    Ok(instance.target(Via::Tcp)?.with_database(DATABASE))
}
