//! Where to connect, as whom, and how privately.

use std::{fmt, path::PathBuf, str::FromStr, time::Duration};

/// A server address. TCP means TCP: a host is never swapped for the local UNIX socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Host name or address, and port.
    Tcp {
        /// Name, IPv4 or IPv6 address without brackets.
        host: String,
        /// Port, 3306 where nothing else was said.
        port: u16,
    },
    /// Path of a UNIX socket.
    Unix(PathBuf),
}

impl Endpoint {
    /// The port that MySQL listens on unless told otherwise.
    pub const DEFAULT_PORT: u16 = 3306;

    /// Whether it is on this machine, as far as its words tell: a socket, or the loopback.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Unix(_) => true,
            Self::Tcp { host, .. } => {
                host == "localhost"
                    || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
            }
        }
    }

    /// Reads `host`, `host:port`, `[v6]:port` or a bare IPv6 address.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the text.
    pub fn parse_tcp(text: &str, default_port: u16) -> Result<Self, String> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, tail) =
                    rest.split_once(']').ok_or_else(|| format!("`{text}` lacks its `]`"))?;
                (host, tail.strip_prefix(':'))
            }
            None if text.matches(':').count() > 1 => (text, None),
            None => match text.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        if host.is_empty() {
            return Err(format!("`{text}` names no host"));
        }
        let port = match port {
            None => default_port,
            Some(port) => {
                port.parse().map_err(|_| format!("`{port}` in `{text}` is not a port"))?
            }
        };
        Ok(Self::Tcp { host: host.to_owned(), port })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A password. It shows itself only when asked by name.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a password.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The password itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// How much privacy a TCP connection asks for, from none to most; the names are those of MySQL's
/// `--ssl-mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsMode {
    /// Never TLS.
    Disabled,
    /// TLS where the server offers it, plain text where it does not; nothing is verified.
    #[default]
    Preferred,
    /// TLS or no connection; nothing is verified.
    Required,
    /// TLS, and the certificate must lead to a given authority.
    VerifyCa,
    /// TLS, a certificate from a given authority, and it must name the host.
    VerifyIdentity,
}

impl TlsMode {
    /// Every mode with the name it has on a command line.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("disabled", Self::Disabled),
        ("preferred", Self::Preferred),
        ("required", Self::Required),
        ("verify-ca", Self::VerifyCa),
        ("verify-identity", Self::VerifyIdentity),
    ];
}

impl FromStr for TlsMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = text.to_ascii_lowercase().replace('_', "-");
        Self::NAMES.iter().find(|(name, _)| *name == wanted).map(|(_, mode)| *mode).ok_or_else(
            || {
                let names: Vec<_> = Self::NAMES.iter().map(|(name, _)| *name).collect();
                format!("`{text}` is no TLS mode; the modes are {}", names.join(", "))
            },
        )
    }
}

impl fmt::Display for TlsMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // NAMES lists every variant; an empty name would show in the first test that prints one.
        let name = Self::NAMES.iter().find(|(_, mode)| mode == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

/// TLS mode and the files that go with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// How much privacy is asked for.
    pub mode: TlsMode,
    /// Certificates of the authorities to trust, PEM; none means the public ones.
    pub ca: Option<PathBuf>,
    /// The client's own certificate, PEM.
    pub certificate: Option<PathBuf>,
    /// The key of that certificate, PEM.
    pub key: Option<PathBuf>,
}

/// Where to connect and as whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// One server, or the members of a cluster. Never empty when made by [`Target::new`].
    pub endpoints: Vec<Endpoint>,
    /// Account name.
    pub user: String,
    /// Its password, empty for none.
    pub password: Secret,
    /// Default database of the connections.
    pub database: Option<String>,
    /// Privacy of TCP connections.
    pub tls: Tls,
    /// How long one endpoint may take to answer and let us in.
    pub connect_timeout: Duration,
}

impl Target {
    /// A target with one endpoint, no default database, and TLS where the server offers it.
    pub fn new(endpoint: Endpoint, user: impl Into<String>, password: Secret) -> Self {
        Self {
            endpoints: vec![endpoint],
            user: user.into(),
            password,
            database: None,
            tls: Tls::default(),
            connect_timeout: Duration::from_secs(10),
        }
    }

    /// The same target with `database` as the default one.
    pub fn with_database(mut self, database: impl Into<String>) -> Self {
        self.database = Some(database.into());
        self
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn tcp(host: &str, port: u16) -> Endpoint {
        Endpoint::Tcp { host: host.into(), port }
    }

    #[test]
    fn endpoints_are_read_with_and_without_port() {
        assert_eq!(Endpoint::parse_tcp("db1", 3306), Ok(tcp("db1", 3306)));
        assert_eq!(Endpoint::parse_tcp("db1:4000", 3306), Ok(tcp("db1", 4000)));
        assert_eq!(Endpoint::parse_tcp("::1", 3306), Ok(tcp("::1", 3306)));
        assert_eq!(Endpoint::parse_tcp("[::1]:4000", 3306), Ok(tcp("::1", 4000)));
        assert_eq!(Endpoint::parse_tcp("[::1]", 3306), Ok(tcp("::1", 3306)));
    }

    #[test]
    fn bad_endpoints_are_named() {
        for (text, word) in [("", "host"), (":3306", "host"), ("a:x", "port"), ("[::1", "]")] {
            let error = Endpoint::parse_tcp(text, 3306).unwrap_err();
            assert!(error.contains(word), "{text:?}: {error}");
        }
        assert!(Endpoint::parse_tcp("a:65536", 3306).is_err());
    }

    #[test]
    fn a_secret_does_not_show_in_debug_output() {
        let target = Target::new(tcp("h", 1), "u", Secret::new("hunter2"));
        assert!(!format!("{target:?}").contains("hunter2"));
    }

    #[test]
    fn tls_modes_have_one_name_each_way() {
        for (name, mode) in TlsMode::NAMES {
            assert_eq!(name.parse(), Ok(mode));
            assert_eq!(mode.to_string(), name);
        }
        assert_eq!("VERIFY_CA".parse(), Ok(TlsMode::VerifyCa));
        assert!("maybe".parse::<TlsMode>().unwrap_err().contains("verify-identity"));
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(host in "[a-z0-9.:]{1,20}", port: u16) {
            prop_assume!(!host.is_empty());
            let shown = tcp(&host, port).to_string();
            let multi = host.matches(':').count() != 1;
            prop_assume!(multi);
            prop_assert_eq!(Endpoint::parse_tcp(&shown, 1), Ok(tcp(&host, port)));
        }

        #[test]
        fn any_text_gives_an_answer(text in ".{0,40}") {
            let _answer = Endpoint::parse_tcp(&text, 3306);
        }
    }
}
