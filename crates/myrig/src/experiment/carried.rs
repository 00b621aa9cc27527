//! The server settings of an experiment file, carried over to the version that is to have them.

use super::capability::server::settings;
use lab::experiment::{Fault, spec::ServerSpec};
use server::{
    Release, Settings,
    config::{FateKind, For, Given, Target, Translation},
};

/// The settings as a release knows them.
///
/// # Errors
/// One that no version knows, or with a value that it cannot have.
pub(super) fn carried(spec: &ServerSpec, release: &Release) -> Result<Settings, Fault> {
    Ok(translation(spec, release)?.instance_settings())
}

/// What became of the settings that the release does not have as they are, a sentence each.
///
/// # Errors
/// As for [`carried`].
pub(super) fn changed(spec: &ServerSpec, release: &Release) -> Result<Vec<String>, Fault> {
    let fates = translation(spec, release)?.fates;
    let changed = fates.iter().filter(|fate| fate.kind != FateKind::Kept);
    Ok(changed.map(|fate| fate.sentence()).collect())
}

fn translation(spec: &ServerSpec, release: &Release) -> Result<Translation, Fault> {
    let all = settings(spec)?;
    let given = all.iter().map(|(name, value)| Given::argument("server.settings", name, value));
    let given: Vec<Given> = given.collect();
    Ok(Translation::of(&given, Target::of(release), None, For::Instance)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use server::{Flavour, Version};

    #[test]
    fn settings_of_another_version_are_translated_and_told() {
        let spec = ServerSpec {
            settings: [
                ("innodb-log-file-size".to_owned(), "64M".into()),
                ("innodb-log-files-in-group".to_owned(), 2.into()),
                ("sync-binlog".to_owned(), 0.into()),
            ]
            .into(),
            ..ServerSpec::default()
        };
        let version = Version::new(8, 4, 1);
        let release = Release { flavour: Flavour::MySql, version, full: String::new() };
        let carried = carried(&spec, &release).unwrap();
        let expected = [("innodb_redo_log_capacity", "128M"), ("sync_binlog", "0")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(carried, expected.into());
        let told = changed(&spec, &release).unwrap();
        assert_eq!(told.len(), 2, "{told:?}");
    }
}
