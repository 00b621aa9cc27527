//! The option files of published procedures, carried over to servers of every age, and taken by
//! real ones.

#![allow(clippy::unwrap_used)]

mod support;

use std::{collections::BTreeMap, fs, path::PathBuf};

use server::{
    Change, InitOptions, Installation, Instance, Settings, Via,
    config::{self, For, Given, OptionFile, SettingValue, Target, Translation, canonical, table},
};
use support::Place;

/// The listings: two of astream's test procedure, one of HammerDB's best practice.
const LISTINGS: [&str; 3] = ["astream-1", "astream-2", "hammerdb"];

/// Sizes of a test, and what a test machine's limits on open files would change.
const SMALL: [(&str, &str); 7] = [
    ("innodb_buffer_pool_size", "64M"),
    ("innodb_log_file_size", "16M"),
    ("innodb_log_files_in_group", "2"),
    ("innodb_log_buffer_size", "8M"),
    ("table_open_cache", "400"),
    ("innodb_open_files", "400"),
    ("max_connections", "50"),
];

/// What servers reduce by themselves where pool, connections and open files are that few.
const FOLLOWERS: [&str; 4] = [
    "innodb_buffer_pool_instances",
    "innodb_page_cleaners",
    "table_open_cache_instances",
    "thread_cache_size",
];

fn listing(name: &str) -> Vec<Given> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/listings");
    let mut given = OptionFile::read(&dir.join(format!("{name}.cnf")), "8.0").unwrap().given;
    for given in &mut given {
        // Without the directory, which is another on each machine.
        if let config::Place::File { path, .. } = &mut given.place {
            *path = PathBuf::from(format!("{name}.cnf"));
        }
    }
    given
}

fn rendered(target: &str) -> String {
    let target = Target::parse(target).unwrap();
    let from = Some(Target::parse("mysql-8.0.20").unwrap());
    let each = LISTINGS.map(|name| {
        let mut translation =
            Translation::of(&listing(name), target, from, For::AnyServer).unwrap();
        // They say the same for each listing, and have tests of their own.
        translation.differing.clear();
        format!("# {name}\n{}", translation.render(true))
    });
    each.join("\n")
}

#[test]
fn the_listings_for_mysql_8_0_20() {
    insta::assert_snapshot!(rendered("mysql-8.0.20"));
}

#[test]
fn the_listings_for_mysql_8_4() {
    insta::assert_snapshot!(rendered("mysql-8.4"));
}

#[test]
fn the_listings_for_mysql_9() {
    insta::assert_snapshot!(rendered("mysql-9"));
}

#[test]
fn the_listings_for_mariadb_10_11() {
    insta::assert_snapshot!(rendered("mariadb-10.11"));
}

fn small(name: &str, target: Target, by: For) -> Translation {
    let mut given = listing(name);
    given.extend(SMALL.map(|(name, value)| Given::argument("--set", name, value)));
    Translation::of(&given, target, None, by).unwrap()
}

/// What a server made of the settings, where it is not what they say.
fn disagreements(translation: &Translation, rows: &[String]) -> Vec<String> {
    let values: BTreeMap<_, _> =
        rows.iter().map(|row| row.split_once(' ').unwrap_or((row, ""))).collect();
    let mut wrong = Vec::new();
    let follows = |name: &str| FOLLOWERS.contains(&name);
    for setting in translation.settings.iter().filter(|it| !follows(&it.name)) {
        // Options without a variable of that name, and those whose variable shows something else.
        let Some(is) = values.get(setting.name.as_str()) else { continue };
        let said = match &setting.value {
            SettingValue::Text(value) => value.as_str(),
            SettingValue::Bare => "ON",
            SettingValue::Off => "OFF",
        };
        let kind = &table().get(&setting.name).unwrap().kind;
        let members = |value: &str| {
            let mut members: Vec<_> = kind.normal(value).split(',').map(str::to_owned).collect();
            members.sort();
            members
        };
        let is_name = setting.name == "log_bin" && *is == "ON";
        if !is_name && members(said) != members(is) {
            wrong.push(format!("{}: set to {said}, is {is}", setting.name));
        }
    }
    wrong
}

async fn a_listing_is_taken(name: &str, translation: &Translation, instance: &mut Instance) {
    instance.start(&support::start()).await.unwrap();
    let target = instance.target(Via::Socket).unwrap();
    let rows = support::query(&target, "SHOW GLOBAL VARIABLES").await;
    instance.stop(support::DEADLINE).await.unwrap();
    assert_eq!(disagreements(translation, &rows), Vec::<String>::new(), "{name}");
    let log = fs::read_to_string(instance.log()).unwrap();
    for words in ["unknown variable", "unknown option", "adjusted to", "Deprecated program name"] {
        let said = log.lines().find(|line| line.to_ascii_lowercase().contains(words));
        // The server's own sizing of what this machine's limits allow is no fault of the file.
        let said = said.filter(|line| !line.contains("open_files_limit"));
        assert_eq!(said, None, "{name}");
    }
}

async fn servers_take_the_listings_and_do_as_they_say(installation: Installation) {
    let target = Target::of(installation.release());
    let translations = LISTINGS.map(|name| (name, small(name, target, For::Instance)));
    let place = Place::new();
    let options = |translation: &Translation| InitOptions {
        settings: translation.instance_settings(),
        ..InitOptions::default()
    };
    let first = options(&translations[0].1);
    let name = support::name("a");
    let made = Instance::init(&place.home, &name, &installation, &first);
    let mut instance = made.await.unwrap();
    let mut before: Settings = first.settings;
    for (name, translation) in &translations {
        // The same data under the next listing: that of the one before goes.
        let settings = translation.instance_settings();
        let unset = before.keys().filter(|name| !settings.contains_key(*name)).cloned().collect();
        let change = Change { settings: settings.clone(), unset, ..Change::default() };
        instance.change(&change).unwrap();
        before = settings;
        a_listing_is_taken(name, translation, &mut instance).await;
    }
}

on_both!(servers_take_the_listings_and_do_as_they_say);

#[tokio::test]
async fn mysql_finds_what_is_written_for_it_valid() {
    let Some(installation) = support::mysql().await else { return };
    let dir = tempfile::tempdir().unwrap();
    for name in LISTINGS {
        let mut translation = small(name, Target::of(installation.release()), For::AnyServer);
        // Directories of another machine, which need not be here.
        let is_of_machine =
            |name: &str| ["datadir", "socket", "tmpdir", "user", "lc_messages_dir"].contains(&name);
        translation.settings.retain(|setting| !is_of_machine(&setting.name));
        let file = dir.path().join(format!("{name}.cnf"));
        fs::write(&file, translation.render(true)).unwrap();
        let mut command = installation.command(&file);
        command.arg(format!("--datadir={}", dir.path().display()));
        command.arg(format!("--secure-file-priv={}", dir.path().display()));
        if let Some(share) = installation.share() {
            command.arg(format!("--lc-messages-dir={}", share.display()));
        }
        let output = command.arg("--validate-config").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !said.contains("[ERROR]"), "{name}: {said}");
    }
}

#[test]
fn every_option_of_the_listings_meets_a_fate() {
    for name in LISTINGS {
        for target in ["mysql-5.7", "mysql-8.0.20", "percona-8.0", "mysql-8.4", "mariadb-11.8"] {
            let given = listing(name);
            let target = Target::parse(target).unwrap();
            let translation = Translation::of(&given, target, None, For::AnyServer).unwrap();
            assert_eq!(translation.fates.len(), given.len());
            let told: usize = translation.counts().iter().map(|(_, count)| count).sum();
            assert_eq!(told, given.len());
            assert!(translation.settings.iter().all(|it| canonical(&it.name) == it.name));
        }
    }
}
