//! One second of watching: what was answered, read and seen becomes readings and a tally.

use super::{
    ask::Answer,
    catalog::{ROW_LOCK_MS, ROW_LOCK_WAITERS},
    class::Class,
    formula,
    instruments::{self, Instruments},
    looks::Looks,
    meter::{Meter, Reading, Readings},
    tally::Tally,
};
use host::counters::{ThreadTimes, TimeShare};
use std::collections::BTreeSet;

/// What was had at the end of a second.
pub(super) struct Seen {
    /// When, seconds from the start of the load.
    pub(super) now_s: f64,
    /// The server's answer and when it was there; none where it is missing.
    pub(super) answer: Option<(f64, Answer)>,
    /// Looks at its sessions' threads.
    pub(super) looks: Looks,
    /// Times of its threads.
    pub(super) times: Option<ThreadTimes>,
}

/// What seconds are compared with: the one before.
#[derive(Debug, Default)]
pub(super) struct Before {
    now_s: Option<f64>,
    times: Option<(f64, ThreadTimes)>,
    row_lock: Option<(f64, f64)>,
    answered_s: Option<f64>,
    sessions: BTreeSet<u32>,
    our_thread: u32,
    /// The first and the last answer's instruments in the measured phase.
    instruments: Option<[(f64, Instruments); 2]>,
    /// Processor time of the server for our own questions, seconds.
    pub(super) asked_cpu_s: f64,
}

impl Before {
    /// What this second adds; the first adds nothing.
    pub(super) fn tally(&mut self, seen: &Seen) -> Tally {
        let mut tally = Tally::default();
        let length_s = self.now_s.replace(seen.now_s).map_or(0.0, |before| seen.now_s - before);
        if let Some((taken_s, answer)) = &seen.answer {
            self.count_answer(*taken_s, answer, &mut tally);
        }
        if let Some(mean) = seen.looks.mean().filter(|_| length_s > 0.0) {
            tally.looks(length_s, &mean);
        }
        self.count_times(seen, &mut tally);
        tally
    }

    fn count_answer(&mut self, taken_s: f64, answer: &Answer, tally: &mut Tally) {
        let length_s = self.answered_s.replace(taken_s).map_or(0.0, |before| taken_s - before);
        if let Some(sessions) = answer.sessions.as_ref() {
            if length_s > 0.0 {
                tally.sessions(length_s, sessions);
            }
            self.sessions = sessions.iter().map(|session| session.thread).collect();
        }
        self.our_thread = answer.our_thread;
        if let Some(waiting) = answer.counters.get(ROW_LOCK_WAITERS) {
            tally.row_lock_waiters(*waiting);
        }
        if let Some(total_ms) = answer.counters.get(ROW_LOCK_MS) {
            let total_s = total_ms / 1e3;
            if let Some((then_s, then)) = self.row_lock.replace((taken_s, total_s)) {
                // A total that has fallen is a server that was started anew.
                tally.row_locks(taken_s - then_s, (total_s - then).max(0.0));
            }
        }
    }

    fn count_times(&mut self, seen: &Seen, tally: &mut Tally) {
        let Some(times) = &seen.times else { return };
        if let Some((then_s, then)) = &self.times {
            let share: TimeShare = times.since(then, |thread| self.sessions.contains(&thread));
            tally.times(seen.now_s - then_s, share);
            self.asked_cpu_s += times.since(then, |thread| thread == self.our_thread).ran_s;
        }
        self.times = Some((seen.now_s, times.clone()));
    }

    /// Keeps the instruments of a second of the measured phase.
    pub(super) fn keep_instruments(&mut self, seen: &Seen) {
        let Some((taken_s, answer)) = &seen.answer else { return };
        if answer.instruments.is_empty() {
            return;
        }
        let last = (*taken_s, answer.instruments.clone());
        match &mut self.instruments {
            Some([_, kept]) => *kept = last,
            none => *none = Some([last.clone(), last]),
        }
    }

    /// Threads at each kind of file access and latch in the measured phase.
    pub(super) fn instrumented(&self) -> Vec<(String, f64)> {
        let Some([(from_s, first), (until_s, last)]) = &self.instruments else { return Vec::new() };
        instruments::mean(first, last, until_s - from_s)
    }
}

/// Everything that goes into series, but for the machine's own.
pub(super) fn readings(seen: &Seen, tally: &Tally) -> Vec<Readings> {
    let mut all = Vec::new();
    if let Some((taken_s, answer)) = &seen.answer {
        let mut values = formula::readings(&answer.counters);
        values.extend(instruments::readings(&answer.instruments));
        all.push(Readings { taken_s: *taken_s, values });
        // Without an answer the sessions are not known, and what they wait for is a guess.
        all.push(Readings { taken_s: *taken_s, values: waits(tally) });
    }
    all
}

fn waits(tally: &Tally) -> Vec<(Meter, Reading)> {
    let Some(by_class) = tally.sessions_by_class() else { return Vec::new() };
    let reading = |(class, sessions): (Class, f64)| {
        let meter = Meter {
            name: format!("wait.{}", class.name()).into(),
            label: class.label().into(),
            group: if class == Class::Idle { "idle" } else { "waits" },
            unit: "sessions",
            source: source(class, tally).into(),
        };
        (meter, Reading::State(sessions))
    };
    Class::ALL.into_iter().zip(by_class).map(reading).collect()
}

/// Where a class's time comes from.
pub(super) fn source(class: Class, tally: &Tally) -> &'static str {
    match class {
        Class::RowLock => "SHOW GLOBAL STATUS: Innodb_row_lock_time",
        Class::Commit | Class::TableLock => "states of sessions, asked each second",
        Class::Statement => "states of sessions, asked each second",
        Class::Idle if !tally.has_looks() => "states of sessions, asked each second",
        Class::Processor | Class::RunQueue if tally.has_times() => "/proc/PID/task/TID/schedstat",
        _ => "/proc/PID/task/TID/syscall, looked at many times a second",
    }
}
