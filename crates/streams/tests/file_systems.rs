//! Hints on real file systems, on loop devices: they are lost with the inode, and set again.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use streams::{Builtin, Keeper, Lifetime, Options, Target, hint};
use tempfile::TempDir;

const DEADLINE: Duration = Duration::from_secs(60);

/// A file system on a loop device. Unmounted and detached when it is dropped.
struct Disk {
    device: String,
    dir: TempDir,
}

impl Disk {
    /// None, said loudly, where only root may make one.
    fn make(kind: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let image = dir.path().join("image");
        // The smallest that mkfs.xfs makes.
        File::create(&image).unwrap().set_len(300 << 20).unwrap();
        let made = run("losetup", &["--find", "--show", image.to_str().unwrap()]);
        if !made.status.success() {
            let why = String::from_utf8_lossy(&made.stderr);
            println!("SKIPPED: hints on {kind}, because there is no loop device to be had: {why}");
            return None;
        }
        let device = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        let disk = Self { device, dir };
        fs::create_dir(disk.point()).unwrap();
        let quiet = if kind == "xfs" { "-f" } else { "-F" };
        let formatted = run(&format!("mkfs.{kind}"), &["-q", quiet, &disk.device]);
        assert!(formatted.status.success(), "{formatted:?}");
        disk.mount();
        Some(disk)
    }

    fn point(&self) -> PathBuf {
        self.dir.path().join("mnt")
    }

    fn mount(&self) {
        let mounted = run("mount", &[&self.device, self.point().to_str().unwrap()]);
        assert!(mounted.status.success(), "{mounted:?}");
    }

    fn unmount(&self) -> Output {
        run("umount", &[self.point().to_str().unwrap()])
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _unmounted = run("umount", &["-l", self.point().to_str().unwrap()]);
        let _detached = run("losetup", &["--detach", &self.device]);
    }
}

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap()
}

fn real(path: &Path) -> Lifetime {
    hint::get(File::open(path).unwrap()).unwrap()
}

/// Does nothing by the clock.
fn keep(dir: &Path) -> Keeper {
    let never = Duration::from_secs(3600);
    let options = Options { check_every: never, rescan_every: never, ..Options::default() };
    let dir = dir.canonicalize().unwrap();
    let rules = Builtin::MySql8030.rules(&dir).unwrap();
    Keeper::start(vec![Target { dir, rules }], options).unwrap()
}

/// Has the kernel drop an inode, and reads its hint as whoever opens the file then would find it.
fn evict(file: &Path) -> Lifetime {
    rustix::fs::sync();
    fs::write("/proc/sys/vm/drop_caches", "2").unwrap();
    real(file)
}

#[test]
fn on_ext4_two_names_of_a_file_do_not_overwrite_each_others_hint() {
    let Some(disk) = Disk::make("ext4") else { return };
    let dir = disk.point();
    let [scratch, table] = ["ibtmp1", "copy.ibd"].map(|name| dir.join(name));
    File::create(&table).unwrap();
    let keeper = keep(&dir);
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&table), Lifetime::Long);
    fs::hard_link(&table, &scratch).unwrap();
    assert!(keeper.settle(DEADLINE));
    for _ in 0..5 {
        assert_eq!((real(&table), real(&scratch)), (Lifetime::Short, Lifetime::Short));
        assert!(keeper.check(DEADLINE));
    }
    let status = keeper.status();
    assert_eq!((status.counters.set, status.counters.set_again), (2, 0));
    let overruled = status.files().filter_map(|file| file.overruled.as_ref());
    let by: Vec<_> = overruled.map(|overruled| (overruled.own, overruled.by.clone())).collect();
    assert_eq!(by, [(Lifetime::Long, scratch.canonicalize().unwrap())]);
    // Once more from the disk, in which order ever they are found now.
    drop(keeper);
    evict(&scratch);
    let keeper = keep(&dir);
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&table), Lifetime::Short);
    drop(keeper);
    assert!(disk.unmount().status.success());
}

#[test]
fn on_ext4_a_hint_is_lost_with_the_inode_and_set_again_when_the_file_is_opened() {
    let Some(disk) = Disk::make("ext4") else { return };
    let dir = disk.point();
    fs::create_dir(dir.join("#innodb_redo")).unwrap();
    let redo = dir.join("#innodb_redo/#ib_redo5");
    // Empty, since an inode whose file has pages in the page cache stays.
    File::create(&redo).unwrap();
    let keeper = keep(&dir);
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&redo), Lifetime::None);
    keeper.settle(DEADLINE);
    let before = keeper.status().counters.set_again;
    let begin = Instant::now();
    // Another process may just then hold it; once is enough.
    while evict(&redo) != Lifetime::NotSet {
        assert!(begin.elapsed() < DEADLINE, "the inode is never dropped");
    }
    // Reading it has opened it, as a server would before it writes.
    assert!(keeper.settle(DEADLINE));
    assert_eq!(real(&redo), Lifetime::None);
    assert!(keeper.stop().counters.set_again > before);
}

#[test]
fn every_file_of_a_data_directory_has_its_hint_on_ext4_and_xfs() {
    for kind in ["ext4", "xfs"] {
        let Some(disk) = Disk::make(kind) else { return };
        let dir = disk.point();
        let keeper = keep(&dir);
        for (file, wanted) in [
            ("#innodb_redo/#ib_redo6_tmp", Lifetime::None),
            ("#ib_16384_0.dblwr", Lifetime::Short),
            ("undo_001", Lifetime::Medium),
            ("tpcc/stock.ibd", Lifetime::Long),
            ("binlog.000001", Lifetime::Extreme),
            ("auto.cnf", Lifetime::NotSet),
        ] {
            let path = dir.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "x").unwrap();
            assert!(keeper.settle(DEADLINE));
            assert_eq!(real(&path), wanted, "{file} on {kind}");
        }
    }
}

#[test]
fn a_file_system_can_be_unmounted_and_mounted_again_under_a_keeper() {
    for kind in ["ext4", "xfs"] {
        let Some(disk) = Disk::make(kind) else { return };
        let data = disk.point().join("data");
        fs::create_dir_all(data.join("tpcc")).unwrap();
        let table = data.join("tpcc/stock.ibd");
        fs::write(&table, "x").unwrap();
        for dir in [disk.point(), data] {
            let keeper = keep(&dir);
            assert!(keeper.settle(DEADLINE));
            assert_eq!(real(&table), Lifetime::Long);
            let unmounted = disk.unmount();
            assert!(unmounted.status.success(), "{unmounted:?}");
            assert!(keeper.settle(DEADLINE));
            assert_eq!(keeper.status().files().count(), 0);
            disk.mount();
            // No event tells of a mount; targets are looked at every second.
            let begin = Instant::now();
            while real(&table) != Lifetime::Long {
                assert!(begin.elapsed() < DEADLINE, "{dir:?} on {kind}");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}
