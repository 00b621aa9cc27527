//! A small disk that can be filled up.

use super::Rig;
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

/// A file system of a test's own. Unmounted when it is dropped.
pub(crate) struct Disk {
    path: PathBuf,
}

impl Disk {
    /// Mounts one in the rig's directory; only root may. None, said loudly, where we may not.
    pub(crate) fn mount(rig: &Rig, size: &str) -> Option<Self> {
        let path = rig.dir().join("disk");
        fs::create_dir(&path).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"]).arg(&path);
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        if !mounted {
            println!("SKIPPED: full disks, because only root may mount a tmpfs");
        }
        mounted.then_some(Self { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn filler(&self) -> PathBuf {
        self.path.join("filler")
    }

    /// Writes until nothing more fits.
    pub(crate) fn fill(&self) {
        let mut filler = File::options().append(true).create(true).open(self.filler()).unwrap();
        for block in [1 << 20, 4096, 1] {
            while filler.write_all(&vec![0; block]).is_ok() {}
        }
    }

    /// Writes until so many bytes are left.
    pub(crate) fn fill_but(&self, left: u64) {
        let disk = rustix::fs::statvfs(&self.path).unwrap();
        let free = disk.f_bavail * disk.f_frsize;
        let bytes = usize::try_from(free.saturating_sub(left)).unwrap();
        fs::write(self.filler(), vec![0; bytes]).unwrap();
    }

    /// Takes away what filled it.
    pub(crate) fn make_room(&self) {
        fs::remove_file(self.filler()).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: what still runs on it is ended by whoever started it.
        let _ended = Command::new("umount").arg("-l").arg(&self.path).output();
    }
}
