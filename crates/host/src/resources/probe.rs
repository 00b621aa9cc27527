//! What a disk can do: pages written and read at random places, as InnoDB does it.
//!
//! A figure for sizing, not a benchmark of the disk: a couple of seconds see its cache, not what
//! is left when that is full.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use rustix::fs::OFlags;

/// A page of InnoDB.
const PAGE_BYTES: usize = 16 * 1024;

/// Buffers of direct I/O begin at multiples of this.
const ALIGNMENT_BYTES: usize = 4096;

/// The temporary file: more than a controller's cache would like, little enough to write at once.
const FILE_BYTES: u64 = 256 << 20;

/// How much of the file is written at once when it is made.
const CHUNK_BYTES: usize = 4 << 20;

/// Requests under way at the same time.
const THREADS: u64 = 8;

/// What a disk was measured to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Pages of 16 KiB read a second, while as many are written; none where the operating
    /// system's cache could not be got out of the way.
    pub reads_per_s: Option<f64>,
    /// Pages of 16 KiB written a second.
    pub writes_per_s: f64,
    /// Whether it was without the operating system's cache (O_DIRECT). If not, each write was
    /// followed by an fdatasync.
    pub is_direct: bool,
}

impl Probe {
    pub(super) fn share(self, share: f64) -> Self {
        Self {
            reads_per_s: self.reads_per_s.map(|reads| reads * share),
            writes_per_s: self.writes_per_s * share,
            ..self
        }
    }
}

/// A directory in which nothing can be measured.
#[derive(Debug, thiserror::Error)]
#[error("cannot measure the disk under {}: {source}", .path.display())]
pub struct ProbeError {
    path: PathBuf,
    source: io::Error,
}

/// Measures the disk under an existing directory for that long, with a temporary file of 256 MiB
/// that is gone afterwards, whatever happens. `seed` decides the places.
///
/// # Errors
/// No right to write there, no room, an I/O error.
pub fn measure(dir: &Path, time: Duration, seed: u64) -> Result<Probe, ProbeError> {
    let failed = |source| ProbeError { path: dir.to_owned(), source };
    match File::open(dir).and_then(|_| probe(dir, OFlags::DIRECT, time, seed)) {
        // Some file systems (tmpfs before Linux 6.6, some on the network) refuse it.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            probe(dir, OFlags::empty(), time, seed).map_err(failed)
        }
        outcome => outcome.map_err(failed),
    }
}

fn probe(dir: &Path, flags: OFlags, time: Duration, seed: u64) -> io::Result<Probe> {
    let path = dir.join(format!(".myrig-probe-{}-{seed:x}", std::process::id()));
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    let file = options.custom_flags(flags.bits().cast_signed()).open(&path)?;
    // Without a name, it goes with us even if we are killed.
    std::fs::remove_file(&path)?;
    let is_direct = flags.contains(OFlags::DIRECT);
    fill(&file, seed)?;
    let work = Work { file, is_direct, done: AtomicBool::new(false), counts: Default::default() };
    let (begun, shared) = (Instant::now(), &work);
    thread::scope(|scope| {
        let start = |number| scope.spawn(move || shared.run(seed ^ number << 32));
        let workers: Vec<_> = (0..THREADS).map(start).collect();
        thread::sleep(time);
        shared.done.store(true, Ordering::Relaxed);
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(outcome) => outcome,
            Err(_) => Err(io::Error::other("a thread of the measurement died")),
        })
    })?;
    let elapsed_s = begun.elapsed().as_secs_f64();
    let [reads, writes] = work.counts.map(|count| count.into_inner() as f64 / elapsed_s);
    Ok(Probe { reads_per_s: is_direct.then_some(reads), writes_per_s: writes, is_direct })
}

/// Writes the file once, so that what follows finds its blocks allocated; with bytes that no
/// device compresses away.
fn fill(file: &File, seed: u64) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK_BYTES + ALIGNMENT_BYTES];
    let buffer = aligned(&mut buffer, CHUNK_BYTES)?;
    let mut random = Random(seed | 1);
    for offset in (0..FILE_BYTES).step_by(CHUNK_BYTES) {
        for word in buffer.chunks_exact_mut(8) {
            word.copy_from_slice(&random.next().to_le_bytes());
        }
        file.write_all_at(buffer, offset)?;
    }
    file.sync_data()
}

/// What the threads share.
struct Work {
    file: File,
    is_direct: bool,
    done: AtomicBool,
    /// Pages read and pages written.
    counts: [AtomicU64; 2],
}

impl Work {
    fn run(&self, seed: u64) -> io::Result<()> {
        let mut buffer = vec![0; PAGE_BYTES + ALIGNMENT_BYTES];
        let buffer = aligned(&mut buffer, PAGE_BYTES)?;
        let mut random = Random(seed | 1);
        while !self.done.load(Ordering::Relaxed) {
            let page = random.next() % (FILE_BYTES / PAGE_BYTES as u64);
            let offset = page * PAGE_BYTES as u64;
            let writes = random.next() >> 63;
            if writes == 1 {
                buffer[..8].copy_from_slice(&random.next().to_le_bytes());
                self.file.write_all_at(buffer, offset)?;
                if !self.is_direct {
                    self.file.sync_data()?;
                }
            } else {
                self.file.read_exact_at(buffer, offset)?;
            }
            self.counts[writes as usize].fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// The part of a buffer that begins where direct I/O needs it.
fn aligned(buffer: &mut [u8], bytes: usize) -> io::Result<&mut [u8]> {
    let start = buffer.as_ptr().align_offset(ALIGNMENT_BYTES);
    let part = buffer.get_mut(start..start.saturating_add(bytes));
    part.ok_or_else(|| io::Error::other("a buffer could not be aligned"))
}

/// Marsaglia's xorshift: places need to be spread, not more.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_disk_is_measured_and_nothing_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let probe = measure(dir.path(), Duration::from_millis(200), 7).unwrap();
        assert!(probe.writes_per_s > 1.0, "{probe:?}");
        assert_eq!(probe.reads_per_s.is_some(), probe.is_direct);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let half = probe.share(0.5);
        assert_eq!(half.writes_per_s * 2.0, probe.writes_per_s);
    }

    #[test]
    fn a_directory_that_is_not_there_is_named() {
        let error = measure(Path::new("/nonexistent/x"), Duration::ZERO, 1).unwrap_err();
        assert!(error.to_string().contains("/nonexistent/x"), "{error}");
    }

    #[test]
    fn places_are_spread_over_the_whole_file() {
        let mut random = Random(3);
        let mut eighths = [0; 8];
        (0..8000).for_each(|_| eighths[(random.next() % 8) as usize] += 1);
        assert!(eighths.iter().all(|count| (800..1200).contains(count)), "{eighths:?}");
    }
}
