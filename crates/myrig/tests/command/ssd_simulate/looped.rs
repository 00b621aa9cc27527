//! A loop device that goes when a test ends, however it ends.

use crate::support::Rig;
use std::{fs::File, io, os::unix::fs::FileExt, path::Path, process::Command};

/// A loop device over a sparse file in the rig's directory.
pub(super) struct Loop(String);

impl Loop {
    /// None, said loudly, where there is none to be had.
    pub(super) fn make(rig: &Rig, bytes: u64) -> Option<Self> {
        let image = rig.dir().join("image");
        File::create(&image).unwrap().set_len(bytes).unwrap();
        let made = Command::new("losetup").args(["--find", "--show"]).arg(&image).output().unwrap();
        if !made.status.success() {
            let why = String::from_utf8_lossy(&made.stderr);
            println!("SKIPPED: live drives, because there is no loop device to be had: {why}");
            return None;
        }
        Some(Self(String::from_utf8(made.stdout).unwrap().trim().to_owned()))
    }

    pub(super) fn path(&self) -> &str {
        &self.0
    }

    /// Writes a piece of the device through the block layer.
    pub(super) fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let device = File::options().write(true).open(Path::new(&self.0))?;
        device.write_all_at(bytes, at)?;
        device.sync_all()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _detached = Command::new("losetup").args(["--detach", &self.0]).output();
    }
}
