//! Where to listen, and what that takes.

use crate::{args::ServeArgs, failure::Failure};
use std::net::{SocketAddr, TcpListener};

/// Refuses an address that other machines can reach, unless that was asked for by name.
///
/// # Errors
/// Names the option.
pub(super) fn allowed(args: &ServeArgs) -> Result<(), Failure> {
    if args.listen.ip().is_loopback() || args.open_to_network {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--listen {}: other machines could reach this, and nothing is encrypted on the way; say \
         --open-to-network as well, or use an SSH tunnel to 127.0.0.1",
        args.listen
    )))
}

/// Takes the address.
///
/// # Errors
/// It is in use, or none of this machine's.
pub(super) fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).map_err(|error| {
        anyhow::anyhow!("--listen {address}: {error}; port 0 takes any that is free").into()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn args(listen: &str, open_to_network: bool) -> ServeArgs {
        let listen = listen.parse().unwrap();
        ServeArgs { listen, token: None, open_to_network, host_name: Vec::new() }
    }

    #[test]
    fn other_machines_are_let_in_only_by_name() {
        for own in ["127.0.0.1:0", "127.9.9.9:1", "[::1]:0"] {
            allowed(&args(own, false)).unwrap();
        }
        for wide in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
            let error = allowed(&args(wide, false)).unwrap_err().to_string();
            assert!(error.contains("--open-to-network"), "{error}");
            allowed(&args(wide, true)).unwrap();
        }
    }

    #[test]
    fn a_port_in_use_is_told_by_the_option() {
        let held = TcpListener::bind("127.0.0.1:0").unwrap();
        let error = bind(held.local_addr().unwrap()).unwrap_err().to_string();
        assert!(error.starts_with("--listen 127.0.0.1:"), "{error}");
    }
}
