//! The table of options against what real servers say of themselves.

#![allow(clippy::unwrap_used)]

mod support;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use server::{
    Flavour, Installation,
    config::{Target, canonical, table},
    scratch::ScratchServer,
};

/// Beginnings of what the help lists though no option file can set it, or only of a debug build.
const NO_OPTIONS: [&str; 9] = [
    "debug",
    "help",
    "large_files_support",
    "lower_case_file_system",
    "protocol_version",
    "server_uid",
    "system_time_zone",
    "version",
    "wsrep_patch_version",
];

/// Variables that go by others which an instance sets: their defaults cannot be seen there.
const FOLLOWERS: [&str; 3] = ["collation_server", "log_replica_updates", "log_slave_updates"];

/// The names in `--verbose --help`: those of its list of options, and those of its variables.
async fn names_in_help(installation: &Installation) -> BTreeSet<String> {
    let dir = tempfile::tempdir().unwrap();
    let empty = dir.path().join("my.cnf");
    fs::write(&empty, "").unwrap();
    let mut command = installation.command(&empty);
    if let Some(share) = installation.share() {
        command.arg(format!("--lc-messages-dir={}", share.display()));
    }
    let output = command.args(["--verbose", "--help"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (options, variables) = text.split_once("Variables (--variable-name=value)").unwrap();
    let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let option = |line: &str| {
        // `  -b, --basedir=name`, or `  --basedir=name`; descriptions are further to the right.
        let indented = line.strip_prefix("  ").filter(|rest| rest.starts_with('-'))?;
        let (_, name) = indented.split_once("--")?;
        Some(plain(name.split(ends).next()?))
    };
    // The first line is the second half of a heading.
    let lines = variables.lines().skip(3).take_while(|line| !line.is_empty());
    let variables = lines.map(|line| plain(line.split(' ').next().unwrap()));
    let begin = options.find("\n\n").unwrap();
    options[begin..].lines().filter_map(option).chain(variables).collect()
}

fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

async fn options_are_there_as_the_table_says(installation: Installation) {
    let target = Target::of(installation.release());
    let help = names_in_help(&installation).await;
    assert!(help.len() > 600, "{} names in the help", help.len());
    let mut wrong = Vec::new();
    for option in table().options() {
        let (said, there) = (option.exists(&target), help.contains(option.name));
        if said != there {
            wrong.push(format!("{}: the table says {said}, {target} says {there}", option.name));
        }
    }
    let is_option = |name: &&String| !NO_OPTIONS.iter().any(|no| name.starts_with(no));
    for name in help.iter().filter(is_option) {
        if table().get(&canonical(name)).is_none() {
            wrong.push(format!("{name}: {target} has it, the table has not"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn defaults_are_those_of_the_table(installation: Installation) {
    let release = installation.release().clone();
    let mut server = ScratchServer::start(release.flavour).await.unwrap();
    let target = Target::of(&release);
    let set: BTreeSet<String> = fs::read_to_string(server.instance().options_file())
        .unwrap()
        .lines()
        .map(|line| canonical(line.split(['=', ' ']).next().unwrap()))
        .collect();
    let rows = support::query(&server.target().unwrap(), "SHOW GLOBAL VARIABLES").await;
    let values: BTreeMap<_, _> =
        rows.iter().map(|row| row.split_once(' ').unwrap_or((row, ""))).collect();
    let (mut seen, mut wrong) = (0, Vec::new());
    let is_free = |name: &str| !set.contains(name) && !FOLLOWERS.contains(&name);
    for option in table().options().filter(|option| is_free(option.name)) {
        let Some(default) = option.default(&target) else { continue };
        let Some(value) = values.get(option.name) else { continue };
        seen += 1;
        if option.kind.normal(default) != option.kind.normal(value) {
            wrong.push(format!("{}: the table says {default}, {target} {value}", option.name));
        }
    }
    assert!(seen > 350, "only {seen} defaults were seen");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

on_both!(options_are_there_as_the_table_says, defaults_are_those_of_the_table);

#[test]
fn the_table_knows_every_flavour() {
    for (_, flavour) in Flavour::NAMES {
        assert!(table().releases(flavour).len() >= 3, "{flavour}");
    }
}
