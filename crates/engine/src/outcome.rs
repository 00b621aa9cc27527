//! How transactions ended, counted.

/// How transactions ended. Every started transaction is in exactly one of `committed`,
/// `rolled_back` and `failed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Commit acknowledged.
    pub committed: u64,
    /// Rolled back by the business rule.
    pub rolled_back: u64,
    /// Given up.
    pub failed: u64,
    /// Of the committed and rolled back: those that needed more than one attempt.
    pub retried: u64,
    /// Of the failed: those that may have taken effect all the same. Their connection was lost
    /// after the commit was sent, or they were abandoned at the end of the run.
    pub in_doubt: u64,
    /// Attempts that were tried again, whatever became of their transactions.
    pub retries: u64,
}

impl Outcomes {
    /// Transactions that were started.
    pub fn started(&self) -> u64 {
        self.committed + self.rolled_back + self.failed
    }
}

impl std::ops::AddAssign for Outcomes {
    fn add_assign(&mut self, other: Self) {
        self.committed += other.committed;
        self.rolled_back += other.rolled_back;
        self.failed += other.failed;
        self.retried += other.retried;
        self.in_doubt += other.in_doubt;
        self.retries += other.retries;
    }
}
