//! The passes of a trial over its files, each with its time.

use super::{
    PagesArgs,
    files::{DataFile, settle},
    tool::Pass,
};
use crate::{failure::Failure, output::Output, run::Stops};
use host::ProcessStat;
use std::{fs, time::Instant};

/// A pass over all files and what it took.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    /// By the clock, seconds.
    pub(super) wall_s: f64,
    /// Of the tool, in programs and in the kernel, seconds.
    pub(super) cpu_s: f64,
    /// What it found.
    pub(super) pass: Pass,
}

/// Reads all files as often as asked for, by `read`, one after the other.
///
/// # Errors
/// A file could not be read, or memory not be had as asked for; that somebody interrupted it.
pub(super) fn take(
    args: &PagesArgs,
    files: &[DataFile],
    read: impl Fn(&DataFile) -> Result<Pass, Failure>,
    (stops, output, before): (&Stops, &Output, &str),
) -> Result<Vec<Taken>, Failure> {
    let mut all = Vec::new();
    let bar = output.bar(args.passes.into(), "{prefix} {bar:20} {pos}/{len}  {msg}");
    bar.set_prefix(before.trim().to_owned());
    for _ in 0..args.passes {
        bar.set_message("settling the page cache");
        settle(files, args.cache)?;
        if stops.stopped() {
            return Err(anyhow::anyhow!("interrupted").into());
        }
        bar.set_message(args.words());
        let (cpu_before_s, begun) = (cpu_s(), Instant::now());
        let mut pass = Pass::default();
        for file in files {
            pass.add(read(file)?);
        }
        let wall_s = begun.elapsed().as_secs_f64();
        all.push(Taken { wall_s, cpu_s: cpu_s() - cpu_before_s, pass });
        bar.inc(1);
    }
    bar.finish_and_clear();
    // Ctrl-C reaches the tool as well, and what it says then means nothing.
    if stops.stopped() {
        return Err(anyhow::anyhow!("interrupted").into());
    }
    Ok(all)
}

/// Processor time of this process and of all its children that have ended, seconds.
fn cpu_s() -> f64 {
    let line = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let stat = ProcessStat::parse(&line);
    // Fields 14 and 15 are our own, 16 and 17 those of children that were waited for.
    let ticks = stat.map_or(0, |stat| (14..=17).filter_map(|field| stat.number(field)).sum());
    ticks as f64 / rustix::param::clock_ticks_per_second() as f64
}
