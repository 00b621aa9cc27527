//! Figures of merit, made from the other parts of a record.

use crate::{
    record::{Figure, Phase, RunRecord},
    statistics::Mean,
};

/// Intervals shorter than this say more about their edges than about the server, seconds.
const SHORTEST_INTERVAL_S: f64 = 0.5;

/// What a rate is counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// `1/s`, as TPS and QPS are.
    Second,
    /// `1/min`, as tpmC and NOPM are.
    Minute,
}

impl Per {
    fn unit(self) -> &'static str {
        match self {
            Self::Second => "1/s",
            Self::Minute => "1/min",
        }
    }

    fn seconds(self) -> f64 {
        match self {
            Self::Second => 1.0,
            Self::Minute => 60.0,
        }
    }
}

/// The rate of committed transactions of the types named in `types` (all types when empty) in the
/// measured phase. tpmC is `committed_rate(&record, "tpmC", &["New-Order"], Per::Minute)`.
///
/// The value is the exact count of [`Outcomes::committed`](crate::record::Outcomes) over the
/// phase's length. The interval around it comes from the measured seconds' series. None when there
/// was no measured phase or no such type.
pub fn committed_rate(record: &RunRecord, name: &str, types: &[&str], per: Per) -> Option<Figure> {
    let phase = measured_phase(record)?;
    let chosen = chosen(record, types);
    if chosen.is_empty() {
        return None;
    }
    let committed: u64 = chosen
        .iter()
        .map(|&index| record.transactions[index].measured.committed)
        .fold(0, u64::saturating_add);
    let value = committed as f64 / (phase.until_s - phase.from_s) * per.seconds();
    let series = committed_per_s(record, phase, &chosen);
    let ci95 = Mean::of(&series).and_then(|mean| {
        let (low, high) = mean.ci95()?;
        let half_width = (high - low) / 2.0 * per.seconds();
        Some(((value - half_width).max(0.0), value + half_width))
    });
    Some(Figure { name: name.to_owned(), value, unit: per.unit().to_owned(), ci95 })
}

/// The phase that counts; none in a run that ended before it.
pub fn measured_phase(record: &RunRecord) -> Option<&Phase> {
    record.phases.iter().find(|phase| phase.name == "measure" && phase.until_s > phase.from_s)
}

/// Committed transactions a second of the types named in `types` (all types when empty), an entry
/// a second of `phase`; empty when there is no such type.
pub(crate) fn committed_series(record: &RunRecord, phase: &Phase, types: &[&str]) -> Vec<f64> {
    let chosen = chosen(record, types);
    match chosen.is_empty() {
        true => Vec::new(),
        false => committed_per_s(record, phase, &chosen),
    }
}

/// Where the types named in `types` are, or all.
fn chosen(record: &RunRecord, types: &[&str]) -> Vec<usize> {
    let wanted = |name: &str| types.is_empty() || types.contains(&name);
    (0..record.transactions.len())
        .filter(|&index| wanted(&record.transactions[index].name))
        .collect()
}

/// Committed transactions a second of the types at `chosen`, an entry a second of `phase`. Seconds
/// across its edges are left out.
fn committed_per_s(record: &RunRecord, phase: &Phase, chosen: &[usize]) -> Vec<f64> {
    // Clocks tick late rather than early, by less than this.
    let slack_s = 0.05;
    record
        .intervals
        .iter()
        .filter(|interval| {
            interval.length_s >= SHORTEST_INTERVAL_S
                && interval.at_s - interval.length_s >= phase.from_s - slack_s
                && interval.at_s <= phase.until_s + slack_s
        })
        .map(|interval| {
            let of = |&index: &usize| interval.transactions.get(index).map_or(0, |t| t.committed);
            chosen.iter().map(of).fold(0, u64::saturating_add) as f64 / interval.length_s
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::record::example;

    #[test]
    fn tpmc_is_committed_new_orders_a_minute_of_the_measured_phase() {
        let mut record = example::record();
        let figure = committed_rate(&record, "tpmC", &["New-Order"], Per::Minute).unwrap();
        // 100 + 101 + 102 in three measured seconds; the ramp's second does not count.
        assert_eq!((figure.name.as_str(), figure.unit.as_str()), ("tpmC", "1/min"));
        assert!((figure.value - 303.0 / 3.0 * 60.0).abs() < 1e-9);
        record.phases[1].until_s = record.phases[1].from_s;
        assert_eq!(committed_rate(&record, "tpmC", &["New-Order"], Per::Minute), None);
    }

    #[test]
    fn the_interval_is_that_of_the_measured_seconds() {
        let mut record = example::record();
        record.phases[1].until_s = 21.0;
        record.transactions[0].measured.committed = 2030;
        record.intervals = (0_u32..22)
            .map(|second| {
                let mut interval = record.intervals[0].clone();
                interval.at_s = f64::from(second + 1);
                interval.transactions[0].committed = 100 + u64::from(second % 2) * 3;
                interval
            })
            .collect();
        let figure = committed_rate(&record, "TPS", &["New-Order"], Per::Second).unwrap();
        let (low, high) = figure.ci95.unwrap();
        let series: Vec<f64> = (1..21).map(|second| 100.0 + f64::from(second % 2) * 3.0).collect();
        let (low_s, high_s) = Mean::of(&series).unwrap().ci95().unwrap();
        assert!((low - low_s).abs() < 1e-9 && (high - high_s).abs() < 1e-9);
    }

    #[test]
    fn no_type_named_means_all_types() {
        let record = example::record();
        let all = committed_rate(&record, "TPS", &[], Per::Second).unwrap();
        assert!((all.value - (303.0 + 150.0) / 3.0).abs() < 1e-9);
        assert_eq!(committed_rate(&record, "TPS", &["No such"], Per::Second), None);
    }

    #[test]
    fn a_run_of_one_measured_second_has_no_interval() {
        let mut record = example::record();
        record.phases[1].until_s = 2.0;
        let figure = committed_rate(&record, "tpmC", &["New-Order"], Per::Minute).unwrap();
        assert_eq!(figure.ci95, None);
    }
}
