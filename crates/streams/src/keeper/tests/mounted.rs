//! File systems that come and go below a target.

use std::process::Command;

use super::*;

/// A file system in memory. Unmounted when it is dropped.
struct Mounted(PathBuf);

impl Mounted {
    /// None, said loudly, where we may not mount.
    fn at(point: &Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1M", "none"]).arg(point);
        let made = mount.output().is_ok_and(|output| output.status.success());
        if !made {
            println!("SKIPPED: mounts below a target, because only root may mount");
        }
        made.then(|| Self(point.to_owned()))
    }

    /// Whether nobody was in the way.
    fn unmount(&self) -> bool {
        Command::new("umount").arg(&self.0).output().unwrap().status.success()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _gone = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

/// Names of the files that are known, below a directory.
fn names(keeper: &Keeper, dir: &Path) -> Vec<String> {
    let status = keeper.status();
    let name = |path: &Path| path.strip_prefix(dir).unwrap().display().to_string();
    status.files().map(|file| name(&file.path)).collect()
}

#[test]
fn what_is_mounted_below_a_target_is_found_and_what_is_unmounted_is_let_go() {
    let (_outer, dir) = temporary();
    let point = dir.join("a/a mount");
    fs::create_dir_all(point.join("sub")).unwrap();
    write(point.join("redo-below"));
    write(point.join("sub/redo-below"));
    let keeper = keep(&dir);
    assert!(keeper.settle(DEADLINE));
    assert_eq!(names(&keeper, &dir), ["a/a mount/redo-below", "a/a mount/sub/redo-below"]);
    for round in 0..3 {
        let Some(mounted) = Mounted::at(&point) else { return };
        fs::create_dir(point.join("sub")).unwrap();
        let [redo, undo] = ["redo", "sub/undo"].map(|name| write(point.join(name)));
        assert!(keeper.settle(DEADLINE));
        assert_eq!((real(&redo), real(&undo)), (Lifetime::Short, Lifetime::Medium), "{round}");
        let later = write(point.join("sub/redo-later"));
        assert!(keeper.settle(DEADLINE));
        assert_eq!(real(&later), Lifetime::Short);
        let found = ["a/a mount/redo", "a/a mount/sub/redo-later", "a/a mount/sub/undo"];
        assert_eq!(names(&keeper, &dir), found);
        assert!(mounted.unmount(), "nothing of it is held open");
        assert!(keeper.settle(DEADLINE));
        assert_eq!(names(&keeper, &dir), ["a/a mount/redo-below", "a/a mount/sub/redo-below"]);
    }
    // Those below are watched again.
    let later = write(point.join("sub/undo"));
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&later), Lifetime::Medium);
    let status = keeper.stop();
    assert_eq!((status.counters.failures, status.targets[0].unwatched.len()), (0, 0));
    assert_eq!(status.targets[0].directories, 4);
}
