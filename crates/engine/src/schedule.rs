//! The due times of an open loop, and the tickets by which workers take them.
//!
//! A free worker takes the next ticket and waits for its time, or starts at once where that is
//! past. The k-th worker to become free thus serves the k-th arrival, which is a first-come,
//! first-served queue with as many servers as workers. Its backlog may grow without bound and
//! takes no memory, because tickets that nobody took have not been made yet.

use crate::options::Arrivals;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Due times one after another, nanoseconds from the start of the load, without end.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    arrivals: Arrivals,
    gap_ns: f64,
    rng: Pcg64,
    index: u64,
    at_ns: f64,
}

impl Schedule {
    /// `rate_per_s` must be over 0, as [`crate::LoadOptions::validate`] has checked.
    pub(crate) fn new(rate_per_s: f64, arrivals: Arrivals, seed: u64) -> Self {
        let rng = Pcg64::seed_from_u64(seed);
        Self { arrivals, gap_ns: 1e9 / rate_per_s, rng, index: 0, at_ns: 0.0 }
    }
}

impl Iterator for Schedule {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        match self.arrivals {
            // From the index, because a sum of rounded gaps would drift.
            Arrivals::Even => self.at_ns = self.index as f64 * self.gap_ns,
            // 1 - u is never 0, whose logarithm is infinite.
            Arrivals::Poisson => {
                self.at_ns -= (1.0 - self.rng.random::<f64>()).ln() * self.gap_ns;
            }
        }
        self.index += 1;
        Some(self.at_ns.round() as u64)
    }
}

/// Hands out the tickets of a schedule to the workers of all threads.
#[derive(Debug)]
pub(crate) struct TicketOffice(Mutex<Counter>);

#[derive(Debug)]
struct Counter {
    schedule: Schedule,
    taken: u64,
    /// Due times of tickets that were handed back, because the load ended first.
    returned_ns: Vec<u64>,
}

/// The right to start one transaction. Unless used, it goes back when dropped.
#[derive(Debug)]
pub(crate) struct Ticket<'a> {
    office: &'a TicketOffice,
    /// Due time, nanoseconds from the start of the load.
    pub(crate) due_ns: u64,
    used: bool,
}

/// What was due before the end of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backlog {
    /// Transactions that were due.
    pub(crate) due: u64,
    /// Of these, the ones that did not start.
    pub(crate) unstarted: u64,
    /// How long the oldest of those had waited.
    pub(crate) oldest_wait: Duration,
}

impl TicketOffice {
    pub(crate) fn new(schedule: Schedule) -> Self {
        Self(Mutex::new(Counter { schedule, taken: 0, returned_ns: Vec::new() }))
    }

    fn counter(&self) -> MutexGuard<'_, Counter> {
        // No code under the lock can leave the counter half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next ticket; none only after the last moment that the clock can tell.
    pub(crate) fn take(&self) -> Option<Ticket<'_>> {
        let mut counter = self.counter();
        let due_ns = counter.schedule.next()?;
        counter.taken += 1;
        Some(Ticket { office: self, due_ns, used: false })
    }

    /// What was due before `end_ns`, counted by running the schedule to there.
    pub(crate) fn backlog(&self, end_ns: u64) -> Backlog {
        let counter = self.counter();
        let started = counter.taken - counter.returned_ns.len() as u64;
        let untaken = counter.schedule.clone().take_while(|due_ns| *due_ns < end_ns);
        let returned = counter.returned_ns.iter().copied().filter(|due_ns| *due_ns < end_ns);
        let (unstarted, oldest_ns) = returned
            .chain(untaken)
            .fold((0, end_ns), |(count, oldest_ns), due_ns| (count + 1, oldest_ns.min(due_ns)));
        let oldest_wait = Duration::from_nanos(end_ns - oldest_ns);
        Backlog { due: started + unstarted, unstarted, oldest_wait }
    }
}

impl Ticket<'_> {
    /// Starts the transaction that the ticket is for.
    pub(crate) fn redeem(mut self) {
        self.used = true;
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if !self.used {
            self.office.counter().returned_ns.push(self.due_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn schedule(rate_per_s: f64, arrivals: Arrivals, seed: u64) -> Schedule {
        Schedule::new(rate_per_s, arrivals, seed)
    }

    #[test]
    fn even_arrivals_start_at_once_and_do_not_drift() {
        let due: Vec<u64> = schedule(4.0, Arrivals::Even, 1).take(4).collect();
        assert_eq!(due, [0, 250_000_000, 500_000_000, 750_000_000]);
        let day = 24 * 3600;
        assert_eq!(schedule(3.0, Arrivals::Even, 1).nth(3 * day), Some(day as u64 * SECOND_NS));
    }

    /// Kolmogorov and Smirnov: the largest distance of the empirical from the exponential
    /// distribution function passes 1.95 / sqrt(n) once in a thousand samples, and the seed is
    /// fixed.
    #[test]
    fn poisson_gaps_are_exponential() {
        let due: Vec<u64> = schedule(1000.0, Arrivals::Poisson, 7).take(100_000).collect();
        let mut previous_ns = 0;
        let mut gaps: Vec<f64> = due
            .iter()
            .map(|at_ns| (at_ns - std::mem::replace(&mut previous_ns, *at_ns)) as f64 / 1e6)
            .collect();
        gaps.sort_by(f64::total_cmp);
        let n = gaps.len() as f64;
        let distance = gaps
            .iter()
            .enumerate()
            .map(|(index, gap_ms)| (1.0 - (-gap_ms).exp() - (index as f64 + 0.5) / n).abs())
            .fold(0.0, f64::max);
        assert!(distance < 1.95 / n.sqrt(), "{distance}");
    }

    /// In a Poisson process the counts of disjoint seconds vary as much as their mean.
    #[test]
    fn poisson_counts_have_a_variance_like_their_mean() {
        let mut counts = vec![0_f64; 2000];
        for due_ns in schedule(50.0, Arrivals::Poisson, 3) {
            let Some(count) = counts.get_mut((due_ns / SECOND_NS) as usize) else { break };
            *count += 1.0;
        }
        let mean = counts.iter().sum::<f64>() / 2000.0;
        let variance = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / 1999.0;
        assert!((mean - 50.0).abs() < 0.7, "{mean}");
        assert!((variance / mean - 1.0).abs() < 0.15, "{variance} against {mean}");
    }

    #[test]
    fn a_ticket_that_is_not_redeemed_counts_as_unstarted_when_it_was_due() {
        let office = TicketOffice::new(schedule(1.0, Arrivals::Even, 1));
        let [zero, one, two, far] = std::array::from_fn(|_| office.take().unwrap());
        assert_eq!([zero.due_ns, one.due_ns, far.due_ns], [0, SECOND_NS, 3 * SECOND_NS]);
        zero.redeem();
        drop((far, one));
        two.redeem();
        let oldest_wait = Duration::from_millis(1500);
        assert_eq!(
            office.backlog(SECOND_NS * 5 / 2),
            Backlog { due: 3, unstarted: 1, oldest_wait }
        );
    }

    proptest! {
        #[test]
        fn due_times_never_fall_and_repeat_with_the_seed(
            rate_per_s in 1e-3..1e6_f64, seed: u64, poisson: bool,
        ) {
            let arrivals = if poisson { Arrivals::Poisson } else { Arrivals::Even };
            let due: Vec<u64> = schedule(rate_per_s, arrivals, seed).take(500).collect();
            prop_assert!(due.is_sorted());
            let again: Vec<u64> = schedule(rate_per_s, arrivals, seed).take(500).collect();
            prop_assert_eq!(due, again);
        }

        #[test]
        fn every_due_ticket_is_either_started_or_unstarted(
            redeemed in prop::collection::vec(any::<bool>(), 0..60),
            end_ns in 0..SECOND_NS, seed: u64,
        ) {
            let office = TicketOffice::new(schedule(50.0, Arrivals::Poisson, seed));
            let mut started = 0;
            for redeem in redeemed {
                let ticket = office.take().unwrap();
                if redeem && ticket.due_ns < end_ns {
                    started += 1;
                    ticket.redeem();
                }
            }
            let due = schedule(50.0, Arrivals::Poisson, seed).take_while(|at| *at < end_ns).count();
            let backlog = office.backlog(end_ns);
            prop_assert_eq!(backlog.due, due as u64);
            prop_assert_eq!(backlog.unstarted, due as u64 - started);
        }
    }
}
