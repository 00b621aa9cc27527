//! Whatever is done to a directory, its files end with the hints that rules want.

use std::fs;

use proptest::{collection::vec, prelude::*, sample::select};

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Create(String),
    Rename(String, String),
    Remove(String),
    MakeDirectory(String),
    RemoveDirectory(String),
    /// The keeper gets everything done so far.
    Settle,
}

fn directory() -> impl Strategy<Value = String> {
    let names = vec!["", "a/", "b/", "cold/", "a/cold/", "b/a/", "b/a/cold/", "../out/"];
    select(names).prop_map(str::to_owned)
}

/// One that is not the target itself.
fn inner() -> impl Strategy<Value = String> {
    directory().prop_filter("the target stays", |directory| !directory.is_empty())
}

fn file() -> impl Strategy<Value = String> {
    (directory(), select(vec!["redo1", "redo2", "undo", "plain", "other"]))
        .prop_map(|(directory, name)| format!("{directory}{name}"))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => file().prop_map(Step::Create),
        4 => (file(), file()).prop_map(|(from, to)| Step::Rename(from, to)),
        3 => (inner(), inner()).prop_map(|(from, to)| Step::Rename(from, to)),
        2 => file().prop_map(Step::Remove),
        3 => directory().prop_map(Step::MakeDirectory),
        1 => inner().prop_map(Step::RemoveDirectory),
        1 => Just(Step::Settle),
    ]
}

/// Most steps are impossible at some moment; then they fail, and that is fine.
fn take(step: &Step, dir: &Path, keeper: &Keeper) {
    match step {
        Step::Create(file) => drop(fs::write(dir.join(file), "x")),
        Step::Rename(from, to) => drop(fs::rename(dir.join(from), dir.join(to))),
        Step::Remove(file) => drop(fs::remove_file(dir.join(file))),
        Step::MakeDirectory(directory) => drop(fs::create_dir_all(dir.join(directory))),
        Step::RemoveDirectory(directory) => drop(fs::remove_dir_all(dir.join(directory))),
        Step::Settle => assert!(keeper.settle(DEADLINE)),
    }
}

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

fn check(steps: &[Step], stalled: bool) -> Result<(), TestCaseError> {
    let (outer, dir) = temporary();
    fs::create_dir_all(outer.path().join("out")).unwrap();
    let keeper = keep(&dir);
    assert!(keeper.settle(DEADLINE));
    let stall = stalled.then(|| keeper.stall());
    for step in steps.iter().filter(|step| !stalled || !matches!(step, Step::Settle)) {
        take(step, &dir, &keeper);
    }
    drop(stall);
    assert!(keeper.settle(DEADLINE));
    let status = keeper.status();
    let rules = rules();
    let mut all = Vec::new();
    files(&dir, &mut all);
    for path in &all {
        let wanted = rules.lifetime(path).unwrap_or_default();
        prop_assert_eq!(real(path), wanted, "{:?} of {:#?}", path, status);
    }
    let known: Vec<&Path> = status.files().map(|file| &*file.path).collect();
    all.retain(|path| rules.lifetime(path).is_some());
    all.sort();
    prop_assert_eq!(known, all, "the keeper knows what is there, and nothing else");
    prop_assert!(status.files().all(super::super::FileStatus::is_right), "{:#?}", status);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_file_ends_with_the_hint_that_its_path_wants(
        steps in vec(step(), 1..80), stalled: bool
    ) {
        check(&steps, stalled)?;
    }
}
