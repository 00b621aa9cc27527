//! Targets that vanish, come back, lie in each other, or cannot be.

use std::{fs, os::unix::fs::symlink, path::Path};

use super::{super::StartError, *};

#[test]
fn a_target_that_is_removed_and_made_again_is_kept_again() {
    let (outer, dir) = temporary();
    let target_dir = dir.join("mysql/data");
    fs::create_dir_all(&target_dir).unwrap();
    write(target_dir.join("redo"));
    let keeper = keep(&target_dir);
    assert!(keeper.settle(DEADLINE));
    for again in 1..=3 {
        // The last time everything above it goes, too, and a file takes its place for a while.
        let removed = if again < 3 { target_dir.clone() } else { dir.join("mysql") };
        fs::remove_dir_all(&removed).unwrap();
        assert!(keeper.settle(DEADLINE));
        let status = keeper.status();
        assert_eq!(status.targets[0].missing.unwrap().0, libc::ENOENT);
        assert_eq!((status.files().count(), status.targets[0].directories), (0, 0));
        if again == 3 {
            write(&removed);
            fs::remove_file(&removed).unwrap();
        }
        fs::create_dir_all(target_dir.join("sub")).unwrap();
        let [redo, undo] = ["redo", "sub/undo"].map(|name| write(target_dir.join(name)));
        assert!(keeper.settle(DEADLINE));
        assert_eq!((real(&redo), real(&undo)), (Lifetime::Short, Lifetime::Medium), "{again}");
    }
    fs::rename(&target_dir, outer.path().join("old")).unwrap();
    assert!(keeper.settle(DEADLINE));
    assert!(keeper.status().targets[0].missing.is_some());
    fs::rename(outer.path().join("old"), &target_dir).unwrap();
    let redo = write(target_dir.join("redo9"));
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&redo), Lifetime::Short);
    let status = keeper.stop();
    assert_eq!((status.targets[0].missing, status.counters.found), (None, 5));
}

#[test]
fn a_directory_inside_that_is_removed_and_made_again_is_kept_again() {
    let (_outer, dir) = temporary();
    let keeper = keep(&dir);
    for _ in 0..20 {
        fs::create_dir_all(dir.join("a/b")).unwrap();
        let redo = write(dir.join("a/b/redo"));
        assert!(keeper.settle(DEADLINE));
        assert_eq!(real(&redo), Lifetime::Short);
        fs::remove_dir_all(dir.join("a")).unwrap();
    }
    assert!(keeper.settle(DEADLINE));
    assert_eq!(keeper.stop().targets[0].directories, 1);
}

#[test]
fn a_target_that_is_swapped_by_rename_or_by_its_link_is_kept() {
    let (outer, dir) = temporary();
    let [one, two] = ["one", "two"].map(|name| outer.path().canonicalize().unwrap().join(name));
    for side in [&one, &two] {
        fs::create_dir(side).unwrap();
        write(side.join("redo"));
    }
    let link = dir.join("link");
    symlink(&one, &link).unwrap();
    let keeper = keep(&link);
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&one.join("redo")), Lifetime::Short);
    // Rules and status speak of where the link leads.
    assert_eq!(keeper.status().files().next().unwrap().path, one.join("redo"));
    assert_eq!(keeper.status().targets[0].dir, link);

    fs::remove_file(&link).unwrap();
    symlink(&two, &link).unwrap();
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&two.join("redo")), Lifetime::Short);
    assert_eq!(keeper.status().files().next().unwrap().path, two.join("redo"));

    let fresh = outer.path().join("fresh");
    fs::create_dir(&fresh).unwrap();
    write(fresh.join("undo"));
    fs::rename(&two, outer.path().join("old")).unwrap();
    fs::rename(&fresh, &two).unwrap();
    wait_for("the swapped directory", || {
        keeper.settle(DEADLINE) && real(&two.join("undo")) == Lifetime::Medium
    });
}

#[test]
fn a_target_inside_another_belongs_to_itself() {
    let (_outer, dir) = temporary();
    let inner = dir.join("a/inner");
    fs::create_dir_all(&inner).unwrap();
    let redo = write(inner.join("redo"));
    let inner_rules = Rules::parse("redo extreme").unwrap();
    let inner_target = Target { dir: inner.clone(), rules: inner_rules };
    let keeper = Keeper::start(vec![target(&dir), inner_target], by_events_alone()).unwrap();
    for _ in 0..3 {
        assert!(keeper.settle(DEADLINE));
        assert_eq!(real(&redo), Lifetime::Extreme);
        let status = keeper.status();
        assert_eq!(status.targets[0].directories, 2, "{status:?}");
        assert_eq!(status.targets[1].files.len(), 1, "{status:?}");
        fs::remove_dir_all(dir.join("a")).unwrap();
        fs::create_dir_all(&inner).unwrap();
        write(&redo);
    }
    let outside = write(dir.join("a/redo"));
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&outside), Lifetime::Short);
}

#[test]
fn what_cannot_be_kept_is_refused_with_a_reason() {
    let (outer, dir) = temporary();
    let start = |dirs: &[&Path]| {
        let targets = dirs.iter().map(|dir| target(dir)).collect();
        Keeper::start(targets, by_events_alone()).unwrap_err()
    };
    assert!(matches!(start(&[]), StartError::NoTargets));
    assert!(start(&[Path::new("data")]).to_string().contains("begin it with /"));
    let missing = start(&[&dir.join("missing")]).to_string();
    assert!(missing.ends_with("/missing: there is no such directory"), "{missing}");
    let file = start(&[&write(outer.path().join("file"))]).to_string();
    assert!(file.ends_with("it is not a directory"), "{file}");
    let link = outer.path().join("link");
    symlink(&dir, &link).unwrap();
    for twice in [[dir.as_path(), &dir], [&dir, &link], [&dir.join("."), &dir]] {
        assert!(matches!(start(&twice), StartError::Twice(..)), "{twice:?}");
    }
}

#[test]
fn a_target_that_is_missing_can_be_waited_for() {
    let (_outer, dir) = temporary();
    let late = dir.join("not/yet");
    let options = Options { await_missing: true, ..by_events_alone() };
    let keeper = Keeper::start(vec![target(&late)], options).unwrap();
    assert!(keeper.settle(DEADLINE));
    fs::create_dir_all(&late).unwrap();
    let redo = write(late.join("redo"));
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&redo), Lifetime::Short);
}
