//! Ports on the loopback.

use std::{
    io::{self, ErrorKind},
    net::{Ipv4Addr, TcpListener},
};

use rand::{Rng, RngExt};

use crate::error::Error;

/// Ports to choose from: below those that Linux gives to outgoing connections (from 32768), so
/// that no client's own port is ever in the way, and above those of well-known services.
const FIRST: u16 = 20_000;
const LAST: u16 = 32_000;

/// Random draws before giving up; with half the range taken all would fail once in 10^60 times.
const DRAWS_MAX: usize = 200;

/// True when nobody listens on the port of 127.0.0.1.
///
/// # Errors
/// What the system says when it is neither free nor in use, such as a privileged port.
pub(crate) fn is_free(port: u16) -> io::Result<bool> {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_listener) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Ok(false),
        Err(error) => Err(error),
    }
}

/// A port that nobody listens on and that is not among `taken`. Random, so that two commands at
/// once seldom choose the same.
///
/// # Errors
/// [`Error::NoFreePort`].
pub(crate) fn pick(rng: &mut impl Rng, taken: &[u16]) -> Result<u16, Error> {
    (0..DRAWS_MAX)
        .map(|_| rng.random_range(FIRST..=LAST))
        .find(|port| !taken.contains(port) && is_free(*port).unwrap_or(false))
        .ok_or(Error::NoFreePort { first: FIRST, last: LAST })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_port_that_somebody_listens_on_is_not_free() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        assert!(!is_free(listener.local_addr().unwrap().port()).unwrap());
    }

    #[test]
    fn a_picked_port_is_none_of_those_taken() {
        let taken: Vec<u16> = (FIRST..=LAST).filter(|port| port % 2 == 0).collect();
        let port = pick(&mut rand::rng(), &taken).unwrap();
        assert!((FIRST..=LAST).contains(&port) && port % 2 == 1);
    }

    #[test]
    fn a_full_range_is_an_error_that_names_the_option() {
        let taken: Vec<u16> = (FIRST..=LAST).collect();
        let error = pick(&mut rand::rng(), &taken).unwrap_err().to_string();
        assert!(error.contains("--port"), "{error}");
    }
}
