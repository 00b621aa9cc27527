//! From the options of a connection to a target: the command line first, option files after it,
//! `MYSQL_PWD` last, as for MySQL's own programs.

use crate::{args::ConnectionArgs, failure::Failure, output::Output, paths::Paths};
use client::{DefaultsFile, Options, Secret, Target, read_password_file};
use server::{Home, Instance, InstanceName, Status, Via};
use std::{
    env,
    path::{Path, PathBuf},
};

/// The database that is used when none is named.
const DEFAULT_DATABASE: &str = "tpcc";

/// Where to connect and as whom.
pub(crate) fn target(
    args: &ConnectionArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Target, Failure> {
    target_in(args, DEFAULT_DATABASE, paths, output)
}

/// The same with another database where none is named.
pub(crate) fn target_in(
    args: &ConnectionArgs,
    default_database: &str,
    paths: &Paths,
    output: &Output,
) -> Result<Target, Failure> {
    let typed = typed(args, output)?;
    let mut target = match &args.instance {
        Some(name) => instance(name, typed, paths)?,
        None => elsewhere(typed, args.defaults_file.as_deref(), output)?,
    };
    target.database.get_or_insert_with(|| default_database.into());
    Ok(target)
}

/// What the command line says.
fn typed(args: &ConnectionArgs, output: &Output) -> Result<Options, Failure> {
    Ok(Options {
        user: args.user.clone(),
        password: args.password_file.as_deref().map(|path| password(path, output)).transpose()?,
        hosts: args.host.clone(),
        port: args.port,
        socket: args.socket.clone(),
        protocol: None,
        database: args.database.clone(),
        tls_mode: args.tls_mode,
        tls_ca: args.tls_ca.clone(),
        tls_cert: args.tls_cert.clone(),
        tls_key: args.tls_key.clone(),
        connect_timeout: args.connect_timeout,
    })
}

fn password(path: &Path, output: &Output) -> Result<Secret, Failure> {
    let file = read_password_file(path)?;
    if file.others_can_read {
        let path = path.display();
        output
            .note(&format!("warning: others can read the password in {path}; chmod 600 mends it"));
    }
    Ok(file.password)
}

/// An instance of our own is reached over TCP, as a client elsewhere would.
fn instance(name: &str, typed: Options, paths: &Paths) -> Result<Target, Failure> {
    let name: InstanceName = name.parse().map_err(Failure::usage)?;
    let instance = Instance::open(&Home::at(paths.home())?, &name)?;
    let state = match instance.status() {
        Status::Running(_) => None,
        Status::Stopped => Some("is stopped: start it"),
        Status::Starting { .. } => Some("is just being started: wait for it"),
        Status::Crashed { .. } => Some("has crashed: its next start recovers it"),
        Status::Orphaned { .. } => Some("runs without our account of it: take it over"),
    };
    if let Some(state) = state {
        let adopt = if state.ends_with("over") { " --adopt" } else { "" };
        let words = format!("instance `{name}` {state} (`myrig server start {name}{adopt}`)");
        return Err(anyhow::anyhow!(words).into());
    }
    let usual = instance.target(Via::Tcp)?;
    let mut target = typed.target(&usual.user).map_err(Failure::usage)?;
    target.endpoints = usual.endpoints;
    target.password = usual.password;
    Ok(target)
}

fn elsewhere(
    typed: Options,
    defaults_file: Option<&Path>,
    output: &Output,
) -> Result<Target, Failure> {
    let defaults = match (defaults_file, env::var_os("HOME")) {
        (Some(path), _) => DefaultsFile::read(path)?,
        (None, Some(home)) => {
            DefaultsFile::read_if_present(&PathBuf::from(home).join(".my.cnf"))?.unwrap_or_default()
        }
        (None, None) => DefaultsFile::default(),
    };
    for warning in &defaults.warnings {
        output.note(&format!("warning: {warning}"));
    }
    let password = env::var("MYSQL_PWD").ok().map(Secret::new);
    let environment = Options { password, ..Options::default() };
    let user = env::var("USER").unwrap_or_else(|_| "root".into());
    typed.over(defaults.options).over(environment).target(&user).map_err(Failure::usage)
}
