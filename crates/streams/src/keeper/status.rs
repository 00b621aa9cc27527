//! What a keeper says of itself.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use rustix::io::Errno;
use serde::{Serialize, Serializer};

use crate::Lifetime;

/// Why something could not be done: an error number of the system's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble(pub i32);

impl From<Errno> for Trouble {
    fn from(errno: Errno) -> Self {
        Self(errno.raw_os_error())
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = match self.0 {
            libc::EPERM => "not its owner; run as the owner or with CAP_FOWNER",
            libc::EACCES => "permission denied; run as its owner or with CAP_DAC_READ_SEARCH",
            libc::EINVAL => "this kernel knows no write hints for files (Linux 4.13 and later do)",
            libc::EAGAIN => "another process holds a lease on it; it will be tried again",
            libc::ELOOP => "a symbolic link stands in its path",
            libc::ENOENT => "there is no such directory",
            libc::ENOTDIR => "it is not a directory",
            libc::ENOSPC => {
                "no more directories can be watched: raise the limit with `sysctl \
                 fs.inotify.max_user_watches=…`; until then it is read every few seconds"
            }
            libc::EBUSY => {
                "it is watched by another path already, as what is mounted twice; it is read every \
                 few seconds"
            }
            libc::EMFILE => {
                "too many files or inotify instances are open; raise `ulimit -n` or `sysctl \
                 fs.inotify.max_user_instances=…`"
            }
            other => return write!(f, "{}", std::io::Error::from_raw_os_error(other)),
        };
        f.write_str(known)
    }
}

impl Serialize for Trouble {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Where, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TroubleAt {
    /// The file or directory.
    #[serde(serialize_with = "lossily")]
    pub path: PathBuf,
    /// The reason.
    pub why: Trouble,
}

impl fmt::Display for TroubleAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

/// What a keeper knows at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The targets, in the order in which they were given.
    pub targets: Vec<TargetStatus>,
    /// What it has done since it was started.
    pub counters: Counters,
}

impl Status {
    /// The files of all targets.
    pub fn files(&self) -> impl Iterator<Item = &FileStatus> {
        self.targets.iter().flat_map(|target| &target.files)
    }
}

/// A target at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TargetStatus {
    /// Its directory, as it was given.
    #[serde(serialize_with = "lossily")]
    pub dir: PathBuf,
    /// Why it is not there, if it is not.
    pub missing: Option<Trouble>,
    /// How many directories it has, itself included.
    pub directories: usize,
    /// Those that are not watched, but read every so often.
    pub unwatched: Vec<TroubleAt>,
    /// Files that a rule matches, by their path.
    pub files: Vec<FileStatus>,
}

/// A file that a rule matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileStatus {
    /// Its absolute path, symbolic links resolved.
    #[serde(serialize_with = "lossily")]
    pub path: PathBuf,
    /// Line of the rule in its file.
    pub line: usize,
    /// What it should have: what that rule says, unless it is overruled.
    pub wanted: Lifetime,
    /// What the inode said when the file was last looked at; none if it never could be.
    pub real: Option<Lifetime>,
    /// Why it could not be looked at or set.
    pub trouble: Option<Trouble>,
    /// The same file has another name whose rule wants another hint, and comes first.
    pub overruled: Option<Box<Overruled>>,
}

/// Why a name's own rule is not heard. Boxed, since it is rare and files are many.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overruled {
    /// What its own rule says.
    pub own: Lifetime,
    /// The name of the same file whose rule decides.
    #[serde(serialize_with = "lossily")]
    pub by: PathBuf,
}

impl FileStatus {
    /// It has the hint that it should have.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.real == Some(self.wanted)
    }
}

/// What a keeper has done since it was started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Hints given to files that had another or none.
    pub set: u64,
    /// Hints set again that had been lost; not counted in `set`.
    pub set_again: u64,
    /// Hints taken away because no rule matched any more.
    pub cleared: u64,
    /// Looks at files.
    pub checks: u64,
    /// Looks that failed.
    pub failures: u64,
    /// Directories read.
    pub scans: u64,
    /// Times that the kernel lost events.
    pub overflows: u64,
    /// Times that a target was found (again).
    pub found: u64,
}

fn lossily<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}
