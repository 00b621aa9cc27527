//! A wait in words.

use super::{Quantity, State, Waited};
use std::fmt;

/// One sentence, such as `Waited 4.5 s for dirty pages (5120 to 310).`
impl fmt::Display for Waited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |state: State| {
            let with = (0..).zip(Quantity::ALL).filter(|(i, _)| self.states[*i] == state);
            with.filter_map(|(i, quantity)| Some((i, quantity, self.first[i]?, self.last[i]?)))
                .collect::<Vec<(usize, Quantity, u64, u64)>>()
        };
        let list = |all: Vec<String>| all.join(", ");
        let waited_s = self.length.as_secs_f64();
        let came_back: Vec<String> = told(State::Back)
            .into_iter()
            .filter(|(i, _, first, _)| *first > self.limits.0[*i])
            .map(|(_, quantity, first, last)| format!("{} ({first} to {last})", quantity.name()))
            .collect();
        let above = |state| {
            let words = |(i, quantity, _, last): (usize, Quantity, u64, u64)| {
                format!("{} at {last}, over the limit of {}", quantity.name(), self.limits.0[i])
            };
            told(state).into_iter().map(words).collect::<Vec<String>>()
        };
        let (still, moving) = (above(State::Still), above(State::Moving));
        match came_back.is_empty() {
            true if still.is_empty() && moving.is_empty() => write!(f, "The server was at rest.")?,
            true => write!(f, "Waited {waited_s:.1} s.")?,
            false => write!(f, "Waited {waited_s:.1} s for {}.", list(came_back))?,
        }
        if !still.is_empty() {
            write!(f, " Moved no more: {}.", list(still))?;
        }
        if !moving.is_empty() {
            write!(f, " Given up: {}.", list(moving))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settle::Limits;
    use std::time::Duration;

    #[test]
    fn the_sentence_says_what_was_waited_for_and_what_was_given_up() {
        let mut waited = Waited {
            length: Duration::from_millis(4500),
            first: [Some(5120), Some(2400), Some(2)],
            last: [Some(310), Some(2390), Some(2)],
            states: [State::Back, State::Still, State::Moving],
            limits: Limits([400, 1000, 1]),
        };
        assert_eq!(
            waited.to_string(),
            "Waited 4.5 s for dirty pages (5120 to 310). Moved no more: history list length at \
             2390, over the limit of 1000. Given up: running threads at 2, over the limit of 1."
        );
        assert!(!waited.at_rest());
        waited.first = [Some(1), None, Some(1)];
        waited.states = [State::Back, State::Untold, State::Back];
        assert_eq!(waited.to_string(), "The server was at rest.");
        assert!(waited.at_rest());
    }
}
