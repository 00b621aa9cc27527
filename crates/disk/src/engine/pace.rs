//! The limit of speed, over all threads.

use std::time::Duration;

/// Spaces reads out so that they come to so many bytes a second and no more, from the first on.
#[derive(Debug)]
pub(crate) struct Pace {
    bytes_per_s: u64,
    /// When the next read may begin, on the clock of the asker.
    next: Duration,
}

impl Pace {
    pub(crate) fn new(bytes_per_s: u64) -> Self {
        Self { bytes_per_s: bytes_per_s.max(1), next: Duration::ZERO }
    }

    /// Takes leave to read so many bytes at `now`; returns how long to wait before. What was not
    /// used of the limit is not made up for.
    pub(crate) fn wait(&mut self, now: Duration, bytes: u64) -> Duration {
        let begin = self.next.max(now);
        let nanos = u128::from(bytes) * 1_000_000_000 / u128::from(self.bytes_per_s);
        // A limit of a byte a second may ask for more than there are nanoseconds in a u64.
        let taken = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        self.next = begin.saturating_add(taken);
        begin - now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_window_ever_holds_more_than_the_limit_and_one_read(
            limit in 1_u64..2_000_000_000,
            reads in prop::collection::vec((0_u64..3_000_000, 1_u64..2_000_000), 1..60),
        ) {
            let (mut pace, mut now) = (Pace::new(limit), Duration::ZERO);
            let mut begun = Vec::new();
            for (pause_us, bytes) in reads {
                now += Duration::from_micros(pause_us);
                let wait = pace.wait(now, bytes);
                begun.push((now + wait, bytes));
            }
            for (n, (from, _)) in begun.iter().enumerate() {
                let mut bytes_before = 0_u64;
                for (at, bytes) in &begun[n..] {
                    let allowed = (*at - *from).as_secs_f64() * limit as f64;
                    // A nanosecond is lost to rounding at each read.
                    let slack = 1.0 + begun.len() as f64 * limit as f64 / 1e9;
                    prop_assert!(bytes_before as f64 <= allowed + slack);
                    bytes_before += bytes;
                }
            }
        }
    }

    #[test]
    fn what_was_idle_is_not_made_up_for() {
        let mut pace = Pace::new(1000);
        assert_eq!(pace.wait(Duration::ZERO, 500), Duration::ZERO);
        assert_eq!(pace.wait(Duration::ZERO, 500), Duration::from_millis(500));
        assert_eq!(pace.wait(Duration::from_secs(100), 500), Duration::ZERO);
        assert_eq!(pace.wait(Duration::from_secs(100), 500), Duration::from_millis(500));
        let mut slow = Pace::new(1);
        slow.wait(Duration::ZERO, u64::MAX);
        assert!(slow.wait(Duration::ZERO, u64::MAX) > Duration::from_secs(1 << 30));
    }
}
