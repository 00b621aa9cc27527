//! Conditions that data must meet.

/// Violations that are described in words; the rest are only counted.
pub(crate) const EXAMPLES: usize = 5;

/// One condition and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionResult {
    /// A word for it, or where it stands: `rows`, `3.3.2.1`.
    pub name: &'static str,
    /// What must hold.
    pub text: &'static str,
    /// Rows, groups or tables looked at.
    pub examined: u64,
    /// Those in which it does not hold.
    pub violations: u64,
    /// The first few of them, in words.
    pub examples: Vec<String>,
}

impl ConditionResult {
    /// Nothing was looked at yet.
    pub(crate) fn new(name: &'static str, text: &'static str) -> Self {
        Self { name, text, examined: 0, violations: 0, examples: Vec::new() }
    }

    /// One more was looked at, and this is wrong with it, if anything.
    pub(crate) fn see(&mut self, violation: Option<String>) {
        self.add(1, u64::from(violation.is_some()), violation);
    }

    /// So many more were looked at, so many of them in vain.
    pub(crate) fn add(
        &mut self,
        examined: u64,
        violations: u64,
        examples: impl IntoIterator<Item = String>,
    ) {
        self.examined += examined;
        self.violations += violations;
        let room = EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(examples.into_iter().take(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_violations_are_counted_and_the_first_few_told() {
        let mut condition = ConditionResult::new("rows", "there are some");
        condition.see(None);
        for table in 1..=4 {
            condition.see(Some(format!("table {table}")));
        }
        condition.add(10, 3, ["a", "b", "c"].map(str::to_owned));
        assert_eq!((condition.examined, condition.violations), (15, 7));
        assert_eq!(condition.examples, ["table 1", "table 2", "table 3", "table 4", "a"]);
    }
}
