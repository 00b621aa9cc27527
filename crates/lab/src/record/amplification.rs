//! What a drive wrote to its media for what it was given, over a run.

use super::{Phase, RunRecord};
use crate::headline::measured_phase;
use serde::{Deserialize, Serialize};

/// The write amplification of one drive during a run: a real one, or one simulated beside it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Amplification {
    /// What the drive is called, `7% spare, 1 MiB blocks`.
    pub drive: String,
    /// What it is, in words: geometry, choice of victims and spare space of a simulated drive;
    /// model and log page of a real one.
    pub facts: String,
    /// Where the counts come from: `simulated`, or the log page.
    pub source: String,
    /// Whether it keeps data of different hints apart; none for a real drive, which does not tell.
    pub honours_hints: Option<bool>,
    /// What it holds for its host, bytes; none where that is not known.
    #[serde(default)]
    pub capacity_bytes: Option<u64>,
    /// The intervals of the run in order, one after the other.
    pub rows: Vec<AmplificationRow>,
}

/// What was written in one interval.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct AmplificationRow {
    /// Start, seconds from the start of the ramp-up.
    pub from_s: f64,
    /// End, seconds from the start of the ramp-up.
    pub until_s: f64,
    /// What the host wrote, bytes.
    pub host_bytes: u64,
    /// What was written to the media, bytes.
    pub media_bytes: u64,
}

impl AmplificationRow {
    /// Media bytes a byte of the host; none where the host wrote nothing.
    pub fn factor(&self) -> Option<f64> {
        (self.host_bytes > 0).then(|| self.media_bytes as f64 / self.host_bytes as f64)
    }
}

impl Amplification {
    /// The rows together that lie in the measured phase of their run with their greater part.
    pub fn measured(&self, run: &RunRecord) -> AmplificationRow {
        let Some(phase) = measured_phase(run) else { return AmplificationRow::default() };
        self.within(phase)
    }

    /// How often the host wrote as much as the drive holds in the whole run, ramps included; none
    /// where its capacity is not known.
    pub fn capacities_written(&self) -> Option<f64> {
        let capacity_bytes = self.capacity_bytes.filter(|bytes| *bytes > 0)?;
        let host_bytes: f64 = self.rows.iter().map(|row| row.host_bytes as f64).sum();
        Some(host_bytes / capacity_bytes as f64)
    }

    /// By how much the factor of the last third of the measured phase differs from that of the
    /// third before, percent: near 0 once a drive is steady. None where either had no writes.
    pub fn drift_percent(&self, run: &RunRecord) -> Option<f64> {
        let phase = measured_phase(run)?;
        let third_s = (phase.until_s - phase.from_s) / 3.0;
        let factor = |from_s: f64| {
            let third = Phase { name: String::new(), from_s, until_s: from_s + third_s };
            self.within(&third).factor()
        };
        let [before, last] = [2.0, 1.0].map(|thirds| factor(phase.until_s - thirds * third_s));
        Some((last? / before? - 1.0) * 100.0).filter(|percent| percent.is_finite())
    }

    fn within(&self, phase: &Phase) -> AmplificationRow {
        let inside = |row: &&AmplificationRow| {
            let middle_s = f64::midpoint(row.from_s, row.until_s);
            phase.from_s <= middle_s && middle_s < phase.until_s
        };
        let sum = |all: Option<AmplificationRow>, row: &AmplificationRow| {
            let all = all.unwrap_or(AmplificationRow { host_bytes: 0, media_bytes: 0, ..*row });
            Some(AmplificationRow {
                from_s: all.from_s,
                until_s: row.until_s,
                host_bytes: all.host_bytes.saturating_add(row.host_bytes),
                media_bytes: all.media_bytes.saturating_add(row.media_bytes),
            })
        };
        self.rows.iter().filter(inside).fold(None, sum).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example;

    #[test]
    fn a_drive_tells_how_often_it_was_written_over_and_whether_it_is_steady() {
        let mut run = example::record();
        run.phases = vec![Phase { name: "measure".into(), from_s: 10.0, until_s: 40.0 }];
        let row = |(place, &(host_bytes, media_bytes)): (usize, &(u64, u64))| AmplificationRow {
            from_s: place as f64 * 10.0,
            until_s: place as f64 * 10.0 + 10.0,
            host_bytes,
            media_bytes,
        };
        let of = |rows: &[(u64, u64)], capacity_bytes| Amplification {
            capacity_bytes,
            rows: rows.iter().enumerate().map(row).collect(),
            ..Amplification::default()
        };
        let all = of(&[(100, 100), (100, 100), (100, 120), (100, 150)], Some(160));
        assert_eq!(all.capacities_written(), Some(2.5));
        assert!((all.drift_percent(&run).unwrap_or_default() - 25.0).abs() < 1e-9);
        let idle = of(&[(100, 100), (100, 100), (0, 0), (100, 150)], None);
        assert_eq!((idle.capacities_written(), idle.drift_percent(&run)), (None, None));
        assert_eq!(of(&[], Some(0)).capacities_written(), None, "of a drive that is none");
    }

    #[test]
    fn the_measured_phase_has_the_rows_that_lie_in_it() {
        let row = |from_s: f64, host_bytes, media_bytes| AmplificationRow {
            from_s,
            until_s: from_s + 5.0,
            host_bytes,
            media_bytes,
        };
        let rows = vec![row(0.0, 7, 7), row(5.0, 100, 120), row(10.0, 100, 160), row(15.0, 9, 9)];
        let all = Amplification { rows, ..Amplification::default() };
        let phase = |from_s, until_s| Phase { name: "measure".into(), from_s, until_s };
        let measured = all.within(&phase(5.1, 15.2));
        assert_eq!((measured.from_s, measured.until_s), (5.0, 15.0));
        assert_eq!(measured.factor(), Some(1.4));
        assert_eq!(all.within(&phase(30.0, 40.0)).factor(), None, "nothing was written");
    }
}
