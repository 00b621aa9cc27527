//! JDBC URLs of MySQL Connector/J and MariaDB Connector/J: where to connect, and parameters.
//!
//! A parameter that could change what is measured is carried out or refused by name; those that
//! only tune the Java driver are accepted.

use client::{Endpoint, Secret, TlsMode};
use std::time::Duration;

/// What a URL says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Url {
    /// Servers, at least one.
    pub(super) endpoints: Vec<Endpoint>,
    pub(super) database: String,
    pub(super) user: Option<String>,
    pub(super) password: Option<Secret>,
    pub(super) tls_mode: TlsMode,
    pub(super) connect_timeout: Option<Duration>,
}

/// Parameters of the Java driver that have nothing to act on here and cannot change a result.
const IDLE: [&str; 46] = [
    "allowLoadLocalInfile",
    "allowMultiQueries",
    "allowPublicKeyRetrieval",
    "alwaysSendSetIsolation",
    "autoReconnect",
    "autoReconnectForPools",
    "cacheCallableStmts",
    "cachePrepStmts",
    "cacheResultSetMetadata",
    "cacheServerConfiguration",
    "callableStmtCacheSize",
    "characterEncoding",
    "connectionTimeZone",
    "defaultFetchSize",
    "dontTrackOpenResources",
    "elideSetAutoCommits",
    "enableQueryTimeouts",
    "failOverReadOnly",
    "generateSimpleParameterMetadata",
    "holdResultsOpenOverStatementClose",
    "jdbcCompliantTruncation",
    "loadBalanceStrategy",
    "logger",
    "maintainTimeStats",
    "maxReconnects",
    "metadataCacheSize",
    "noAccessToProcedureBodies",
    "nullCatalogMeansCurrent",
    "prepStmtCacheSize",
    "prepStmtCacheSqlLimit",
    "profileSQL",
    "rewriteBatchedStatements",
    "serverTimezone",
    "tcpKeepAlive",
    "tcpNoDelay",
    "useAffectedRows",
    "useBulkStmts",
    "useCursorFetch",
    "useDynamicCharsetInfo",
    "useJDBCCompliantTimezoneShift",
    "useLegacyDatetimeCode",
    "useLocalSessionState",
    "useLocalTransactionState",
    "useReadAheadInput",
    "useTimezone",
    "useUnicode",
];

/// The parameters so far.
#[derive(Default)]
struct Parameters {
    user: Option<String>,
    password: Option<Secret>,
    /// `sslMode`, where it is given.
    mode: Option<TlsMode>,
    use_ssl: Option<bool>,
    require_ssl: bool,
    verify: bool,
    connect_timeout: Option<Duration>,
}

impl Url {
    /// Reads a URL.
    ///
    /// # Errors
    /// A sentence that names the part or the parameter at fault, and never a password.
    pub(super) fn read(url: &str) -> Result<Self, String> {
        let rest = ["jdbc:mysql:loadbalance://", "jdbc:mysql://", "jdbc:mariadb://"]
            .into_iter()
            .find_map(|scheme| url.strip_prefix(scheme))
            .ok_or_else(|| {
                let scheme: String = url.chars().take_while(|c| *c != '/').collect();
                format!(
                    "conn={scheme}…: give jdbc:mysql://HOST:PORT/DATABASE; there are also \
                     jdbc:mariadb:// and, with several hosts, jdbc:mysql:loadbalance://"
                )
            })?;
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
        if database.is_empty() {
            return Err(
                "conn: the URL names no database: give jdbc:mysql://HOST:PORT/DATABASE".into()
            );
        }
        if hosts.contains('@') {
            return Err(
                "conn: give user and password as user= and password=, not in the URL".into()
            );
        }
        let endpoints = hosts.split(',').map(|host| {
            let host = if host.is_empty() { "localhost" } else { host };
            Endpoint::parse_tcp(host, Endpoint::DEFAULT_PORT)
                .map_err(|words| format!("conn: {words}"))
        });
        let endpoints = endpoints.collect::<Result<_, _>>()?;
        let mut read = Parameters::default();
        for pair in parameters.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            read.take(name, &decoded(value))?;
        }
        Ok(Self {
            endpoints,
            database: decoded(database),
            tls_mode: read.tls_mode(),
            user: read.user,
            password: read.password,
            connect_timeout: read.connect_timeout,
        })
    }
}

impl Parameters {
    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        let wrong = |words: &str| Err(format!("conn: {name}={value}: {words}"));
        match name {
            "user" => self.user = Some(value.to_owned()),
            "password" => self.password = Some(Secret::new(value)),
            "useSSL" | "useSsl" => self.use_ssl = Some(flag(name, value)?),
            "requireSSL" => self.require_ssl = flag(name, value)?,
            "verifyServerCertificate" => self.verify = flag(name, value)?,
            "sslMode" => match value.to_ascii_lowercase().replace('_', "-").as_str() {
                "disable" => self.mode = Some(TlsMode::Disabled),
                "trust" => self.mode = Some(TlsMode::Required),
                "verify-full" => self.mode = Some(TlsMode::VerifyIdentity),
                mode => match mode.parse() {
                    Ok(mode) => self.mode = Some(mode),
                    Err(words) => return Err(format!("conn: {name}: {words}")),
                },
            },
            "connectTimeout" => match value.parse() {
                Ok(0) => {}
                Ok(ms) => self.connect_timeout = Some(Duration::from_millis(ms)),
                Err(_) => return wrong("give milliseconds"),
            },
            "useServerPrepStmts" => {
                if !flag(name, value)? {
                    return wrong(
                        "statements are always prepared on the server here; say true or leave it \
                         out",
                    );
                }
            }
            "useConfigs" => {
                if value != "maxPerformance" && value != "maxPerformance-8-0" {
                    return wrong("only maxPerformance can be had; leave it out");
                }
            }
            "useCompression" => {
                if flag(name, value)? {
                    return wrong("connections are not compressed here; leave it out");
                }
            }
            "socketTimeout" => {
                if value != "0" {
                    return wrong("an answer is waited for as long as it takes; say 0");
                }
            }
            _ if IDLE.contains(&name) => {}
            "sessionVariables" => {
                return wrong("sessions are not set up by hand here; SET GLOBAL on the server");
            }
            _ if name.starts_with("trustCertificate") || name.starts_with("clientCertificate") => {
                return wrong("key stores of Java are not read; use `myrig tpcc` with --tls-ca");
            }
            _ => {
                return Err(format!(
                    "conn: the parameter {name} is not known here; leave it out of the URL"
                ));
            }
        }
        Ok(())
    }

    fn tls_mode(&self) -> TlsMode {
        match (self.mode, self.use_ssl) {
            (Some(mode), _) => mode,
            (None, Some(false)) => TlsMode::Disabled,
            (None, _) if self.verify => TlsMode::VerifyCa,
            (None, _) if self.require_ssl => TlsMode::Required,
            (None, _) => TlsMode::Preferred,
        }
    }
}

fn flag(name: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "yes" => Ok(true),
        "false" | "no" => Ok(false),
        _ => Err(format!("conn: {name}={value}: say true or false")),
    }
}

/// Undoes `%41`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let digits = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The URL without a password that may be in it.
pub(super) fn without_password(url: &str) -> String {
    let (place, parameters) = url.split_once('?').unwrap_or((url, ""));
    let hide = |pair: &str| match pair.split_once('=') {
        Some((name, _)) if name.to_ascii_lowercase().contains("password") => {
            format!("{name}=***********")
        }
        _ => pair.to_owned(),
    };
    match parameters {
        "" => place.to_owned(),
        _ => format!("{place}?{}", parameters.split('&').map(hide).collect::<Vec<_>>().join("&")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn shown(url: &str) -> Vec<String> {
        Url::read(url).unwrap().endpoints.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_urls_of_the_published_procedures_are_read() {
        let url = Url::read(
            "jdbc:mysql://192.168.1.10:3306/tpcc?useSSL=false&useServerPrepStmts=true&\
             useConfigs=maxPerformance&rewriteBatchedStatements=true",
        )
        .unwrap();
        assert_eq!(url.endpoints[0].to_string(), "192.168.1.10:3306");
        assert_eq!((url.database.as_str(), url.tls_mode), ("tpcc", TlsMode::Disabled));
        let fork = "jdbc:mysql://localhost:4000/tpcc?useSSL=false&useServerPrepStmts=true&\
                    useConfigs=maxPerformance&rewriteBatchedStatements=true&cachePrepStmts=true&\
                    prepStmtCacheSize=1000&prepStmtCacheSqlLimit=2048";
        assert_eq!(shown(fork), ["localhost:4000"]);
    }

    #[test]
    fn hosts_are_one_or_several() {
        assert_eq!(shown("jdbc:mysql:loadbalance://a:1,b/d"), ["a:1", "b:3306"]);
        assert_eq!(shown("jdbc:mariadb://[::1]:7/d"), ["[::1]:7"]);
        assert_eq!(shown("jdbc:mysql:///d"), ["localhost:3306"]);
    }

    #[test]
    fn privacy_follows_either_of_two_ways_to_say_it() {
        let mode = |text| Url::read(&format!("jdbc:mysql://h/d?{text}")).unwrap().tls_mode;
        assert_eq!(mode(""), TlsMode::Preferred);
        assert_eq!(mode("useSSL=true&requireSSL=true"), TlsMode::Required);
        assert_eq!(mode("sslMode=VERIFY_IDENTITY"), TlsMode::VerifyIdentity);
        assert_eq!(mode("sslMode=DISABLED&useSSL=true"), TlsMode::Disabled);
        assert_eq!(mode("useSSL=true&verifyServerCertificate=true"), TlsMode::VerifyCa);
    }

    #[test]
    fn what_is_not_carried_out_is_refused_by_name() {
        for (text, says) in [
            ("jdbc:postgresql://h/d", "jdbc:mysql://HOST"),
            ("jdbc:mysql://h", "no database"),
            ("jdbc:mysql://h:x/d", "`x`"),
            ("jdbc:mysql://u:p@h/d", "password="),
            ("jdbc:mysql://h/d?frobnicate=1", "frobnicate"),
            ("jdbc:mysql://h/d?useServerPrepStmts=false", "useServerPrepStmts=false"),
            ("jdbc:mysql://h/d?useCompression=true", "useCompression"),
            ("jdbc:mysql://h/d?sessionVariables=a=1", "sessionVariables"),
            ("jdbc:mysql://h/d?useSSL=perhaps", "useSSL=perhaps"),
            ("jdbc:mysql://h/d?useConfigs=3-0-Compat", "useConfigs"),
            ("jdbc:mysql://h/d?socketTimeout=5", "socketTimeout=5"),
        ] {
            let refusal = Url::read(text).unwrap_err();
            assert!(refusal.contains(says), "{text}: {refusal}");
        }
    }

    #[test]
    fn a_password_in_the_url_is_used_and_not_shown() {
        let text = "jdbc:mysql://h/d?user=me&password=a%26b&useSSL=false";
        let url = Url::read(text).unwrap();
        assert_eq!(url.password, Some(Secret::new("a&b")));
        let hidden = "jdbc:mysql://h/d?user=me&password=***********&useSSL=false";
        assert_eq!(without_password(text), hidden);
        assert_eq!(without_password("jdbc:mysql://h/d"), "jdbc:mysql://h/d");
    }

    proptest! {
        #[test]
        fn any_text_gives_an_answer(text in ".{0,60}") {
            let _answer = Url::read(&text);
            let _answer = Url::read(&format!("jdbc:mysql://{text}"));
            let _answer = Url::read(&format!("jdbc:mysql://h/d?{text}"));
        }
    }
}
