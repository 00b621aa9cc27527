//! `init`: an instance is made in a draft directory and appears under its name when it is whole.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use host::{Placement, Size, Topology};

use crate::{
    account,
    bootstrap::bootstrap,
    data,
    error::Error,
    home::{Home, InstanceName, Layout},
    installation::Installation,
    instance::Instance,
    limits::check_room,
    lock::Lock,
    options::{self, Settings},
    port,
    process::{Hold, ProcessTable},
    record::{self, FORMAT, InstanceRecord, write_private},
};

/// How long a killed server may take to be gone.
const KILL_DEADLINE: Duration = Duration::from_secs(10);

/// What a new instance is to be.
#[derive(Clone, Debug)]
pub struct InitOptions {
    /// Its port on 127.0.0.1; without one, a free port is chosen and kept.
    pub port: Option<u16>,
    /// Server settings over the base of every instance.
    pub settings: Settings,
    /// Limits on processor time and memory, from its start on.
    pub size: Size,
    /// Processors and NUMA nodes, from its start on.
    pub placement: Placement,
    /// A directory for the data, on the device to be measured, say; it must not exist, or be
    /// empty. Without one, the data lies in the instance's own directory.
    pub data: Option<PathBuf>,
    /// How long the server may take to make its data directory.
    pub deadline: Duration,
}

impl Default for InitOptions {
    fn default() -> Self {
        Self {
            port: None,
            settings: Settings::new(),
            size: Size::UNLIMITED,
            placement: Placement::default(),
            data: None,
            deadline: Duration::from_secs(300),
        }
    }
}

impl Instance {
    /// Makes an instance; it is stopped. An `init` that fails or is killed leaves nothing that
    /// looks like an instance; what it leaves is cleared by the next `init` in the same home.
    ///
    /// # Errors
    /// [`Error::Exists`], [`Error::Busy`] when another `init` is making it, [`Error::Home`] for a
    /// directory that cannot be written, [`Error::SocketPath`] for one with too long a path,
    /// [`Error::Setting`], [`Error::Size`], [`Error::Beyond`] for settings without room,
    /// [`Error::Limit`], [`Error::Placement`], [`Error::Data`],
    /// [`Error::DiskFull`], and [`Error::Init`] with the server's words.
    pub async fn init(
        home: &Home,
        name: &InstanceName,
        installation: &Installation,
        options: &InitOptions,
    ) -> Result<Self, Error> {
        let layout = home.layout(name);
        layout.check_socket()?;
        options.size.check()?;
        let data = options.data.clone().unwrap_or_else(|| layout.data());
        check_room(installation.release(), &options.settings, &options.size, &data)?;
        options.placement.check(&Topology::of(&host::Root::real()))?;
        let port = choose_port(home, options.port)?;
        let text = options::render(&layout, installation, port, &options.settings)?;
        let draft = Draft::begin(home, name)?;
        let record = InstanceRecord {
            format: FORMAT,
            name: name.clone(),
            installation: installation.clone(),
            port,
            settings: options.settings.clone(),
            size: options.size,
            placement: options.placement.clone(),
            data: options.data.as_deref().map(data::absolute).transpose()?,
        };
        draft.fill(&record, &text, options.deadline).await?;
        draft.publish(&layout)?;
        Ok(Self { home: home.clone(), layout, record })
    }
}

/// The port that is asked for, or a free one that no other instance has.
pub(crate) fn choose_port(home: &Home, port: Option<u16>) -> Result<u16, Error> {
    match port {
        Some(0) => {
            let reason = "0 is no port; leave --port out to have one chosen".into();
            Err(Error::Setting { name: "port".into(), reason })
        }
        Some(port) => Ok(port),
        None => {
            let others = Instance::list(home)?;
            let taken: Vec<u16> = others.iter().flatten().map(Instance::port).collect();
            port::pick(&mut rand::rng(), &taken)
        }
    }
}

/// An instance in the making; its directory goes when it is dropped before it was published.
#[derive(Debug)]
pub(crate) struct Draft {
    /// Its files as long as it is one.
    pub(crate) layout: Layout,
    published: bool,
    _lock: Lock,
}

impl Draft {
    /// Lays claim to a name.
    pub(crate) fn begin(home: &Home, name: &InstanceName) -> Result<Self, Error> {
        home.create()?;
        // One init at a time looks at what others left and lays its claim; then they go on side
        // by side.
        let _claim = claim(home)?;
        clear_unfinished(home)?;
        if home.layout(name).dir().exists() {
            return Err(Error::Exists(name.clone()));
        }
        let layout = home.draft(name);
        match layout.create() {
            // What nobody holds has just been cleared, so that this one is being made.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(match Lock::take(&layout.lock(), name.as_str(), "init") {
                    Err(busy @ Error::Busy { .. }) => busy,
                    // It has been finished in this very instant.
                    _ => Error::Exists(name.clone()),
                });
            }
            made => made.map_err(|source| Error::home(layout.dir(), source))?,
        }
        let lock = Lock::create(&layout.lock(), name.as_str(), "init").inspect_err(|_| {
            // It holds nothing yet; if it stays, the next init clears it.
            let _ = fs::remove_dir_all(layout.dir());
        })?;
        Ok(Self { layout, published: false, _lock: lock })
    }

    async fn fill(
        &self,
        record: &InstanceRecord,
        options: &str,
        deadline: Duration,
    ) -> Result<(), Error> {
        let layout = &self.layout;
        layout.create_within(record.data.as_deref())?;
        let password = account::random_password(&mut rand::rng());
        for (path, text) in [
            (layout.options(), options.to_owned()),
            (layout.password(), format!("{}\n", password.expose())),
        ] {
            let written = write_private(&path, text.as_bytes());
            written.map_err(|source| Error::io("write", &path, source))?;
        }
        bootstrap(&record.name, layout, &record.installation, &password, deadline).await?;
        record::write(&layout.instance_record(), record)?;
        record::sync_dir(layout.dir())
    }

    /// Gives it its name.
    pub(crate) fn publish(mut self, layout: &Layout) -> Result<(), Error> {
        let moved = fs::rename(self.layout.dir(), layout.dir());
        moved.map_err(|source| Error::io("create", layout.dir(), source))?;
        self.published = true;
        layout.dir().parent().map_or(Ok(()), record::sync_dir)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.published {
            // What stays is cleared by the next init.
            let _ = clear(&self.layout);
        }
    }
}

/// Waits for its turn: others hold this lock for an instant, or while they clear leftovers.
fn claim(home: &Home) -> Result<fs::File, Error> {
    let path = home.servers().join(".lock");
    let open = || {
        let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
        file.lock()?;
        Ok(file)
    };
    open().map_err(|source| Error::home(&path, source))
}

/// Removes what killed commands left: drafts and removed instances that nobody holds.
fn clear_unfinished(home: &Home) -> Result<(), Error> {
    for layout in home.unfinished()? {
        let path = layout.lock();
        match Lock::take(&path, &layout.dir().to_string_lossy(), "clear") {
            Err(Error::Busy { .. }) => {}
            // Without a lock file nothing has begun yet, or nearly all is deleted.
            Err(_) if !path.exists() => clear(&layout)?,
            taken => {
                let _lock = taken?;
                clear(&layout)?;
            }
        }
    }
    Ok(())
}

/// Removes a directory, and a server that is still filling it.
fn clear(layout: &Layout) -> Result<(), Error> {
    while let Some(process) = ProcessTable::real().server_on(&layout.data()) {
        let end = || {
            let Some(hold) = Hold::take(process)? else { return Ok(true) };
            hold.kill()?;
            hold.ended_within_blocking(KILL_DEADLINE)
        };
        match end() {
            Ok(true) => {}
            Ok(false) => return Err(remains(layout.dir(), io::ErrorKind::TimedOut.into())),
            Err(error) => return Err(remains(layout.dir(), error)),
        }
    }
    data::remove(layout)?;
    match fs::remove_dir_all(layout.dir()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(remains(layout.dir(), error)),
        _ => Ok(()),
    }
}

fn remains(path: &Path, source: io::Error) -> Error {
    Error::io("remove", path, source)
}
