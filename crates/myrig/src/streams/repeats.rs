//! What is said again and again is counted instead, lest a fault that comes every second fills
//! the log.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// The same words are said again after so long.
const AGAIN_AFTER: Duration = Duration::from_secs(600);

/// So many different words are remembered; those that were said longest ago are forgotten first.
const WORDS_MAX: usize = 256;

/// Words that were said lately.
#[derive(Debug, Default)]
pub(super) struct Repeats(HashMap<String, Said>);

#[derive(Debug)]
struct Said {
    at: Instant,
    kept_back: u64,
}

impl Repeats {
    /// Whether words are to be said now: how often they were kept back since they last were; none
    /// if they are kept back this time, too.
    pub(super) fn pass(&mut self, words: &str, now: Instant) -> Option<u64> {
        if let Some(said) = self.0.get_mut(words) {
            if now.saturating_duration_since(said.at) < AGAIN_AFTER {
                said.kept_back += 1;
                return None;
            }
            said.at = now;
            return Some(std::mem::take(&mut said.kept_back));
        }
        if self.0.len() >= WORDS_MAX
            && let Some(oldest) = self.0.iter().min_by_key(|(_, said)| said.at)
        {
            let oldest = oldest.0.clone();
            self.0.remove(&oldest);
        }
        self.0.insert(words.to_owned(), Said { at: now, kept_back: 0 });
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_said_at_most_every_ten_minutes_and_counted_between() {
        let mut repeats = Repeats::default();
        let begin = Instant::now();
        let mut at =
            |second: u64, words: &str| repeats.pass(words, begin + Duration::from_secs(second));
        assert_eq!(at(0, "a"), Some(0));
        assert_eq!(at(1, "b"), Some(0));
        for second in 1..600 {
            assert_eq!(at(second, "a"), None, "{second}");
        }
        assert_eq!(at(600, "a"), Some(599));
        assert_eq!(at(601, "a"), None);
        assert_eq!(at(1300, "a"), Some(1));
    }

    #[test]
    fn it_remembers_no_more_than_so_many() {
        let mut repeats = Repeats::default();
        let begin = Instant::now();
        for number in 0..1000_u32 {
            let now = begin + Duration::from_millis(number.into());
            assert_eq!(repeats.pass(&number.to_string(), now), Some(0));
            assert!(repeats.0.len() <= WORDS_MAX);
        }
        assert_eq!(repeats.pass("999", begin + Duration::from_secs(2)), None, "the latest");
        assert_eq!(repeats.pass("0", begin + Duration::from_secs(2)), Some(0), "the oldest");
    }
}
