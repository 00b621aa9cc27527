//! Limits on a process and its children: a cgroup for an instance's size.
//!
//! Version 2 of the kernel's interface has one hierarchy for all controllers, version 1 one for
//! each; machines with both exist. Each limit goes where its controller is. A limit is read back
//! after it was set, and a process is seen to be under it with all its threads, so that "4 cores,
//! 8 GB" is a fact and not a wish.
//!
//! Sources: cgroups(7), Linux Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst,
//! scheduler/sched-bwc.rst.

mod enter;
mod error;
mod hierarchy;
mod limit;
mod usage;

pub use error::CgroupError;
pub use usage::Usage;

use crate::{root::Root, size::Size, topology::Topology};
use hierarchy::{Base, Version};
use limit::Limit;
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How often it is asked whether a group is empty.
const EMPTY_PERIOD: Duration = Duration::from_millis(10);

/// A group with limits. The value describes it; the group itself lives in the kernel until it is
/// removed, or the machine goes down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    size: Size,
    /// Where it is, once for each hierarchy; paths of the machine.
    places: Vec<Place>,
}

/// A group's directory in one hierarchy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    version: Version,
    dir: PathBuf,
    controllers: Vec<String>,
}

impl Place {
    fn has(&self, controller: &str) -> bool {
        self.controllers.iter().any(|it| it == controller)
    }

    fn limits(&self, size: &Size) -> Vec<Limit> {
        let mut limits = Vec::new();
        if self.has("cpu") {
            limits.extend(limit::cpu(self.version, size));
        }
        if self.has("memory") {
            limits.extend(limit::memory(self.version, size));
        }
        limits
    }
}

/// The limits that this process is under itself, in the hierarchies that are mounted: of its own
/// group and of those above it the lowest.
pub fn own_limits(root: &Root) -> Size {
    let lowest = |controller| {
        let (_, mut dir, point) = hierarchy::own(root, controller)?;
        let mut limits = Vec::new();
        loop {
            limits.push((limit::cpus_of(&dir, root), limit::memory_of(&dir, root)));
            if dir == point || !dir.pop() {
                return Some(limits);
            }
        }
    };
    let cpus = lowest("cpu").into_iter().flatten().filter_map(|(cpus, _)| cpus);
    let memory = lowest("memory").into_iter().flatten().filter_map(|(_, memory)| memory);
    Size { cpus: cpus.min_by(f64::total_cmp), memory_bytes: memory.min() }
}

/// Whether groups of that size can be made here; changes nothing.
///
/// # Errors
/// A size beyond the machine, no controller, no right.
pub fn can_limit(root: &Root, size: &Size) -> Result<(), CgroupError> {
    within_machine(root, size)?;
    places(root, "", size).map(|_| ())
}

impl Group {
    /// Makes a group of that name with these limits. An empty one that an earlier process has
    /// left is made anew, so that its counters begin at 0.
    ///
    /// # Errors
    /// A size beyond the machine, no controller, no right, a process in the group, a limit that
    /// does not read back. Nothing is left then.
    pub fn create(root: &Root, name: &str, size: &Size) -> Result<Self, CgroupError> {
        within_machine(root, size)?;
        let group = Self { size: *size, places: places(root, name, size)? };
        let mut made = Made { root, switched: Vec::new(), dirs: Vec::new(), is_whole: false };
        for place in &group.places {
            made.place(place)?;
            limit::set(&place.dir, &place.limits(size), root)?;
        }
        made.is_whole = true;
        Ok(group)
    }

    /// Its limits.
    pub fn size(&self) -> &Size {
        &self.size
    }

    /// Whether it is still there: a reboot takes it away.
    pub fn exists(&self, root: &Root) -> bool {
        !self.places.is_empty() && self.places.iter().all(|it| root.path(&it.dir).is_dir())
    }

    /// The files that a process writes its number to, all of them, to be in the group.
    pub fn entrances(&self, root: &Root) -> Vec<PathBuf> {
        self.places.iter().map(|place| root.path(place.dir.join("cgroup.procs"))).collect()
    }

    /// Sees to it that the limits are as they were set, and that all threads of the process are
    /// under them.
    ///
    /// # Errors
    /// [`CgroupError::NotKept`], [`CgroupError::Outside`].
    pub fn holds(&self, root: &Root, pid: u32) -> Result<(), CgroupError> {
        for place in &self.places {
            limit::hold(&place.dir, &place.limits(&self.size), root)?;
            let threads = root.names(format!("proc/{pid}/task"));
            // Read after the list, so that a thread begun in between is in neither.
            let inside = members(place, root);
            for thread in threads.iter().filter_map(|name| name.parse::<u32>().ok()) {
                let lives = || root.path(format!("proc/{pid}/task/{thread}")).exists();
                if !inside.contains(&thread) && lives() {
                    let path = root.path(&place.dir);
                    return Err(CgroupError::Outside { pid, thread, path });
                }
            }
        }
        Ok(())
    }

    /// What its processes have used.
    pub fn usage(&self, root: &Root) -> Usage {
        let mut usage = Usage::default();
        for place in &self.places {
            if place.has("cpu") {
                usage.add_cpu(&place.dir, root);
            }
            if place.has("cpuacct") {
                usage.add_accounting(&place.dir, root);
            }
            if place.has("memory") {
                usage.add_memory(&place.dir, root);
            }
        }
        usage
    }

    /// Removes the group once its processes are gone, which those killed a moment ago need not
    /// be. One that is not there is removed already.
    ///
    /// # Errors
    /// [`CgroupError::InUse`] when a process is in it after `deadline`.
    pub fn remove(&self, root: &Root, deadline: Duration) -> Result<(), CgroupError> {
        let begun = Instant::now();
        for place in &self.places {
            while let Err(error) = remove_dir(&place.dir, root) {
                if begun.elapsed() >= deadline || !is_in_use(&error) {
                    return Err(kept(place, root, error, deadline));
                }
                thread::sleep(EMPTY_PERIOD);
            }
        }
        Ok(())
    }
}

/// Refuses limits that would not limit anything, since there is no more to have.
fn within_machine(root: &Root, size: &Size) -> Result<(), CgroupError> {
    let topology = Topology::of(root);
    let online = topology.online.len();
    if let Some(cpus) = size.cpus.filter(|cpus| *cpus > online as f64) {
        let wanted = Size { cpus: Some(cpus), memory_bytes: None }.to_string();
        let present = format!("{online} processors online");
        return Err(CgroupError::Beyond { wanted, present, option: "--cpus" });
    }
    // A machine that does not tell has its limit in the kernel's answer.
    let present_bytes = Some(topology.memory_bytes).filter(|bytes| *bytes > 0);
    let (Some(wanted), Some(present)) = (size.memory_bytes, present_bytes) else { return Ok(()) };
    if wanted <= present {
        return Ok(());
    }
    let told = |bytes| Size { cpus: None, memory_bytes: Some(bytes) }.to_string();
    let present = format!("{} of memory", told(present));
    Err(CgroupError::Beyond { wanted: told(wanted), present, option: "--memory" })
}

/// Where a group of that name goes.
fn places(root: &Root, name: &str, size: &Size) -> Result<Vec<Place>, CgroupError> {
    let mut places: Vec<Place> = Vec::new();
    let mut add = |base: Base, controller: &str| {
        let dir = base.dir.join(name);
        match places.iter_mut().find(|place| place.dir == dir) {
            Some(place) => place.controllers.push(controller.to_owned()),
            None => {
                let (version, controllers) = (base.version, vec![controller.to_owned()]);
                places.push(Place { version, dir, controllers });
            }
        }
    };
    if size.cpus.is_some() {
        let base = hierarchy::base(root, "cpu")?;
        let version = base.version;
        add(base, "cpu");
        // Only an account: without it the limit holds as well.
        if version == Version::V1
            && let Ok(base) = hierarchy::base(root, "cpuacct")
        {
            add(base, "cpuacct");
        }
    }
    if size.memory_bytes.is_some() {
        add(hierarchy::base(root, "memory")?, "memory");
    }
    Ok(places)
}

/// What has been done so far; undone when it is dropped half-way.
struct Made<'a> {
    root: &'a Root,
    /// Files of version 2 in which controllers were switched on, and how they are switched off.
    switched: Vec<(PathBuf, String)>,
    dirs: Vec<PathBuf>,
    is_whole: bool,
}

impl Made<'_> {
    fn place(&mut self, place: &Place) -> Result<(), CgroupError> {
        if let (Version::V2, Some(base)) = (place.version, place.dir.parent()) {
            self.switch_on(base, &place.controllers)?;
        }
        let path = self.root.path(&place.dir);
        if path.exists() {
            match remove_dir(&place.dir, self.root) {
                Err(error) if is_in_use(&error) && !members(place, self.root).is_empty() => {
                    return Err(kept(place, self.root, error, Duration::ZERO));
                }
                // What cannot be removed though it is empty gets its limits anew.
                _ => {}
            }
        }
        match fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(CgroupError::of("make the cgroup", &path, error));
            }
            _ => self.dirs.push(place.dir.clone()),
        }
        Ok(())
    }

    /// Hands controllers down to the groups in `base`.
    fn switch_on(&mut self, base: &Path, controllers: &[String]) -> Result<(), CgroupError> {
        let file = base.join("cgroup.subtree_control");
        let on = self.root.text(&file).unwrap_or_default();
        let is_on = |it: &str| on.split_whitespace().any(|name| name.trim_matches('+') == it);
        let off: Vec<_> = controllers.iter().filter(|it| !is_on(it)).collect();
        if off.is_empty() {
            return Ok(());
        }
        let signed = |sign: &str| {
            off.iter().map(|name| format!("{sign}{name}")).collect::<Vec<_>>().join(" ")
        };
        let path = self.root.path(&file);
        match fs::write(&path, signed("+")) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                Err(CgroupError::Populated(self.root.path(base)))
            }
            Err(error) => Err(CgroupError::of("hand controllers down by", &path, error)),
            Ok(()) => {
                self.switched.push((path, signed("-")));
                Ok(())
            }
        }
    }
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        if self.is_whole {
            return;
        }
        // Nothing can be told here; the error that brought us here is being told.
        for dir in &self.dirs {
            let _ = remove_dir(dir, self.root);
        }
        for (path, off) in &self.switched {
            let _ = fs::write(path, off);
        }
    }
}

/// The threads in a group.
fn members(place: &Place, root: &Root) -> Vec<u32> {
    let file = match place.version {
        Version::V1 => "tasks",
        Version::V2 => "cgroup.threads",
    };
    let text = root.text(place.dir.join(file)).unwrap_or_default();
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

fn remove_dir(dir: &Path, root: &Root) -> io::Result<()> {
    match fs::remove_dir(root.path(dir)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn is_in_use(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ResourceBusy | io::ErrorKind::DirectoryNotEmpty)
}

fn kept(place: &Place, root: &Root, source: io::Error, waited: Duration) -> CgroupError {
    let path = root.path(&place.dir);
    match members(place, root).first() {
        Some(pid) => CgroupError::InUse { path, pid: *pid, waited },
        None => CgroupError::of("remove", &path, source),
    }
}

#[cfg(test)]
mod tests;
