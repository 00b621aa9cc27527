//! Which data sets an experiment loads, and for which variants.

use super::spec::{Arm, Experiment, ServerSpec, WorkloadSpec};
use serde::Serialize;
use std::collections::BTreeMap;

/// Settings that decide what the data looks like on the disk, in the words of any version: variants
/// that differ in one of them cannot share files. All others can be changed on data that is there.
const SHAPING: [&str; 18] = [
    "character-set-server",
    "collation-server",
    "default-storage-engine",
    "default-table-encryption",
    "innodb-checksum-algorithm",
    "innodb-compression-algorithm",
    "innodb-compression-default",
    "innodb-compression-level",
    "innodb-data-file-path",
    "innodb-data-home-dir",
    "innodb-default-row-format",
    "innodb-encrypt-tables",
    "innodb-file-format",
    "innodb-file-per-table",
    "innodb-page-size",
    "innodb-undo-directory",
    "innodb-undo-tablespaces",
    "lower-case-table-names",
];

/// Data that is loaded once and restored before each trial.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct DataSet {
    /// Its name in this experiment: `data-1`.
    pub key: String,
    /// The server program that it is made by, the same for data sets of the same: `server-1`.
    pub server_key: String,
    /// The server that loads it: the first variant's, without its limits and its place, which
    /// would only make loading slower. Of the settings those that bear on the data, which all its
    /// variants have alike.
    pub server: ServerSpec,
    /// What is loaded.
    pub workload: WorkloadSpec,
    /// The variants that run on it, in the experiment's order.
    pub variants: Vec<String>,
    /// Nothing ever changes it: all of its variants look at its files with the server down. So it
    /// needs no snapshot, and all trials read the very same files.
    pub at_rest: bool,
}

/// The distinct data sets of an experiment, in the order of the variants.
pub fn data_sets(experiment: &Experiment) -> Vec<DataSet> {
    let mut sets: Vec<DataSet> = Vec::new();
    let mut servers: Vec<ServerSpec> = Vec::new();
    for arm in &experiment.variants {
        let server = loading(arm);
        let known = sets.iter_mut().find(|set| set.server == server && set.workload == arm.data);
        if let Some(known) = known {
            known.variants.push(arm.name.clone());
            known.at_rest &= arm.is_at_rest();
            continue;
        }
        let program = ServerSpec { settings: BTreeMap::new(), ..server.clone() };
        let place = servers.iter().position(|other| *other == program).unwrap_or_else(|| {
            servers.push(program);
            servers.len() - 1
        });
        sets.push(DataSet {
            key: format!("data-{}", sets.len() + 1),
            server_key: format!("server-{}", place + 1),
            server,
            workload: arm.data.clone(),
            variants: vec![arm.name.clone()],
            at_rest: arm.is_at_rest(),
        });
    }
    sets
}

/// The server of a variant as far as its data can tell.
fn loading(arm: &Arm) -> ServerSpec {
    let ServerSpec { flavour, mysqld, basedir, build, settings, data_dir, .. } = &arm.server;
    let shaping = settings.iter().filter(|(name, _)| shapes_data(name));
    ServerSpec {
        flavour: flavour.clone(),
        mysqld: mysqld.clone(),
        basedir: basedir.clone(),
        build: build.clone(),
        settings: shaping.map(|(name, value)| (name.clone(), value.clone())).collect(),
        data_dir: data_dir.clone(),
        ..ServerSpec::default()
    }
}

/// Whether a setting decides what the data looks like on the disk.
pub fn shapes_data(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('_', "-");
    let name = name.strip_prefix("loose-").unwrap_or(&name);
    SHAPING.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{
        spec::Repeat,
        testing::{arm, experiment},
    };

    fn with_setting(name: &str, setting: &str, value: u32) -> Arm {
        let mut arm = arm(name);
        arm.server.settings.insert(setting.into(), value.into());
        arm
    }

    fn told(arms: Vec<Arm>) -> Vec<(String, String, Vec<String>)> {
        let sets = data_sets(&experiment(arms, Repeat::default()));
        sets.into_iter().map(|set| (set.key, set.server_key, set.variants)).collect()
    }

    fn set(key: &str, server: &str, variants: &[&str]) -> (String, String, Vec<String>) {
        (key.into(), server.into(), variants.iter().map(|&name| name.into()).collect())
    }

    #[test]
    fn variants_that_differ_in_a_run_time_setting_or_a_limit_share_their_data() {
        let flush = "innodb-flush-log-at-trx-commit";
        let mut small = with_setting("small", flush, 2);
        (small.server.cores, small.server.memory) = (Some(0.5), Some("1G".into()));
        let sets = told(vec![with_setting("a", flush, 1), small]);
        assert_eq!(sets, [set("data-1", "server-1", &["a", "small"])]);
    }

    #[test]
    fn a_data_set_is_at_rest_as_long_as_no_variant_puts_a_load_on_it() {
        let at_rest = |name: &str| {
            let mut arm = arm(name);
            arm.workload.name = "pages".into();
            arm
        };
        let sets = |arms| data_sets(&experiment(arms, Repeat::default()));
        let all = sets(vec![at_rest("a"), at_rest("b")]);
        assert!(all.len() == 1 && all[0].at_rest);
        let mixed = sets(vec![at_rest("a"), arm("b")]);
        assert!(mixed.len() == 1 && !mixed[0].at_rest);
    }

    #[test]
    fn what_shapes_the_data_gives_another_data_set_on_the_same_program() {
        let mut large = arm("large");
        large.data.options.insert("warehouses".into(), 9.into());
        let pages = with_setting("pages", "innodb_page_size", 8192);
        let mut other = arm("other");
        other.server.flavour = Some("mysql".into());
        let sets = told(vec![arm("a"), large, pages, other, arm("b")]);
        let expected = [
            set("data-1", "server-1", &["a", "b"]),
            set("data-2", "server-1", &["large"]),
            set("data-3", "server-1", &["pages"]),
            set("data-4", "server-2", &["other"]),
        ];
        assert_eq!(sets, expected);
    }
}
