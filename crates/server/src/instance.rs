//! A named instance: what it is and how it is reached.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use client::{Endpoint, Secret, Target};
use host::{Placement, Size};

use crate::{
    account,
    error::Error,
    home::{Home, InstanceName, Layout},
    installation::Installation,
    lock::Lock,
    options::Settings,
    process::ProcessTable,
    record::InstanceRecord,
    status::{Serving, Status},
};

/// How to reach an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// Its UNIX socket.
    Socket,
    /// Its port on 127.0.0.1.
    Tcp,
}

/// A database server of our own, with its data, options, port and password in one directory.
///
/// The value describes the instance; the instance itself lives on disk and in the process table,
/// so that several values, in several programs, may describe the same one.
#[derive(Clone, Debug)]
pub struct Instance {
    pub(crate) home: Home,
    pub(crate) layout: Layout,
    pub(crate) record: InstanceRecord,
}

impl Instance {
    /// The instance of that name.
    ///
    /// # Errors
    /// [`Error::NoInstance`]; [`Error::Record`] or [`Error::Io`] when its record cannot be read.
    pub fn open(home: &Home, name: &InstanceName) -> Result<Self, Error> {
        let layout = home.layout(name);
        if !layout.dir().is_dir() {
            return Err(Error::NoInstance { name: name.clone(), servers: home.servers().into() });
        }
        let record = InstanceRecord::read(&layout.instance_record())?;
        Ok(Self { home: home.clone(), layout, record })
    }

    /// Every instance of a home in the order of their names; one whose record cannot be read is
    /// an error in its place. A home that does not exist has none.
    ///
    /// # Errors
    /// [`Error::Home`] when the directory cannot be read.
    pub fn list(home: &Home) -> Result<Vec<Result<Self, Error>>, Error> {
        Ok(home.names()?.iter().map(|name| Self::open(home, name)).collect())
    }

    /// Its name.
    pub fn name(&self) -> &InstanceName {
        &self.record.name
    }

    /// The server that it runs.
    pub fn installation(&self) -> &Installation {
        &self.record.installation
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.record.port
    }

    /// The settings that were given to `init`.
    pub fn settings(&self) -> &Settings {
        &self.record.settings
    }

    /// Its limits on processor time and memory.
    pub fn size(&self) -> Size {
        self.record.size
    }

    /// Where it runs.
    pub fn placement(&self) -> &Placement {
        &self.record.placement
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        self.layout.dir()
    }

    /// The server's data directory.
    pub fn data_dir(&self) -> PathBuf {
        self.layout.data()
    }

    /// The server's UNIX socket.
    pub fn socket(&self) -> PathBuf {
        self.layout.socket()
    }

    /// The server's log.
    pub fn log(&self) -> PathBuf {
        self.layout.log()
    }

    /// The server's option file.
    pub fn options_file(&self) -> PathBuf {
        self.layout.options()
    }

    /// The file with the password of root, which only its owner can read.
    pub fn password_file(&self) -> PathBuf {
        self.layout.password()
    }

    /// Where to connect, as root.
    ///
    /// # Errors
    /// [`Error::Io`] when the password cannot be read.
    pub fn target(&self, via: Via) -> Result<Target, Error> {
        let endpoint = match via {
            Via::Socket => Endpoint::Unix(self.socket()),
            Via::Tcp => Endpoint::Tcp { host: "127.0.0.1".into(), port: self.port() },
        };
        let path = self.password_file();
        let text = fs::read_to_string(&path).map_err(|error| Error::io("read", &path, error))?;
        Ok(Target::new(endpoint, account::USER, Secret::new(text.trim_end())))
    }

    /// What the instance is doing now. Looks only: it waits for nobody and changes nothing.
    pub fn status(&self) -> Status {
        Status::of(self, &ProcessTable::real())
    }

    /// Locks the instance for a command, and reads its record afresh: another command may have
    /// changed it since.
    pub(crate) fn lock(&mut self, verb: &str) -> Result<Lock, Error> {
        match Lock::take(&self.layout.lock(), self.name().as_str(), verb) {
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                let servers = self.home.servers().to_owned();
                Err(Error::NoInstance { name: self.name().clone(), servers })
            }
            taken => {
                let lock = taken?;
                self.record = InstanceRecord::read(&self.layout.instance_record())?;
                Ok(lock)
            }
        }
    }

    pub(crate) fn serving(&self, process: crate::process::Identity) -> Serving {
        Serving {
            pid: process.pid,
            since: ProcessTable::real().started(process),
            port: self.port(),
            socket: self.socket(),
            version: self.installation().release().full.clone(),
        }
    }
}
