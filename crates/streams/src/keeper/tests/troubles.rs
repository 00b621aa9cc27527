//! What the system refuses.

#![allow(unsafe_code)]

use std::{fs, os::unix::fs::PermissionsExt};

use rustix::thread::{Gid, Uid};

use super::*;

#[test]
fn directories_beyond_the_limit_of_watches_are_read_every_so_often() {
    let (_outer, dir) = temporary();
    fs::create_dir_all(dir.join("a/b")).unwrap();
    let deep = write(dir.join("a/b/redo"));
    let options =
        Options { watches_max: 2, rescan_every: Duration::from_millis(20), ..Options::default() };
    let keeper = Keeper::start(vec![target(&dir)], options).unwrap();
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&deep), Lifetime::Short);
    let unwatched = keeper.status().targets[0].unwatched.clone();
    assert_eq!(unwatched.len(), 1);
    let told = unwatched[0].to_string();
    assert!(told.contains("/a/b: ") && told.contains("fs.inotify.max_user_watches"), "{told}");
    let late = write(dir.join("a/b/undo"));
    wait_for("the directory to be read again", || real(&late) == Lifetime::Medium);
    fs::rename(&late, dir.join("a/b/plain")).unwrap();
    wait_for("the same", || real(&dir.join("a/b/plain")) == Lifetime::NotSet);
    fs::remove_dir_all(dir.join("a/b")).unwrap();
    wait_for("it to be forgotten", || keeper.status().targets[0].unwatched.is_empty());
}

#[test]
fn files_of_others_are_named_with_the_reason_and_the_keeper_lives_on() {
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: files of others, because only root can give files away");
        return;
    }
    let nobody = 65_534;
    let (outer, dir) = temporary();
    fs::set_permissions(outer.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let chown = |path: &Path| std::os::unix::fs::chown(path, Some(nobody), Some(nobody)).unwrap();
    let [foreign, secret, own] =
        ["redo-foreign", "redo-secret", "redo"].map(|n| write(dir.join(n)));
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let locked = dir.join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).unwrap();
    chown(&own);
    let started = dir.clone();
    let keeper = std::thread::spawn(move || {
        // SAFETY: the ids change for this thread alone, which starts the keeper's and ends.
        unsafe {
            let (uid, gid) = (Uid::from_raw(nobody), Gid::from_raw(nobody));
            assert_eq!(libc::syscall(libc::SYS_setgroups, 0, std::ptr::null::<u32>()), 0);
            rustix::thread::set_thread_res_gid(gid, gid, gid).unwrap();
            rustix::thread::set_thread_res_uid(uid, uid, uid).unwrap();
        }
        keep(&started)
    });
    let keeper = keeper.join().unwrap();
    assert!(keeper.settle(DEADLINE));
    let status = keeper.status();
    let trouble = |path: &Path| {
        status.files().find(|file| file.path == path).unwrap().trouble.map(|why| why.to_string())
    };
    assert!(trouble(&foreign).unwrap().contains("CAP_FOWNER"));
    assert!(trouble(&secret).unwrap().contains("permission denied"));
    assert_eq!(trouble(&own), None);
    assert_eq!(real(&own), Lifetime::Short);
    assert_eq!(status.counters.failures, 2);
    assert_eq!(status.targets[0].unwatched[0].path, locked);

    chown(&foreign);
    assert!(keeper.check(DEADLINE));
    assert_eq!(real(&foreign), Lifetime::Short);
}
