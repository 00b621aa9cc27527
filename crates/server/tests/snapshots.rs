//! Snapshots of a real MariaDB: what is refused, what a failure leaves, and data that lies
//! elsewhere. With a load and on other file systems they are tested by command.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use server::{
    Flavour, Home, InitOptions, Instance, StartOptions,
    scratch::{ScratchHome, installation, quick_settings},
    snapshot::{
        Method, Progress, RestoreOptions, Restored, Snapshot, SnapshotError, SnapshotOptions, State,
    },
};
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::Ordering,
    time::Duration,
};

struct Bench {
    scratch: ScratchHome,
    instance: Instance,
}

impl Bench {
    /// An instance that has never run, with `settings` and its data in a directory `device` of the
    /// scratch home.
    async fn make(settings: &[(&str, &str)]) -> Self {
        Self::make_in(ScratchHome::create().unwrap(), settings).await
    }

    /// The same, in a home that has been prepared.
    async fn make_in(scratch: ScratchHome, settings: &[(&str, &str)]) -> Self {
        let installation = installation(Flavour::MariaDb).await.unwrap();
        let mut all = quick_settings(Flavour::MariaDb);
        let at = |value: &str| value.replace("HERE", scratch.path().to_str().unwrap());
        all.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), at(value))));
        for dir in all.values().filter(|value| value.starts_with('/')) {
            let dir = Path::new(dir);
            // A name in it, or the directory itself.
            let dir =
                if dir.file_name().unwrap() == "binlog" { dir.parent().unwrap() } else { dir };
            fs::create_dir_all(dir).unwrap();
        }
        let data = Some(scratch.path().join("device"));
        let options = InitOptions { settings: all, data, ..InitOptions::default() };
        let (home, name) = (scratch.home().unwrap(), "s".parse().unwrap());
        let instance = Instance::init(&home, &name, &installation, &options).await.unwrap();
        Self { scratch, instance }
    }

    fn home(&self) -> Home {
        self.scratch.home().unwrap()
    }

    fn device(&self) -> PathBuf {
        self.scratch.path().join("device")
    }

    fn take(&mut self, progress: &Progress) -> Result<Method, SnapshotError> {
        let options = SnapshotOptions {
            name: "one".into(),
            dir: None,
            note: None,
            workload: None,
            created_at: "2026-11-22T03:04:05Z".into(),
            copy: false,
        };
        self.instance.snapshot(&options, progress).map(|taken| taken.method)
    }

    fn restore(&self, options: &RestoreOptions) -> Result<Restored, SnapshotError> {
        let snapshot = Snapshot::open(&self.home(), "one")?;
        snapshot.restore(&self.home(), options, &Progress::default())
    }

    /// Starts and stops it: its data is good.
    async fn runs(&mut self) {
        self.instance.start(&StartOptions::default()).await.unwrap();
        self.instance.stop(Duration::from_secs(60)).await.unwrap();
    }
}

fn stopped() -> Progress {
    let progress = Progress::default();
    progress.stop.store(true, Ordering::Relaxed);
    progress
}

#[tokio::test]
async fn what_fails_leaves_the_old_data_and_nothing_that_looks_like_a_snapshot() {
    let mut bench = Bench::make(&[]).await;
    let error = bench.take(&stopped()).unwrap_err();
    assert!(matches!(error, SnapshotError::Interrupted), "{error}");
    assert_eq!(fs::read_dir(bench.home().snapshots()).unwrap().count(), 0);
    bench.take(&Progress::default()).unwrap();

    // A killed one leaves a draft, which the next snapshot clears.
    let draft = bench.home().snapshots().join(".taking-two");
    fs::create_dir(&draft).unwrap();
    fs::write(draft.join("lock"), "").unwrap();
    let listed = Snapshot::list(&bench.home()).unwrap();
    assert!(matches!(listed[0].state, State::Unfinished));
    let error = bench.take(&Progress::default()).unwrap_err();
    assert!(matches!(error, SnapshotError::Exists { .. }), "{error}");

    fs::write(bench.device().join("mark"), "old").unwrap();
    let snapshot = Snapshot::open(&bench.home(), "one").unwrap();
    let options = RestoreOptions::default();
    let error = snapshot.restore(&bench.home(), &options, &stopped()).unwrap_err();
    assert!(matches!(error, SnapshotError::Interrupted), "{error}");
    assert_eq!(fs::read_to_string(bench.device().join("mark")).unwrap(), "old");
    assert_eq!(names(bench.scratch.path()), ["device", "servers", "snapshots"]);
    bench.restore(&options).unwrap();
    assert!(!bench.device().join("mark").exists());
    assert_eq!(names(bench.scratch.path()), ["device", "servers", "snapshots"]);
    bench.runs().await;
}

#[tokio::test]
async fn data_comes_back_to_a_device_that_was_made_anew() {
    let mut bench = Bench::make(&[]).await;
    bench.take(&Progress::default()).unwrap();
    fs::remove_dir_all(bench.device()).unwrap();
    assert!(bench.instance.start(&StartOptions::default()).await.is_err());
    let restored = bench.restore(&RestoreOptions::default()).unwrap();
    assert!(!restored.made && restored.remarks.is_empty(), "{restored:?}");
    bench.runs().await;

    bench.restore(&RestoreOptions { discard_old: true, ..RestoreOptions::default() }).unwrap();
    bench.runs().await;
    let name = "s".parse().unwrap();
    Instance::open(&bench.home(), &name).unwrap().remove().await.unwrap();
    assert!(!bench.device().exists());
    assert!(bench.restore(&RestoreOptions::default()).unwrap().made);
    assert!(bench.device().join("ibdata1").exists(), "where it was");
    bench.runs().await;
}

/// A tmpfs, unmounted when it is dropped.
struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ended = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

#[tokio::test]
async fn a_data_directory_that_is_a_mount_point_stays_one() {
    let scratch = ScratchHome::create().unwrap();
    let device = scratch.path().join("device");
    fs::create_dir(&device).unwrap();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=600m", "none"]).arg(&device);
    if !mount.output().is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: data on a mount point, because only root may mount a tmpfs");
        return;
    }
    let mounted = Mounted(device.clone());
    let mut bench = Bench::make_in(scratch, &[]).await;
    bench.take(&Progress::default()).unwrap();
    fs::write(device.join("mark"), "old").unwrap();
    bench.restore(&RestoreOptions::default()).unwrap();
    assert!(!device.join("mark").exists() && !device.join(".myrig-restore").exists());
    assert_ne!(
        fs::metadata(&device).unwrap().dev(),
        fs::metadata(bench.scratch.path()).unwrap().dev()
    );
    bench.runs().await;

    // Room for one, not for two: said before anything is done, and mended by discarding.
    let room = rustix::fs::statvfs(&device).unwrap();
    let spare = (room.f_bavail * room.f_frsize).saturating_sub(1 << 20);
    fs::write(device.join("large"), vec![1; usize::try_from(spare).unwrap()]).unwrap();
    let error = bench.restore(&RestoreOptions::default()).unwrap_err().to_string();
    assert!(error.contains("are missing"), "{error}");
    assert!(device.join("large").exists() && device.join("ibdata1").exists());
    let discarding = RestoreOptions { discard_old: true, ..RestoreOptions::default() };
    bench.restore(&discarding).unwrap();
    assert!(!device.join("large").exists());
    bench.runs().await;
    drop(mounted);
}

#[tokio::test]
async fn logs_that_lie_elsewhere_come_and_go_with_the_data() {
    let settings = [
        ("innodb-log-group-home-dir", "HERE/redo"),
        ("log-bin", "HERE/binlogs/binlog"),
        ("server-id", "1"),
    ];
    let mut bench = Bench::make(&settings).await;
    bench.runs().await;
    bench.take(&Progress::default()).unwrap();
    let there = |dir: &str| names(&bench.scratch.path().join(dir));
    let (redo, binlogs) = (there("redo"), there("binlogs"));
    assert!(redo.contains(&"ib_logfile0".to_owned()) && binlogs.len() > 1, "{redo:?} {binlogs:?}");
    for dir in ["redo", "binlogs"] {
        fs::remove_dir_all(bench.scratch.path().join(dir)).unwrap();
    }
    bench.restore(&RestoreOptions::default()).unwrap();
    assert_eq!((there("redo"), there("binlogs")), (redo, binlogs));
    bench.runs().await;

    let into = Some("t".parse().unwrap());
    let error = bench.restore(&RestoreOptions { into, ..RestoreOptions::default() }).unwrap_err();
    assert!(error.to_string().contains("cannot share"), "{error}");
}

#[tokio::test]
async fn servers_and_settings_that_do_not_fit_the_data_are_refused() {
    let mut bench = Bench::make(&[("innodb-page-size", "8k")]).await;
    bench.take(&Progress::default()).unwrap();
    let record = bench.instance.dir().join("instance.json");
    let text = fs::read_to_string(&record).unwrap();
    let refused = |from: &str, to: &str, word: &str| {
        assert!(text.contains(from), "{from} in {text}");
        fs::write(&record, text.replace(from, to)).unwrap();
        let error = bench.restore(&RestoreOptions::default()).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    };
    refused("\"minor\": 11", "\"minor\": 6", "older");
    refused("\"mariadb\"", "\"mysql\"", "flavour");
    refused("8k", "16k", "--with-settings");
    let with_settings = RestoreOptions { with_settings: true, ..RestoreOptions::default() };
    let restored = bench.restore(&with_settings).unwrap();
    assert_eq!(restored.instance.settings()["innodb-page-size"], "8k");
    fs::write(&record, text.replace("\"minor\": 11", "\"minor\": 12")).unwrap();
    let remarks = bench.restore(&RestoreOptions::default()).unwrap().remarks;
    assert!(remarks.len() == 1 && remarks[0].contains("upgrades"), "{remarks:?}");
}

#[tokio::test]
async fn an_unusual_tree_is_refused_by_name() {
    let mut bench = Bench::make(&[]).await;
    let link = bench.device().join("elsewhere");
    std::os::unix::fs::symlink("/var/lib", &link).unwrap();
    let error = bench.take(&Progress::default()).unwrap_err().to_string();
    assert!(error.contains("elsewhere") && error.contains("/var/lib"), "{error}");
    fs::remove_file(&link).unwrap();
    bench.take(&Progress::default()).unwrap();
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
