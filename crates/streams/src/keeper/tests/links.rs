//! Files with several names.

use std::sync::Mutex;

use super::*;

/// A keeper of directories with these rules, and what it tells.
fn keep_all(targets: &[(&Path, &str)]) -> (Keeper, Arc<Mutex<Vec<String>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let told = lines.clone();
    let news = move |news: &News<'_>| {
        if matches!(news, News::Conflict { .. }) {
            told.lock().unwrap().push(news.to_string());
        }
    };
    let options = Options { news: Some(Arc::new(news)), ..by_events_alone() };
    let target = |(dir, rules): &(&Path, &str)| Target {
        dir: (*dir).to_owned(),
        rules: Rules::parse(rules).unwrap(),
    };
    let keeper = Keeper::start(targets.iter().map(target).collect(), options).unwrap();
    assert!(keeper.settle(DEADLINE));
    (keeper, lines)
}

#[test]
fn of_two_names_the_one_with_the_first_rule_decides_and_it_is_told_once() {
    for redo_is_first in [true, false] {
        let (_outer, dir) = temporary();
        fs::create_dir(dir.join("cold")).unwrap();
        let [redo, plain] = [dir.join("redo"), dir.join("cold/plain")];
        let (first, second) = if redo_is_first { (&redo, &plain) } else { (&plain, &redo) };
        fs::write(first, "x").unwrap();
        let (keeper, told) = keep_all(&[(&dir, RULES)]);
        fs::hard_link(first, second).unwrap();
        assert!(keeper.settle(DEADLINE));
        assert_eq!(real(&redo), Lifetime::Short, "{redo_is_first}");
        for _ in 0..3 {
            drop(File::open(&plain).unwrap());
            drop(File::open(&redo).unwrap());
            assert!(keeper.check(DEADLINE));
        }
        let status = keeper.status();
        assert_eq!(status.counters.set_again, 0, "nobody sets it to and fro");
        assert!(status.counters.set <= 2, "{:?}", status.counters);
        let name = |path: &Path| status.files().find(|file| file.path == path).unwrap();
        assert!(name(&redo).is_right() && name(&redo).overruled.is_none());
        assert!(name(&plain).is_right(), "{:?}", name(&plain));
        assert_eq!(name(&plain).wanted, Lifetime::Short);
        let overruled = name(&plain).overruled.clone().unwrap();
        assert_eq!((overruled.own, &overruled.by), (Lifetime::Long, &redo));
        let line = format!(
            "{}: keeps hint short; {} is the same file, and its rule for long comes later",
            redo.display(),
            plain.display()
        );
        assert_eq!(*told.lock().unwrap(), [line]);

        // Without the name that decided, the other's rule is heard.
        fs::remove_file(&redo).unwrap();
        assert!(keeper.settle(DEADLINE));
        assert_eq!(real(&plain), Lifetime::Long);
        assert!(keeper.status().files().all(|file| file.overruled.is_none()));
        // And it is told anew when they disagree anew.
        fs::hard_link(&plain, &redo).unwrap();
        assert!(keeper.settle(DEADLINE));
        assert_eq!((real(&plain), told.lock().unwrap().len()), (Lifetime::Short, 2));
        // Where the name goes that no rule matches, the hint of the others stays.
        fs::rename(&redo, dir.join("aside")).unwrap();
        assert!(keeper.settle(DEADLINE));
        assert_eq!(real(&plain), Lifetime::Long);
        assert_eq!(keeper.stop().counters.cleared, 0);
    }
}

#[test]
fn names_whose_rules_agree_are_no_conflict_and_new_rules_may_turn_it() {
    let (_outer, dir) = temporary();
    let [redo, undo] = ["redo", "undo"].map(|name| dir.join(name));
    fs::write(&redo, "x").unwrap();
    fs::hard_link(&redo, &undo).unwrap();
    let (keeper, told) = keep_all(&[(&dir, "/redo short\n/undo short")]);
    assert!(told.lock().unwrap().is_empty());
    assert_eq!(keeper.status().files().count(), 2);
    keeper.reload(vec![Rules::parse("/undo long\n/redo short").unwrap()]).unwrap();
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&redo), Lifetime::Long);
    keeper.reload(vec![Rules::parse("/redo short\n/undo long").unwrap()]).unwrap();
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&redo), Lifetime::Short);
    let status = keeper.stop();
    assert!(status.files().all(super::super::FileStatus::is_right), "{status:?}");
}

#[test]
fn between_directories_the_one_that_was_given_first_decides() {
    let (_outer, dir) = temporary();
    let [one, two] = ["one", "two"].map(|name| dir.join(name));
    for dir in [&one, &two] {
        fs::create_dir(dir).unwrap();
    }
    fs::write(one.join("file"), "x").unwrap();
    fs::hard_link(one.join("file"), two.join("file")).unwrap();
    let (short, long) = ("/nothing 2\n/file short", "/file long");
    let (keeper, told) = keep_all(&[(&one, short), (&two, long)]);
    assert_eq!(real(&one.join("file")), Lifetime::Short);
    assert_eq!(told.lock().unwrap().len(), 1);
    drop(keeper);
    let (_keeper, _told) = keep_all(&[(&two, long), (&one, short)]);
    assert_eq!(real(&one.join("file")), Lifetime::Long);
}
