//! The bytes under the packets: TCP, a UNIX socket, TLS, or a socket on a ring.

use super::ring::{self, RingSocket};
use std::{io, os::fd::OwnedFd};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpStream, UnixStream},
};
use tokio_rustls::client::TlsStream;

/// A connected stream.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<TlsStream<TcpStream>>),
    Ring(RingSocket),
    /// What is left of a stream that was given up.
    Gone,
}

impl Stream {
    /// True for TLS and for a UNIX socket, which never leaves the machine.
    pub(crate) fn is_private(&self) -> bool {
        matches!(self, Self::Tls(_) | Self::Unix(_))
    }

    /// Sends all of `out`, whose memory it may take for the time.
    pub(crate) async fn send(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.write_all(out).await,
            Self::Unix(stream) => stream.write_all(out).await,
            Self::Tls(stream) => {
                stream.write_all(out).await?;
                stream.flush().await
            }
            Self::Ring(socket) => socket.send(out).await,
            Self::Gone => Err(gone()),
        }
    }

    /// Sends all of `out` and empties it, then appends to `come` what has come, at least a byte.
    ///
    /// # Errors
    /// `UnexpectedEof` where the other side has hung up.
    pub(crate) async fn exchange(
        &mut self,
        out: &mut Vec<u8>,
        come: &mut Vec<u8>,
    ) -> io::Result<()> {
        let received = match self {
            Self::Tcp(stream) => exchange(stream, out, come).await,
            Self::Unix(stream) => exchange(stream, out, come).await,
            Self::Tls(stream) => exchange(stream, out, come).await,
            Self::Ring(socket) => socket.exchange(out, come).await,
            Self::Gone => Err(gone()),
        };
        if received? == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// Moves to the calling thread's ring; false where there is none, or where TLS is between.
    pub(crate) fn onto_ring(&mut self) -> bool {
        if matches!(self, Self::Ring(_)) {
            return true;
        }
        if !matches!(self, Self::Tcp(_) | Self::Unix(_)) || !ring::is_at_hand() {
            return false;
        }
        let socket = match std::mem::replace(self, Self::Gone) {
            Self::Tcp(stream) => stream.into_std().map(OwnedFd::from),
            Self::Unix(stream) => stream.into_std().map(OwnedFd::from),
            other => {
                *self = other;
                return false;
            }
        };
        // A stream that its runtime does not give back is of no use to anybody; the next call
        // finds it gone.
        match socket.and_then(RingSocket::new) {
            Ok(socket) => {
                *self = Self::Ring(socket);
                true
            }
            Err(_) => false,
        }
    }

    /// Ends the sending half.
    pub(crate) async fn shut_down(&mut self) {
        // The other side may have done so first.
        let _gone = match self {
            Self::Tcp(stream) => stream.shutdown().await,
            Self::Unix(stream) => stream.shutdown().await,
            Self::Tls(stream) => stream.shutdown().await,
            Self::Ring(_) | Self::Gone => Ok(()),
        };
    }
}

fn gone() -> io::Error {
    io::Error::other("the connection was given up")
}

async fn exchange(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    out: &mut Vec<u8>,
    come: &mut Vec<u8>,
) -> io::Result<usize> {
    if !out.is_empty() {
        stream.write_all(out).await?;
        stream.flush().await?;
        out.clear();
    }
    stream.read_buf(come).await
}
