//! Throw-away servers for tests, here and in other crates. Not part of the product: behind the
//! feature `scratch`.
//!
//! ```no_run
//! # async fn test() {
//! use server::{Flavour, scratch::{ScratchServer, Unavailable}};
//! let server = match ScratchServer::start(Flavour::MySql).await {
//!     Err(Unavailable::MySqlAbsent) => {
//!         println!("SKIPPED: MySQL 9 is not unpacked; run scripts/setup");
//!         return;
//!     }
//!     server => server.expect("a scratch server"),
//! };
//! let target = server.target();
//! # }
//! ```

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use client::Target;

use crate::{
    Error, Flavour, Home, InitOptions, Installation, Instance, Search, Settings, StartOptions, Via,
    process::{Hold, ProcessTable},
    status::Finding,
};

/// Names of the directories of scratch servers: this, the process that made it, a number.
const PREFIX: &str = "myrig-scratch-";

/// How long a killed server may take to be gone.
const KILL_DEADLINE: Duration = Duration::from_secs(20);

/// There is no scratch server to be had.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// MySQL 9 is optional: a test that wants it says loudly that it is skipped.
    #[error("MySQL 9 is not unpacked; run scripts/setup")]
    MySqlAbsent,
    /// Everything else is a failure.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// The server of that flavour that tests use: MariaDB from the distribution, MySQL 9 unpacked at
/// `${MYRIG_DEPS:-$HOME/.cache/myrig}/mysql-9`.
///
/// # Errors
/// [`Unavailable::MySqlAbsent`] when that directory does not exist.
pub async fn installation(flavour: Flavour) -> Result<Installation, Unavailable> {
    let mut search = Search { flavour: Some(flavour), ..Search::default() };
    if flavour == Flavour::MySql {
        let root = dependencies().map(|dir| dir.join("mysql-9")).filter(|dir| dir.is_dir());
        search.basedir = Some(root.ok_or(Unavailable::MySqlAbsent)?);
    }
    Ok(Installation::find(&search).await?)
}

fn dependencies() -> Option<PathBuf> {
    let cache = || env::var_os("HOME").map(|home| Path::new(&home).join(".cache/myrig"));
    env::var_os("MYRIG_DEPS").filter(|dir| !dir.is_empty()).map(PathBuf::from).or_else(cache)
}

/// Settings that make a small server that starts at once and syncs nothing.
pub fn quick_settings(flavour: Flavour) -> Settings {
    let redo = match flavour {
        Flavour::MariaDb => "innodb-log-file-size",
        Flavour::MySql | Flavour::Percona => "innodb-redo-log-capacity",
    };
    [
        (redo, "32M"),
        ("innodb-buffer-pool-size", "64M"),
        ("innodb-flush-log-at-trx-commit", "0"),
        ("innodb-flush-method", "nosync"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

/// A directory for instances that goes away with whatever runs in it.
#[derive(Debug)]
pub struct ScratchHome {
    dir: PathBuf,
}

impl ScratchHome {
    /// Makes a home with a short path below the system's directory for temporary files, and
    /// clears those of test programs that were killed.
    ///
    /// # Errors
    /// [`Error::Home`].
    pub fn create() -> Result<Self, Error> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let temporary = env::temp_dir();
        clear_abandoned(&temporary);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let dir = temporary.join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::create_dir(&dir).map_err(|source| Error::home(&dir, source))?;
        Ok(Self { dir })
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// The home in it.
    ///
    /// # Errors
    /// None in practice: the path is absolute.
    pub fn home(&self) -> Result<Home, Error> {
        Home::at(&self.dir)
    }
}

impl Drop for ScratchHome {
    fn drop(&mut self) {
        discard(&self.dir);
    }
}

/// A server that lives as long as the value: dropping it kills the server and removes its data.
#[derive(Debug)]
pub struct ScratchServer {
    instance: Instance,
    _home: ScratchHome,
}

impl ScratchServer {
    /// A small server of that flavour with [`quick_settings`].
    ///
    /// # Errors
    /// [`Unavailable::MySqlAbsent`]; [`Unavailable::Failed`] when it could not be started.
    pub async fn start(flavour: Flavour) -> Result<Self, Unavailable> {
        Self::start_with(flavour, Settings::new()).await
    }

    /// The same with further settings over the quick ones.
    ///
    /// # Errors
    /// As [`ScratchServer::start`].
    pub async fn start_with(flavour: Flavour, settings: Settings) -> Result<Self, Unavailable> {
        let installation = installation(flavour).await?;
        let scratch = ScratchHome::create()?;
        let mut all = quick_settings(flavour);
        all.extend(settings);
        let options = InitOptions { settings: all, ..InitOptions::default() };
        let (home, name) = (scratch.home()?, "s".parse()?);
        let mut instance = Instance::init(&home, &name, &installation, &options).await?;
        instance.start(&StartOptions::default()).await?;
        Ok(Self { instance, _home: scratch })
    }

    /// The instance, for tests that stop, kill or start it.
    pub fn instance(&mut self) -> &mut Instance {
        &mut self.instance
    }

    /// Where to connect as root, over TCP.
    ///
    /// # Errors
    /// [`Error::Io`] when the password cannot be read.
    pub fn target(&self) -> Result<Target, Error> {
        self.instance.target(Via::Tcp)
    }

    /// Where to connect as root, over the socket.
    ///
    /// # Errors
    /// As [`ScratchServer::target`].
    pub fn socket_target(&self) -> Result<Target, Error> {
        self.instance.target(Via::Socket)
    }
}

/// Kills what runs in a scratch directory and deletes it. Failures are left to the next test
/// program: there is nobody here to tell.
fn discard(dir: &Path) {
    let instances = Home::at(dir).and_then(|home| Instance::list(&home)).unwrap_or_default();
    for instance in instances.into_iter().flatten() {
        let process = Finding::of(&instance, &ProcessTable::real()).process();
        if let Some(Ok(Some(hold))) = process.map(Hold::take) {
            let _ = hold.kill();
            let _ = hold.ended_within_blocking(KILL_DEADLINE);
        }
        let _ = instance.clear_group();
    }
    let _ = fs::remove_dir_all(dir);
}

/// Discards the directories of test programs that are gone.
fn clear_abandoned(temporary: &Path) {
    for entry in fs::read_dir(temporary).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        let owner = owner.and_then(|pid| pid.parse().ok());
        if owner.is_some_and(|pid: u32| ProcessTable::real().identity(pid).is_none()) {
            discard(&entry.path());
        }
    }
}
