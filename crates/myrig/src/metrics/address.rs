//! `--metrics-addr`: where the metrics of a command's loads are.

use super::{Board, LoadFacts, endpoint::Endpoint};
use crate::failure::Failure;
use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    str::FromStr,
    sync::{Arc, OnceLock},
};

/// An address, taken once and kept for every load of the command: the steps of a sweep, the
/// members of a group.
#[derive(Clone, Debug)]
pub(crate) struct MetricsAddr {
    address: SocketAddr,
    endpoint: Arc<OnceLock<Endpoint>>,
}

impl FromStr for MetricsAddr {
    type Err = String;

    /// `9400`, `127.0.0.1:9400`, `[::1]:9400`; without a host it is this machine's own.
    fn from_str(text: &str) -> Result<Self, String> {
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let port = text.parse::<u16>().map(|port| SocketAddr::new(here, port));
        let named = text.strip_prefix("localhost:").unwrap_or_default();
        let named = named.parse::<u16>().map(|port| SocketAddr::new(here, port));
        let address = port.or(named).or_else(|_| text.parse::<SocketAddr>());
        let address = address.map_err(|_| {
            "a port or an address with one is wanted, such as 9400 or 127.0.0.1:9400".to_owned()
        })?;
        Ok(Self { address, endpoint: Arc::default() })
    }
}

impl MetricsAddr {
    /// Takes the address, unless that was done before.
    ///
    /// # Errors
    /// It is in use, or none of this machine's.
    pub(crate) fn take(&self) -> Result<&Endpoint, Failure> {
        if let Some(endpoint) = self.endpoint.get() {
            return Ok(endpoint);
        }
        let endpoint = Endpoint::at(self.address).map_err(|error| {
            anyhow::anyhow!(
                "--metrics-addr {}: {error}; another run may be using it: give each a port of \
                 its own, or 0 for any",
                self.address
            )
        })?;
        Ok(self.endpoint.get_or_init(|| endpoint))
    }

    /// The address as it could be typed.
    pub(crate) fn words(&self) -> String {
        self.address.to_string()
    }

    /// Where they are, if the port was left to the system.
    pub(crate) fn found(&self) -> Option<String> {
        let endpoint = self.endpoint.get().filter(|_| self.address.port() == 0)?;
        Some(format!("http://{}/metrics", endpoint.address()))
    }

    /// A board for a load, in place of an earlier one on the same server.
    ///
    /// # Errors
    /// As for [`Self::take`].
    pub(crate) fn board(&self, facts: LoadFacts) -> Result<Board, Failure> {
        Ok(self.take()?.board(facts))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn without_a_host_it_is_this_machine_alone() {
        let parsed = |text: &str| text.parse::<MetricsAddr>().map(|it| it.address.to_string());
        assert_eq!(parsed("9400").unwrap(), "127.0.0.1:9400");
        assert_eq!(parsed("localhost:9400").unwrap(), "127.0.0.1:9400");
        assert_eq!(parsed("0.0.0.0:9400").unwrap(), "0.0.0.0:9400");
        assert_eq!(parsed("[::1]:1").unwrap(), "[::1]:1");
        for wrong in ["", "host", "host:1", "127.0.0.1", "70000", ":9400"] {
            assert!(parsed(wrong).unwrap_err().contains("such as 9400"), "{wrong:?}");
        }
    }

    #[test]
    fn an_address_in_use_is_told_by_the_option() {
        let held = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let taken: MetricsAddr = held.local_addr().unwrap().to_string().parse().unwrap();
        let error = taken.take().unwrap_err().to_string();
        assert!(error.starts_with("--metrics-addr 127.0.0.1:"), "{error}");
        assert!(error.contains("a port of its own"), "{error}");
        assert_eq!(taken.found(), None);
        let any: MetricsAddr = "0".parse().unwrap();
        any.take().unwrap();
        assert!(any.found().unwrap().starts_with("http://127.0.0.1:"));
    }
}
