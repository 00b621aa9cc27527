//! What can go wrong with limits, and the way out.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

/// A limit that cannot be set, or that is not kept.
#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    /// More processors or memory than there are.
    #[error(
        "a limit of {wanted} is beyond this machine, which has {present}; give {option} less, or \
         leave it out"
    )]
    Beyond {
        /// What was asked for.
        wanted: String,
        /// What there is.
        present: String,
        /// The option that gave it.
        option: &'static str,
    },
    /// The kernel has no such controller, or nobody has mounted it.
    #[error(
        "this machine has no cgroup controller `{0}`, so that no such limit can be set: it is \
         compiled out, switched off at boot (cgroup_disable= in /proc/cmdline) or not mounted; \
         leave {option} out", option = option(.0)
    )]
    NoController(&'static str),
    /// A controller that is there, but not in the part of the tree that is ours.
    #[error(
        "the cgroup controller `{controller}` is not handed down to {}: start the command \
         within a tree that has it (`systemd-run --user --scope -p Delegate=yes myrig …`), or be \
         root", .path.display()
    )]
    NotDelegated {
        /// The controller.
        controller: &'static str,
        /// Where it is missing.
        path: PathBuf,
    },
    /// The hierarchy is mounted read-only, as containers have it.
    #[error(
        "{} is read-only, so that no limit can be set: a container needs its cgroup writable \
         (for Docker: --cgroupns=private and a writable /sys/fs/cgroup), or be limited itself",
        .0.display()
    )]
    ReadOnly(PathBuf),
    /// Somebody else's tree.
    #[error(
        "no right to make a cgroup in {}: be root, or start the command within a tree of your \
         own (`systemd-run --user --scope -p Delegate=yes myrig …`)", .0.display()
    )]
    NoPermission(PathBuf),
    /// Version 2 lets a group hold processes or limited groups, not both.
    #[error(
        "{} holds processes itself, so that it can hold no limited groups (cgroups version 2): \
         start the command within a tree of its own (`systemd-run --scope -p Delegate=yes \
         myrig …`)", .0.display()
    )]
    Populated(PathBuf),
    /// A process lives in the group that was to be made or removed.
    #[error("process {pid} is still in the cgroup {} after {waited:?}", .path.display())]
    InUse {
        /// The group.
        path: PathBuf,
        /// One of its processes.
        pid: u32,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The kernel has another limit than the one that was set.
    #[error("{} says `{found}` instead of `{wanted}`: the limit is not kept", .path.display())]
    NotKept {
        /// The file of the limit.
        path: PathBuf,
        /// What it should say.
        wanted: String,
        /// What it says.
        found: String,
    },
    /// A thread runs outside the group.
    #[error("thread {thread} of process {pid} is not in the cgroup {}", .path.display())]
    Outside {
        /// The process.
        pid: u32,
        /// The thread.
        thread: u32,
        /// The group.
        path: PathBuf,
    },
    /// The kernel says no.
    #[error("cannot {action} {}: {source}", .path.display())]
    Refused {
        /// A verb, and what is written where something is.
        action: String,
        /// The file or directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl CgroupError {
    /// A failure in the tree, in the words that name the way out.
    pub(super) fn of(action: impl Into<String>, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly(path),
            io::ErrorKind::PermissionDenied => Self::NoPermission(path),
            _ => Self::Refused { action: action.into(), path, source },
        }
    }
}

fn option(controller: &str) -> &'static str {
    match controller {
        "cpu" => "--cpus",
        _ => "--memory",
    }
}
