//! Processor time of the load generator's own threads.

use crate::timeline::Timeline;
use rustix::time::{ClockId, clock_gettime};

/// Above this share of one core, a thread's own waiting line distorts what it measures: work that
/// arrives at random at a server which is busy for a share r of the time waits r / (1 - r) times
/// as long as it takes (M/M/1), nine times at 0.9 and ever more steeply after it.
pub const SATURATED_SHARE: f64 = 0.9;

/// Processor time of the calling thread so far, nanoseconds.
pub(crate) fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Processor time of one thread in the measured phase.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CpuMeter {
    /// Clock and processor time at the start of the measured phase.
    from: Option<(u64, u64)>,
    /// The same at its end.
    until: Option<(u64, u64)>,
}

impl CpuMeter {
    /// Reads `cpu_ns` when a border of the measured phase has just been passed. A busy thread
    /// comes late to the border, so that the clock is read with the processor time.
    pub(crate) fn pass(&mut self, now_ns: u64, timeline: &Timeline, cpu_ns: impl Fn() -> u64) {
        if self.from.is_none() && now_ns >= timeline.measure_from_ns {
            self.from = Some((now_ns, cpu_ns()));
        }
        if self.until.is_none() && now_ns >= timeline.measure_until_ns {
            self.close(now_ns, cpu_ns);
        }
    }

    /// Ends the measurement where no border has.
    pub(crate) fn close(&mut self, now_ns: u64, cpu_ns: impl Fn() -> u64) {
        self.until = self.until.or_else(|| Some((now_ns, cpu_ns())));
    }

    /// Processor time in the measured phase, nanoseconds, and as a share of one core.
    pub(crate) fn measured(&self) -> (u64, f64) {
        let (Some((from_ns, cpu_from_ns)), Some((until_ns, cpu_until_ns))) =
            (self.from, self.until)
        else {
            return (0, 0.0);
        };
        let used_ns = cpu_until_ns.saturating_sub(cpu_from_ns);
        let elapsed_ns = until_ns.saturating_sub(from_ns);
        // The two clocks are read one after the other, so that a busy thread may seem over-busy.
        let share = if elapsed_ns == 0 { 0.0 } else { used_ns as f64 / elapsed_ns as f64 };
        (used_ns, share.min(1.0))
    }
}
