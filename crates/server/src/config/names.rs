//! Which option a spelling means.

use strsim::levenshtein;

use super::{
    error::ConfigError,
    given::Given,
    kind::truth,
    table::{KnownOption, table},
    translation::SettingValue,
};

/// Options that a plugin brings, by how their names begin: a server knows them once the plugin is
/// loaded, so that this table does not.
const PLUGINS: [(&str, &str); 14] = [
    ("group_replication_", "group_replication"),
    ("rocksdb", "rocksdb"),
    ("tokudb", "tokudb"),
    ("spider_", "spider"),
    ("mroonga_", "mroonga"),
    ("connect_", "connect"),
    ("audit_log", "audit_log"),
    ("server_audit", "server_audit"),
    ("validate_password", "validate_password"),
    ("rpl_semi_sync_", "semisync"),
    ("clone_", "clone"),
    ("keyring_", "keyring"),
    ("ndb", "ndbcluster"),
    ("component_", "component"),
];

/// The prefixes that say how an option is given.
const OFF: [&str; 2] = ["skip_", "disable_"];
const ON: &str = "enable_";

/// What a setting means.
#[derive(Debug)]
pub(super) enum Meaning {
    /// An option of the table with its value.
    Known {
        option: &'static KnownOption,
        value: SettingValue,
        /// Words where the spelling was not the option's own.
        spelt: Option<String>,
    },
    /// An option that some plugin brings: (full name, plugin).
    OfPlugin(String, &'static str),
    /// An option that nobody knows, given as `loose-`: its full name.
    Loose(String),
}

/// A name as the table writes it: small letters, underscores, and without the prefixes that only
/// say how it is given (`loose-`, `skip-`, `disable-`, `enable-`).
pub fn canonical(name: &str) -> String {
    let name = plain(name);
    let name = name.strip_prefix("loose_").unwrap_or(&name);
    find(name).map_or(name, |(option, _)| option.name).to_owned()
}

/// Finds what a setting means.
pub(super) fn meaning(given: &Given) -> Result<Meaning, ConfigError> {
    check_text(given)?;
    let full = plain(&given.name);
    let (name, loose) = match full.strip_prefix("loose_") {
        Some(name) => (name, true),
        None => (full.as_str(), false),
    };
    if let Some((option, turned)) = find(name).or_else(|| find_by_beginning(name)) {
        let value = value_of(given, option, turned)?;
        let is_own = name.ends_with(option.name);
        let spelt = (!is_own).then(|| format!("`{name}` is short for it"));
        return Ok(Meaning::Known { option, value, spelt });
    }
    let starts = |(prefix, _): &&(&str, &str)| name.starts_with(prefix);
    match PLUGINS.iter().find(starts) {
        Some((_, plugin)) => Ok(Meaning::OfPlugin(full, plugin)),
        None if loose => Ok(Meaning::Loose(full)),
        None => Err(ConfigError::Unknown {
            place: given.place.clone(),
            name: given.name.clone(),
            nearest: nearest_words(name),
        }),
    }
}

/// Refuses what would be more, or something else, than one line of an option file.
fn check_text(given: &Given) -> Result<(), ConfigError> {
    let refuse = |reason: &str| ConfigError::Line {
        place: given.place.clone(),
        reason: format!("`{}` {reason}", given.name.escape_debug()),
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    if !given.name.starts_with(|c: char| c.is_ascii_alphanumeric())
        || !given.name.chars().all(allowed)
    {
        return Err(refuse("is no name: it has letters, digits, `-`, `_`, `.` and `:`"));
    }
    match given.value.iter().any(|value| value.chars().any(char::is_control)) {
        true => Err(refuse("has a value that holds a control character")),
        false => Ok(()),
    }
}

fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

/// The option of that name, and whether a prefix turns it on or off.
fn find(name: &str) -> Option<(&'static KnownOption, Option<bool>)> {
    if let Some(option) = table().get(name) {
        return Some((option, None));
    }
    let off = OFF.iter().find_map(|prefix| table().get(name.strip_prefix(prefix)?));
    let on = || table().get(name.strip_prefix(ON)?);
    off.map(|option| (option, Some(false))).or_else(|| Some((on()?, Some(true))))
}

/// The only option whose name begins so: servers take a beginning for the whole.
fn find_by_beginning(name: &str) -> Option<(&'static KnownOption, Option<bool>)> {
    let only = |beginning: &str| {
        let mut fits = table().options().filter(|option| option.name.starts_with(beginning));
        // By name, so that one which all others go on from comes first; it is meant then.
        let first = fits.next().filter(|_| beginning.len() >= 3)?;
        fits.all(|other| other.name.starts_with(first.name)).then_some(first)
    };
    let off = || OFF.iter().find_map(|prefix| only(name.strip_prefix(prefix)?));
    only(name).map(|option| (option, None)).or_else(|| Some((off()?, Some(false))))
}

fn value_of(
    given: &Given,
    option: &KnownOption,
    turned: Option<bool>,
) -> Result<SettingValue, ConfigError> {
    let refuse = |value: &str, reason: String| ConfigError::Value {
        place: given.place.clone(),
        name: given.name.clone(),
        value: value.to_owned(),
        reason,
    };
    match (turned, given.value.as_deref()) {
        (None, None) => match &option.kind {
            super::kind::Kind::Int { .. } | super::kind::Kind::Real { .. } => {
                Err(refuse("", "it needs a value".into()))
            }
            _ => Ok(SettingValue::Bare),
        },
        (None, Some(value)) => match option.kind.fault(value) {
            Some(reason) => Err(refuse(value, reason)),
            None => Ok(SettingValue::Text(value.to_owned())),
        },
        (Some(on), value) => {
            // `skip-x=0` is x, after all.
            let meant = value.map_or(Some(true), truth).map(|said| said == on);
            let meant = meant.ok_or_else(|| {
                let value = value.unwrap_or_default();
                refuse(value, "after skip-, disable- or enable- it is 0 or 1".into())
            })?;
            Ok(match (meant, option.kind.has_off()) {
                (true, true) => SettingValue::Text("ON".into()),
                (false, true) => SettingValue::Text("OFF".into()),
                (true, false) => SettingValue::Bare,
                (false, false) => SettingValue::Off,
            })
        }
    }
}

fn nearest_words(name: &str) -> String {
    let near = table().options().map(|option| (levenshtein(name, option.name), option.name)).min();
    // Further away than a third of the name it is another word.
    match near.filter(|(distance, _)| *distance * 3 <= name.len()) {
        Some((_, near)) => format!("; is `{near}` meant? (`loose-` before it lets it pass)"),
        None => "; `loose-` before it lets it pass".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::config::given::Place;

    fn given(name: &str, value: Option<&str>) -> Given {
        Given {
            name: name.into(),
            value: value.map(str::to_owned),
            place: Place::Argument("--set"),
        }
    }

    fn known(name: &str, value: Option<&str>) -> (String, SettingValue) {
        match meaning(&given(name, value)) {
            Ok(Meaning::Known { option, value, .. }) => (option.name.to_owned(), value),
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn spellings_of_an_option_mean_it() {
        let text = |value: &str| SettingValue::Text(value.into());
        for (name, value, option, meant) in [
            ("Max-Connections", Some("5"), "max_connections", text("5")),
            ("loose-max_connections", Some("5"), "max_connections", text("5")),
            ("skip-innodb-adaptive-hash-index", None, "innodb_adaptive_hash_index", text("OFF")),
            ("disable_innodb_file_per_table", Some("0"), "innodb_file_per_table", text("ON")),
            ("skip_log_bin", Some("1"), "log_bin", SettingValue::Off),
            ("skip-name-resolve", None, "skip_name_resolve", SettingValue::Bare),
            ("innodb_buffer_pool_si", Some("1G"), "innodb_buffer_pool_size", text("1G")),
            ("large-pages", None, "large_pages", SettingValue::Bare),
        ] {
            assert_eq!(known(name, value), (option.to_owned(), meant), "{name}");
        }
        assert_eq!(
            known("innodb_adaptive_flushing_l", Some("5")).0,
            "innodb_adaptive_flushing_lwm"
        );
        assert_eq!(canonical("loose-skip-Log-Bin"), "log_bin");
        assert_eq!(canonical("skip-name-resolve"), "skip_name_resolve");
    }

    #[test]
    fn an_unknown_option_is_an_error_that_names_the_nearest() {
        let error = meaning(&given("innodb_bufer_pool_size", Some("1"))).unwrap_err().to_string();
        assert!(error.contains("`innodb_buffer_pool_size` meant"), "{error}");
        assert!(error.starts_with("--set: "), "{error}");
        let error = meaning(&given("zzz", None)).unwrap_err().to_string();
        assert!(error.contains("loose-") && !error.contains("meant"), "{error}");
        assert!(matches!(meaning(&given("loose-zzz", None)), Ok(Meaning::Loose(_))));
        assert!(matches!(
            meaning(&given("rocksdb_block_cache_size", Some("1G"))),
            Ok(Meaning::OfPlugin(_, "rocksdb"))
        ));
    }

    #[test]
    fn what_would_be_more_than_one_line_is_refused() {
        for (name, value) in
            [("init_connect", "a\nport=1"), ("loose-a\nb", "1"), ("--port", "1"), ("", "1")]
        {
            let error = meaning(&given(name, Some(value))).unwrap_err();
            assert!(matches!(error, ConfigError::Line { .. }), "{error}");
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }

    #[test]
    fn values_of_the_wrong_kind_are_errors() {
        for (name, value) in [
            ("max_connections", Some("many")),
            ("max_connections", Some("0")),
            ("max_connections", None),
            ("innodb_page_cleaners", Some("65")),
            ("innodb_flush_method", Some("O_DIREKT")),
            ("performance_schema", Some("2")),
            ("skip_log_bin", Some("maybe")),
        ] {
            let error = meaning(&given(name, value)).unwrap_err();
            assert!(matches!(error, ConfigError::Value { .. }), "{name}: {error}");
        }
    }
}
