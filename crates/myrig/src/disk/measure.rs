//! The rounds of `myrig disk bench`, ours and fio's by turns.

use super::fio::{self, FioRound};
use crate::{args::DiskBenchArgs, failure::Failure, paths::Paths, transfer::Watched};
use disk::bench::{BenchOptions, BenchReport, Benching, Scratch, Target, bench};
use host::{
    Root,
    storage::{FileSystem, Format, StorageError},
};
use serde::Serialize;
use std::{
    env,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

impl Watched for Benching {
    fn bytes(&self) -> (&AtomicU64, &AtomicU64) {
        (&self.total_bytes, &self.done_bytes)
    }

    fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

/// One round of one path.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Round {
    pub(super) ours: BenchReport,
    pub(super) fio: Option<FioRound>,
}

/// What is measured, and whether it was made for that.
pub(super) enum Subject {
    There(Target),
    Made(Scratch),
}

impl Subject {
    pub(super) fn target(&self) -> &Target {
        match self {
            Self::There(target) => target,
            Self::Made(scratch) => scratch.target(),
        }
    }
}

/// A path and its rounds.
pub(super) struct Measured {
    pub(super) path: PathBuf,
    pub(super) made: bool,
    pub(super) size_bytes: u64,
    pub(super) rounds: Vec<Round>,
}

/// Looks at all paths before anything is written.
pub(super) fn check(
    args: &DiskBenchArgs,
    options: &BenchOptions,
    paths: &Paths,
) -> Result<(), Failure> {
    let writes = options.read_percent < 100;
    for path in &args.paths {
        if path.is_dir() {
            continue;
        }
        let target = Target::there(path)?;
        if writes && !target.is_device {
            return Err(Failure::usage(format!(
                "{} is left as it is: writes go to a file that is made in a directory, so name one",
                path.display()
            )));
        }
        if writes {
            may_destroy(path, args, paths)?;
        }
    }
    let is_measured = |named: &&PathBuf| !args.paths.contains(named);
    match args.destroy_data.iter().find(is_measured) {
        Some(other) => Err(Failure::usage(format!(
            "--destroy-data {0}: {0} is not among the devices to be measured",
            other.display()
        ))),
        None => Ok(()),
    }
}

fn may_destroy(device: &Path, args: &DiskBenchArgs, paths: &Paths) -> Result<(), Failure> {
    let home = env::var_os("HOME").map(PathBuf::from);
    let is_it = |named: &&PathBuf| named.as_path() == device;
    let format = Format {
        device: device.to_owned(),
        destroy: args.destroy_data.iter().filter(is_it).cloned().collect(),
        file_system: FileSystem::Ext4,
        mount: None,
        vital: home.into_iter().chain([paths.home().to_owned()]).collect(),
    };
    let usage = format.may_destroy(&Root::real())?;
    match usage.mounts.first() {
        Some(point) => Err(StorageError::InUse {
            device: device.to_owned(),
            used: format!("is mounted at {}", point.display()),
            way_out: "`umount` it first".to_owned(),
        }
        .into()),
        None => Ok(()),
    }
}

/// Makes the files and measures in rounds.
pub(super) fn measure(
    args: &DiskBenchArgs,
    options: &BenchOptions,
    with_fio: bool,
    benching: &Benching,
) -> Result<Vec<Measured>, Failure> {
    let mut subjects = Vec::new();
    for path in &args.paths {
        subjects.push(match path.is_dir() {
            true => Subject::Made(Scratch::create(path, args.size, benching)?),
            false => Subject::There(Target::there(path)?),
        });
    }
    let targets: Vec<Target> = subjects.iter().map(|subject| subject.target().clone()).collect();
    let mut rounds: Vec<Vec<Round>> = targets.iter().map(|_| Vec::new()).collect();
    for _round in 0..args.rounds.get() {
        let reports = bench(&targets, options, benching)?;
        let references = if with_fio { by_fio(&targets, options)? } else { Vec::new() };
        let mut references = references.into_iter();
        for (rounds, ours) in rounds.iter_mut().zip(reports) {
            rounds.push(Round { ours, fio: references.next() });
        }
        if benching.stop.load(Ordering::Relaxed) {
            return Err(disk::bench::BenchError::Interrupted.into());
        }
    }
    let measured = args.paths.iter().zip(&subjects).zip(rounds);
    let measured = measured.map(|((path, subject), rounds)| Measured {
        path: path.clone(),
        made: matches!(subject, Subject::Made(_)),
        size_bytes: subject.target().bytes,
        rounds,
    });
    Ok(measured.collect())
}

/// fio on all targets at once.
fn by_fio(targets: &[Target], options: &BenchOptions) -> anyhow::Result<Vec<FioRound>> {
    thread::scope(|scope| {
        let started: Vec<_> =
            targets.iter().map(|target| scope.spawn(|| fio::run(target, options))).collect();
        let ended = started
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ended.collect()
    })
}
