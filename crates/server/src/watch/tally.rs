//! From what was seen of the sessions to average active sessions by class.
//!
//! A session is in one class at a time, so that the classes add up to the sessions. Most come from
//! looking at the sessions' threads many times a second; three are not told apart by the kernel,
//! for it shows the same wait for another thread, and are taken out of it by what the server
//! counts: row locks by their exact time, commits and table locks by the sessions' states.

use super::{
    class::Class,
    session::{Doing, Session},
};
use host::counters::TimeShare;
use std::collections::BTreeMap;

const CLASSES: usize = Class::ALL.len();

/// What was seen in some time. All sums are weighted with seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tally {
    /// Sessions by class, as their threads were looked at; the time in which they were.
    looked: [f64; CLASSES],
    looked_s: f64,
    /// What the kernel accounts for the sessions' threads; the time in which it did.
    ran: TimeShare,
    ran_s: f64,
    /// Time in row locks, seconds; the time in which it was counted.
    row_lock: f64,
    row_lock_s: f64,
    /// Sessions that wait for a row lock now: a wait is counted when it ends, and a long one would
    /// be seen in its last second alone. Of one second only: over more the exact time is better.
    waiting: f64,
    /// Sessions by what the server says that they do; the time in which it was asked.
    idle: f64,
    commit: f64,
    table_lock: f64,
    statement: f64,
    states: BTreeMap<String, f64>,
    asked_s: f64,
}

impl Tally {
    /// Looks at the sessions' threads: the mean number of sessions in each class.
    pub(super) fn looks(&mut self, length_s: f64, sessions: &[f64; CLASSES]) {
        for (sum, sessions) in self.looked.iter_mut().zip(sessions) {
            *sum += sessions * length_s;
        }
        self.looked_s += length_s;
    }

    /// What the kernel accounted for them.
    pub(super) fn times(&mut self, length_s: f64, share: TimeShare) {
        self.ran.ran_s += share.ran_s;
        self.ran.waited_s += share.waited_s;
        self.ran_s += length_s;
    }

    /// Time that sessions waited for row locks, seconds.
    pub(super) fn row_locks(&mut self, length_s: f64, waited_s: f64) {
        self.row_lock += waited_s;
        self.row_lock_s += length_s;
    }

    /// Sessions that wait for a row lock at the end of a second.
    pub(super) fn row_lock_waiters(&mut self, waiting: f64) {
        self.waiting = waiting;
    }

    /// The sessions at one moment, standing for `length_s`.
    pub(super) fn sessions(&mut self, length_s: f64, sessions: &[Session]) {
        for session in sessions {
            *match session.doing {
                Doing::Idle => &mut self.idle,
                Doing::Commit => &mut self.commit,
                Doing::TableLock => &mut self.table_lock,
                Doing::Statement => &mut self.statement,
            } += length_s;
            if !session.state.is_empty() {
                *self.states.entry(session.state.clone()).or_default() += length_s;
            }
        }
        self.asked_s += length_s;
    }

    /// Adds what was seen in another time.
    pub(super) fn add(&mut self, other: &Self) {
        for (sum, more) in self.looked.iter_mut().zip(other.looked) {
            *sum += more;
        }
        self.looked_s += other.looked_s;
        self.times(other.ran_s, other.ran);
        self.row_locks(other.row_lock_s, other.row_lock);
        self.idle += other.idle;
        self.commit += other.commit;
        self.table_lock += other.table_lock;
        self.statement += other.statement;
        self.asked_s += other.asked_s;
        for (state, seconds) in &other.states {
            *self.states.entry(state.clone()).or_default() += seconds;
        }
    }

    /// Whether threads were looked at.
    pub(super) fn has_looks(&self) -> bool {
        self.looked_s > 0.0
    }

    /// Whether the time in the run queue is known.
    pub(super) fn has_times(&self) -> bool {
        self.ran_s > 0.0
    }

    /// Average sessions in each class; none where nothing was seen.
    pub(super) fn sessions_by_class(&self) -> Option<[f64; CLASSES]> {
        let mean = |sum: f64, length_s: f64| if length_s > 0.0 { sum / length_s } else { 0.0 };
        let asked = |sum: f64| mean(sum, self.asked_s);
        let row_lock = mean(self.row_lock, self.row_lock_s).max(self.waiting);
        let mut by_class = [0.0; CLASSES];
        let of = |class: Class| class.index();
        if !self.has_looks() {
            if self.asked_s <= 0.0 {
                return None;
            }
            let statement = asked(self.statement);
            by_class[of(Class::RowLock)] = row_lock.min(statement);
            by_class[of(Class::Statement)] = statement - row_lock.min(statement);
            by_class[of(Class::Commit)] = asked(self.commit);
            by_class[of(Class::TableLock)] = asked(self.table_lock);
            by_class[of(Class::Idle)] = asked(self.idle);
            return Some(by_class);
        }
        for (place, sum) in by_class.iter_mut().zip(self.looked) {
            *place = sum / self.looked_s;
        }
        if self.has_times() {
            by_class[of(Class::Processor)] = self.ran.ran_s / self.ran_s;
            by_class[of(Class::RunQueue)] = self.ran.waited_s / self.ran_s;
        }
        // In a commit a session writes and syncs the logs itself, or waits for who does.
        let by_itself = by_class[of(Class::Redo)] + by_class[of(Class::Binlog)];
        let parts = [
            (Class::RowLock, row_lock),
            (Class::TableLock, asked(self.table_lock)),
            (Class::Commit, asked(self.commit) - by_itself),
        ];
        for (class, sessions) in parts {
            let left = &mut by_class[of(Class::Latch)];
            let part = sessions.clamp(0.0, *left);
            *left -= part;
            by_class[of(class)] = part;
        }
        Some(by_class)
    }

    /// Average sessions in each of the server's own states, the most frequent first.
    pub(super) fn states(&self) -> Vec<(String, f64)> {
        let mut states: Vec<(String, f64)> = self
            .states
            .iter()
            .map(|(state, seconds)| (state.clone(), seconds / self.asked_s))
            .collect();
        states.sort_by(|a, b| b.1.total_cmp(&a.1));
        states
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn sessions(states: &[(&str, &str)]) -> Vec<Session> {
        states.iter().filter_map(|(command, state)| Session::of(0, command, state)).collect()
    }

    fn looks(of: &[(Class, f64)]) -> [f64; CLASSES] {
        let mut looks = [0.0; CLASSES];
        for (class, sessions) in of {
            looks[class.index()] = *sessions;
        }
        looks
    }

    fn of(tally: &Tally, class: Class) -> f64 {
        tally.sessions_by_class().unwrap()[class.index()]
    }

    #[test]
    fn waits_for_other_threads_are_shared_out_by_what_the_server_counts() {
        let mut tally = Tally::default();
        tally.looks(2.0, &looks(&[(Class::Latch, 5.0), (Class::Binlog, 1.0), (Class::Idle, 2.0)]));
        tally.row_locks(2.0, 4.0);
        tally.sessions(2.0, &sessions(&[("Query", "Commit"); 3]));
        tally.times(2.0, TimeShare { ran_s: 1.0, waited_s: 0.5 });
        assert_eq!(of(&tally, Class::RowLock), 2.0);
        assert_eq!(of(&tally, Class::Commit), 2.0, "three commit, one of them in the log itself");
        assert_eq!(of(&tally, Class::Latch), 1.0);
        assert_eq!((of(&tally, Class::Processor), of(&tally, Class::RunQueue)), (0.5, 0.25));
        assert_eq!(tally.states(), [("commit".to_owned(), 3.0)]);
    }

    #[test]
    fn a_long_wait_for_a_row_is_seen_before_it_ends_and_counted_once() {
        let mut whole = Tally::default();
        for waited_s in [0.0, 0.0, 3.0] {
            let mut second = Tally::default();
            second.looks(1.0, &looks(&[(Class::Latch, 1.5)]));
            second.row_locks(1.0, waited_s);
            second.row_lock_waiters(1.0);
            assert!(of(&second, Class::RowLock) >= 1.0);
            whole.add(&second);
        }
        assert_eq!(of(&whole, Class::RowLock), 1.0);
    }

    #[test]
    fn without_looks_the_states_of_the_sessions_tell() {
        let mut tally = Tally::default();
        assert_eq!(tally.sessions_by_class(), None);
        let list = [("Sleep", ""), ("Query", "Commit"), ("Execute", "Updating"), ("Query", "x")];
        tally.sessions(1.0, &sessions(&list));
        tally.row_locks(1.0, 0.5);
        assert_eq!((of(&tally, Class::Idle), of(&tally, Class::Commit)), (1.0, 1.0));
        assert_eq!((of(&tally, Class::RowLock), of(&tally, Class::Statement)), (0.5, 1.5));
    }

    proptest! {
        #[test]
        fn no_class_is_negative_and_sharing_out_keeps_the_sum(
            latch in 0.0..100.0_f64, redo in 0.0..10.0_f64, row_lock in 0.0..200.0_f64,
            commits in 0..20_usize, times in 1..5_usize,
        ) {
            let mut tally = Tally::default();
            for _ in 0..times {
                let mut second = Tally::default();
                second.looks(1.0, &looks(&[(Class::Latch, latch), (Class::Redo, redo)]));
                second.row_locks(1.0, row_lock);
                second.sessions(1.0, &sessions(&vec![("Query", "Commit"); commits]));
                tally.add(&second);
            }
            let by_class = tally.sessions_by_class().unwrap();
            prop_assert!(by_class.iter().all(|sessions| *sessions >= 0.0));
            prop_assert!((by_class.iter().sum::<f64>() - latch - redo).abs() < 1e-6);
        }
    }
}
