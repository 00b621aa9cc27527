//! Options of `myrig serve`.

use clap::Args;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// `myrig serve`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address and port to listen on, or a port of this machine's own; 0 takes any that is free
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = address)]
    pub(crate) listen: SocketAddr,
    /// What a browser must show to be let in, 16 characters or more; other users of this machine
    /// can read it here, not in the variable [default: a random one]
    #[arg(long, value_name = "TOKEN", env = "MYRIG_SERVE_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// Allow an address that other machines can reach; nothing is encrypted on the way
    #[arg(long)]
    pub(crate) open_to_network: bool,
    /// A host name under which it may be called besides localhost and addresses; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) host_name: Vec<String>,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::new(here, port));
    }
    text.parse().map_err(|_| {
        "a port or an address with one is wanted, such as 8080 or 127.0.0.1:8080".to_owned()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_port_alone_is_this_machines_own() {
        assert_eq!(address("8080").unwrap().to_string(), "127.0.0.1:8080");
        assert_eq!(address("[::1]:80").unwrap().to_string(), "[::1]:80");
        assert!(address("example.org:80").unwrap_err().contains("such as 8080"));
    }
}
