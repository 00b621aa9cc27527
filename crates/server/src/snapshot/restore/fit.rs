//! Whether a server and its settings fit a snapshot's data.

use crate::{
    home::InstanceName,
    options::{self, Settings},
    snapshot::error::SnapshotError,
    version::Release,
};

/// Options that are fixed when the data is made; a server with others does not start on it.
const FIXED: [&str; 4] = [
    "innodb-page-size",
    "innodb-data-file-path",
    "lower-case-table-names",
    "innodb-undo-tablespaces",
];

/// Refuses a server that cannot work on data of `data`; remarks on one that is newer.
pub(super) fn check_release(
    data: &Release,
    server: &Release,
) -> Result<Option<String>, SnapshotError> {
    let refuse = |reason| {
        let (server, data) = (server.to_string(), data.to_string());
        Err(SnapshotError::WrongServer { server, data, reason })
    };
    if data.flavour != server.flavour {
        return refuse("each flavour keeps its data in a way of its own");
    }
    if server.version < data.version {
        return refuse("a server cannot go back to an older version; take one as new as the data");
    }
    let newer = server.version > data.version;
    Ok(newer.then(|| format!("the data is of {data}; {server} upgrades it at its first start")))
}

/// Refuses settings that contradict the data; remarks on others that differ.
pub(super) fn check_settings(
    instance: &InstanceName,
    data: &Settings,
    target: &Settings,
) -> Result<Option<String>, SnapshotError> {
    let value = |settings: &Settings, option: &str| {
        let same = |name: &str| options::plain(name).trim_start_matches("loose-") == option;
        let found = settings.iter().find(|(name, _)| same(name));
        found.map_or("its default".to_owned(), |(_, value)| value.clone())
    };
    for option in FIXED {
        let (data, target) = (value(data, option), value(target, option));
        if data != target {
            let (instance, option) = (instance.clone(), option.to_owned());
            return Err(SnapshotError::Settings { instance, option, data, target });
        }
    }
    let names = data.keys().chain(target.keys()).map(|name| options::plain(name));
    let mut differing: Vec<String> =
        names.filter(|name| value(data, name) != value(target, name)).collect();
    differing.sort();
    differing.dedup();
    match differing.is_empty() {
        true => Ok(None),
        false => Ok(Some(format!(
            "`{instance}` keeps its settings, which differ from the snapshot's in {}; \
             --with-settings would bring those back",
            differing.join(", ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn release(full: &str) -> Release {
        Release::parse(&format!("mysqld  Ver {full} for Linux on x86_64 (x)")).unwrap()
    }

    #[test]
    fn a_newer_server_of_the_same_flavour_will_do_and_no_other() {
        let data = release("8.4.3");
        assert_eq!(check_release(&data, &release("8.4.3")).unwrap(), None);
        let remark = check_release(&data, &release("9.7.4")).unwrap().unwrap();
        assert!(remark.contains("upgrades"), "{remark}");
        let older = check_release(&data, &release("8.0.20")).unwrap_err().to_string();
        assert!(older.contains("8.0.20") && older.contains("8.4.3"), "{older}");
        assert!(check_release(&data, &release("10.11.6-MariaDB")).is_err());
    }

    #[test]
    fn settings_fixed_at_the_making_must_agree_and_others_are_remarked_on() {
        let name = "a".parse().unwrap();
        let settings = |pairs: &[(&str, &str)]| -> Settings {
            pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
        };
        let data = settings(&[("innodb_page_size", "4k"), ("max_connections", "10")]);
        let same = settings(&[("innodb-page-size", "4k"), ("max-connections", "10")]);
        assert_eq!(check_settings(&name, &data, &same).unwrap(), None);
        let other = settings(&[("innodb-page-size", "4k"), ("sync-binlog", "0")]);
        let remark = check_settings(&name, &data, &other).unwrap().unwrap();
        assert!(remark.contains("max-connections, sync-binlog"), "{remark}");
        let error = check_settings(&name, &data, &settings(&[])).unwrap_err().to_string();
        assert!(error.contains("innodb-page-size=4k") && error.contains("default"), "{error}");
    }
}
