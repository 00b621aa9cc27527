//! A drive that is read again and again: what each reading means beside the one before.

use super::Source;
use crate::{result_file::Row, waf::Reading};
use serde::{Deserialize, Serialize};

/// A reading and what it is of. Kept on the disk, it lets a watcher go on where another ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// Serial number of the drive.
    pub serial: String,
    /// Where its totals were read.
    pub source: Source,
    /// When: milliseconds since 1970.
    pub unix_ms: u64,
    /// Its totals.
    pub reading: Reading,
}

/// What a reading means.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// There is nothing to compare it with; the next one has it.
    Baseline(Why),
    /// What was written since the one before.
    Row {
        /// The difference.
        interval: Reading,
        /// How long that took, seconds.
        seconds: f64,
        /// The same as a row of `result_WA.txt`.
        row: Row,
    },
}

/// Why a reading has none before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It is the first.
    First,
    /// A counter went back: the drive was reset, or reads its totals from another place.
    Reset,
    /// The drive is another one.
    OtherDrive,
    /// The drive counts in another way than before: FDP was switched on or off.
    OtherSource,
}

impl Taken {
    /// What it means after the reading before it, if there was one.
    #[must_use]
    pub fn after(&self, before: Option<&Self>) -> Step {
        let Some(before) = before else { return Step::Baseline(Why::First) };
        if before.serial != self.serial {
            return Step::Baseline(Why::OtherDrive);
        }
        // Another version of the same log counts the same.
        if std::mem::discriminant(&before.source) != std::mem::discriminant(&self.source) {
            return Step::Baseline(Why::OtherSource);
        }
        let Some(interval) = self.reading.since(before.reading) else {
            return Step::Baseline(Why::Reset);
        };
        let seconds = self.unix_ms.saturating_sub(before.unix_ms) as f64 / 1000.0;
        Step::Row { interval, seconds, row: Row::of(interval) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(unix_ms: u64, host: u128, media: u128) -> Taken {
        Taken {
            serial: "A".to_owned(),
            source: Source::Ocp { version: 3 },
            unix_ms,
            reading: Reading { host_bytes: host << 20, media_bytes: media << 20 },
        }
    }

    #[test]
    fn the_first_reading_is_a_baseline_and_divides_by_nothing() {
        assert_eq!(taken(0, 0, 0).after(None), Step::Baseline(Why::First));
    }

    #[test]
    fn a_later_one_gives_a_row_of_what_was_written_between() {
        let before = taken(1_000, 100, 200);
        let later = Taken { source: Source::Ocp { version: 4 }, ..taken(3_601_000, 200, 350) };
        let Step::Row { seconds, row, .. } = later.after(Some(&before)) else { panic!("no row") };
        assert_eq!((seconds, row.to_string().as_str()), (3600.0, "150 100 1.50000"));
    }

    #[test]
    fn an_idle_hour_is_a_row_of_zeros() {
        let Step::Row { row, .. } = taken(9, 5, 5).after(Some(&taken(1, 5, 5))) else {
            panic!("no row")
        };
        assert_eq!(row.to_string(), "0 0 0");
    }

    #[test]
    fn what_cannot_be_compared_is_a_new_baseline() {
        let before = taken(1, 100, 100);
        for now in [taken(2, 99, 101), taken(2, 101, 99)] {
            assert_eq!(now.after(Some(&before)), Step::Baseline(Why::Reset));
        }
        let other = Taken { serial: "B".to_owned(), ..taken(2, 200, 200) };
        assert_eq!(other.after(Some(&before)), Step::Baseline(Why::OtherDrive));
        let fdp = Taken { source: Source::Fdp { group: 1 }, ..taken(2, 200, 200) };
        assert_eq!(fdp.after(Some(&before)), Step::Baseline(Why::OtherSource));
        // A clock that was set back makes no negative time.
        let Step::Row { seconds, .. } = taken(0, 101, 101).after(Some(&before)) else {
            panic!("no row")
        };
        assert_eq!(seconds, 0.0);
    }
}
