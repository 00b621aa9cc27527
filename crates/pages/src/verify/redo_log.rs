//! Redo logs as files: planned, read, and told damage from what stands behind the end.

use super::{
    Options,
    again::{TRIES, wait},
    report::{BadRange, FileReport},
};
use crate::{
    Damage, Verdict,
    file::{
        Kind, Target,
        reader::{Reader, Source},
    },
    redo::{
        BLOCK_BYTES, Format, Header, RedoSummary,
        block::{self, BlockLog, BlockTally, Run, Sight},
        physical::{self, Physical},
    },
};
use disk::{Head, Input};
use std::io;

/// Blocks that are read again at once: 1 MiB.
const PIECE_BLOCKS: u64 = 2048;

/// A redo log in blocks.
pub(super) struct LogPlan {
    pub(super) log: BlockLog,
    bytes: u64,
}

/// What is to be done with a redo log.
pub(super) enum Planned {
    /// Its blocks are to be looked at.
    Blocks(LogPlan),
    /// All was said.
    Done(Box<FileReport>),
    /// It could not be read.
    Unreadable(io::Error),
}

/// Whether these bytes are the beginning of a redo log, whatever the file's name is.
pub(super) fn is_log(head: &[u8]) -> bool {
    let format = Header::of_block(head).map(|header| header.format);
    let first = head.get(..BLOCK_BYTES).unwrap_or_default();
    matches!(format, Some(Format::Circular(_) | Format::Numbered(_) | Format::Physical))
        && block::sum_holds(first)
}

pub(super) fn plan(target: &Target, head: &Head<'_>, options: &Options) -> Planned {
    let report = FileReport::blank(target.path.clone(), Kind::Redo, head.file_bytes);
    let first = head.bytes.get(..BLOCK_BYTES).unwrap_or(head.bytes);
    if first.iter().all(|&byte| byte == 0) {
        return Planned::Done(Box::new(unused(report)));
    }
    let header = Header::of_block(first);
    let sound = block::sum_holds(first) || is_ancient(header.as_ref());
    match header.filter(|_| sound) {
        Some(header) if header.format == Format::Physical => {
            match physical(target, &header, head.file_bytes, options) {
                Ok(found) => Planned::Done(Box::new(of_physical(report, header, found))),
                Err(error) => Planned::Unreadable(error),
            }
        }
        Some(header) => {
            let log = BlockLog::new(header, head.bytes);
            Planned::Blocks(LogPlan { log, bytes: head.file_bytes })
        }
        None => Planned::Done(Box::new(headless(report, first))),
    }
}

fn is_ancient(header: Option<&Header>) -> bool {
    header.is_some_and(|header| header.format == Format::Ancient)
}

/// A log that was made and never written to.
fn unused(mut report: FileReport) -> FileReport {
    report.counts.empty = report.bytes / BLOCK_BYTES as u64;
    report.remarks.push("Its first block is zero: it was never used.".to_owned());
    report
}

/// A log of which nothing can be said, since its first block is damaged.
fn headless(mut report: FileReport, first: &[u8]) -> FileReport {
    let stored = crate::redo::number_at::<4>(first, BLOCK_BYTES - 4) as u32;
    let summed = first.get(..BLOCK_BYTES - 4).unwrap_or(first);
    let damage = Damage::Checksum { stored, calculated: crate::checksum::crc32c(summed) };
    report.lose_at(0, 1, Verdict::Bad { damage });
    report.remarks.push("Its header is damaged; the rest was not looked at.".to_owned());
    report
}

/// Checks a log of MariaDB's; a running server may be writing it at this moment.
fn physical(
    target: &Target,
    header: &Header,
    bytes: u64,
    options: &Options,
) -> io::Result<Physical> {
    let mut reader = Reader::open(&target.path, options.online)?;
    let mut found = physical::check(header, bytes, &mut reader)?;
    for attempt in 0..if options.online { TRIES } else { 0 } {
        if found.damage.is_empty() {
            break;
        }
        (options.pause)(wait(attempt));
        found = physical::check(header, bytes, &mut reader)?;
    }
    Ok(found)
}

fn of_physical(mut report: FileReport, header: Header, found: Physical) -> FileReport {
    report.counts.ok = found.mini_transactions;
    for (offset, what) in found.damage {
        let block = offset / BLOCK_BYTES as u64;
        report.lose_at(block, 1, Verdict::Bad { damage: Damage::Header });
        report.remarks.push(format!("At byte {offset}: {what}."));
    }
    report.redo = Some(RedoSummary {
        format: header.format.words(),
        creator: header.creator,
        checkpoint_lsn: found.checkpoint_lsn,
        end_lsn: found.end_lsn,
        mini_transactions: found.mini_transactions,
    });
    report
}

/// A log in blocks was read.
pub(super) fn done(
    input: &Input,
    plan: LogPlan,
    tally: BlockTally,
    options: &Options,
) -> FileReport {
    let mut report = FileReport::blank(input.path.clone(), Kind::Redo, plan.bytes);
    report.counts.ok = tally.ok;
    report.counts.empty = tally.empty;
    report.counts.unverifiable = tally.unverifiable;
    let suspicious: u64 = tally.runs.iter().map(|run| run.blocks).sum::<u64>() + tally.untold;
    let mut end_lsn = None;
    let damage = Reader::open(&input.path, options.online).and_then(|mut reader| {
        // What cannot be read there is told as damage.
        end_lsn = plan.log.end_lsn(&mut reader).unwrap_or_default();
        damage(&plan, tally.runs, &mut reader, options)
    });
    match damage {
        Ok(damage) => damage.into_iter().for_each(|(run, verdict)| {
            report.lose_at(run.first, run.blocks, verdict);
        }),
        Err(error) => report.remarks.push(format!("Blocks could not be read again: {error}.")),
    }
    for (offset, bytes) in tally.unreadable {
        let (first, blocks) = (offset / BLOCK_BYTES as u64, bytes.div_ceil(BLOCK_BYTES as u64));
        report.lose_at(first, blocks, Verdict::Bad { damage: Damage::Unreadable });
    }
    if tally.untold > 0 {
        report.remarks.push(format!("{} blocks beyond these are not sound.", tally.untold));
        report.counts.bad += tally.untold;
    }
    report.counts.freed = suspicious.saturating_sub(report.counts.damaged());
    report.redo = Some(RedoSummary {
        format: plan.log.header.format.words(),
        creator: plan.log.header.creator.clone(),
        checkpoint_lsn: plan.log.checkpoint_lsn,
        end_lsn,
        mini_transactions: 0,
    });
    report
}

/// The runs that are damage, each with what is wrong with its first block.
fn damage(
    plan: &LogPlan,
    mut runs: Vec<Run>,
    source: &mut dyn Source,
    options: &Options,
) -> io::Result<Vec<(Run, Verdict)>> {
    let rounds = if options.online { TRIES } else { 0 };
    for attempt in 0..=rounds {
        let mut bad = Vec::new();
        for run in runs {
            if is_damage(plan, run, source)? {
                bad.push(run);
            }
        }
        if bad.is_empty() || attempt == rounds {
            return bad.into_iter().map(|run| told(plan, run, source)).collect();
        }
        (options.pause)(wait(attempt));
        let mut tally = BlockTally::default();
        for run in bad {
            look_again(plan, run, source, &mut tally)?;
        }
        runs = tally.runs;
    }
    Ok(Vec::new())
}

fn is_damage(plan: &LogPlan, run: Run, source: &mut dyn Source) -> io::Result<bool> {
    let end = run.first + run.blocks;
    let blocks = plan.bytes / BLOCK_BYTES as u64;
    let before = number(plan, run.first.checked_sub(1), source)?;
    let after = number(plan, (end < blocks).then_some(end), source)?;
    Ok(plan.log.is_damage(run, before, after, end >= blocks))
}

/// The number of a block, if it is one of data and sound.
fn number(plan: &LogPlan, at: Option<u64>, source: &mut dyn Source) -> io::Result<Option<u64>> {
    let Some(at) = at.filter(|&at| at >= block::HEAD_BLOCKS) else { return Ok(None) };
    let bytes = source.read(at * BLOCK_BYTES as u64, BLOCK_BYTES)?;
    Ok(match plan.log.sight(bytes) {
        Sight::Sound(number) => Some(number),
        _ => None,
    })
}

fn told(plan: &LogPlan, run: Run, source: &mut dyn Source) -> io::Result<(Run, Verdict)> {
    let bytes = source.read(run.first * BLOCK_BYTES as u64, BLOCK_BYTES)?;
    Ok((run, block::verdict(&plan.log, run.first, bytes)))
}

fn look_again(
    plan: &LogPlan,
    run: Run,
    source: &mut dyn Source,
    tally: &mut BlockTally,
) -> io::Result<()> {
    let (mut at, end) = (run.first, run.first + run.blocks);
    while at < end {
        let blocks = PIECE_BLOCKS.min(end - at);
        let offset = at * BLOCK_BYTES as u64;
        let bytes = source.read(offset, blocks as usize * BLOCK_BYTES)?;
        plan.log.look(offset, bytes, tally);
        at += blocks;
    }
    Ok(())
}

impl FileReport {
    /// Counts blocks as damaged.
    fn lose_at(&mut self, first: u64, blocks: u64, verdict: Verdict) {
        self.counts.add(&verdict, blocks);
        self.bad.push(BadRange {
            first_page: first,
            pages: blocks,
            offset: first * BLOCK_BYTES as u64,
            verdict,
            copies: Vec::new(),
        });
    }
}
