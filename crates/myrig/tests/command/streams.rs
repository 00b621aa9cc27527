//! `myrig streams` and `myrig astream`: daemons that keep write hints, on real file systems.

mod astream;
mod check;
mod daemon;
mod faults;
mod mariadb;

use crate::support::{Rig, until};
use serde_json::Value;
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};
use streams::{Lifetime, hint};

/// A file system of a test's own on a loop device, which goes with it.
struct Image {
    mount: PathBuf,
}

impl Image {
    /// None, said loudly, where we may not mount. It lies where the rig's reaper finds it.
    fn mount(rig: &Rig, kind: &str) -> Option<Self> {
        let (file, mount) = (rig.dir().join("image"), rig.dir().join("disk"));
        File::create(&file).unwrap().set_len(320 << 20).unwrap();
        fs::create_dir(&mount).unwrap();
        let run = |words: &[&str], at: &[&Path]| {
            let mut command = Command::new(words[0]);
            command.args(&words[1..]).args(at).output().is_ok_and(|it| it.status.success())
        };
        let made = run(&[&format!("mkfs.{kind}"), "-q"], &[&file])
            && run(&["mount", "-o", "loop"], &[&file, &mount]);
        if !made {
            println!("SKIPPED: hints on {kind}, because no loop device could be mounted");
        }
        made.then_some(Self { mount })
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // Lazily: a daemon on it is ended by the rig.
        let _gone = Command::new("umount").arg("-l").arg(&self.mount).output();
    }
}

/// What the kernel says of a file.
fn real(path: &Path) -> Lifetime {
    hint::get(File::open(path).unwrap()).unwrap()
}

/// Waits until a file has its hint.
fn has(path: &Path, lifetime: Lifetime) {
    until(&format!("{} is {lifetime}", path.display()), || real(path) == lifetime);
}

/// A directory to watch in the rig, with one file in it.
fn data(rig: &Rig, name: &str) -> PathBuf {
    let dir = rig.dir().join(name);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("ib_logfile0"), "redo").unwrap();
    dir
}

/// A rule file.
fn rules(rig: &Rig, name: &str, text: &str) -> PathBuf {
    let path = rig.dir().join(name);
    fs::write(&path, text).unwrap();
    path
}

fn status(rig: &Rig) -> Value {
    rig.run("streams status --json").json()
}

/// The entry of a file, by the end of its path.
fn entry<'a>(status: &'a Value, end: &str) -> &'a Value {
    let files = status["files"].as_array().unwrap();
    let mut found = files.iter().filter(|file| file["path"].as_str().unwrap().ends_with(end));
    found.next().unwrap_or_else(|| panic!("no {end} in {status}"))
}
