//! Where things are kept.

use crate::failure::Failure;
use anyhow::Context;
use lab::store::Store;
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The home of instances, runs and reports.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    home: PathBuf,
    runtime: PathBuf,
}

impl Paths {
    /// The home that was named, or the usual one.
    pub(crate) fn new(named: Option<PathBuf>) -> Result<Self, Failure> {
        let usual = || {
            let data = env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
            let data =
                data.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".local/share")));
            data.map(|data| data.join("myrig"))
        };
        let is_named = named.is_some();
        let home = named.or_else(usual).ok_or_else(|| {
            Failure::usage("there is no home directory: say --home DIR, or set MYRIG_HOME")
        })?;
        let own = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|p| p.is_absolute());
        let runtime = match own {
            _ if is_named => home.join("run"),
            _ if rustix::process::geteuid().is_root() => "/run/myrig".into(),
            Some(own) => own.join("myrig"),
            None => home.join("run"),
        };
        Ok(Self { home, runtime })
    }

    /// The home.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Where what runs in the background has its locks and sockets: in a home that was named, else
    /// the machine's place for root and the session's for others.
    pub(crate) fn runtime(&self) -> &Path {
        &self.runtime
    }

    /// Opens the store of runs, making it where there is none.
    pub(crate) fn store(&self) -> Result<Store, Failure> {
        self.prepare()?;
        let opened = Store::open(self.home.join("runs.sqlite"));
        Ok(opened.with_context(|| format!("--home {}", self.home.display()))?)
    }

    /// What experiments hold, a directory each.
    pub(crate) fn experiments(&self) -> PathBuf {
        self.home.join("experiments")
    }

    /// The report of a run.
    pub(crate) fn report(&self, run: &str) -> PathBuf {
        self.home.join("reports").join(format!("{run}.html"))
    }

    /// Makes sure that the home can be written to, before anything takes its time.
    pub(crate) fn prepare(&self) -> Result<(), Failure> {
        let reports = self.home.join("reports");
        fs::create_dir_all(&reports).map_err(|error| {
            Failure::from(anyhow::anyhow!(
                "the home {} cannot be written to: {error}; name another with --home",
                self.home.display()
            ))
        })
    }
}
