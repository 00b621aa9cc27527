//! A thread that keeps so many requests in flight.

use super::{
    BenchError, BenchOptions, Benching, Order, Target, figures::Measured, noise::Noise,
    target::fill_all,
};
use crate::engine::{Direction, Fallback, Port, Request};
use std::{
    io,
    os::fd::{AsRawFd, OwnedFd},
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

/// One thread's part of a measurement.
pub(crate) struct Job<'a> {
    pub(crate) target: &'a Target,
    pub(crate) options: &'a BenchOptions,
    pub(crate) number: usize,
    pub(crate) benching: &'a Benching,
    /// Bytes that may still be asked for, by all jobs of the target.
    pub(crate) left: &'a AtomicU64,
}

/// What a job needs before the clock starts.
pub(crate) struct Ready {
    port: Port,
    file: OwnedFd,
    noise: Noise,
    measured: Measured,
}

/// Where the next request goes.
struct Places {
    order: Order,
    first: u64,
    blocks: u64,
    next: u64,
}

impl Places {
    fn new(job: &Job<'_>) -> Self {
        let all = job.target.bytes / job.options.block_bytes as u64;
        let part = all / job.options.jobs.get() as u64;
        let (first, blocks) = match job.options.order {
            Order::Sequential => (part * job.number as u64, part),
            Order::Random => (0, all),
        };
        Self { order: job.options.order, first, blocks, next: 0 }
    }

    fn next(&mut self, noise: &mut Noise) -> u64 {
        match self.order {
            Order::Random => noise.below(self.blocks),
            Order::Sequential => {
                let block = self.first + self.next;
                self.next = (self.next + 1) % self.blocks;
                block
            }
        }
    }
}

impl Job<'_> {
    /// Opens the target and takes the buffers.
    pub(crate) fn prepare(&self) -> Result<Ready, BenchError> {
        let BenchOptions { depth, block_bytes, transport, direct, .. } = *self.options;
        let failed = |action| move |error| BenchError::io(action, &self.target.path, error);
        let writes = self.options.read_percent < 100;
        // A device that is written to is nobody else's; its other jobs are let in.
        let claim = writes && self.number == 0;
        let opened = self.target.open(writes, direct, claim);
        let (file, is_direct) = opened.map_err(failed("open"))?;
        let opened = Port::open(transport, depth.get(), block_bytes);
        let (mut port, lacks) = opened.map_err(failed("take buffers for"))?;
        let mut noise = Noise::new(self.options.seed.wrapping_add(self.number as u64));
        fill_all(port.buffers(), &mut noise);
        let mut measured = Measured { reader: Some(port.reader()), ..Measured::default() };
        for (without, reason) in lacks {
            measured.fallbacks.push(Fallback { without, reason, times: 1 });
        }
        if direct && !is_direct {
            let reason = "the file system has none".to_owned();
            measured.fallbacks.push(Fallback { without: "direct I/O", reason, times: 1 });
        }
        Ok(Ready { port, file, noise, measured })
    }

    /// Reads and writes until time or bytes are over, and makes sure that what was written is on
    /// the device.
    pub(crate) fn run(&self, ready: Ready, begun: Instant) -> Result<Measured, BenchError> {
        let Ready { mut port, file, mut noise, mut measured } = ready;
        let failed = |action| move |error| BenchError::io(action, &self.target.path, error);
        let count = port.buffers().count();
        let mut asked: Vec<Option<(Direction, Instant)>> = vec![None; count];
        let mut free: Vec<usize> = (0..count).collect();
        let mut places = Places::new(self);
        let mut writes = false;
        loop {
            while let Some(slot) = free.pop() {
                if !self.may_ask(begun) {
                    free.push(slot);
                    break;
                }
                let direction = self.direction(&mut noise);
                if direction == Direction::Write {
                    writes = true;
                    noise.mark(port.buffers().block_mut(slot));
                }
                asked[slot] = Some((direction, Instant::now()));
                let offset = places.next(&mut noise) * self.options.block_bytes as u64;
                let (file, bytes) = (file.as_raw_fd(), self.options.block_bytes);
                let request = Request { direction, slot, file, offset, bytes };
                port.submit(request).map_err(failed("use"))?;
            }
            if free.len() == count {
                break;
            }
            let Some((slot, came)) = port.next(true).map_err(failed("use"))? else { continue };
            let Some((direction, asked)) = asked[slot].take() else { continue };
            let action = if direction == Direction::Read { "read" } else { "write" };
            self.whole(came).map_err(failed(action))?;
            measured.count(direction, self.options.block_bytes as u64, asked.elapsed());
            self.tell(begun);
            free.push(slot);
        }
        measured.seconds = begun.elapsed().as_secs_f64();
        if writes {
            let synced = rustix::fs::fsync(&file);
            synced.map_err(|error| failed("sync")(error.into()))?;
            measured.synced_seconds = begun.elapsed().as_secs_f64();
        }
        Ok(measured)
    }

    fn may_ask(&self, begun: Instant) -> bool {
        if self.benching.is_stopped() || begun.elapsed() >= self.options.duration {
            return false;
        }
        let bytes = self.options.block_bytes as u64;
        let take = |left: u64| left.checked_sub(bytes);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    /// Tells who watches how far it is; where time decides, the end is where this speed leads.
    fn tell(&self, begun: Instant) {
        let bytes = self.options.block_bytes as u64;
        let done = self.benching.done_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.options.bytes.is_none() && self.number == 0 {
            let share = begun.elapsed().as_secs_f64() / self.options.duration.as_secs_f64();
            let total = done as f64 / share.clamp(1e-6, 1.0);
            self.benching.total_bytes.store(total as u64, Ordering::Relaxed);
        }
    }

    fn direction(&self, noise: &mut Noise) -> Direction {
        let reads = match self.options.read_percent {
            0 => false,
            100.. => true,
            percent => noise.below(100) < u64::from(percent),
        };
        if reads { Direction::Read } else { Direction::Write }
    }

    /// A limit is of whole blocks; a file that became shorter has none.
    fn whole(&self, came: io::Result<usize>) -> io::Result<()> {
        match came? {
            bytes if bytes == self.options.block_bytes => Ok(()),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
