//! Loop devices that go when a test ends, however it ends.

use flash::trace::{
    Event,
    live::{AttachError, Options, Tracer},
};
use std::{
    fs::{self, File, OpenOptions},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Duration,
};
use tempfile::TempDir;

/// A loop device over a sparse file.
pub(crate) struct Loop {
    pub(crate) device: PathBuf,
    dir: TempDir,
}

impl Loop {
    /// None, said loudly, where there is none to be had.
    pub(crate) fn make(bytes: u64) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let image = dir.path().join("image");
        File::create(&image).unwrap().set_len(bytes).unwrap();
        let made = run("losetup", &["--find", "--show", "--partscan", image.to_str().unwrap()]);
        if !made.status.success() {
            let why = String::from_utf8_lossy(&made.stderr);
            println!("SKIPPED: traces, because there is no loop device to be had: {why}");
            return None;
        }
        let device = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        // What a test that was killed left; most often there is nothing.
        let _deleted = run("delpart", &[&device, "1"]);
        Some(Self { device: device.into(), dir })
    }

    /// Makes a file system, on the device or on a partition of it, and mounts it.
    pub(crate) fn mounted(&self, device: &Path, file_system: &str) -> PathBuf {
        let made = run(&format!("mkfs.{file_system}"), &["-q", device.to_str().unwrap()]);
        assert!(made.status.success(), "{made:?}");
        let point = self.point();
        fs::create_dir(&point).unwrap();
        let mounted = run("mount", &[device.to_str().unwrap(), point.to_str().unwrap()]);
        assert!(mounted.status.success(), "{mounted:?}");
        point
    }

    fn point(&self) -> PathBuf {
        self.dir.path().join("mnt")
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

pub(crate) fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap()
}

/// A tracer; none, said loudly, where the kernel does not let us have one.
pub(crate) fn attached(device: &Path, options: &Options) -> Option<Tracer> {
    match Tracer::attach(device, options) {
        Ok(tracer) => Some(tracer),
        Err(error @ (AttachError::NotPermitted(_) | AttachError::Types { .. })) => {
            println!("SKIPPED: traces, because {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Everything up to now, after which nothing more is watched.
pub(crate) fn rest(tracer: &mut Tracer) -> Vec<Event> {
    tracer.detach().unwrap();
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    loop {
        tracer.next_batch(&mut batch, Duration::ZERO).unwrap();
        if batch.is_empty() {
            return all;
        }
        all.append(&mut batch);
    }
}

/// A file or a device for writing, past the page cache or not.
pub(crate) fn opened(path: &Path, direct: bool) -> File {
    let flags = if direct { libc::O_DIRECT } else { 0 };
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(flags)
        .open(path)
        .unwrap()
}

/// Memory that may be written past the page cache.
pub(crate) struct Aligned(Vec<u8>, usize);

impl Aligned {
    pub(crate) fn new(bytes: usize) -> Self {
        let room = vec![0x5a; bytes + 4096];
        let start = room.as_ptr().align_offset(4096);
        Self(room, start)
    }

    pub(crate) fn write(&self, file: &File, bytes: usize, at: u64) {
        file.write_all_at(&self.0[self.1..self.1 + bytes], at).unwrap();
    }
}
