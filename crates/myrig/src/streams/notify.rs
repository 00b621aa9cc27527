//! Telling whoever started the daemon that it is ready: systemd's protocol (sd_notify(3)), which
//! `myrig streams start` speaks with the daemon that it starts, too.

use std::{
    env, io,
    os::{
        linux::net::SocketAddrExt,
        unix::{
            ffi::{OsStrExt, OsStringExt},
            net::{SocketAddr, UnixDatagram},
        },
    },
    path::{Path, PathBuf},
    time::Duration,
};

/// The variable that says where to tell it.
pub(super) const VARIABLE: &str = "NOTIFY_SOCKET";

/// The most that a message may hold.
const MESSAGE_BYTES: usize = 4096;

/// Where to tell; nowhere for a daemon that nobody waits for.
#[derive(Debug, Default)]
pub(super) struct Notify(Option<(UnixDatagram, SocketAddr)>);

impl Notify {
    /// As the environment says.
    pub(super) fn of_environment() -> Self {
        let named = env::var_os(VARIABLE).filter(|name| !name.is_empty());
        Self(named.and_then(|name| {
            let bytes = name.into_vec();
            let address = match bytes.strip_prefix(b"@") {
                Some(name) => SocketAddr::from_abstract_name(name),
                None => SocketAddr::from_pathname(Path::new(std::ffi::OsStr::from_bytes(&bytes))),
            };
            Some((UnixDatagram::unbound().ok()?, address.ok()?))
        }))
    }

    /// It is ready, and does this.
    pub(super) fn ready(&self, words: &str) {
        self.tell(&format!("READY=1\nSTATUS={}", one_line(words)));
    }

    /// What it does now.
    pub(super) fn status(&self, words: &str) {
        self.tell(&format!("STATUS={}", one_line(words)));
    }

    /// It is about to end.
    pub(super) fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    /// It cannot begin, and why.
    pub(super) fn failed(&self, words: &str) {
        self.tell(&format!("ERRNO=1\nSTATUS={}", one_line(words)));
    }

    fn tell(&self, message: &str) {
        if let Some((socket, address)) = &self.0 {
            // Who has gone away need not be told.
            let _unheard = socket.send_to_addr(message.as_bytes(), address);
        }
    }
}

fn one_line(words: &str) -> String {
    words.replace('\n', " ").chars().take(MESSAGE_BYTES / 4 - 100).collect()
}

/// What a daemon has told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// It is ready.
    Ready,
    /// It cannot begin, and why.
    Failed(String),
}

/// Hears what a daemon tells. Dropping it removes the socket.
#[derive(Debug)]
pub(super) struct Listener {
    socket: UnixDatagram,
    path: PathBuf,
}

impl Listener {
    /// Listens at `path`, where nothing is yet.
    ///
    /// # Errors
    /// The path is too long for a socket's name, or its directory cannot be written.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        let socket = UnixDatagram::bind(path)?;
        Ok(Self { socket, path: path.to_owned() })
    }

    /// What was told within `limit`, if anything that matters was.
    pub(super) fn wait(&self, limit: Duration) -> io::Result<Option<Told>> {
        self.socket.set_read_timeout(Some(limit))?;
        let mut message = [0; MESSAGE_BYTES];
        match self.socket.recv(&mut message) {
            Ok(length) => Ok(understood(&String::from_utf8_lossy(&message[..length]))),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // Nobody takes its name again: it has this process's number.
        let _left = std::fs::remove_file(&self.path);
    }
}

fn understood(message: &str) -> Option<Told> {
    let value = |name: &str| message.lines().find_map(|line| line.strip_prefix(name));
    if value("ERRNO=").is_some() {
        return Some(Told::Failed(value("STATUS=").unwrap_or("no reason given").to_owned()));
    }
    (value("READY=") == Some("1")).then_some(Told::Ready)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn towards(path: &Path) -> Notify {
        let address = SocketAddr::from_pathname(path).unwrap();
        Notify(Some((UnixDatagram::unbound().unwrap(), address)))
    }

    #[test]
    fn what_is_told_is_understood() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ready");
        let listener = Listener::at(&path).unwrap();
        let notify = towards(&path);
        let long = Duration::from_secs(30);
        notify.status("reading");
        assert_eq!(listener.wait(long).unwrap(), None);
        notify.ready("2 directories\nREADY=0");
        assert_eq!(listener.wait(long).unwrap(), Some(Told::Ready));
        notify.failed("no such\ndirectory");
        assert_eq!(listener.wait(long).unwrap(), Some(Told::Failed("no such directory".into())));
        assert_eq!(listener.wait(Duration::from_millis(1)).unwrap(), None);
        drop(listener);
        assert!(!path.exists());
        notify.stopping();
    }

    #[test]
    fn without_anybody_to_tell_nothing_is_told() {
        Notify::default().ready("x");
    }
}
