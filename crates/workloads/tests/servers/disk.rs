//! A disk that fills up under a load.

use std::{fs, path::Path, process::Command, sync::mpsc};

use client::Target;
use server::{
    Home, InitOptions, Instance, StartOptions, Via,
    scratch::{self, ScratchHome},
};
use workloads::tpcc::{Error, LoadProgress, Profile, load};

use crate::support::*;

pub(crate) fn a_load_onto_a_full_disk_says_so_and_goes_on_when_there_is_room(bench: &Bench) {
    let scratch = ScratchHome::create().unwrap();
    let path = scratch.path().join("disk");
    let Some(disk) = Disk::mount(&path) else {
        eprintln!("SKIPPED: only root can mount the small disk that this test fills");
        return;
    };
    let installation = wait(scratch::installation(bench.flavour)).unwrap();
    let settings = scratch::quick_settings(bench.flavour);
    let options = InitOptions { settings, ..InitOptions::default() };
    let (home, name) = (Home::at(disk.0).unwrap(), "full".parse().unwrap());
    let mut instance = wait(Instance::init(&home, &name, &installation, &options)).unwrap();
    let _ended = Ended(&home);
    wait(instance.start(&StartOptions::default())).unwrap();
    let target = instance.target(Via::Socket).unwrap().with_database("full");
    disk.leave_mib(40);

    let error = load_within_deadline(&target);
    assert!(matches!(error, Error::DiskFull { .. }), "{error}");
    assert!(error.to_string().contains("disk is full"), "{error}");

    disk.free();
    let profile = Profile::Spec;
    let summary = loaded(&target, &crate::support::options(profile));
    assert!(summary.rows > 0);
    assert_eq!(fingerprint(&target, profile), reference(profile));
    wait(instance.kill(DEADLINE)).unwrap();
}

/// Loads on another thread, so that a load that hangs is a failure and not a test without end.
fn load_within_deadline(target: &Target) -> Error {
    let (tell, told) = mpsc::channel();
    let target = target.clone();
    std::thread::spawn(move || {
        let outcome = load(&target, &options(Profile::Spec), &LoadProgress::default());
        let _ = tell.send(outcome);
    });
    told.recv_timeout(DEADLINE).expect("the load ends").unwrap_err()
}

/// A file system of 512 MiB in memory.
struct Disk<'a>(&'a Path);

impl<'a> Disk<'a> {
    fn mount(path: &'a Path) -> Option<Self> {
        fs::create_dir(path).unwrap();
        let options = ["-t", "tmpfs", "-o", "size=512m", "tmpfs"];
        let mounted = Command::new("mount").args(options).arg(path).status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(path))
    }

    /// Takes all but so much of the free space.
    fn leave_mib(&self, mib: u64) {
        let shown = Command::new("df").args(["--output=avail", "-B1M"]).arg(self.0).output();
        let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
        let free: u64 = shown.lines().last().unwrap().trim().parse().unwrap();
        let size = format!("{}M", free - mib);
        let ballast = self.0.join("ballast");
        let made = Command::new("fallocate").args(["-l", &size]).arg(ballast).status();
        assert!(made.unwrap().success());
    }

    fn free(&self) {
        fs::remove_file(self.0.join("ballast")).unwrap();
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()) || std::thread::panicking());
    }
}

/// Kills what runs on the disk, whatever became of the test: it could not be unmounted else.
struct Ended<'a>(&'a Home);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        for mut instance in Instance::list(self.0).unwrap_or_default().into_iter().flatten() {
            let _ = wait(instance.kill(DEADLINE));
        }
    }
}
