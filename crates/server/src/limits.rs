//! An instance under its size: the cgroup that its server runs in.
//!
//! The group is made before a start and goes when the server's traces are cleared. A crash leaves
//! it, so that it can still be told whether the kernel killed the server for want of memory.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
    process::Command,
    time::Duration,
};

use host::{
    Resources, Root, Size,
    cgroup::{Group, Usage},
};

use crate::{
    error::Error,
    instance::Instance,
    options::{self, Settings},
    process::ProcessTable,
    record, sizing,
    status::Finding,
    version::Release,
};

/// How long the processes of a killed server may take to leave its group.
const EMPTY_DEADLINE: Duration = Duration::from_secs(10);

/// Refuses settings that the machine, or the limits of the instance, cannot hold.
pub(crate) fn check_room(
    release: &Release,
    settings: &Settings,
    size: &Size,
    data: &Path,
) -> Result<(), Error> {
    let root = Root::real();
    let mut settings = settings.clone();
    if !settings.keys().any(|name| options::plain(name) == options::POOL) {
        settings.insert(options::POOL.to_owned(), options::POOL_BASE.to_owned());
    }
    let mut resources = Resources::of(&root, data).limited(size);
    if data.join("ibdata1").exists() {
        // The redo log has its room already.
        resources.disk.free_bytes = None;
    }
    sizing::check(&settings, release, &resources)?;
    Ok(host::cgroup::can_limit(&root, size)?)
}

/// The limits that an instance's server runs under, or ran under until it crashed.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// What it is allowed.
    pub size: Size,
    /// What it has used since its start.
    pub usage: Usage,
    /// How the limits fail to hold the server; none where they do, or nothing runs.
    pub broken: Option<String>,
}

impl Limits {
    /// Whether the kernel has killed the server for taking more memory than it is allowed.
    pub fn killed_by_memory(&self) -> bool {
        self.usage.oom_kills.is_some_and(|kills| kills > 0)
    }
}

impl Instance {
    /// What its limits are doing; none where the server has no limits, or has been shut down. A
    /// crashed one's are there until it is started or stopped again.
    pub fn limits(&self) -> Option<Limits> {
        let root = Root::real();
        let group = self.group().filter(|group| group.exists(&root))?;
        let process = Finding::of(self, &ProcessTable::real()).process();
        let broken = process.and_then(|process| group.holds(&root, process.pid).err());
        Some(Limits {
            size: *group.size(),
            usage: group.usage(&root),
            broken: broken.map(|error| error.to_string()),
        })
    }

    /// The group of the last start, if it was by one.
    pub(crate) fn group(&self) -> Option<Group> {
        record::read(&self.layout.cgroup_record()).ok()
    }

    /// Makes the group of an instance that has a size, and has the command run in it.
    pub(crate) fn limited(&self, command: Command) -> Result<Command, Error> {
        let size = &self.record.size;
        if !size.is_limited() {
            return Ok(command);
        }
        let root = Root::real();
        let group = Group::create(&root, &self.group_name(), size)?;
        if let Err(error) = record::write(&self.layout.cgroup_record(), &group) {
            // The error that is told is the first one; the next start finds the group.
            let _ = group.remove(&root, EMPTY_DEADLINE);
            return Err(error);
        }
        Ok(group.entered_by(&root, &command))
    }

    /// Sees to it that a server that has just been started is under its limits.
    pub(crate) fn check_limits(&self, pid: u32) -> Result<(), Error> {
        match self.group() {
            Some(group) => Ok(group.holds(&Root::real(), pid)?),
            None => Ok(()),
        }
    }

    /// The memory limit that has just killed the server, if that is what happened.
    pub(crate) fn fatal_limit(&self) -> Option<Error> {
        let limits = self.limits().filter(Limits::killed_by_memory)?;
        Some(Error::OutOfMemory { name: self.name().clone(), size: limits.size })
    }

    /// Removes the group of a server that is gone.
    pub(crate) fn clear_group(&self) -> Result<(), Error> {
        if let Some(group) = self.group() {
            group.remove(&Root::real(), EMPTY_DEADLINE)?;
        }
        record::remove(&self.layout.cgroup_record())
    }

    /// The same for every start, and different for instances of one name in several homes.
    fn group_name(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.layout.dir().hash(&mut hasher);
        format!("myrig-{}-{:08x}", self.name(), hasher.finish() as u32)
    }
}
