//! Options that say where to connect and as whom.

use super::{pacing::one_or_all, parse_duration};
use clap::Args;
use client::TlsMode;
use serde::Serialize;
use std::{path::PathBuf, time::Duration};

/// Where to connect and as whom. Passwords are never taken from the command line, where every
/// user of the machine could read them.
#[derive(Clone, Debug, Default, Args, Serialize)]
#[command(next_help_heading = "Connection")]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ConnectionArgs {
    /// An instance of `myrig server`, by its name: sets address, user and password. `prepare` and
    /// `run` take several with commas, and load or run on all of them side by side
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with_all =
          ["host", "socket", "port", "user", "password_file", "defaults_file"])]
    #[serde(serialize_with = "one_or_all")]
    pub(crate) instance: Vec<String>,
    /// Server to reach over TCP: HOST or HOST:PORT; several with commas for a cluster
    #[arg(long, short = 'H', value_name = "HOST", value_delimiter = ',')]
    pub(crate) host: Vec<String>,
    /// Port, where HOST names none [default: 3306]
    #[arg(long, short = 'P', value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// UNIX socket to use in place of TCP
    #[arg(long, short = 'S', value_name = "FILE", conflicts_with = "host")]
    pub(crate) socket: Option<PathBuf>,
    /// Account name [default: the option file's, then $USER]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// File whose first line is the password [default: the option file's, then $MYSQL_PWD]
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    /// Option file to read instead of ~/.my.cnf: groups [client], [client-server],
    /// [client-mariadb] and, over them, [myrig]
    #[arg(long, value_name = "FILE")]
    pub(crate) defaults_file: Option<PathBuf>,
    /// Database [default: tpcc; sbtest for oltp, tpch for tpch]
    #[arg(long, short = 'D', value_name = "NAME")]
    pub(crate) database: Option<String>,
    /// Privacy of TCP connections: disabled, preferred, required, verify-ca, verify-identity
    #[arg(long, value_name = "MODE")]
    #[serde(serialize_with = "tls_mode")]
    pub(crate) tls_mode: Option<TlsMode>,
    /// Authorities to trust, PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_ca: Option<PathBuf>,
    /// The client's certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of the client's certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// How long a server may take to let us in [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    #[serde(skip)]
    pub(crate) connect_timeout: Option<Duration>,
}

fn tls_mode<S: serde::Serializer>(
    mode: &Option<TlsMode>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    mode.map(|mode| mode.to_string()).serialize(serializer)
}
