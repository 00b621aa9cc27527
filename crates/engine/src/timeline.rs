//! The borders of the phases, shared by all workers.

use crate::{clock::nanos, options::Phases};

/// Borders on the clock, nanoseconds. A moment belongs to the phase that it ends: a transaction
/// that ends at the very end of the measured phase was carried out in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timeline {
    /// All sessions are open and the ramp-up starts.
    pub(crate) zero_ns: u64,
    /// The measured phase starts.
    pub(crate) measure_from_ns: u64,
    /// The measured phase ends, and the ramp-down starts.
    pub(crate) measure_until_ns: u64,
    /// No transaction starts from here on.
    pub(crate) end_ns: u64,
}

impl Timeline {
    pub(crate) fn new(zero_ns: u64, phases: &Phases) -> Self {
        let measure_from_ns = zero_ns.saturating_add(nanos(phases.ramp_up));
        let measure_until_ns = measure_from_ns.saturating_add(nanos(phases.measure));
        let end_ns = measure_until_ns.saturating_add(nanos(phases.ramp_down));
        Self { zero_ns, measure_from_ns, measure_until_ns, end_ns }
    }

    /// The load ends now, whatever was planned.
    pub(crate) fn cut(self, at_ns: u64) -> Self {
        Self {
            zero_ns: self.zero_ns,
            measure_from_ns: self.measure_from_ns.min(at_ns),
            measure_until_ns: self.measure_until_ns.min(at_ns),
            end_ns: self.end_ns.min(at_ns),
        }
    }

    /// Nothing starts from now on, and what is under way still belongs to the measured phase.
    pub(crate) fn exhaust(self, at_ns: u64) -> Self {
        Self { measure_until_ns: u64::MAX, end_ns: self.end_ns.min(at_ns), ..self }
    }

    /// Whether what ends at this moment is measured.
    pub(crate) fn measures(&self, at_ns: u64) -> bool {
        self.measure_from_ns < at_ns && at_ns <= self.measure_until_ns
    }

    /// Whether what starts at this moment counts as started in the measured phase.
    pub(crate) fn starts_measured(&self, at_ns: u64) -> bool {
        self.measure_from_ns <= at_ns && at_ns < self.measure_until_ns
    }
}
