//! From a drive's counts at some moments to what was written in equal intervals.

use flash::waf::Reading;
use lab::record::AmplificationRow;

/// A drive's counts at a moment, seconds from the start of the ramp-up.
pub(super) type Sample = (f64, Reading);

/// An interval at the end counts when it is as long as this share of a whole one.
const LAST_MIN: f64 = 0.5;

/// What was written in each interval of `every_s` from the start of the ramp-up until `until_s`.
/// Counts between two samples are taken to have grown evenly. An interval in which a count went
/// back, because the drive was reset, is left out.
pub(super) fn rows(samples: &[Sample], every_s: f64, until_s: f64) -> Vec<AmplificationRow> {
    let mut rows = Vec::new();
    let mut from_s = 0.0;
    while every_s > 0.0 && until_s - from_s >= every_s * LAST_MIN {
        let end_s = (from_s + every_s).min(until_s);
        rows.extend(row(samples, from_s, end_s));
        from_s += every_s;
    }
    rows
}

fn row(samples: &[Sample], from_s: f64, until_s: f64) -> Option<AmplificationRow> {
    let (from, until) = (at(samples, from_s)?, at(samples, until_s)?);
    let grown = |from: f64, until: f64| (until >= from).then_some((until - from).round() as u64);
    Some(AmplificationRow {
        from_s,
        until_s,
        host_bytes: grown(from[0], until[0])?,
        media_bytes: grown(from[1], until[1])?,
    })
}

/// Host and media bytes at a moment; none outside of the samples.
fn at(samples: &[Sample], moment_s: f64) -> Option<[f64; 2]> {
    let after = samples.iter().position(|(at_s, _)| *at_s >= moment_s)?;
    let bytes = |reading: Reading| [reading.host_bytes as f64, reading.media_bytes as f64];
    let (late_s, late) = (samples[after].0, bytes(samples[after].1));
    if late_s <= moment_s {
        return Some(late);
    }
    let (early_s, early) = samples.get(after.checked_sub(1)?)?;
    let early = bytes(*early);
    let share = (moment_s - early_s) / (late_s - early_s);
    Some([0, 1].map(|which| early[which] + share * (late[which] - early[which])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(all: &[(f64, u128, u128)]) -> Vec<Sample> {
        let sample = |&(at_s, host_bytes, media_bytes): &(f64, u128, u128)| {
            (at_s, Reading { host_bytes, media_bytes })
        };
        all.iter().map(sample).collect()
    }

    #[test]
    fn counts_between_samples_have_grown_evenly() {
        let samples = samples(&[(-1.0, 0, 0), (1.0, 100, 200), (5.0, 500, 1000), (9.0, 900, 1800)]);
        let told: Vec<_> = rows(&samples, 4.0, 8.0)
            .iter()
            .map(|row| (row.from_s, row.until_s, row.host_bytes, row.media_bytes))
            .collect();
        assert_eq!(told, [(0.0, 4.0, 350, 700), (4.0, 8.0, 400, 800)]);
    }

    #[test]
    fn a_last_interval_that_is_too_short_is_none() {
        let samples = samples(&[(0.0, 0, 0), (20.0, 2000, 2000)]);
        let ends = |until_s| -> Vec<f64> {
            rows(&samples, 4.0, until_s).iter().map(|row| row.until_s).collect()
        };
        assert_eq!(ends(9.0), [4.0, 8.0]);
        assert_eq!(ends(10.5), [4.0, 8.0, 10.5]);
    }

    #[test]
    fn what_was_not_sampled_or_went_back_is_left_out() {
        let sampled = samples(&[(2.0, 50, 50), (4.0, 90, 90), (8.0, 10, 10), (12.0, 20, 30)]);
        let told: Vec<f64> = rows(&sampled, 4.0, 16.0).iter().map(|row| row.from_s).collect();
        assert_eq!(told, [8.0], "before the first, across the reset, and after the last");
        assert!(rows(&[], 4.0, 16.0).is_empty() && rows(&sampled, 0.0, 16.0).is_empty());
    }
}
