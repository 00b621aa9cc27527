//! Files found and read, under a bar.

use crate::{
    args::{DirectArg, IoArg, PagesReadArgs},
    failure::{Failure, Status},
    output::Output,
    transfer::{self, Watched},
};
use disk::{Direct, ScanOptions, Transport};
use pages::{
    file,
    verify::{self, Options, Report, Watch},
};
use std::{
    num::NonZeroUsize,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

/// What others see of the reading.
#[derive(Debug, Default)]
struct Reading {
    total_bytes: AtomicU64,
    done_bytes: AtomicU64,
    stop: AtomicBool,
}

impl Watched for Reading {
    fn bytes(&self) -> (&AtomicU64, &AtomicU64) {
        (&self.total_bytes, &self.done_bytes)
    }

    fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

impl Watch for Reading {
    fn advanced(&self, bytes: u64) {
        self.done_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// How the engine is to read.
pub(super) fn scan_options(args: &PagesReadArgs) -> ScanOptions {
    let jobs = args.jobs.or_else(|| thread::available_parallelism().ok());
    let mut options = ScanOptions::new(jobs.unwrap_or(NonZeroUsize::MIN));
    options.depth = args.depth.unwrap_or(options.depth);
    if let Some(bytes) = args.block_size {
        options.block_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    }
    options.direct = match args.direct {
        DirectArg::Auto => Direct::Auto,
        DirectArg::Always => Direct::Always,
        DirectArg::Never => Direct::Never,
    };
    options.transport = match args.io {
        IoArg::Auto => Transport::Auto,
        IoArg::Uring => Transport::Uring,
        IoArg::Plain => Transport::Plain,
    };
    options.max_bytes_per_s = args.max_bandwidth;
    options
}

/// Finds and reads all files.
pub(super) fn read(
    args: &PagesReadArgs,
    ranges_max: usize,
    summary: bool,
    output: &Output,
) -> Result<Report, Failure> {
    if args.nice
        && let Err(error) = disk::priority::stand_back()
    {
        output.note(&format!("myrig: --nice has no effect here: {error}"));
    }
    let found = file::walk(&args.paths);
    if found.targets.is_empty() && found.failed.is_empty() {
        let named: Vec<String> = args.paths.iter().map(|path| path.display().to_string()).collect();
        let message = format!("no file of InnoDB's under {}", named.join(", "));
        return Err(anyhow::anyhow!(message).into());
    }
    let online = args.online || verify::is_online(&found);
    let page_bytes = args.page_size;
    let options = Options { online, page_bytes, ranges_max, summary, ..Options::default() };
    let scan = scan_options(args);
    let total: u64 = found.targets.iter().map(|target| target.bytes).sum();
    let (report, _) = transfer::under_bar("reading", output, |reading: &Reading| {
        reading.total_bytes.store(total, Ordering::Relaxed);
        verify::verify(found, &options, &scan, reading)
    })?;
    Ok(report?)
}

/// How the command ends.
pub(super) fn status(report: &Report) -> Status {
    match report.bad_files() {
        0 if report.failed.is_empty() && !report.scan.stopped => Status::Good,
        0 => Status::NotDone,
        _ => Status::Bad,
    }
}
