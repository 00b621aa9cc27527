//! Which hierarchies of cgroups there are, and where in them groups may be made.

use super::error::CgroupError;
use crate::{root::Root, storage};
use rustix::fs::{Access, access};
use serde::{Deserialize, Serialize};
use std::path::{Component, Path, PathBuf};

/// The two forms of the kernel's interface (cgroups(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Version {
    /// A hierarchy for each controller.
    V1,
    /// One hierarchy for all.
    V2,
}

/// Where groups of a controller may be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Base {
    pub(super) version: Version,
    /// A path of the machine, without its leading slash.
    pub(super) dir: PathBuf,
}

/// A mounted hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mount {
    version: Version,
    /// The controllers of version 1.
    options: Vec<String>,
    /// The group that is seen at the mount point.
    group: String,
    point: PathBuf,
}

impl Mount {
    /// What is mounted, where it is a hierarchy of groups.
    fn of(mount: storage::Mount) -> Option<Self> {
        let version = match mount.file_system.as_str() {
            "cgroup" => Version::V1,
            "cgroup2" => Version::V2,
            _ => return None,
        };
        let point = mount.point.strip_prefix("/").ok()?.to_owned();
        Some(Self { version, options: mount.options, group: mount.root, point })
    }

    fn has(&self, controller: &str, root: &Root) -> bool {
        match self.version {
            Version::V1 => self.options.iter().any(|option| option == controller),
            Version::V2 => controllers(&self.point, root).iter().any(|it| it == controller),
        }
    }

    /// The directory of a process's group, as `/proc/PID/cgroup` names it. One that is not below
    /// what is mounted (another namespace's) counts as being at the mount point.
    fn dir_of(&self, group: &str) -> PathBuf {
        let below = Path::new(group).strip_prefix(&self.group);
        let below = below.ok().filter(|below| {
            below.components().all(|component| matches!(component, Component::Normal(_)))
        });
        match below {
            // Joining nothing would leave a slash at the end.
            Some(below) if below != Path::new("") => self.point.join(below),
            _ => self.point.clone(),
        }
    }
}

/// The controllers that a group of version 2 has.
pub(super) fn controllers(dir: &Path, root: &Root) -> Vec<String> {
    let text = root.text(dir.join("cgroup.controllers")).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// The group of this process in the hierarchy of a controller; none where there is no such
/// hierarchy. The second path is the mount point.
pub(super) fn own(root: &Root, controller: &str) -> Option<(Version, PathBuf, PathBuf)> {
    let mounts = storage::Mount::all(root).unwrap_or_default();
    let mounts: Vec<Mount> = mounts.into_iter().filter_map(Mount::of).collect();
    // A controller of version 1 is not at version 2's disposal.
    let of = |version| {
        mounts.iter().find(|mount| mount.version == version && mount.has(controller, root))
    };
    let mount = of(Version::V1).or_else(|| of(Version::V2))?;
    let groups = root.text("proc/self/cgroup").unwrap_or_default();
    let group = groups.lines().find_map(|line| group_in(line, mount.version, controller));
    let dir = mount.dir_of(group.unwrap_or("/"));
    Some((mount.version, dir, mount.point.clone()))
}

/// The group that a line of `/proc/PID/cgroup` names, such as `4:memory:/a` or `0::/a`.
fn group_in<'a>(line: &'a str, version: Version, controller: &str) -> Option<&'a str> {
    let mut fields = line.splitn(3, ':');
    let (_number, names, group) = (fields.next()?, fields.next()?, fields.next()?);
    let ours = match version {
        Version::V1 => names.split(',').any(|name| name == controller),
        Version::V2 => names.is_empty(),
    };
    ours.then_some(group)
}

/// Where a group of the controller may be made: as high as we have the right to, since a server
/// outlives the session that starts it, yet below every limit that we are under ourselves.
pub(super) fn base(root: &Root, controller: &'static str) -> Result<Base, CgroupError> {
    let (version, own, point) =
        own(root, controller).ok_or(CgroupError::NoController(controller))?;
    let mut dir = own;
    may_make(&dir, root)?;
    while dir != point && !is_limited(&dir, root) {
        let Some(above) = dir.parent() else { break };
        if may_make(above, root).is_err() || !hands_down(version, above, controller, root) {
            break;
        }
        dir = above.to_owned();
    }
    if !hands_down(version, &dir, controller, root) {
        return Err(CgroupError::NotDelegated { controller, path: root.path(&dir) });
    }
    Ok(Base { version, dir })
}

/// Whether directories can be made there.
fn may_make(dir: &Path, root: &Root) -> Result<(), CgroupError> {
    let path = root.path(dir);
    let may = access(&path, Access::WRITE_OK | Access::EXEC_OK);
    may.map_err(|error| CgroupError::of("make a cgroup in", &path, error.into()))
}

fn hands_down(version: Version, dir: &Path, controller: &str, root: &Root) -> bool {
    version == Version::V1 || controllers(dir, root).iter().any(|it| it == controller)
}

/// Whether a group has a limit of its own on processor time or memory.
pub(super) fn is_limited(dir: &Path, root: &Root) -> bool {
    super::limit::cpus_of(dir, root).is_some() || super::limit::memory_of(dir, root).is_some()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::tree;
    use proptest::prelude::*;

    /// A hierarchy that is mounted by this line of the kernel's table.
    fn mounted(line: &str) -> Option<Mount> {
        let (_dir, root) = tree(&[("proc/self/mountinfo", line)]);
        storage::Mount::all(&root).unwrap().into_iter().find_map(Mount::of)
    }

    #[test]
    fn mounts_are_read_with_their_escapes_and_optional_fields() {
        let line = "35 31 0:32 /docker/x /sys/fs/c\\040g rw,relatime shared:7 - cgroup cgroup \
                    rw,cpu,cpuacct";
        let mount = mounted(line).unwrap();
        assert_eq!(mount.version, Version::V1);
        assert_eq!(mount.point, Path::new("sys/fs/c g"));
        assert!(mount.options.contains(&"cpuacct".to_owned()));
        assert_eq!(mount.dir_of("/docker/x/y"), Path::new("sys/fs/c g/y"));
        assert_eq!(mount.dir_of("/docker/x").to_str(), Some("sys/fs/c g"));
        assert_eq!(mount.dir_of("/other"), Path::new("sys/fs/c g"));
        assert_eq!(mount.dir_of("/docker/x/../../y"), Path::new("sys/fs/c g"));
        assert_eq!(mounted("31 23 0:28 / /sys rw - tmpfs tmpfs rw"), None);
    }

    #[test]
    fn the_group_of_a_controller_is_found_beside_others() {
        assert_eq!(group_in("4:cpu,cpuacct:/a:b", Version::V1, "cpuacct"), Some("/a:b"));
        assert_eq!(group_in("4:cpuset:/a", Version::V1, "cpu"), None);
        assert_eq!(group_in("0::/user.slice", Version::V2, "cpu"), Some("/user.slice"));
        assert_eq!(group_in("0::/a", Version::V1, "cpu"), None);
    }

    proptest! {
        #[test]
        fn any_line_gives_an_answer(line in "(?s)[ -~]{0,80}", group in "[/.a-z]{0,20}") {
            if let Some(mount) = mounted(&line) {
                prop_assert!(mount.dir_of(&group).starts_with(&mount.point));
            }
            let _group = group_in(&line, Version::V1, "cpu");
        }
    }
}
