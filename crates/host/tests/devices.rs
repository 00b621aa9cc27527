//! Filling and formatting, on real loop devices.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use host::{
    Root,
    storage::{FileSystem, Fill, Filling, Format, StorageError, fill_to, filler, remove_filler},
};
use std::{
    fs::{self, File},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;

/// A file that the kernel takes for a disk. Unmounted and detached when it is dropped.
struct Loop {
    device: PathBuf,
    dir: TempDir,
}

impl Loop {
    /// None, said loudly, where only root may make one.
    fn make(bytes: u64) -> Option<Self> {
        Self::with_head(bytes, &[])
    }

    /// One that begins with `head`.
    fn with_head(bytes: u64, head: &[u8]) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let image = dir.path().join("image");
        let file = File::create(&image).unwrap();
        file.set_len(bytes).unwrap();
        file.write_all_at(head, 0).unwrap();
        let made = run("losetup", &["--find", "--show", image.to_str().unwrap()]);
        if !made.status.success() {
            let why = String::from_utf8_lossy(&made.stderr);
            println!("SKIPPED: devices, because there is no loop device to be had: {why}");
            return None;
        }
        let device = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        // What a test that was killed left; most often there is nothing.
        let _deleted = run("delpart", &[&device, "1"]);
        Some(Self { device: device.into(), dir })
    }

    fn point(&self) -> PathBuf {
        self.dir.path().join("mnt")
    }

    fn format(&self, file_system: FileSystem, told: usize) -> Format {
        Format {
            device: self.device.clone(),
            destroy: vec![self.device.clone(); told],
            file_system,
            mount: Some(self.point()),
            vital: Vec::new(),
        }
    }

    fn holds(&self) -> String {
        let told = run("blkid", &["-p", "-o", "export", self.device.to_str().unwrap()]);
        String::from_utf8(told.stdout).unwrap()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _unmounted = run("umount", &["-l", self.point().to_str().unwrap()]);
        // It would be there for the next image on the same device.
        let _deleted = run("delpart", &[self.device.to_str().unwrap(), "1"]);
        let _detached = run("losetup", &["--detach", self.device.to_str().unwrap()]);
    }
}

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap()
}

#[test]
fn a_blank_device_becomes_an_xfs_and_is_not_taken_again_unless_told_twice() {
    let Some(disk) = Loop::make(400 << 20) else { return };
    let root = Root::real();
    let error = disk.format(FileSystem::Xfs, 0).carry_out(&root).unwrap_err();
    assert!(matches!(error, StorageError::NotAsked { .. }), "{error}");

    let plan = disk.format(FileSystem::Xfs, 1).carry_out(&root).unwrap();
    assert!(plan.loses.is_empty(), "{plan:?}");
    let fill = Fill::of(&disk.point(), &root).unwrap();
    assert_eq!(fill.file_system, "xfs");
    assert_eq!(Path::new(&fill.device), disk.device);
    fs::write(disk.point().join("precious"), "x").unwrap();

    let error = disk.format(FileSystem::Ext4, 1).carry_out(&root).unwrap_err().to_string();
    for word in ["is mounted at", "an XFS file system", "twice"] {
        assert!(error.contains(word), "{word} in {error}");
    }
    assert!(disk.point().join("precious").exists());

    let held = File::open(disk.point().join("precious")).unwrap();
    let error = disk.format(FileSystem::Ext4, 2).carry_out(&root).unwrap_err();
    assert!(matches!(error, StorageError::Failed { .. }), "{error}");
    assert!(disk.point().join("precious").exists(), "a file that is open keeps it mounted");
    drop(held);

    let plan = disk.format(FileSystem::Ext4, 2).plan(&root).unwrap();
    assert_eq!(plan.loses.len(), 2, "{plan:?}");
    assert!(disk.point().join("precious").exists(), "a plan changes nothing");
    disk.format(FileSystem::Ext4, 2).carry_out(&root).unwrap();
    assert_eq!(Fill::of(&disk.point(), &root).unwrap().file_system, "ext4");
    assert!(!disk.point().join("precious").exists());
}

#[test]
fn unknown_data_swap_space_and_claims_are_seen_before_anything_is_done() {
    let Some(disk) = Loop::make(64 << 20) else { return };
    let root = Root::real();
    let plan = |told| disk.format(FileSystem::Ext4, told).plan(&root);
    let device = File::options().read(true).write(true).open(&disk.device).unwrap();

    device.write_all_at(b"a table space on a raw device", 40 << 20).unwrap();
    let error = plan(1).unwrap_err().to_string();
    assert!(error.contains("unknown kind"), "{error}");
    assert!(plan(2).unwrap().commands.iter().any(|command| command[0] == "wipefs"));

    run("mkswap", &[disk.device.to_str().unwrap()]);
    assert!(disk.holds().contains("swap"));
    let error = plan(1).unwrap_err().to_string();
    assert!(error.contains("swap space"), "{error}");

    // What a file system or an array does when it takes a device for itself.
    let exclusive = rustix::fs::OFlags::EXCL.bits().cast_signed();
    let claim = File::options().read(true).custom_flags(exclusive).open(&disk.device).unwrap();
    let error = plan(2).unwrap_err().to_string();
    assert!(error.contains("in use by the kernel or a program"), "{error}");
    drop(claim);
    assert!(plan(2).is_ok());
    assert!(disk.holds().contains("swap"), "nothing was done");
}

#[test]
fn a_disk_with_partitions_takes_being_told_twice_and_none_of_them_in_use() {
    // A partition of type Linux from sector 2048 on, 32 MiB long.
    let mut head = [0_u8; 512];
    head[450] = 0x83;
    head[454..458].copy_from_slice(&2048_u32.to_le_bytes());
    head[458..462].copy_from_slice(&65_536_u32.to_le_bytes());
    head[510..].copy_from_slice(&[0x55, 0xAA]);
    let Some(disk) = Loop::with_head(64 << 20, &head) else { return };
    let root = Root::real();
    // Not every kernel reads the table of a loop device; each takes it from a program.
    let added = run("addpart", &[disk.device.to_str().unwrap(), "1", "2048", "65536"]);
    assert!(added.status.success(), "{added:?}");
    let part = PathBuf::from(format!("{}p1", disk.device.display()));
    let error = disk.format(FileSystem::Ext4, 1).plan(&root).unwrap_err().to_string();
    let name = part.file_name().unwrap().to_str().unwrap();
    assert!(error.contains(name) && error.contains("partition table"), "{error}");
    let format = |device: &Path| Format {
        device: device.to_owned(),
        destroy: vec![device.to_owned(), device.to_owned()],
        ..disk.format(FileSystem::Ext4, 2)
    };
    format(&part).carry_out(&root).unwrap();
    fs::write(disk.point().join("precious"), "x").unwrap();
    let elsewhere = disk.dir.path().join("elsewhere");
    let whole = Format { mount: Some(elsewhere), ..format(&disk.device) };
    let error = whole.carry_out(&root).unwrap_err();
    assert!(matches!(error, StorageError::InUse { .. }), "{error}");
    assert!(disk.point().join("precious").exists());
    assert!(run("umount", &[disk.point().to_str().unwrap()]).status.success());
    whole.carry_out(&root).unwrap();
    assert!(run("umount", &[disk.dir.path().join("elsewhere").to_str().unwrap()]).status.success());
}

#[test]
fn the_device_of_the_root_is_never_taken() {
    let root = Root::real();
    let device = PathBuf::from(Fill::of(Path::new("/"), &root).unwrap().device);
    if !device.starts_with("/dev") {
        println!("SKIPPED: the device of /, because / has none");
        return;
    }
    let destroy = vec![device.clone(), device.clone()];
    let file_system = FileSystem::Xfs;
    let format = Format { device, destroy, file_system, mount: None, vital: Vec::new() };
    let error = format.plan(&root).unwrap_err();
    assert!(matches!(error, StorageError::Vital { .. }), "{error}");
}

#[test]
fn a_home_on_the_device_keeps_it() {
    let Some(disk) = Loop::make(64 << 20) else { return };
    let root = Root::real();
    disk.format(FileSystem::Ext4, 1).carry_out(&root).unwrap();
    let home = disk.point().join("home/not/yet/made");
    let format = Format { vital: vec![home], ..disk.format(FileSystem::Ext4, 2) };
    let error = format.plan(&root).unwrap_err();
    assert!(matches!(error, StorageError::Vital { .. }), "{error}");
}

#[test]
fn an_ext4_is_filled_to_a_share_and_no_further() {
    is_filled(FileSystem::Ext4);
}

#[test]
fn an_xfs_is_filled_to_a_share_and_no_further() {
    is_filled(FileSystem::Xfs);
}

fn is_filled(file_system: FileSystem) {
    let Some(disk) = Loop::make(400 << 20) else { return };
    let root = Root::real();
    disk.format(file_system, 1).carry_out(&root).unwrap();
    let point = disk.point();
    let empty = Fill::of(&point, &root).unwrap().used_bytes;
    let (limit, filling) = ("90%".parse().unwrap(), Filling::default());
    let written = fill_to(&point, "65%".parse().unwrap(), limit, &filling).unwrap();
    let fill = Fill::of(&point, &root).unwrap();
    assert!(fill.is_between(&"64%..65%".parse().unwrap()), "{fill:?}");
    assert_eq!(fs::metadata(filler(&point)).unwrap().len(), written);

    let more = fill_to(&point, "70%".parse().unwrap(), limit, &Filling::default()).unwrap();
    assert!(more > 0);
    assert_eq!(fill_to(&point, "60%".parse().unwrap(), limit, &Filling::default()).unwrap(), 0);
    assert_eq!(remove_filler(&point).unwrap(), Some(written + more));
    let left = Fill::of(&point, &root).unwrap().used_bytes;
    assert!(left < empty + (4 << 20), "{empty} {left}");
}
