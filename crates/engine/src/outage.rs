//! When connections were lost, over all connections.

/// A time during which at least one connection was down. Times are nanoseconds on the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Downtime {
    pub(crate) from_ns: u64,
    pub(crate) until_ns: Option<u64>,
    pub(crate) connections: u32,
}

/// The outages of a run so far.
#[derive(Debug)]
pub(crate) struct OutageLog {
    connections: u32,
    down: u32,
    all_down_since_ns: Option<u64>,
    last_failure: String,
    outages: Vec<Downtime>,
}

impl OutageLog {
    pub(crate) fn new(connections: u32) -> Self {
        let (all_down_since_ns, last_failure) = (None, String::new());
        Self { connections, down: 0, all_down_since_ns, last_failure, outages: Vec::new() }
    }

    /// A connection is lost.
    pub(crate) fn lost(&mut self, at_ns: u64, message: &str) {
        self.down += 1;
        message.clone_into(&mut self.last_failure);
        match self.outages.last_mut() {
            Some(outage) if outage.until_ns.is_none() => {
                outage.connections = outage.connections.max(self.down);
            }
            _ => {
                self.outages.push(Downtime { from_ns: at_ns, until_ns: None, connections: 1 });
            }
        }
        if self.down == self.connections {
            self.all_down_since_ns = Some(at_ns);
        }
    }

    /// A lost connection could not be opened again yet.
    pub(crate) fn still_down(&mut self, message: &str) {
        message.clone_into(&mut self.last_failure);
    }

    /// A lost connection is open again.
    pub(crate) fn back(&mut self, at_ns: u64) {
        self.down -= 1;
        self.all_down_since_ns = None;
        if let (0, Some(outage)) = (self.down, self.outages.last_mut()) {
            // Threads read the clock before they take the lock, so they may come out of order.
            outage.until_ns = Some(at_ns.max(outage.from_ns));
        }
    }

    /// Since when every connection has been down, and why the last one did not come back.
    pub(crate) fn all_down(&self) -> Option<(u64, &str)> {
        self.all_down_since_ns.map(|since_ns| (since_ns, self.last_failure.as_str()))
    }

    pub(crate) fn outages(&self) -> &[Downtime] {
        &self.outages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outages_of_connections_that_overlap_are_one() {
        let mut log = OutageLog::new(3);
        log.lost(10, "gone");
        log.lost(20, "gone");
        log.back(30);
        log.back(40);
        log.lost(50, "gone again");
        assert_eq!(
            log.outages(),
            [
                Downtime { from_ns: 10, until_ns: Some(40), connections: 2 },
                Downtime { from_ns: 50, until_ns: None, connections: 1 },
            ]
        );
    }

    #[test]
    fn all_are_down_from_the_last_loss_to_the_first_return() {
        let mut log = OutageLog::new(2);
        log.lost(10, "gone");
        assert_eq!(log.all_down(), None);
        log.lost(20, "gone");
        log.still_down("refused");
        assert_eq!(log.all_down(), Some((20, "refused")));
        log.back(30);
        assert_eq!(log.all_down(), None);
    }
}
