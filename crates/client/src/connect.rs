//! Making a connection: endpoints in turn, privacy as asked.

use crate::{
    connection::Connection,
    error::{Error, ErrorClass},
    target::{Endpoint, Target, Tls, TlsMode},
    wire::guarded,
};
use mysql_async::{Conn, DriverError, IoError, Opts, OptsBuilder, SslOpts};
use std::{io, path::Path};
use tokio::time::timeout;

/// The largest packet that either side sends, bytes. MySQL's protocol allows no more in one.
const MAX_ALLOWED_PACKET_BYTES: usize = 16 * 1024 * 1024;

/// The number that MySQL's own client library gives a login it does not know how to do.
const AUTH_PLUGIN_CANNOT_LOAD: u16 = 2059;

/// A name that no certificate has, for connections that do not look at names. The wire library
/// forgives a wrong name where the verifier's complaint holds `NotValidForName`, which the
/// verifier no longer says by itself but only when it quotes the name that was asked for; all
/// else about the certificate has been verified by then. A test with a real server watches this.
const ANY_NAME: &str = "NotValidForName.invalid";

impl Connection {
    /// Connects to the first endpoint that lets us in.
    ///
    /// # Errors
    /// The last endpoint's refusal, when none does.
    pub async fn connect(target: &Target) -> Result<Self, Error> {
        Self::connect_nth(target, 0).await
    }

    /// Connects to endpoint `nth` (modulo their number), so that many connections spread over a
    /// cluster; where it cannot be reached or is full, the others are tried in turn.
    ///
    /// # Errors
    /// The last endpoint's refusal, when none lets us in. A refused login ends the search: the
    /// other members would refuse it as well.
    pub async fn connect_nth(target: &Target, nth: usize) -> Result<Self, Error> {
        let count = target.endpoints.len();
        let mut last = Error::Connect { endpoint: "nowhere".into(), reason: "no endpoint".into() };
        for step in 0..count {
            // Reduced first, because the sum of any two numbers may overflow.
            match connect_to(target, &target.endpoints[(nth % count + step) % count]).await {
                Ok(connection) => return Ok(connection),
                Err(error) if concerns_the_endpoint(&error) => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }
}

/// True where another member of a cluster may well let us in.
fn concerns_the_endpoint(error: &Error) -> bool {
    error.class() == ErrorClass::ConnectionLost || error.is_too_many_connections()
}

async fn connect_to(target: &Target, endpoint: &Endpoint) -> Result<Connection, Error> {
    let attempts = async {
        match attempt(target, endpoint, target.tls.mode).await {
            // Nothing is verified in this mode, so that plain text is no weaker against anybody
            // who could make TLS fail. MySQL's clients do the same.
            Err(Refused::NoTls | Refused::Handshake(_))
                if target.tls.mode == TlsMode::Preferred =>
            {
                attempt(target, endpoint, TlsMode::Disabled).await
            }
            outcome => outcome,
        }
    };
    let outcome = timeout(target.connect_timeout, attempts).await.unwrap_or_else(|_elapsed| {
        Err(Refused::Because(format!("no answer within {:?}", target.connect_timeout)))
    });
    outcome
        .map(|conn| Connection::new(conn, endpoint.to_string()))
        .map_err(|refused| refused.into_error(endpoint, &target.user))
}

async fn attempt(target: &Target, endpoint: &Endpoint, mode: TlsMode) -> Result<Conn, Refused> {
    let opts = wire_options(target, endpoint, mode)?;
    guarded(Conn::new(opts)).await.map_err(|error| match error {
        mysql_async::Error::Driver(DriverError::NoClientSslFlagFromServer) => Refused::NoTls,
        // Only what comes out of the TLS library has this kind.
        mysql_async::Error::Io(IoError::Io(error))
            if error.kind() == io::ErrorKind::InvalidData && mode != TlsMode::Disabled =>
        {
            Refused::Handshake(error)
        }
        // What is wrong before the first byte is wrong with what we were given.
        mysql_async::Error::Io(IoError::Tls(error)) => Refused::Because(given(&target.tls, &error)),
        mysql_async::Error::Driver(error @ DriverError::NoKeyFound) => {
            Refused::Because(given(&target.tls, &error))
        }
        mysql_async::Error::Driver(
            error @ (DriverError::UnknownAuthPlugin { .. }
            | DriverError::CleartextPluginDisabled
            | DriverError::MysqlOldPasswordDisabled),
        ) => Refused::Plugin(error),
        error => Refused::Wire(error),
    })
}

/// Why an endpoint did not let us in.
enum Refused {
    NoTls,
    Handshake(io::Error),
    Plugin(DriverError),
    Because(String),
    Wire(mysql_async::Error),
}

impl Refused {
    fn into_error(self, endpoint: &Endpoint, user: &str) -> Error {
        let connect = |reason| Error::Connect { endpoint: endpoint.to_string(), reason };
        match self {
            Self::NoTls => connect(
                "the server offers no TLS; allow plain text with --tls-mode preferred".into(),
            ),
            Self::Handshake(error) => connect(with_advice(&error.to_string())),
            Self::Plugin(error) => Error::Server {
                code: AUTH_PLUGIN_CANNOT_LOAD,
                state: "HY000".into(),
                message: format!(
                    "login of '{user}': {error} MySQL asks for a random one where there is no such \
                     account: check the name. To change that of an account: ALTER USER … \
                     IDENTIFIED WITH caching_sha2_password BY …"
                ),
            },
            Self::Because(reason) => connect(reason),
            Self::Wire(error) => match Error::from_wire(error, "") {
                Error::Lost { reason, .. } => connect(reason),
                Error::Protocol(reason) => connect(reason),
                refusal => refusal,
            },
        }
    }
}

/// What is wrong with the files of the TLS options, all of which are named: the TLS library does
/// not say which one it means.
fn given(tls: &Tls, error: &dyn std::error::Error) -> String {
    let files = [("--tls-ca", &tls.ca), ("--tls-cert", &tls.certificate), ("--tls-key", &tls.key)];
    let named = files.iter().filter_map(|(option, path)| {
        path.as_ref().map(|path| format!("{option} {}: ", path.display()))
    });
    format!("{}{error}", named.collect::<String>())
}

/// What the TLS library says, and what could be done about it.
fn with_advice(reason: &str) -> String {
    let advice = [
        ("UnknownIssuer", "name its authority with --tls-ca"),
        ("not valid for name", "use a host name that it has, or --tls-mode verify-ca"),
        // Older recipes for MySQL make such certificates.
        (
            "UnsupportedCertVersion",
            "only certificates of X.509 version 3 will do: give the server a new one, or allow \
             plain text with --tls-mode preferred",
        ),
    ];
    let found = advice.iter().find(|(sign, _)| reason.contains(sign));
    found.map_or_else(
        || format!("TLS: {reason}"),
        |(_, way_out)| format!("TLS: {reason}; {way_out}"),
    )
}

fn wire_options(target: &Target, endpoint: &Endpoint, mode: TlsMode) -> Result<Opts, Refused> {
    let builder = OptsBuilder::default()
        .user(Some(target.user.as_str()))
        .pass(Some(target.password.expose()))
        .db_name(target.database.as_deref())
        .prefer_socket(false)
        .stmt_cache_size(0)
        .tcp_nodelay(true)
        // Given here, they need not be asked of the server on every connect.
        .max_allowed_packet(Some(MAX_ALLOWED_PACKET_BYTES))
        .wait_timeout(Some(28_800));
    let builder = match endpoint {
        Endpoint::Tcp { host, port } => builder
            .ip_or_hostname(host.as_str())
            .tcp_port(*port)
            .ssl_opts(tls_options(&target.tls, mode)?),
        Endpoint::Unix(path) => {
            if matches!(mode, TlsMode::Required | TlsMode::VerifyCa | TlsMode::VerifyIdentity) {
                return Err(Refused::Because(format!(
                    "TLS mode {mode} is for TCP; a UNIX socket never leaves the machine: \
                     use --host, or --tls-mode preferred"
                )));
            }
            let path = path.to_str().ok_or_else(|| {
                Refused::Because("the path of the socket is not valid UTF-8".into())
            })?;
            builder.socket(Some(path))
        }
    };
    Ok(builder.into())
}

fn tls_options(tls: &Tls, mode: TlsMode) -> Result<Option<SslOpts>, Refused> {
    if mode == TlsMode::Disabled {
        return Ok(None);
    }
    let mut options = SslOpts::default();
    match mode {
        TlsMode::VerifyCa => {
            options = options
                .with_danger_skip_domain_validation(true)
                .with_danger_tls_hostname_override(Some(ANY_NAME));
        }
        TlsMode::VerifyIdentity => {}
        _ => options = options.with_danger_accept_invalid_certs(true),
    }
    if let Some(ca) = &tls.ca {
        readable(ca, "--tls-ca")?;
        // A named authority replaces the public ones: trusting both would verify too little.
        options =
            options.with_disable_built_in_roots(true).with_root_certs(vec![ca.clone().into()]);
    }
    match (&tls.certificate, &tls.key) {
        (Some(certificate), Some(key)) => {
            readable(certificate, "--tls-cert")?;
            readable(key, "--tls-key")?;
            options = options.with_client_identity(Some(mysql_async::ClientIdentity::new(
                certificate.clone().into(),
                key.clone().into(),
            )));
        }
        (None, None) => {}
        _ => return Err(Refused::Because("--tls-cert and --tls-key go together".into())),
    }
    Ok(Some(options))
}

fn readable(path: &Path, option: &str) -> Result<(), Refused> {
    std::fs::File::open(path)
        .map(drop)
        .map_err(|error| Refused::Because(format!("{option} {}: {error}", path.display())))
}
