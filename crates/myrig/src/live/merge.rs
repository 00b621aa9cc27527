//! Neighbouring seconds joined, so that whoever comes late to a long run is told it in short.

use super::{Second, SecondOfType};

/// The seconds in at most `limit` pieces of as many seconds each: counts are sums, times those of
/// the worst second, everything else the last one's.
pub(crate) fn merged(seconds: &[Second], limit: usize) -> Vec<Second> {
    let each = seconds.len().div_ceil(limit.max(1)).max(1);
    seconds.chunks(each).filter_map(joined).collect()
}

fn joined(seconds: &[Second]) -> Option<Second> {
    let (last, before) = seconds.split_last()?;
    let mut whole = last.clone();
    for second in before {
        whole.length_s += second.length_s;
        for (into, from) in whole.transactions.iter_mut().zip(&second.transactions) {
            *into = both(*into, *from);
        }
    }
    Some(whole)
}

fn both(one: SecondOfType, other: SecondOfType) -> SecondOfType {
    SecondOfType {
        committed: one.committed.saturating_add(other.committed),
        rolled_back: one.rolled_back.saturating_add(other.rolled_back),
        failed: one.failed.saturating_add(other.failed),
        retries: one.retries.saturating_add(other.retries),
        p50_ms: one.p50_ms.max(other.p50_ms),
        p95_ms: one.p95_ms.max(other.p95_ms),
        p99_ms: one.p99_ms.max(other.p99_ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn second(at: u32) -> Second {
        let of_type = SecondOfType {
            committed: u64::from(at),
            p95_ms: f64::from(at % 3),
            ..Default::default()
        };
        Second {
            at_s: f64::from(at),
            length_s: 1.0,
            phase: "measure".into(),
            connected: at,
            client_cpu: 0.5,
            transactions: vec![of_type],
            watch: BTreeMap::new(),
        }
    }

    #[test]
    fn counts_are_kept_and_the_worst_time_stays() {
        let seconds: Vec<Second> = (1..=10).map(second).collect();
        let pieces = merged(&seconds, 4);
        assert_eq!(pieces.iter().map(|it| it.length_s).collect::<Vec<_>>(), [3.0, 3.0, 3.0, 1.0]);
        let committed: u64 = pieces.iter().map(|it| it.transactions[0].committed).sum();
        assert_eq!(committed, 55);
        assert_eq!((pieces[0].at_s, pieces[0].connected), (3.0, 3));
        assert!((pieces[0].transactions[0].p95_ms - 2.0).abs() < 1e-9);
        assert_eq!(merged(&seconds, 100).len(), 10, "few enough stay as they are");
        assert!(merged(&[], 4).is_empty());
    }
}
