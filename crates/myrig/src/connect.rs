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
    let mut servers = servers_in(args, default_database, paths, output)?;
    match servers.pop() {
        Some(only) if servers.is_empty() => Ok(only.target),
        _ => Err(Failure::usage(
            "--instance: this verb takes one; only `prepare` and `run` take several",
        )),
    }
}

/// A server to connect to and, where it is an instance of our own, which.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// Where to connect and as whom.
    pub(crate) target: Target,
    /// The instance.
    pub(crate) instance: Option<Instance>,
}

impl Server {
    /// The instance's name.
    pub(crate) fn name(&self) -> Option<&str> {
        self.instance.as_ref().map(|instance| instance.name().as_str())
    }
}

/// The server that is named, or the instances; at least one.
pub(crate) fn servers_in(
    args: &ConnectionArgs,
    default_database: &str,
    paths: &Paths,
    output: &Output,
) -> Result<Vec<Server>, Failure> {
    let names = &args.instance;
    if let Some(twice) = (1..names.len()).find(|place| names[..*place].contains(&names[*place])) {
        return Err(Failure::usage(format!("--instance: `{}` is named twice", names[twice])));
    }
    let mut servers = match names.is_empty() {
        true => {
            let target = elsewhere(typed(args, output)?, args.defaults_file.as_deref(), output)?;
            vec![Server { target, instance: None }]
        }
        false => names
            .iter()
            .map(|name| instance(name, typed(args, output)?, paths))
            .collect::<Result<_, _>>()?,
    };
    for server in &mut servers {
        server.target.database.get_or_insert_with(|| default_database.into());
    }
    Ok(servers)
}

/// The same with the database of TPC-C where none is named.
pub(crate) fn servers(
    args: &ConnectionArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Vec<Server>, Failure> {
    servers_in(args, DEFAULT_DATABASE, paths, output)
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
fn instance(name: &str, typed: Options, paths: &Paths) -> Result<Server, Failure> {
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
    Ok(Server { target, instance: Some(instance) })
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
