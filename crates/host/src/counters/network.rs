//! What went over the network, from `/proc/net/dev`.

use crate::Root;

/// Bytes since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// Received by all interfaces but the loopback.
    pub received_bytes: u64,
    /// Sent by all interfaces but the loopback.
    pub sent_bytes: u64,
    /// Over the loopback; what is sent there is received there.
    pub loopback_bytes: u64,
}

impl Network {
    /// Asks the machine; none where it does not tell.
    pub fn of(root: &Root) -> Option<Self> {
        root.text("proc/net/dev").map(|text| Self::parse(&text))
    }

    fn parse(text: &str) -> Self {
        let mut network = Self::default();
        for line in text.lines() {
            let Some((name, totals)) = line.split_once(':') else { continue };
            let totals: Vec<u64> =
                totals.split_whitespace().map_while(|word| word.parse().ok()).collect();
            let (Some(received), Some(sent)) = (totals.first(), totals.get(8)) else { continue };
            if name.trim() == "lo" {
                network.loopback_bytes = *received;
            } else {
                network.received_bytes = network.received_bytes.saturating_add(*received);
                network.sent_bytes = network.sent_bytes.saturating_add(*sent);
            }
        }
        network
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn interfaces_are_added_up_and_the_loopback_is_apart() {
        let text = "Inter-|   Receive                |  Transmit\n \
            face |bytes    packets errs\n    \
            lo: 500 5 0 0 0 0 0 0 500 5 0 0 0 0 0 0\n  \
            eth0: 10 1 0 0 0 0 0 0 20 2 0 0 0 0 0 0\n  \
            eth1:30 3 0 0 0 0 0 0 40 4 0 0 0 0 0 0\n  \
            bad: 1 2\n";
        let expected = Network { received_bytes: 40, sent_bytes: 60, loopback_bytes: 500 };
        assert_eq!(Network::parse(text), expected);
    }

    proptest! {
        #[test]
        fn any_text_gives_an_answer(text in "[a-z0-9: \n]{0,200}") {
            let _answer = Network::parse(&text);
        }
    }
}
