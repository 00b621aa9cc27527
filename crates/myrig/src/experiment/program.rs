//! The server program that an experiment file asks for.

use crate::{args::InstallationArgs, failure::Failure, output::Output, paths::Paths, servers};
use lab::experiment::spec::ServerSpec;
use server::{Flavour, Home, Installation};

/// The server that a file asks for.
///
/// # Errors
/// There is none on this machine; the error names the key.
pub(super) fn installation(
    spec: &ServerSpec,
    paths: &Paths,
    output: &Output,
) -> Result<Installation, Failure> {
    let args = InstallationArgs {
        mysqld: spec.mysqld.clone(),
        basedir: spec.basedir.clone(),
        build: spec.build.clone(),
    };
    let home = Home::at(paths.home())?;
    let found = servers::find_as(&args, flavour(spec)?, &home);
    servers::waiting("looking for a server", found, output).map_err(|it| it.at("server"))
}

/// The flavour that a file asks for.
///
/// # Errors
/// There is none of that name.
fn flavour(spec: &ServerSpec) -> Result<Option<Flavour>, Failure> {
    Ok(match spec.flavour.as_deref() {
        None => None,
        Some("mariadb") => Some(Flavour::MariaDb),
        Some("mysql") => Some(Flavour::MySql),
        Some("percona") => Some(Flavour::Percona),
        Some(other) => {
            let words = "there are mariadb, mysql and percona";
            return Err(Failure::usage(format!("server.flavour: `{other}` is none; {words}")));
        }
    })
}
