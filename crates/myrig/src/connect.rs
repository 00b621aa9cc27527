//! From the options of a connection to a target: the command line first, option files after it.

use crate::{args::ConnectionArgs, failure::Failure, paths::Paths};
use anyhow::Context;
use client::{Endpoint, Secret, Target, Tls};
use server::{Home, Instance, InstanceName, Via};
use std::{env, fs, path::Path};

/// The database that is used when none is named.
pub(crate) const DEFAULT_DATABASE: &str = "tpcc";

/// Where to connect and as whom.
pub(crate) fn target(args: &ConnectionArgs, paths: &Paths) -> Result<Target, Failure> {
    let mut target = match &args.instance {
        Some(name) => instance(name, paths)?,
        None => elsewhere(args)?,
    };
    target.tls = Tls {
        mode: args.tls_mode.unwrap_or_default(),
        ca: args.tls_ca.clone(),
        certificate: args.tls_cert.clone(),
        key: args.tls_key.clone(),
    };
    if let Some(timeout) = args.connect_timeout {
        target.connect_timeout = timeout;
    }
    let database = args.database.as_deref().unwrap_or(DEFAULT_DATABASE);
    Ok(target.with_database(database))
}

/// An instance of our own is reached over TCP, as a client elsewhere would.
fn instance(name: &str, paths: &Paths) -> Result<Target, Failure> {
    let name: InstanceName = name.parse().map_err(Failure::usage)?;
    let instance = Instance::open(&Home::at(paths.home())?, &name)?;
    Ok(instance.target(Via::Tcp)?)
}

fn elsewhere(args: &ConnectionArgs) -> Result<Target, Failure> {
    let port = args.port.unwrap_or(Endpoint::DEFAULT_PORT);
    let mut endpoints = match &args.socket {
        Some(path) => vec![Endpoint::Unix(path.clone())],
        None => args
            .host
            .iter()
            .map(|text| {
                Endpoint::parse_tcp(text, port).map_err(|e| Failure::usage(format!("--host: {e}")))
            })
            .collect::<Result<_, _>>()?,
    };
    if endpoints.is_empty() {
        endpoints.push(Endpoint::Tcp { host: "127.0.0.1".into(), port });
    }
    let user = args.user.clone().or_else(|| env::var("USER").ok()).unwrap_or_else(|| "root".into());
    let mut target =
        Target::new(endpoints.remove(0), user, password(args.password_file.as_deref())?);
    target.endpoints.extend(endpoints);
    Ok(target)
}

/// The file's first line, or what MYSQL_PWD holds, as for MySQL's own programs.
fn password(file: Option<&Path>) -> Result<Secret, Failure> {
    let Some(path) = file else {
        return Ok(Secret::new(env::var("MYSQL_PWD").unwrap_or_default()));
    };
    let text =
        fs::read_to_string(path).with_context(|| format!("--password-file {}", path.display()))?;
    Ok(Secret::new(text.lines().next().unwrap_or_default()))
}
