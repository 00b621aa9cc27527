#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod links;
mod mounted;
mod property;
mod targets;
mod troubles;

use std::{
    fs::{self, File},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::{Keeper, News, Options, Target};
use crate::{Lifetime, Rules, hint};

/// Longer than anything takes, on a busy machine, too.
pub(super) const DEADLINE: Duration = Duration::from_secs(60);

pub(super) const RULES: &str = "/redo[^/]*$ short\n/undo[^/]*$ medium\n/cold/plain[^/]*$ long\n";

pub(super) fn rules() -> Rules {
    Rules::parse(RULES).unwrap()
}

/// A directory and a keeper that does nothing by the clock.
pub(super) fn keep(dir: &Path) -> Keeper {
    Keeper::start(vec![target(dir)], by_events_alone()).unwrap()
}

pub(super) fn target(dir: &Path) -> Target {
    Target { dir: dir.to_owned(), rules: rules() }
}

pub(super) fn by_events_alone() -> Options {
    let never = Duration::from_secs(3600);
    Options { check_every: never, rescan_every: never, checks_per_second: 0, ..Options::default() }
}

/// What a file's inode says. Opening it for writing only tells the keeper what it knows already.
pub(super) fn real(path: &Path) -> Lifetime {
    hint::get(File::options().write(true).open(path).unwrap()).unwrap()
}

pub(super) fn write(path: impl AsRef<Path>) -> PathBuf {
    fs::write(&path, "x").unwrap();
    path.as_ref().to_owned()
}

pub(super) fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < DEADLINE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub(super) fn temporary() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap().join("data");
    fs::create_dir(&path).unwrap();
    (dir, path)
}

#[test]
fn files_that_are_there_created_renamed_or_moved_in_get_their_hints() {
    let (outer, dir) = temporary();
    let there = write(dir.join("redo0"));
    fs::create_dir_all(dir.join("a/b/cold")).unwrap();
    let deep = write(dir.join("a/b/cold/plain"));
    let keeper = keep(&dir);
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&there), Lifetime::Short);
    assert_eq!(real(&deep), Lifetime::Long);

    let created = write(dir.join("undo1"));
    let renamed = dir.join("redo1");
    fs::rename(write(dir.join("plain")), &renamed).unwrap();
    let moved_in = dir.join("a/redo2");
    fs::rename(write(outer.path().join("redo2")), &moved_in).unwrap();
    let linked = dir.join("a/redo3");
    fs::hard_link(write(outer.path().join("x")), &linked).unwrap();
    fs::create_dir_all(dir.join("new/deep/cold")).unwrap();
    let nested = write(dir.join("new/deep/cold/plain"));
    let made = outer.path().join("made");
    fs::create_dir_all(made.join("cold")).unwrap();
    write(made.join("cold/plain"));
    fs::rename(&made, dir.join("made")).unwrap();
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&created), Lifetime::Medium);
    for short in [renamed, moved_in, linked] {
        assert_eq!(real(&short), Lifetime::Short, "{short:?}");
    }
    for long in [nested, dir.join("made/cold/plain")] {
        assert_eq!(real(&long), Lifetime::Long, "{long:?}");
    }
    let status = keeper.stop();
    assert!(status.files().all(super::FileStatus::is_right), "{status:?}");
    assert_eq!(status.files().count(), 8);
    assert_eq!(status.counters.set, 8);
    assert_eq!((status.counters.set_again, status.counters.failures), (0, 0));
    assert_eq!(status.targets[0].directories, 9);
}

#[test]
fn a_file_that_is_renamed_out_of_the_rules_loses_its_hint_and_others_keep_theirs() {
    let (outer, dir) = temporary();
    let redo = write(dir.join("redo"));
    fs::create_dir(dir.join("cold")).unwrap();
    write(dir.join("cold/plain"));
    let foreign = write(dir.join("foreign"));
    hint::set(File::open(&foreign).unwrap(), Lifetime::Extreme).unwrap();
    let keeper = keep(&dir);
    assert!(keeper.settle(DEADLINE));
    let aside = dir.join("aside");
    fs::rename(redo, &aside).unwrap();
    fs::rename(dir.join("cold"), dir.join("warm")).unwrap();
    let foreign_too = dir.join("foreign-too");
    fs::rename(&foreign, &foreign_too).unwrap();
    let kept = outer.path().join("kept");
    fs::rename(write(dir.join("undo")), &kept).unwrap();
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&aside), Lifetime::NotSet);
    assert_eq!(real(&dir.join("warm/plain")), Lifetime::NotSet);
    assert_eq!(real(&foreign_too), Lifetime::Extreme);
    let status = keeper.stop();
    assert_eq!(status.files().count(), 0, "{status:?}");
    assert_eq!(status.counters.cleared, 2);
}

#[test]
fn pipes_devices_and_links_are_left_alone_and_block_nothing() {
    let (outer, dir) = temporary();
    let elsewhere = write(outer.path().join("elsewhere"));
    fs::create_dir(outer.path().join("others")).unwrap();
    let others = write(outer.path().join("others/redo"));
    let keeper = keep(&dir);
    let fifo = dir.join("redo-pipe");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(dir.join("redo-socket")).unwrap();
    symlink(&elsewhere, dir.join("redo-link")).unwrap();
    symlink(dir.join("nowhere"), dir.join("redo-dangling")).unwrap();
    symlink(outer.path().join("others"), dir.join("linked")).unwrap();
    let after = write(dir.join("redo"));
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&after), Lifetime::Short);
    assert_eq!(real(&elsewhere), Lifetime::NotSet);
    assert_eq!(real(&others), Lifetime::NotSet);
    let status = keeper.stop();
    assert_eq!(status.files().count(), 1, "{status:?}");
}

#[test]
fn a_hint_that_is_lost_is_set_again_when_the_file_is_opened_and_by_the_round() {
    let (_outer, dir) = temporary();
    let redo = write(dir.join("redo"));
    let lose = || {
        // By a descriptor that was open before, so that nothing tells the keeper.
        let file = File::open(&redo).unwrap();
        move || hint::set(&file, Lifetime::NotSet).unwrap()
    };
    let keeper = keep(&dir);
    let lost = lose();
    assert!(keeper.settle(DEADLINE));
    lost();
    assert!(keeper.settle(DEADLINE));
    assert_eq!(keeper.status().counters.set_again, 0);
    drop(File::open(&redo).unwrap());
    assert!(keeper.settle(DEADLINE));
    assert_eq!(keeper.status().counters.set_again, 1);
    assert_eq!(real(&redo), Lifetime::Short);
    assert!(keeper.settle(DEADLINE));
    lost();
    assert!(keeper.check(DEADLINE));
    assert_eq!(keeper.stop().counters.set_again, 2);

    let check_every = Duration::from_millis(20);
    let options = Options { check_every, checks_per_second: 1000, ..Options::default() };
    let keeper = Keeper::start(vec![target(&dir)], options).unwrap();
    assert!(keeper.settle(DEADLINE));
    lost();
    wait_for("the round", || keeper.status().counters.set_again == 1);
}

#[test]
fn looking_at_files_does_not_make_it_look_again() {
    let (_outer, dir) = temporary();
    (0..100).for_each(|number| drop(write(dir.join(format!("redo{number}")))));
    let keeper = keep(&dir);
    assert!(keeper.settle(DEADLINE));
    for _ in 0..5 {
        assert!(keeper.check(DEADLINE));
    }
    // What it opened itself has come back as events, and led to nothing.
    assert!(keeper.settle(DEADLINE));
    let checks = keeper.stop().counters.checks;
    assert!((600..650).contains(&checks), "{checks}");
}

#[test]
fn other_rules_hold_for_every_file_from_the_moment_they_are_loaded() {
    let (_outer, dir) = temporary();
    let [redo, undo, other] = ["redo", "undo", "other"].map(|name| write(dir.join(name)));
    let keeper = keep(&dir);
    assert!(keeper.settle(DEADLINE));
    let other_rules = || Rules::parse("/redo extreme\n/other 2").unwrap();
    keeper.reload(vec![other_rules()]).unwrap();
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&redo), Lifetime::Extreme);
    assert_eq!(real(&undo), Lifetime::NotSet);
    assert_eq!(real(&other), Lifetime::Short);
    let error = keeper.reload(vec![other_rules(), other_rules()]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2 rule sets for 1 directories; give one for each, in their order"
    );
    let counters = keeper.stop().counters;
    assert_eq!((counters.set, counters.set_again, counters.cleared), (4, 0, 1));
}

#[test]
fn news_are_told_and_read_as_lines_of_a_log() {
    let (_outer, dir) = temporary();
    let lines = Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = lines.clone();
    let news = move |news: &News<'_>| told.lock().unwrap().push(news.to_string());
    let options = Options { news: Some(Arc::new(news)), ..by_events_alone() };
    let keeper = Keeper::start(vec![target(&dir)], options).unwrap();
    let redo = write(dir.join("redo"));
    assert!(keeper.settle(DEADLINE));
    fs::rename(&redo, dir.join("plain")).unwrap();
    keeper.settle(DEADLINE);
    keeper.reload(vec![rules()]).unwrap();
    drop(keeper);
    let lines = lines.lock().unwrap().join("\n");
    let dir = dir.display();
    let expected = format!(
        "{dir}: watching\n{dir}/redo: set hint short\n{dir}/plain: took the hint away, no rule \
         matches now\nnew rules; looking at every file again"
    );
    assert_eq!(lines, expected);
}

#[test]
fn an_overflow_of_events_is_survived() {
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let limit: usize = limit.trim().parse().unwrap();
    if limit > 100_000 {
        println!("SKIPPED: overflow, because the kernel queues {limit} events");
        return;
    }
    let (_outer, dir) = temporary();
    fs::create_dir(dir.join("moved")).unwrap();
    let gone = write(dir.join("moved/redo"));
    let overflows = Arc::new(AtomicUsize::new(0));
    let counted = overflows.clone();
    let news = move |news: &News<'_>| {
        counted.fetch_add(usize::from(matches!(news, News::Overflow)), Ordering::Relaxed);
    };
    let options = Options { news: Some(Arc::new(news)), ..by_events_alone() };
    let keeper = Keeper::start(vec![target(&dir)], options).unwrap();
    assert!(keeper.settle(DEADLINE));
    let stalled = keeper.stall();
    // Two events each: created, opened.
    let filler = dir.join("filler");
    for _ in 0..=limit / 2 {
        write(&filler);
        fs::remove_file(&filler).unwrap();
    }
    fs::rename(dir.join("moved"), dir.join("cold")).unwrap();
    fs::rename(dir.join("cold/redo"), dir.join("cold/plain")).unwrap();
    fs::create_dir_all(dir.join("x/cold")).unwrap();
    let deep = write(dir.join("x/cold/plain"));
    let redo = write(dir.join("redo"));
    drop(stalled);
    assert!(keeper.settle(DEADLINE));
    assert!(overflows.load(Ordering::Relaxed) > 0);
    assert!(!gone.exists());
    assert_eq!(real(&dir.join("cold/plain")), Lifetime::Long);
    assert_eq!(real(&deep), Lifetime::Long);
    assert_eq!(real(&redo), Lifetime::Short);
    let later = write(dir.join("x/cold/redo"));
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&later), Lifetime::Short);
    assert!(keeper.stop().counters.overflows > 0);
}
