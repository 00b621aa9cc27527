//! A thread of a scan: takes work, keeps reads in flight, hands out what comes.

use super::{
    board::{Board, Whole, Work},
    buffers::Buffers,
    pace::Pace,
    piece::{self, Extent, Medium},
    port::{Completion, Direction, Port, Request},
    report::ScanReport,
    share::Shares,
    source::{Source, Way},
};
use crate::scan::{Head, Input, Scan, ScanOptions, Step};
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// A piece that stays in the second cache of a processor: what is copied into it from the page
/// cache is still there when it is looked at.
pub(crate) const WARM_BYTES: usize = 256 << 10;

/// How long an interruption waits at most for a thread that keeps to the limit of speed.
const NAP: Duration = Duration::from_millis(50);

/// What the threads of a scan have in common.
pub(crate) struct Crew<'a, I, S: Scan, M> {
    pub(crate) board: Board<I, S>,
    pub(crate) options: &'a ScanOptions,
    pub(crate) scan: &'a S,
    pub(crate) medium: &'a M,
    pub(crate) pace: Option<Mutex<Pace>>,
    pub(crate) begun: Instant,
}

/// What a block in flight is for.
enum Task<S: Scan> {
    Head(Source, Way),
    Block(Arc<Whole<S>>, Extent),
}

/// A thread of a scan.
pub(crate) struct Worker<'a, I: Iterator<Item = Input>, S: Scan, M: Medium> {
    crew: &'a Crew<'a, I, S, M>,
    // Dropped before the tasks, whose files the kernel may be reading.
    port: Port,
    tasks: Vec<Option<Task<S>>>,
    free: Vec<usize>,
    warm: Buffers,
    shares: Shares<S>,
    report: ScanReport,
}

impl<'a, I: Iterator<Item = Input>, S: Scan, M: Medium> Worker<'a, I, S, M> {
    /// Takes its buffers.
    pub(crate) fn new(crew: &'a Crew<'a, I, S, M>) -> io::Result<Self> {
        let ScanOptions { depth, block_bytes, transport, .. } = *crew.options;
        let (mut port, lacks) = Port::open(transport, depth.get(), block_bytes)?;
        let warm = Buffers::map(1, WARM_BYTES.min(block_bytes))?;
        let mut report = ScanReport::blank(crew.options, port.reader());
        for (without, reason) in lacks {
            report.fell_back(without, &reason, 1);
        }
        report.buffers_bytes = port.buffers().total_bytes() + warm.total_bytes();
        let count = port.buffers().count();
        Ok(Self {
            crew,
            port,
            tasks: (0..count).map(|_| None).collect(),
            free: (0..count).collect(),
            warm,
            shares: Shares::default(),
            report,
        })
    }

    /// Works until there is nothing left.
    pub(crate) fn run(mut self) -> io::Result<ScanReport> {
        loop {
            if self.crew.scan.stopped() {
                self.crew.board.stop();
            }
            let took = self.take_work()?;
            let is_busy = self.free.len() < self.tasks.len();
            let wait = matches!(took, Took::Nothing | Took::End) || self.free.is_empty();
            if let Some(completion) = self.port.next(wait && is_busy)? {
                self.complete(completion)?;
                continue;
            }
            match took {
                Took::Nothing => {
                    self.shares.join_idle(self.crew.scan, |_| true);
                    self.crew.board.wait();
                }
                Took::End => break,
                Took::Some => {}
            }
        }
        self.shares.join_idle(self.crew.scan, |_| true);
        self.report.stopped = self.crew.board.is_stopped();
        Ok(self.report)
    }

    /// Fills the free blocks with reads; after something that was in memory it looks first at what
    /// has come.
    fn take_work(&mut self) -> io::Result<Took> {
        while let Some(slot) = self.free.pop() {
            let in_flight = match self.crew.board.take() {
                Work::Begin(input) => self.begin(slot, input)?,
                Work::Read(whole, offset) => self.read(slot, whole, offset)?,
                nothing => {
                    self.free.push(slot);
                    let is_end = matches!(nothing, Work::End);
                    return Ok(if is_end { Took::End } else { Took::Nothing });
                }
            };
            if !in_flight {
                self.free.push(slot);
                return Ok(Took::Some);
            }
        }
        Ok(Took::Some)
    }

    /// Opens a file and asks for its head; false where it has been dealt with already.
    fn begin(&mut self, slot: usize, input: Input) -> io::Result<bool> {
        let named = input.clone();
        let source = match Source::open(input) {
            Ok(source) => source,
            Err(error) => {
                self.refuse(&named, error);
                return Ok(false);
            }
        };
        let bytes = self.head_bytes(&source);
        self.keep_pace(bytes);
        let way = source.way(0, bytes, self.crew.options.direct, &mut self.report);
        if way == Way::Cached {
            let room = &mut self.port.buffers().block_mut(slot)[..bytes];
            let read = source.read_at(way, room, 0);
            self.head(slot, source, way, read);
            return Ok(false);
        }
        let file = source.descriptor(way);
        let bytes = source.asked_bytes(way, bytes);
        self.tasks[slot] = Some(Task::Head(source, way));
        self.port.submit(Request { direction: Direction::Read, slot, file, offset: 0, bytes })?;
        Ok(true)
    }

    fn refuse(&mut self, input: &Input, error: io::Error) {
        self.report.refused += 1;
        // The thread may be the only one that others wait for.
        self.crew.board.begun(None);
        self.crew.scan.refused(input, error);
    }

    fn head_bytes(&self, source: &Source) -> usize {
        // A block fits into memory.
        source.bytes.min(self.crew.options.block_bytes as u64) as usize
    }

    /// Asks for a block; false where it has been dealt with already.
    fn read(&mut self, slot: usize, whole: Arc<Whole<S>>, offset: u64) -> io::Result<bool> {
        let source = &whole.source;
        let bytes = (source.bytes - offset).min(self.crew.options.block_bytes as u64) as usize;
        self.keep_pace(bytes);
        let way = source.way(offset, bytes, self.crew.options.direct, &mut self.report);
        let extent = Extent { offset, bytes, way };
        self.shares.take(&whole);
        if way == Way::Cached {
            self.read_cached(&whole, extent);
            return Ok(false);
        }
        let (file, bytes) = (source.descriptor(way), source.asked_bytes(way, bytes));
        self.tasks[slot] = Some(Task::Block(whole, extent));
        self.port.submit(Request { direction: Direction::Read, slot, file, offset, bytes })?;
        Ok(true)
    }

    /// Deals with what has come, unless nobody wants it any more.
    fn complete(&mut self, (slot, read): Completion) -> io::Result<()> {
        let task = self.tasks[slot].take();
        if !self.crew.board.is_stopped() {
            match task {
                Some(Task::Head(source, way)) => self.head(slot, source, way, read),
                Some(Task::Block(whole, extent)) => {
                    let block = self.port.buffers().block_mut(slot);
                    let (crew, report) = (self.crew, &mut self.report);
                    let holes =
                        piece::settle(&whole.source, crew.medium, extent, block, read, report);
                    let share = self.shares.of(&whole);
                    share.hand_out(crew.scan, extent, block, holes);
                    self.end_block(&whole);
                }
                None => {}
            }
        }
        self.free.push(slot);
        Ok(())
    }

    /// Has a head looked at, which decides what becomes of the file; then it is the first block.
    fn head(&mut self, slot: usize, source: Source, way: Way, read: io::Result<usize>) {
        let crew = self.crew;
        let extent = Extent { offset: 0, bytes: self.head_bytes(&source), way };
        let block = self.port.buffers().block_mut(slot);
        let mut holes = piece::settle(&source, crew.medium, extent, block, read, &mut self.report);
        let missing: usize = holes.iter().map(|hole| hole.range.len()).sum();
        if missing == extent.bytes
            && let Some(hole) = holes.pop()
        {
            return self.refuse(&source.input, hole.error);
        }
        self.report.files += 1;
        let plan = crew.scan.plan(&Head {
            input: &source.input,
            file_bytes: source.bytes,
            bytes: &block[..extent.bytes],
            unreadable_bytes: missing as u64,
        });
        let Step::Read(plan) = plan else {
            crew.board.begun(None);
            crew.scan.advanced(source.bytes);
            return;
        };
        let whole = Arc::new(Whole::new(source, plan, crew.options.block_bytes));
        if extent.bytes == 0 {
            crew.board.begun(None);
            return whole.end(crew.scan);
        }
        crew.board.begun(Some(Arc::clone(&whole)));
        self.shares.take(&whole).hand_out(crew.scan, extent, block, holes);
        self.end_block(&whole);
    }

    /// Looks at what is in memory where it lies, or copies it in pieces that stay in the cache of
    /// the processor.
    fn read_cached(&mut self, whole: &Arc<Whole<S>>, extent: Extent) {
        let Crew { scan, medium, .. } = *self.crew;
        let share = self.shares.of(whole);
        let range = extent.offset..extent.offset + extent.bytes as u64;
        let looked = match medium.fault(&whole.source, range) {
            Some(_) => None,
            None => whole.source.look(extent.offset, extent.bytes, |bytes| {
                share.hand_out(scan, extent, bytes, Vec::new());
            }),
        };
        if looked.is_some() {
            self.report.cached_bytes += extent.bytes as u64;
            return self.end_block(whole);
        }
        let end = extent.offset + extent.bytes as u64;
        for offset in (extent.offset..end).step_by(self.warm.total_bytes() as usize) {
            let warm = self.warm.block_mut(0);
            let bytes = ((end - offset) as usize).min(warm.len());
            let piece = Extent { offset, bytes, ..extent };
            let read = whole.source.read_at(piece.way, &mut warm[..bytes], offset);
            let report = &mut self.report;
            let holes = piece::settle(&whole.source, medium, piece, warm, read, report);
            share.tell(scan, piece, warm, holes);
        }
        share.end_block();
        self.end_block(whole);
    }

    /// A block was looked at: files that are done are told.
    fn end_block(&mut self, _whole: &Arc<Whole<S>>) {
        if self.shares.has_idle() {
            self.shares.join_idle(self.crew.scan, |whole| self.crew.board.is_given_out(whole));
        }
    }

    /// Waits until so many bytes may be read; not when the scan is stopped.
    fn keep_pace(&self, bytes: usize) {
        let Some(pace) = &self.crew.pace else { return };
        let now = || self.crew.begun.elapsed();
        let wait = pace.lock().unwrap_or_else(PoisonError::into_inner).wait(now(), bytes as u64);
        let until = now() + wait;
        while let Some(left) = until.checked_sub(now())
            && !left.is_zero()
            && !self.crew.board.is_stopped()
            && !self.crew.scan.stopped()
        {
            thread::sleep(left.min(NAP));
        }
    }
}

/// What came of looking for work.
enum Took {
    /// There may be more.
    Some,
    /// There is none now.
    Nothing,
    /// There is none any more.
    End,
}
