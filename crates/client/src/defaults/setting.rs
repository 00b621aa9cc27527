//! What the settings of the groups that we read mean.

use crate::{
    options::{Options, Protocol},
    target::{Secret, TlsMode},
};
use std::time::Duration;

/// The longest that MySQL's own client waits for a connection; 0 asks for it.
const CONNECT_TIMEOUT_S_MAX: u64 = 43_200;

/// Settings as they stand in files; MariaDB's switches for TLS are kept apart until the last
/// line is read, because together they mean a mode.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    options: Options,
    ssl: Option<bool>,
    verify: Option<bool>,
}

impl Settings {
    /// Takes one setting; a name that is not ours is passed over, as every client must.
    ///
    /// # Errors
    /// A sentence that says what is wrong; it never holds the value of a password.
    pub(super) fn set(&mut self, name: &[u8], value: Option<&[u8]>) -> Result<(), String> {
        let Ok(name) = std::str::from_utf8(name) else { return Ok(()) };
        let name = name.replace('_', "-");
        let name = name.strip_prefix("loose-").unwrap_or(&name);
        let options = &mut self.options;
        match name {
            "user" => options.user = Some(text(name, value)?),
            "password" => options.password = Some(password(value)?),
            "host" => options.hosts = vec![text(name, value)?],
            "port" => options.port = port(&text(name, value)?)?,
            "socket" => options.socket = Some(text(name, value)?.into()),
            "database" => options.database = Some(text(name, value)?),
            "protocol" => options.protocol = Some(protocol(&text(name, value)?)?),
            "ssl-mode" => options.tls_mode = Some(text(name, value)?.parse::<TlsMode>()?),
            "ssl-ca" => options.tls_ca = Some(text(name, value)?.into()),
            "ssl-cert" => options.tls_cert = Some(text(name, value)?.into()),
            "ssl-key" => options.tls_key = Some(text(name, value)?.into()),
            "connect-timeout" => {
                options.connect_timeout = Some(connect_timeout(&text(name, value)?)?);
            }
            _ => return self.switch(name, value),
        }
        Ok(())
    }

    /// MariaDB's switches, which may be turned by prefixes.
    fn switch(&mut self, name: &str, value: Option<&[u8]>) -> Result<(), String> {
        let (off, plain) = match (name.strip_prefix("skip-"), name.strip_prefix("disable-")) {
            (Some(plain), _) | (_, Some(plain)) => (true, plain),
            _ => (false, name.strip_prefix("enable-").unwrap_or(name)),
        };
        let switch = match plain {
            "ssl" => &mut self.ssl,
            "ssl-verify-server-cert" => &mut self.verify,
            _ => return Ok(()),
        };
        let on = match value {
            None => true,
            Some(_) => truth(&text(name, value)?)?,
        };
        *switch = Some(on != off);
        Ok(())
    }

    /// These settings, and the `weaker` ones where these say nothing.
    pub(super) fn over(self, weaker: Self) -> Self {
        Self {
            options: self.options.over(weaker.options),
            ssl: self.ssl.or(weaker.ssl),
            verify: self.verify.or(weaker.verify),
        }
    }

    /// What they come to. A mode that was said stands over the switches.
    pub(super) fn into_options(self) -> Options {
        let by_switches = match (self.ssl, self.verify) {
            (Some(false), _) => Some(TlsMode::Disabled),
            (_, Some(true)) => Some(TlsMode::VerifyIdentity),
            (Some(true), Some(false)) => Some(TlsMode::Required),
            // An authority asks for more than this, unless verification was declined:
            // Options::tls says so.
            (Some(true), None) => self.options.tls_ca.is_none().then_some(TlsMode::Required),
            (None, Some(false)) => self.options.tls_ca.is_some().then_some(TlsMode::Required),
            (None, None) => None,
        };
        Options { tls_mode: self.options.tls_mode.or(by_switches), ..self.options }
    }
}

fn text(name: &str, value: Option<&[u8]>) -> Result<String, String> {
    let value = value.ok_or_else(|| format!("{name} needs a value"))?;
    match std::str::from_utf8(value) {
        Ok(text) if text.contains('\0') => Err(format!("the value of {name} holds a NUL")),
        Ok("") if name != "password" => Err(format!("{name} needs a value")),
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(format!("the value of {name} is not valid UTF-8")),
    }
}

fn password(value: Option<&[u8]>) -> Result<Secret, String> {
    if value.is_none() {
        return Err("a bare `password` asks for it at the terminal, which is not done here: \
                    write password=, or give --password-file"
            .into());
    }
    text("password", value).map(Secret::new)
}

/// 0 stands for the usual port, as everywhere in MySQL.
fn port(text: &str) -> Result<Option<u16>, String> {
    let port: u16 = text.parse().map_err(|_| format!("`{text}` is not a port"))?;
    Ok(Some(port).filter(|port| *port != 0))
}

fn protocol(text: &str) -> Result<Protocol, String> {
    match text.to_ascii_lowercase().as_str() {
        "tcp" => Ok(Protocol::Tcp),
        "socket" => Ok(Protocol::Socket),
        _ => Err(format!("protocol `{text}` is not supported; there are tcp and socket")),
    }
}

fn connect_timeout(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(0) => Ok(Duration::from_secs(CONNECT_TIMEOUT_S_MAX)),
        Ok(seconds @ 1..=CONNECT_TIMEOUT_S_MAX) => Ok(Duration::from_secs(seconds)),
        _ => Err(format!(
            "connect-timeout `{text}` is not a number of seconds up to {CONNECT_TIMEOUT_S_MAX}"
        )),
    }
}

fn truth(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "on" => Ok(true),
        "0" | "false" | "off" => Ok(false),
        _ => Err(format!("`{text}` is neither ON nor OFF")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn all(lines: &[(&str, Option<&str>)]) -> Options {
        let mut settings = Settings::default();
        for (name, value) in lines {
            settings.set(name.as_bytes(), value.map(str::as_bytes)).unwrap();
        }
        settings.into_options()
    }

    fn refusal(name: &str, value: Option<&str>) -> String {
        Settings::default().set(name.as_bytes(), value.map(str::as_bytes)).unwrap_err()
    }

    #[test]
    fn every_setting_has_its_field() {
        let options = all(&[
            ("user", Some("u")),
            ("password", Some("p")),
            ("host", Some("h")),
            ("port", Some("3307")),
            ("socket", Some("/s")),
            ("database", Some("d")),
            ("protocol", Some("TCP")),
            ("ssl_mode", Some("VERIFY_IDENTITY")),
            ("ssl-ca", Some("/ca")),
            ("ssl-cert", Some("/cert")),
            ("loose_ssl_key", Some("/key")),
            ("connect_timeout", Some("7")),
        ]);
        let expected = Options {
            user: Some("u".into()),
            password: Some(Secret::new("p")),
            hosts: vec!["h".into()],
            port: Some(3307),
            socket: Some("/s".into()),
            protocol: Some(Protocol::Tcp),
            database: Some("d".into()),
            tls_mode: Some(TlsMode::VerifyIdentity),
            tls_ca: Some("/ca".into()),
            tls_cert: Some("/cert".into()),
            tls_key: Some("/key".into()),
            connect_timeout: Some(Duration::from_secs(7)),
        };
        assert_eq!(options, expected);
    }

    #[test]
    fn other_settings_and_abbreviations_are_passed_over() {
        let lines = [("prompt", None), ("pass", Some("x")), ("HOST", Some("x")), ("", None)];
        assert_eq!(all(&lines), Options::default());
        assert_eq!(all(&[("skip-host", None), ("quick", None)]), Options::default());
    }

    #[test]
    fn the_switches_of_mariadb_come_to_a_mode() {
        let mode = |lines: &[(&str, Option<&str>)]| all(lines).tls_mode;
        assert_eq!(mode(&[("ssl", None)]), Some(TlsMode::Required));
        assert_eq!(mode(&[("ssl", Some("1"))]), Some(TlsMode::Required));
        for off in [("skip-ssl", None), ("ssl", Some("0")), ("disable_ssl", Some("ON"))] {
            assert_eq!(mode(&[off]), Some(TlsMode::Disabled), "{off:?}");
        }
        let verify = ("ssl-verify-server-cert", None);
        assert_eq!(mode(&[verify]), Some(TlsMode::VerifyIdentity));
        let lax = ("skip-ssl-verify-server-cert", None);
        assert_eq!(mode(&[lax]), None);
        assert_eq!(mode(&[("ssl", None), lax]), Some(TlsMode::Required));
        assert_eq!(mode(&[verify, ("ssl-mode", Some("required"))]), Some(TlsMode::Required));
        let ca = ("ssl-ca", Some("/ca"));
        assert_eq!(all(&[("ssl", None), ca]).tls().mode, TlsMode::VerifyCa);
        assert_eq!(all(&[("ssl", None), lax, ca]).tls().mode, TlsMode::Required);
        assert_eq!(all(&[lax, ca]).tls().mode, TlsMode::Required);
    }

    #[test]
    fn values_that_mean_nothing_are_refused() {
        for (name, value, word) in [
            ("port", Some("x"), "port"),
            ("port", Some("65536"), "port"),
            ("protocol", Some("pipe"), "tcp"),
            ("ssl-mode", Some("maybe"), "verify-ca"),
            ("ssl", Some("maybe"), "OFF"),
            ("connect-timeout", Some("-1"), "seconds"),
            ("user", None, "user"),
            ("host", Some(""), "host"),
            ("socket", Some("a\0"), "NUL"),
            ("password", None, "--password-file"),
        ] {
            let refusal = refusal(name, value);
            assert!(refusal.contains(word), "{name}: {refusal}");
        }
    }

    #[test]
    fn zero_is_the_default_port_and_the_longest_wait() {
        let options = all(&[("port", Some("0")), ("connect-timeout", Some("0"))]);
        assert_eq!((options.port, options.connect_timeout.unwrap().as_secs()), (None, 43_200));
    }

    #[test]
    fn a_refused_password_is_not_told() {
        let refusal = refusal("password", Some("hunter2\0"));
        assert!(!refusal.contains("hunter2"), "{refusal}");
        let settings = Settings { options: all(&[("password", Some("hunter2"))]), ..settings() };
        assert!(!format!("{settings:?}").contains("hunter2"));
    }

    fn settings() -> Settings {
        Settings::default()
    }

    proptest! {
        #[test]
        fn any_setting_gives_an_answer(
            name in "(loose[-_])?(skip-)?(port|ssl|ssl[-_]mode|protocol|connect_timeout|.{0,9})",
            value in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..12)),
        ) {
            let mut settings = Settings::default();
            let _answer = settings.set(name.as_bytes(), value.as_deref());
        }
    }
}
