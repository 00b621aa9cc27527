//! From sysbench's `--mysql-…` options to a target. `localhost` means the UNIX socket, as for
//! MySQL's own client library; hosts and ports that are lists are gone through in turn.

use super::settings::Settings;
use client::{Endpoint, Secret, Target, Tls, TlsMode};
use std::{path::PathBuf, time::Duration};

/// What a call takes from outside.
pub(super) struct Surroundings<'a> {
    /// The value of an environment variable, where it is text.
    pub(super) variable: &'a dyn Fn(&str) -> Option<String>,
    /// Whether there is a file of this name.
    pub(super) exists: &'a dyn Fn(&str) -> bool,
}

/// Where distributions put a server's socket.
const SOCKETS: [&str; 5] = [
    "/run/mysqld/mysqld.sock",
    "/var/run/mysqld/mysqld.sock",
    "/var/lib/mysql/mysql.sock",
    "/tmp/mysql.sock",
    "/tmp/mysqld.sock",
];

/// Where to connect and as whom, and what a person should be warned of.
///
/// # Errors
/// A sentence that names the option at fault.
pub(super) fn target(
    settings: &Settings,
    around: &Surroundings<'_>,
) -> Result<(Target, Vec<String>), String> {
    let mut warnings = Vec::new();
    let mut endpoints = endpoints(settings, around, &mut warnings)?;
    let password = match settings.text("mysql_password") {
        "" => (around.variable)("MYSQL_PWD").unwrap_or_default(),
        given => given.to_owned(),
    };
    let database = settings.text("mysql_db");
    if database.is_empty() {
        return Err("--mysql-db: name a database".into());
    }
    // `endpoints` is never empty.
    let first = endpoints.remove(0);
    let mut target = Target::new(first, settings.text("mysql_user"), Secret::new(password));
    target.endpoints.extend(endpoints);
    target.tls = tls(settings)?;
    let seconds = settings.whole("thread_init_timeout", 1, 86_400)?;
    target.connect_timeout = Duration::from_secs(seconds);
    Ok((target.with_database(database), warnings))
}

fn endpoints(
    settings: &Settings,
    around: &Surroundings<'_>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Endpoint>, String> {
    let sockets: Vec<Endpoint> =
        settings.list("mysql_socket").map(|path| Endpoint::Unix(PathBuf::from(path))).collect();
    if !sockets.is_empty() {
        if settings.is_given("mysql_host") && settings.text("mysql_host") != "localhost" {
            let (host, socket) = (settings.called("mysql_host"), settings.called("mysql_socket"));
            return Err(format!(
                "{socket} and {host}: the socket would win; leave one of them out"
            ));
        }
        return Ok(sockets);
    }
    let ports = settings.list("mysql_port").map(|port| match port.parse() {
        Ok(port) if port > 0 => Ok(port),
        _ => Err(format!("{} {port}: give ports from 1 to 65535", settings.called("mysql_port"))),
    });
    let ports = ports.collect::<Result<Vec<u16>, _>>()?;
    let hosts: Vec<&str> = settings.list("mysql_host").collect();
    if hosts.is_empty() || ports.is_empty() {
        return Err("--mysql-host and --mysql-port: name one at least".into());
    }
    let mut endpoints = Vec::new();
    for host in hosts {
        if host == "localhost" {
            endpoints.push(localhost(settings, around, &ports, warnings));
            continue;
        }
        for port in &ports {
            endpoints
                .push(Endpoint::Tcp { host: host.trim_matches(['[', ']']).into(), port: *port });
        }
    }
    Ok(endpoints)
}

/// The usual socket; TCP where there is none.
fn localhost(
    settings: &Settings,
    around: &Surroundings<'_>,
    ports: &[u16],
    warnings: &mut Vec<String>,
) -> Endpoint {
    let named = (around.variable)("MYSQL_UNIX_PORT").filter(|path| !path.is_empty());
    let usual = || SOCKETS.iter().find(|path| (around.exists)(path)).map(|path| (*path).to_owned());
    match named.or_else(usual) {
        Some(path) => {
            if settings.is_given("mysql_port") {
                warnings.push(format!(
                    "--mysql-host=localhost means the socket {path}, and the port is not used; \
                     say 127.0.0.1 for TCP"
                ));
            }
            Endpoint::Unix(path.into())
        }
        None => {
            let port = ports.first().copied().unwrap_or(Endpoint::DEFAULT_PORT);
            Endpoint::Tcp { host: "localhost".into(), port }
        }
    }
}

fn tls(settings: &Settings) -> Result<Tls, String> {
    let file = |name| Some(settings.text(name)).filter(|path| !path.is_empty()).map(PathBuf::from);
    let (ca, certificate, key) =
        (file("mysql_ssl_ca"), file("mysql_ssl_cert"), file("mysql_ssl_key"));
    if certificate.is_some() != key.is_some() {
        return Err("--mysql-ssl-cert and --mysql-ssl-key: one needs the other".into());
    }
    let mode = match settings.text("mysql_ssl") {
        "on" | "true" | "1" => TlsMode::Required,
        "off" | "false" | "0" => TlsMode::Disabled,
        mode => mode.parse().map_err(|_| {
            format!(
                "{} {mode}: say on, off, or one of disabled, preferred, required, verify_ca, \
                 verify_identity",
                settings.called("mysql_ssl")
            )
        })?,
    };
    if mode == TlsMode::Disabled && (ca.is_some() || key.is_some()) {
        return Err(
            "--mysql-ssl-ca, -cert and -key do nothing without TLS: say --mysql-ssl=on".into()
        );
    }
    Ok(Tls { mode, ca, certificate, key })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{command_line, settings::Dialect};
    use super::*;

    fn connect(words: &str, socket: bool) -> Result<(Target, Vec<String>), String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let line = command_line::read(&words, &|_| Err(std::io::Error::other("none"))).unwrap();
        let settings = Settings::new(&line.options, Dialect::Modern).unwrap();
        let around = Surroundings {
            variable: &|name| (name == "MYSQL_PWD").then(|| "secret".into()),
            exists: &|path| socket && path == "/tmp/mysql.sock",
        };
        target(&settings, &around)
    }

    fn shown(words: &str) -> Vec<String> {
        let (target, _) = connect(words, false).unwrap();
        target.endpoints.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn hosts_and_ports_are_lists() {
        assert_eq!(
            shown("--mysql-host=a,b --mysql-port=1,2"),
            ["a:1", "a:2", "b:1", "b:2"].map(String::from)
        );
        assert_eq!(shown("--mysql-host=::1"), ["[::1]:3306"]);
        assert_eq!(shown("--mysql-socket=/a,/b"), ["unix:/a", "unix:/b"]);
    }

    #[test]
    fn localhost_is_the_socket_where_there_is_one() {
        let (target, warnings) = connect("--mysql-port=4000", true).unwrap();
        assert_eq!(target.endpoints[0].to_string(), "unix:/tmp/mysql.sock");
        assert!(warnings[0].contains("127.0.0.1"));
        assert_eq!(shown("--mysql-port=4000"), ["localhost:4000"]);
    }

    #[test]
    fn user_password_and_database_have_sysbenchs_defaults() {
        let (target, _) = connect("", false).unwrap();
        assert_eq!((target.user.as_str(), target.password.expose()), ("sbtest", "secret"));
        assert_eq!(target.database.as_deref(), Some("sbtest"));
        let (target, _) = connect("--mysql-password=mine --mysql-db=d", false).unwrap();
        assert_eq!((target.password.expose(), target.database.as_deref()), ("mine", Some("d")));
    }

    #[test]
    fn privacy_is_off_on_or_a_mode() {
        let mode = |words| connect(words, false).unwrap().0.tls.mode;
        assert_eq!(mode(""), TlsMode::Disabled);
        assert_eq!(mode("--mysql-ssl"), TlsMode::Required);
        assert_eq!(mode("--mysql-ssl=on"), TlsMode::Required);
        assert_eq!(mode("--mysql-ssl=VERIFY_CA --mysql-ssl-ca=f"), TlsMode::VerifyCa);
    }

    #[test]
    fn contradictions_are_refused_by_name() {
        for (words, says) in [
            ("--mysql-socket=/a --mysql-host=b", "--mysql-host"),
            ("--mysql-port=0", "--mysql-port 0"),
            ("--mysql-port=1,70000", "70000"),
            ("--mysql-ssl=perhaps", "--mysql-ssl perhaps"),
            ("--mysql-ssl-ca=f", "--mysql-ssl=on"),
            ("--mysql-ssl=on --mysql-ssl-key=f", "--mysql-ssl-cert"),
            ("--mysql-db=", "--mysql-db"),
            ("--thread-init-timeout=0", "--thread-init-timeout 0"),
        ] {
            let refusal = connect(words, false).unwrap_err();
            assert!(refusal.contains(says), "{words}: {refusal}");
        }
    }
}
