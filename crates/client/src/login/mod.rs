//! From an address to a connection that the server has let in.

mod auth;
mod greeting;
mod tls;

use crate::{
    error::Error,
    target::{Endpoint, Target, TlsMode},
    wire::{Channel, Fault, stream::Stream},
};
use greeting::{Greeting, capability};
use std::io;
use tls::TlsPlan;
use tokio::net::{TcpStream, UnixStream};

/// The number that MySQL's own client library gives a login it does not know how to do.
const AUTH_PLUGIN_CANNOT_LOAD: u16 = 2059;

/// Why an endpoint did not let us in.
pub(crate) enum Refused {
    /// It offers no TLS.
    NoTls,
    /// TLS could not be agreed on.
    Handshake(io::Error),
    /// It wants a login of this kind.
    Plugin(String),
    /// In words for whoever gave the options.
    Because(String),
    Wire(Fault),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self::Wire(fault)
    }
}

/// Connects and logs in. Returns the channel and the server's number of the connection.
pub(crate) async fn log_in(
    target: &Target,
    endpoint: &Endpoint,
    mode: TlsMode,
) -> Result<(Channel, u32), Refused> {
    let tls = match endpoint {
        Endpoint::Tcp { host, .. } if mode != TlsMode::Disabled => {
            Some(TlsPlan::new(&target.tls, mode, host)?)
        }
        Endpoint::Tcp { .. } => None,
        Endpoint::Unix(_) if mode >= TlsMode::Required => {
            return Err(Refused::Because(format!(
                "TLS mode {mode} is for TCP; a UNIX socket never leaves the machine: \
                 use --host, or --tls-mode preferred"
            )));
        }
        Endpoint::Unix(_) => None,
    };
    let mut channel = Channel::new(open(endpoint).await.map_err(Fault::Io)?);
    let greeting = Greeting::parse(channel.read().await?)?;
    let mut capabilities = greeting.capabilities & !(capability::SSL | capability::CONNECT_WITH_DB);
    if target.database.is_some() {
        capabilities |= capability::CONNECT_WITH_DB;
    }
    if let Some(tls) = tls {
        if !greeting.has(capability::SSL) {
            return Err(Refused::NoTls);
        }
        capabilities |= capability::SSL;
        channel = secure(channel, tls, capabilities).await?;
    }
    let (answer, plugin) = auth::first_answer(&greeting, &target.password);
    let database = target.database.as_deref();
    channel.put(|out| {
        greeting::put_answer(out, capabilities, &target.user, &answer, database, &plugin);
    });
    auth::prove(&mut channel, plugin, greeting.challenge, &target.password).await?;
    channel.set_definitions_end(capabilities & capability::DEPRECATE_EOF == 0);
    Ok((channel, greeting.connection_id))
}

async fn open(endpoint: &Endpoint) -> io::Result<Stream> {
    match endpoint {
        Endpoint::Tcp { host, port } => {
            let stream = TcpStream::connect((host.as_str(), *port)).await?;
            stream.set_nodelay(true)?;
            // Found dead within minutes when the other machine is gone without a word.
            rustix::net::sockopt::set_socket_keepalive(&stream, true)?;
            Ok(Stream::Tcp(stream))
        }
        Endpoint::Unix(path) => UnixStream::connect(path).await.map(Stream::Unix),
    }
}

/// Asks for TLS and puts it under the channel.
async fn secure(mut channel: Channel, tls: TlsPlan, capabilities: u32) -> Result<Channel, Refused> {
    channel.put(|out| greeting::put_head(out, capabilities));
    channel.flush().await?;
    if channel.has_unread() {
        // What came in plain text could have been put there by anybody.
        return Err(Fault::nonsense("a server that goes on talking before TLS").into());
    }
    channel
        .transform(async |stream| match stream {
            Stream::Tcp(stream) => {
                let stream = tls.secure(stream).await?;
                Ok(Stream::Tls(Box::new(stream)))
            }
            other => Ok(other),
        })
        .await
}

impl Refused {
    pub(crate) fn into_error(self, endpoint: &Endpoint, user: &str) -> Error {
        let connect = |reason| Error::Connect { endpoint: endpoint.to_string(), reason };
        match self {
            Self::NoTls => connect(
                "the server offers no TLS; allow plain text with --tls-mode preferred".into(),
            ),
            Self::Handshake(error) => connect(with_advice(&error.to_string())),
            Self::Plugin(name) => Error::Server {
                code: AUTH_PLUGIN_CANNOT_LOAD,
                state: "HY000".into(),
                message: format!(
                    "login of '{user}': authentication plugin `{name}' is not supported. MySQL \
                     asks for a random one where there is no such account: check the name. To \
                     change that of an account: ALTER USER … IDENTIFIED WITH \
                     caching_sha2_password BY …"
                ),
            },
            Self::Because(reason) => connect(reason),
            Self::Wire(fault) => match fault.into_error("") {
                Error::Lost { reason, .. } | Error::Protocol(reason) => connect(reason),
                refusal => refusal,
            },
        }
    }
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
