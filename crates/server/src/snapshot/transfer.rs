//! Copying many files at once: by sharing their blocks where the file system can, else by several
//! threads, a piece of a file each. Both ways every byte is read once, for the checksums.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use rustix::io::Errno;
use serde::Serialize;

use super::{
    copy::{Block, Progress},
    error::SnapshotError,
    manifest::Access,
    restore::Verify,
};

/// A large file is worked on by several threads in pieces of this size.
const PIECE_BYTES: u64 = 64 << 20;

/// More threads than this only wait for the drive.
const THREADS_MAX: usize = 8;

/// How files come to be in two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Their blocks are shared until one of the two is written (reflink).
    Reflink,
    /// Their bytes are copied.
    Copy,
}

/// A file to be copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
    pub(super) size_bytes: u64,
    pub(super) access: Access,
}

/// A piece of a file.
#[derive(Clone, Copy, Debug)]
struct Piece {
    job: usize,
    from: u64,
    to: u64,
}

/// Whether blocks can be shared between a file and one to be made in `dir`.
pub(super) fn method(file: Option<&Path>, dir: &Path) -> Method {
    let shares = || -> io::Result<()> {
        let Some(file) = file else { return Err(Errno::OPNOTSUPP.into()) };
        let probe = dir.join(".reflink");
        let target = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&probe)?;
        let cloned =
            File::open(file).and_then(|file| Ok(rustix::fs::ioctl_ficlone(&target, &file)?));
        fs::remove_file(&probe)?;
        cloned
    };
    if shares().is_ok() { Method::Reflink } else { Method::Copy }
}

/// Copies all files; their directories must exist, they must not. Returns their CRC-32C in order;
/// of files whose blocks are shared and that are not to be read, zeros.
pub(super) fn run(
    jobs: &[Job],
    method: Method,
    verify: Verify,
    progress: &Progress,
) -> Result<Vec<u32>, SnapshotError> {
    for job in jobs {
        progress.check().map_err(|_| SnapshotError::Interrupted)?;
        create(job, method)?;
    }
    if (method, verify) == (Method::Reflink, Verify::Size) {
        return Ok(vec![0; jobs.len()]);
    }
    let pieces = pieces(jobs);
    let work = Work::new(jobs, &pieces, method, progress);
    let available = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        // Two even on one processor: one reads while the other writes.
        for _ in 0..available.clamp(2, THREADS_MAX).min(pieces.len()) {
            scope.spawn(|| work.until_done());
        }
    });
    work.checksums()
}

fn pieces(jobs: &[Job]) -> Vec<Piece> {
    let of = |(job, size): (usize, u64)| {
        let starts = (0..size.div_ceil(PIECE_BYTES)).map(|number| number * PIECE_BYTES);
        starts.map(move |from| Piece { job, from, to: (from + PIECE_BYTES).min(size) })
    };
    jobs.iter().map(|job| job.size_bytes).enumerate().flat_map(of).collect()
}

/// Makes the file, with its blocks or with as long a hole.
fn create(job: &Job, method: Method) -> Result<(), SnapshotError> {
    let make = || -> io::Result<u64> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&job.to)?;
        match method {
            Method::Reflink => rustix::fs::ioctl_ficlone(&file, &File::open(&job.from)?)?,
            Method::Copy => file.set_len(job.size_bytes)?,
        }
        own(&job.to, job.access)?;
        Ok(file.metadata()?.len())
    };
    let size = match make() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(SnapshotError::Changed(job.from.clone()));
        }
        made => made.map_err(|error| SnapshotError::io("write", &job.to, error))?,
    };
    match size == job.size_bytes {
        true => Ok(()),
        false => Err(SnapshotError::Changed(job.from.clone())),
    }
}

/// Gives a file its permissions, and its owner back where we may.
pub(super) fn own(path: &Path, access: Access) -> io::Result<()> {
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(path, Some(access.uid), Some(access.gid))?;
    }
    fs::set_permissions(path, fs::Permissions::from_mode(access.mode))
}

/// What the threads share.
struct Work<'a> {
    jobs: &'a [Job],
    pieces: &'a [Piece],
    method: Method,
    progress: &'a Progress,
    next: AtomicUsize,
    failed: AtomicBool,
    /// Pieces of each file that are not done.
    left: Vec<AtomicUsize>,
    outcomes: Mutex<Vec<Option<Result<u32, SnapshotError>>>>,
}

impl<'a> Work<'a> {
    fn new(jobs: &'a [Job], pieces: &'a [Piece], method: Method, progress: &'a Progress) -> Self {
        let left: Vec<_> = jobs.iter().map(|_| AtomicUsize::new(0)).collect();
        for piece in pieces {
            left[piece.job].fetch_add(1, Ordering::Relaxed);
        }
        let outcomes = Mutex::new(pieces.iter().map(|_| None).collect());
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { jobs, pieces, method, progress, next, failed, left, outcomes }
    }

    fn until_done(&self) {
        let mut block = Block::new();
        while !self.failed.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = self.pieces.get(number) else { return };
            let outcome = self.piece(*piece, &mut block);
            self.failed.fetch_or(outcome.is_err(), Ordering::Relaxed);
            let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
            outcomes[number] = Some(outcome);
        }
    }

    fn piece(&self, piece: Piece, block: &mut Block) -> Result<u32, SnapshotError> {
        let job = &self.jobs[piece.job];
        let range = (piece.from, piece.to);
        let target = || OpenOptions::new().write(true).open(&job.to);
        let (read, written) = match self.method {
            // What is read is what will be kept.
            Method::Reflink => (&job.to, None),
            Method::Copy => (&job.from, Some(target)),
        };
        let mut transfer = || -> io::Result<u32> {
            let source = File::open(read)?;
            if source.metadata()?.len() != job.size_bytes {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let target = written.map(|open| open()).transpose()?;
            let crc = block.transfer(&source, target.as_ref(), range, self.progress)?;
            if self.left[piece.job].fetch_sub(1, Ordering::AcqRel) == 1 {
                // The last piece: the file is whole, and is to stay so.
                target.as_ref().unwrap_or(&source).sync_all()?;
            }
            Ok(crc)
        };
        transfer().map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => SnapshotError::Interrupted,
            io::ErrorKind::UnexpectedEof | io::ErrorKind::NotFound => {
                SnapshotError::Changed(job.from.clone())
            }
            io::ErrorKind::StorageFull => SnapshotError::io("write", &job.to, error),
            _ => SnapshotError::io("copy", &job.from, error),
        })
    }

    /// The checksums of the files from those of their pieces.
    fn checksums(self) -> Result<Vec<u32>, SnapshotError> {
        let outcomes = self.outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut checksums = vec![0; self.jobs.len()];
        let (mut crcs, mut errors) = (Vec::new(), Vec::new());
        for outcome in outcomes.into_iter().flatten() {
            match outcome {
                Ok(crc) => crcs.push(crc),
                Err(error) => errors.push(error),
            }
        }
        if let Some(error) = errors.into_iter().next() {
            return Err(error);
        }
        for (piece, crc) in self.pieces.iter().zip(crcs) {
            // A piece is smaller than any address space.
            let length = (piece.to - piece.from) as usize;
            let so_far = &mut checksums[piece.job];
            *so_far = crc32c::crc32c_combine(*so_far, crc, length);
        }
        Ok(checksums)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::FileExt;

    fn job(dir: &Path, name: &str, size_bytes: u64) -> Job {
        let (from, to) = (dir.join(name), dir.join(format!("{name}.copy")));
        let file = File::create(&from).unwrap();
        file.set_len(size_bytes).unwrap();
        let place = size_bytes.saturating_sub(100);
        file.write_all_at(name.as_bytes(), place.min(size_bytes)).unwrap();
        let size_bytes = file.metadata().unwrap().len();
        let facts = file.metadata().unwrap();
        Job { from, to, size_bytes, access: super::super::tree::access(&facts) }
    }

    #[test]
    fn files_smaller_and_larger_than_a_piece_are_copied_with_their_checksums() {
        let dir = tempfile::tempdir().unwrap();
        let sizes = [3 * PIECE_BYTES + 5, 0, 1, PIECE_BYTES, 1 << 20];
        let jobs: Vec<_> = sizes
            .iter()
            .enumerate()
            .map(|(n, size)| job(dir.path(), &n.to_string(), *size))
            .collect();
        let crcs = run(&jobs, Method::Copy, Verify::Full, &Progress::default()).unwrap();
        for (job, crc) in jobs.iter().zip(crcs) {
            let (from, to) = (fs::read(&job.from).unwrap(), fs::read(&job.to).unwrap());
            assert!(from == to, "{}", job.from.display());
            assert_eq!(crc, crc32c::crc32c(&from), "{}", job.from.display());
        }
    }

    #[test]
    fn a_file_that_vanished_or_grew_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let vanished = job(dir.path(), "a", 1000);
        fs::remove_file(&vanished.from).unwrap();
        let error = run(&[vanished], Method::Copy, Verify::Full, &Progress::default()).unwrap_err();
        assert!(matches!(&error, SnapshotError::Changed(path) if path.ends_with("a")), "{error}");
        let grew = job(dir.path(), "b", 1000);
        File::options().write(true).open(&grew.from).unwrap().set_len(2000).unwrap();
        let error = run(&[grew], Method::Copy, Verify::Full, &Progress::default()).unwrap_err();
        assert!(matches!(&error, SnapshotError::Changed(path) if path.ends_with("b")), "{error}");
    }

    #[test]
    fn a_stopped_transfer_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let progress = Progress::default();
        progress.stop.store(true, Ordering::Relaxed);
        let error =
            run(&[job(dir.path(), "a", 1000)], Method::Copy, Verify::Full, &progress).unwrap_err();
        assert!(matches!(error, SnapshotError::Interrupted), "{error}");
    }
}
