//! What the runs of a sweep warn of, each said once.

/// Warnings and the steps that they are about, in the order in which they came up.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    said: Vec<(String, Vec<String>)>,
    steps: usize,
}

impl Warnings {
    /// Takes the warnings of the run at `step`.
    pub(super) fn take(&mut self, step: &str, warnings: &[String]) {
        self.steps += 1;
        for warning in warnings {
            match self.said.iter_mut().find(|(said, _)| said == warning) {
                Some((_, steps)) => steps.push(step.to_owned()),
                None => self.said.push((warning.clone(), vec![step.to_owned()])),
            }
        }
    }

    /// What to say of all of them together: a warning of every step without naming them.
    pub(super) fn all(&self) -> Vec<String> {
        let told = |(warning, steps): &(String, Vec<String>)| match steps.len() {
            steps if steps == self.steps => warning.clone(),
            _ => format!("At {}: {warning}", steps.join(", ")),
        };
        self.said.iter().map(told).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_of_every_step_is_said_once() {
        let mut warnings = Warnings::default();
        let say = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        warnings.take("1 connection", &say(&["Short."]));
        warnings.take("2 connections", &say(&["Short.", "1% failed."]));
        assert_eq!(warnings.all(), ["Short.", "At 2 connections: 1% failed."]);
        warnings.take("4 connections", &say(&["1% failed."]));
        assert_eq!(
            warnings.all(),
            [
                "At 1 connection, 2 connections: Short.",
                "At 2 connections, 4 connections: 1% failed."
            ]
        );
    }
}
