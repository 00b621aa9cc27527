//! MySQL's client/server protocol, as far as a load generator needs it.
//!
//! A [`Channel`] frames packets on a [`stream`]; [`command`] writes what is asked, [`reply`] reads
//! what is answered, [`bytes`] is how both spell numbers and strings. The rule of the hot path:
//! nothing is allocated once the buffers have grown to the largest reply, a command leaves in one
//! system call, and a reply is read in one.

pub(crate) mod bytes;
mod channel;
pub(crate) mod command;
pub(crate) mod reply;
pub(crate) mod ring;
pub(crate) mod stream;

pub(crate) use channel::Channel;

use crate::error::Error;
use std::io;

/// Why a command was not answered as it should have been.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The server refused; it is ready for the next command.
    Server { code: u16, state: String, message: String },
    /// The connection broke.
    Io(io::Error),
    /// What came is not MySQL's protocol.
    Nonsense(String),
    /// The server wants data that this statement was not given.
    WantsData,
}

impl Fault {
    /// A packet that ends too early.
    pub(crate) const CUT: Self = Self::Nonsense(String::new());

    pub(crate) fn nonsense(what: impl Into<String>) -> Self {
        Self::Nonsense(what.into())
    }

    /// As users of the crate see it.
    pub(crate) fn into_error(self, endpoint: &str) -> Error {
        match self {
            Self::Server { code, state, message } => Error::Server { code, state, message },
            Self::Io(error) => Error::Lost {
                endpoint: endpoint.to_owned(),
                reason: match error.kind() {
                    io::ErrorKind::UnexpectedEof => "the server closed it".into(),
                    _ => error.to_string(),
                },
            },
            Self::Nonsense(what) if what.is_empty() => {
                Error::Protocol("the server's reply makes no sense: it is cut short".into())
            }
            Self::WantsData => {
                Error::Protocol("the server asks for a file, which this statement has not".into())
            }
            Self::Nonsense(what) => {
                Error::Protocol(format!("the server's reply makes no sense: {what}"))
            }
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
