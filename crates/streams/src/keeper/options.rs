//! What a keeper is told: targets, options, and whom to tell what happens.

use std::{fmt, path::Path, path::PathBuf, sync::Arc, time::Duration};

use super::{Trouble, TroubleAt};
use crate::{Lifetime, Rules};

/// A directory whose files get hints.
#[derive(Clone, Debug)]
pub struct Target {
    /// The directory, absolute.
    pub dir: PathBuf,
    /// What its files get.
    pub rules: Rules,
}

/// Who is told of news.
pub type Listener = Arc<dyn Fn(&News<'_>) + Send + Sync>;

/// How a keeper works.
#[derive(Clone)]
pub struct Options {
    /// How often each known file is looked at, at best; 10 seconds.
    pub check_every: Duration,
    /// How many known files are looked at a second, at most; 100. With more files than this allows
    /// for, [`Options::check_every`] stretches: 100,000 files take 17 minutes.
    pub checks_per_second: u32,
    /// How often directories are read again that cannot be watched; 5 seconds.
    pub rescan_every: Duration,
    /// How many directories are watched at most; no limit but the kernel's. Those beyond are read
    /// again every so often.
    pub watches_max: usize,
    /// Waits for targets that are missing instead of refusing to start; no.
    pub await_missing: bool,
    /// Is told what happens, by the keeper's thread, which it must not keep waiting.
    pub news: Option<Listener>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            check_every: Duration::from_secs(10),
            checks_per_second: 100,
            rescan_every: Duration::from_secs(5),
            watches_max: usize::MAX,
            await_missing: false,
            news: None,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("check_every", &self.check_every)
            .field("checks_per_second", &self.checks_per_second)
            .field("rescan_every", &self.rescan_every)
            .field("watches_max", &self.watches_max)
            .field("await_missing", &self.await_missing)
            .field("news", &self.news.is_some())
            .finish()
    }
}

/// Something that happened. Its text is a line for a log.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum News<'a> {
    /// A file got its hint.
    Set {
        /// The file.
        path: &'a Path,
        /// The hint.
        lifetime: Lifetime,
        /// It had it before, and lost it.
        again: bool,
    },
    /// A file no longer matches a rule, and its hint was taken away.
    Cleared {
        /// The file.
        path: &'a Path,
    },
    /// Something could not be done; told again only when the reason changes.
    Failed(&'a TroubleAt),
    /// Two names of one file have rules that want different hints. It has one hint; told again only
    /// after they have agreed.
    Conflict {
        /// The name whose rule decides.
        path: &'a Path,
        /// What it says.
        lifetime: Lifetime,
        /// A name whose rule is not heard.
        other: &'a Path,
        /// What that says.
        unheard: Lifetime,
    },
    /// The kernel lost events; everything is looked at again.
    Overflow,
    /// A target is watched (again).
    Found {
        /// As it was given.
        dir: &'a Path,
    },
    /// A target is gone; it is waited for.
    Lost {
        /// As it was given.
        dir: &'a Path,
        /// Why it cannot be watched.
        why: Trouble,
    },
    /// Other rules hold from here on.
    Reloaded,
}

impl fmt::Display for News<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set { path, lifetime, again } => {
                let again = if *again { " again, which was lost" } else { "" };
                write!(f, "{}: set hint {lifetime}{again}", path.display())
            }
            Self::Cleared { path } => {
                write!(f, "{}: took the hint away, no rule matches now", path.display())
            }
            Self::Failed(trouble) => write!(f, "{trouble}"),
            Self::Conflict { path, lifetime, other, unheard } => write!(
                f,
                "{}: keeps hint {lifetime}; {} is the same file, and its rule for {unheard} comes \
                 later",
                path.display(),
                other.display()
            ),
            Self::Overflow => f.write_str("the kernel lost events; looking at every file again"),
            Self::Found { dir } => write!(f, "{}: watching", dir.display()),
            Self::Lost { dir, why } => write!(f, "{}: waiting for it: {why}", dir.display()),
            Self::Reloaded => f.write_str("new rules; looking at every file again"),
        }
    }
}
