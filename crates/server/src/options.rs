//! The option file of an instance: a base fit for benchmarks, the caller's settings over it.
//!
//! The base changes what makes results differ for no good reason (name resolution, binary log,
//! character set, a redo log too small to hold a minute of writes) and leaves durability as the
//! server ships it. Sizing to the machine is a matter of settings.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use crate::{
    error::Error,
    home::Layout,
    installation::Installation,
    version::{Release, Version},
};

/// The option whose base value has to fit into an instance's limits.
pub(crate) const POOL: &str = "innodb-buffer-pool-size";
/// Its value where nothing is said.
pub(crate) const POOL_BASE: &str = "512M";

/// Server settings by name, as they would stand in an option file. Dashes and underscores are the
/// same; an empty value makes a bare option such as `skip-innodb-adaptive-hash-index`, and `''` is
/// an empty value.
pub type Settings = BTreeMap<String, String>;

/// Options that belong to the instance, and what to use instead.
const OWN: [(&str, &str); 17] = [
    ("port", "give the port with --port"),
    ("socket", "it is in the instance's directory; see --home"),
    ("datadir", "it is in the instance's directory; see --home"),
    ("pid-file", "it is in the instance's directory; see --home"),
    ("log-error", "it is in the instance's directory; see --home"),
    ("basedir", "the installation decides; see --basedir"),
    ("bind-address", "an instance listens on the loopback only"),
    ("networking", "an instance is reached over TCP, too"),
    ("user", "an instance runs as whoever starts it"),
    ("init-file", "it carries the password at initialisation"),
    ("grant-tables", "an instance is reached with its password"),
    ("daemonize", "the start watches the server's process"),
    ("bootstrap", "`init` does it"),
    ("initialize", "`init` does it"),
    ("initialize-insecure", "`init` does it"),
    ("defaults-file", "settings are kept in the instance's my.cnf"),
    ("defaults-extra-file", "settings are kept in the instance's my.cnf"),
];

/// Options that an instance would take, but that in another server's option file speak of that
/// server's machine.
const OF_ELSEWHERE: [(&str, &str); 6] = [
    ("tmpdir", "it is in the instance's directory"),
    ("language", "the installation decides"),
    ("lc-messages-dir", "the installation decides"),
    ("character-sets-dir", "the installation decides"),
    ("plugin-dir", "the installation decides"),
    ("secure-file-priv", "it is in the instance's directory"),
];

/// Why an option of somebody's option file is not for an instance, if it is not.
pub(crate) fn belongs_to_instance(name: &str) -> Option<&'static str> {
    let plain = canonical(name);
    let mut all = OWN.iter().chain(&OF_ELSEWHERE);
    all.find(|(own, _)| *own == plain).map(|(_, instead)| *instead)
}

/// Writes the option file. `layout` is where the instance will be, not where it is being made.
///
/// # Errors
/// [`Error::Setting`] for an option that belongs to the instance, or whose text an option file
/// cannot hold; [`Error::Record`] for a path that it cannot hold.
pub(crate) fn render(
    layout: &Layout,
    installation: &Installation,
    port: u16,
    settings: &Settings,
) -> Result<String, Error> {
    let mut options = base(installation.release());
    for (name, value) in settings {
        check(name, value)?;
        let name = name.replace('_', "-");
        options.retain(|(known, _)| !replaces(&name, known));
        options.push((name, value.clone()));
    }
    let mut text = String::from("# Made by `myrig server init`.\n[mysqld]\n");
    for (name, path) in paths(layout, installation) {
        if !options.iter().any(|(known, _)| canonical(known) == name) {
            let path = quoted_path(&path, &layout.options())?;
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{name} = {path}");
        }
    }
    let _ = writeln!(text, "port = {port}\nbind-address = 127.0.0.1");
    for (name, value) in options {
        let _ = match value.is_empty() {
            true => writeln!(text, "{name}"),
            false => writeln!(text, "{name} = {}", quoted(&value)),
        };
    }
    Ok(text)
}

/// The option file with another port.
pub(crate) fn with_port(text: &str, port: u16) -> String {
    let line = |line: &str| match line.starts_with("port = ") {
        true => format!("port = {port}\n"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn paths(layout: &Layout, installation: &Installation) -> Vec<(&'static str, std::path::PathBuf)> {
    let mut paths = vec![
        ("basedir", installation.basedir().to_owned()),
        ("datadir", layout.data()),
        ("tmpdir", layout.tmp()),
        ("socket", layout.socket()),
        ("pid-file", layout.pid()),
        // Where the server may read and write files for SQL; the built-in directory is seldom
        // there, and MySQL does not start without it.
        ("secure-file-priv", layout.tmp()),
    ];
    if let Some(share) = installation.share() {
        paths.push(("lc-messages-dir", share.to_owned()));
    }
    paths
}

fn base(release: &Release) -> Vec<(String, String)> {
    let mut options = vec![
        ("skip-name-resolve", ""),
        ("skip-log-bin", ""),
        ("local-infile", "ON"),
        ("character-set-server", "utf8mb4"),
        ("default-storage-engine", "InnoDB"),
        ("max-connections", "1000"),
        (POOL, POOL_BASE),
        ("innodb-flush-method", "O_DIRECT"),
    ];
    let mysql = release.flavour.is_mysql_like();
    if mysql {
        // The X protocol, of which 5.7 need not know, would listen on a port of its own.
        options.push(("loose-mysqlx", "OFF"));
    }
    if mysql && release.version >= Version::new(8, 0, 30) {
        options.push(("innodb-redo-log-capacity", "512M"));
    } else if !mysql && release.version >= Version::new(10, 5, 0) {
        // One file since MariaDB 10.5, two before and in older MySQL.
        options.push(("innodb-log-file-size", "512M"));
    } else {
        options.push(("innodb-log-file-size", "256M"));
    }
    options.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The name as it stands among settings: in lower case, with dashes.
pub(crate) fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', "-")
}

/// The name without the prefixes that only say how it is given.
fn canonical(name: &str) -> String {
    let name = plain(name);
    let mut rest = name.as_str();
    for prefix in ["loose-", "skip-", "disable-", "enable-"] {
        rest = rest.strip_prefix(prefix).unwrap_or(rest);
    }
    rest.to_owned()
}

/// True when the setting takes the place of a base option, so that the two do not contradict.
fn replaces(setting: &str, base: &str) -> bool {
    let redo = |name: &str| {
        matches!(
            name,
            "innodb-redo-log-capacity"
                | "innodb-log-file-size"
                | "innodb-log-files-in-group"
                | "innodb-dedicated-server"
        )
    };
    let (setting, base) = (canonical(setting), canonical(base));
    setting == base || (redo(&setting) && redo(&base))
}

fn check(name: &str, value: &str) -> Result<(), Error> {
    let refuse = |reason: &str| Err(Error::Setting { name: name.into(), reason: reason.into() });
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(allowed) {
        return refuse("a name has letters, digits, `-`, `_` and `.`, and no leading dashes");
    }
    if value.chars().any(char::is_control) {
        return refuse("its value holds a control character");
    }
    if value.contains('#') && value.contains(['"', '\'']) {
        return refuse("its value holds a quote and `#`, which an option file cannot tell apart");
    }
    let plain = canonical(name);
    match OWN.iter().find(|(own, _)| *own == plain) {
        Some((_, instead)) => refuse(instead),
        None => Ok(()),
    }
}

/// The value as an option file takes it: `#` begins a comment outside quotes, blanks at the ends
/// are dropped, and a backslash begins an escape.
fn quoted(value: &str) -> String {
    if value == "''" {
        return String::new();
    }
    let escaped = value.replace('\\', "\\\\");
    let bare = value.trim() == value && !value.contains(['#', '"', '\'']);
    if bare { escaped } else { format!("\"{escaped}\"") }
}

fn quoted_path(path: &Path, file: &Path) -> Result<String, Error> {
    let fits = |text: &&str| !text.chars().any(|c| c.is_control() || matches!(c, '"' | '\''));
    match path.to_str().filter(fits) {
        Some(text) => Ok(quoted(text)),
        None => Err(Error::Record {
            path: file.to_owned(),
            reason: format!("it cannot hold the path {path:?}; choose another with --home"),
        }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn base_of(full: &str, comment: &str) -> String {
        let output = format!("mysqld  Ver {full} for Linux on x86_64 ({comment})");
        let options = base(&Release::parse(&output).unwrap());
        options.into_iter().map(|(name, value)| format!("{name}={value}\n")).collect()
    }

    #[test]
    fn the_redo_log_is_sized_in_the_words_of_each_version() {
        assert!(base_of("9.7.4", "").contains("innodb-redo-log-capacity=512M"));
        assert!(base_of("8.0.30", "").contains("innodb-redo-log-capacity=512M"));
        assert!(base_of("8.0.20", "").contains("innodb-log-file-size=256M"));
        assert!(base_of("8.0.35-27", "Percona Server").contains("innodb-redo-log-capacity=512M"));
        assert!(base_of("10.11.6-MariaDB", "").contains("innodb-log-file-size=512M"));
        assert!(base_of("10.4.30-MariaDB", "").contains("innodb-log-file-size=256M"));
    }

    #[test]
    fn a_setting_replaces_the_base_option_however_it_is_spelt() {
        assert!(replaces("max_connections", "max-connections"));
        assert!(replaces("log_bin", "skip-log-bin"));
        assert!(replaces("SKIP_NAME_RESOLVE", "skip-name-resolve"));
        assert!(replaces("innodb_log_file_size", "innodb-redo-log-capacity"));
        assert!(!replaces("max-connect-errors", "max-connections"));
    }

    #[test]
    fn options_of_the_instance_are_refused_with_the_way_out() {
        for (name, word) in
            [("port", "--port"), ("DATADIR", "--home"), ("skip_networking", "TCP"), ("--x", "dash")]
        {
            let error = check(name, "1").unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(word), "{error}");
        }
        assert!(check("init_connect", "a\nport=1").is_err());
        assert!(check("innodb-log-file-size", "64M").is_ok());
    }

    #[test]
    fn only_the_port_changes_with_the_port() {
        let text = "[mysqld]\nport = 1\nreport-port = 1\nbind-address = 127.0.0.1\n";
        let expected = "[mysqld]\nport = 2\nreport-port = 1\nbind-address = 127.0.0.1\n";
        assert_eq!(with_port(text, 2), expected);
    }

    #[test]
    fn values_that_a_file_would_misread_are_quoted() {
        assert_eq!(quoted("512M"), "512M");
        assert_eq!(quoted("a#b"), "\"a#b\"");
        assert_eq!(quoted(" a"), "\" a\"");
        assert_eq!(quoted("a\\b"), "a\\\\b");
        assert!(check("a", "'#").is_err());
    }

    proptest! {
        #[test]
        fn a_setting_never_adds_a_second_line(name in "\\PC{0,12}", value in "(?s).{0,20}") {
            if check(&name, &value).is_ok() {
                prop_assert_eq!(format!("{name}={}", quoted(&value)).lines().count(), 1);
            }
        }
    }
}
