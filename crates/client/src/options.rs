//! What a person may say about a connection, in part: on a command line, in option files.

use crate::target::{Endpoint, Secret, Target, Tls, TlsMode};
use std::{path::PathBuf, time::Duration};

/// What decides between host and socket where both are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// TCP to the host.
    Tcp,
    /// The UNIX socket.
    Socket,
}

/// The address could not be made out of what was said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// A host that is none, in words.
    #[error("host: {0}")]
    Host(String),
    /// The protocol is `socket`, but there is none.
    #[error("protocol=socket needs the path of a socket: give --socket, or protocol=tcp")]
    NoSocket,
}

/// Options of a connection; what was not said is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Account name.
    pub user: Option<String>,
    /// Its password; an empty one is a password, too.
    pub password: Option<Secret>,
    /// Servers, each as [`Endpoint::parse_tcp`] reads it; option files can name only one.
    pub hosts: Vec<String>,
    /// Port of the hosts that name none.
    pub port: Option<u16>,
    /// Path of a UNIX socket.
    pub socket: Option<PathBuf>,
    /// Which of the two to take.
    pub protocol: Option<Protocol>,
    /// Default database.
    pub database: Option<String>,
    /// How private the connection is to be.
    pub tls_mode: Option<TlsMode>,
    /// Authorities to trust, PEM.
    pub tls_ca: Option<PathBuf>,
    /// The client's own certificate, PEM.
    pub tls_cert: Option<PathBuf>,
    /// Its key, PEM.
    pub tls_key: Option<PathBuf>,
    /// How long one endpoint may take to let us in.
    pub connect_timeout: Option<Duration>,
}

impl Options {
    /// These options, and the `weaker` ones where these say nothing. An address and a key pair
    /// are taken as a whole: a host of the command line is not undone by the socket of a file.
    pub fn over(self, weaker: Self) -> Self {
        let has_address = !self.hosts.is_empty() || self.socket.is_some();
        let has_pair = self.tls_cert.is_some() || self.tls_key.is_some();
        let address = |other: Option<PathBuf>| other.filter(|_| !has_address);
        let pair = |other: Option<PathBuf>| other.filter(|_| !has_pair);
        Self {
            user: self.user.or(weaker.user),
            password: self.password.or(weaker.password),
            hosts: if has_address { self.hosts } else { weaker.hosts },
            port: self.port.or(weaker.port),
            socket: self.socket.or_else(|| address(weaker.socket)),
            protocol: self.protocol.or(weaker.protocol.filter(|_| !has_address)),
            database: self.database.or(weaker.database),
            tls_mode: self.tls_mode.or(weaker.tls_mode),
            tls_ca: self.tls_ca.or(weaker.tls_ca),
            tls_cert: self.tls_cert.or_else(|| pair(weaker.tls_cert)),
            tls_key: self.tls_key.or_else(|| pair(weaker.tls_key)),
            connect_timeout: self.connect_timeout.or(weaker.connect_timeout),
        }
    }

    /// The servers to connect to. A host means TCP, `localhost` as well, and wins over a socket;
    /// the protocol, where it was said, decides. Nothing said is 127.0.0.1.
    ///
    /// # Errors
    /// A host that cannot be read, or the protocol `socket` without one.
    pub fn endpoints(&self) -> Result<Vec<Endpoint>, OptionsError> {
        match (self.protocol, &self.socket) {
            (Some(Protocol::Socket), None) => return Err(OptionsError::NoSocket),
            (Some(Protocol::Socket), Some(path)) => return Ok(vec![Endpoint::Unix(path.clone())]),
            (None, Some(path)) if self.hosts.is_empty() => {
                return Ok(vec![Endpoint::Unix(path.clone())]);
            }
            _ => {}
        }
        let port = self.port.unwrap_or(Endpoint::DEFAULT_PORT);
        if self.hosts.is_empty() {
            return Ok(vec![Endpoint::Tcp { host: "127.0.0.1".into(), port }]);
        }
        let parse = |host: &String| Endpoint::parse_tcp(host, port).map_err(OptionsError::Host);
        self.hosts.iter().map(parse).collect()
    }

    /// Privacy. An authority without a mode asks for its verification, as for MySQL's clients.
    pub fn tls(&self) -> Tls {
        let implied = if self.tls_ca.is_some() { TlsMode::VerifyCa } else { TlsMode::default() };
        Tls {
            mode: self.tls_mode.unwrap_or(implied),
            ca: self.tls_ca.clone(),
            certificate: self.tls_cert.clone(),
            key: self.tls_key.clone(),
        }
    }

    /// Where to connect and as whom: `default_user` where nobody was named.
    ///
    /// # Errors
    /// Those of [`Self::endpoints`].
    pub fn target(&self, default_user: &str) -> Result<Target, OptionsError> {
        let mut endpoints = self.endpoints()?;
        let user = self.user.as_deref().unwrap_or(default_user);
        let password = self.password.clone().unwrap_or_default();
        // `endpoints` is never empty.
        let mut target = Target::new(endpoints.remove(0), user, password);
        target.endpoints.extend(endpoints);
        target.database = self.database.clone();
        target.tls = self.tls();
        if let Some(timeout) = self.connect_timeout {
            target.connect_timeout = timeout;
        }
        Ok(target)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(host: &str) -> Options {
        Options { hosts: vec![host.into()], ..Options::default() }
    }

    fn on(socket: &str) -> Options {
        Options { socket: Some(socket.into()), ..Options::default() }
    }

    fn by(protocol: Protocol) -> Options {
        Options { protocol: Some(protocol), ..Options::default() }
    }

    fn shown(options: &Options) -> Vec<String> {
        options.endpoints().unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_host_means_tcp_and_the_protocol_decides() {
        assert_eq!(shown(&Options::default()), ["127.0.0.1:3306"]);
        assert_eq!(shown(&at("localhost").over(Options::default())), ["localhost:3306"]);
        assert_eq!(shown(&on("/s")), ["unix:/s"]);
        let both = Options { hosts: vec!["localhost".into()], ..on("/s") };
        assert_eq!(shown(&both), ["localhost:3306"]);
        assert_eq!(shown(&by(Protocol::Socket).over(both)), ["unix:/s"]);
        assert_eq!(shown(&by(Protocol::Tcp).over(on("/s"))), ["127.0.0.1:3306"]);
        assert_eq!(by(Protocol::Socket).endpoints(), Err(OptionsError::NoSocket));
        assert!(matches!(at("a:b").endpoints(), Err(OptionsError::Host(_))));
    }

    #[test]
    fn an_address_of_the_command_line_replaces_that_of_a_file() {
        let file = by(Protocol::Socket).over(on("/s"));
        assert_eq!(shown(&at("db1").over(file)), ["db1:3306"]);
        let file = by(Protocol::Tcp).over(at("db1"));
        assert_eq!(shown(&on("/s").over(file)), ["unix:/s"]);
        let port = Options { port: Some(4000), ..Options::default() };
        assert_eq!(shown(&at("db2").over(port.over(at("db1")))), ["db2:4000"]);
    }

    #[test]
    fn several_hosts_are_one_target() {
        let hosts = vec!["a".into(), "b:4000".into(), "::1".into()];
        let target = Options { hosts, ..Options::default() }.target("me").unwrap();
        let shown: Vec<_> = target.endpoints.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["a:3306", "b:4000", "[::1]:3306"]);
        assert_eq!(target.user, "me");
    }

    #[test]
    fn an_authority_asks_for_verification_unless_a_mode_was_said() {
        let with_ca = Options { tls_ca: Some("/ca".into()), ..Options::default() };
        assert_eq!(with_ca.tls().mode, TlsMode::VerifyCa);
        let said = Options { tls_mode: Some(TlsMode::Required), ..Options::default() };
        assert_eq!(said.over(with_ca).tls().mode, TlsMode::Required);
        assert_eq!(Options::default().tls().mode, TlsMode::Preferred);
    }

    #[test]
    fn a_certificate_and_its_key_come_from_one_place() {
        let file = Options {
            tls_cert: Some("/c".into()),
            tls_key: Some("/k".into()),
            ..Options::default()
        };
        let line = Options { tls_cert: Some("/mine".into()), ..Options::default() };
        assert_eq!(line.over(file).tls().key, None);
    }

    #[test]
    fn what_is_said_in_a_stronger_place_holds_field_by_field() {
        let strong = Options { user: Some("a".into()), ..Options::default() };
        let weak = Options {
            user: Some("b".into()),
            password: Some(Secret::new("pw")),
            database: Some("d".into()),
            connect_timeout: Some(Duration::from_secs(3)),
            ..Options::default()
        };
        let target = strong.over(weak).target("nobody").unwrap();
        assert_eq!((target.user.as_str(), target.password.expose()), ("a", "pw"));
        assert_eq!(target.database.as_deref(), Some("d"));
        assert_eq!(target.connect_timeout, Duration::from_secs(3));
    }
}
