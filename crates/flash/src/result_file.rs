//! `result_WA.txt`, as the script of the published procedure writes it: a row an hour of the MiB
//! that were written to the media, the MiB that the host wrote, and the factor of the two.

use crate::waf::Reading;
use std::fmt;

/// Bytes of the unit that the script counts in.
const UNIT_BYTES: u128 = 4096;
/// Units of a MiB, which the script calls MB.
const UNITS_A_MIB: u128 = 256;
/// `scale=5` of bc.
const SCALE: u128 = 100_000;

/// A row: what was written in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// MiB that were written to the media, rounded down.
    pub media_mib: u128,
    /// MiB that the host wrote, rounded down.
    pub host_mib: u128,
    /// Write amplification factor in hundred-thousandths, cut off and not rounded, as bc does; 0
    /// where the host wrote nothing.
    pub factor_e5: u128,
}

impl Row {
    /// The row of what was written in an interval. One in which the host wrote less than a page
    /// has the factor 0, where the script divided by zero and left the column out.
    #[must_use]
    pub fn of(interval: Reading) -> Self {
        let media = interval.media_bytes / UNIT_BYTES;
        let host = interval.host_bytes / UNIT_BYTES;
        // A counter of 128 bits could overflow here; no drive writes so much.
        let factor_e5 = media.saturating_mul(SCALE).checked_div(host).unwrap_or(0);
        Self { media_mib: media / UNITS_A_MIB, host_mib: host / UNITS_A_MIB, factor_e5 }
    }

    /// Write amplification factor; none for an idle interval: nothing was written, or less than a
    /// MiB, of which the amounts say nothing.
    #[must_use]
    pub fn factor(self) -> Option<f64> {
        let idle = self.media_mib == 0 || self.host_mib == 0 || self.factor_e5 == 0;
        (!idle).then(|| self.factor_e5 as f64 / SCALE as f64)
    }
}

/// `137 120 1.14166`, as the script's echo and bc write it: no zero before the point.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.media_mib, self.host_mib)?;
        match (self.factor_e5 / SCALE, self.factor_e5 % SCALE) {
            (0, 0) => write!(f, "0"),
            (0, parts) => write!(f, ".{parts:05}"),
            (whole, parts) => write!(f, "{whole}.{parts:05}"),
        }
    }
}

/// Why a file is no `result_WA.txt`.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "line {line} is no row of a result_WA.txt (MB to the media, MB from the host, factor): {text}"
)]
pub struct NoRow {
    /// The line, from 1.
    pub line: usize,
    /// What stands there, its beginning.
    pub text: String,
}

/// Reads the rows of a file. Blank lines are passed over; a row without a factor is an idle hour,
/// of which the script's bc complained and printed nothing.
///
/// # Errors
/// A line is no row.
pub fn parse(text: &str) -> Result<Vec<Row>, NoRow> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(at, line): (usize, &str)| {
        row(line).ok_or_else(|| NoRow { line: at + 1, text: line.chars().take(60).collect() })
    };
    lines.map(read).collect()
}

fn row(line: &str) -> Option<Row> {
    let mut words = line.split_whitespace();
    let media_mib = words.next()?.parse().ok()?;
    let host_mib = words.next()?.parse().ok()?;
    let factor_e5 = words.next().map_or(Some(0), factor)?;
    words.next().is_none().then_some(Row { media_mib, host_mib, factor_e5 })
}

/// Reads `1.05432`, `.5`, `2`: digits beyond the fifth are cut off.
fn factor(word: &str) -> Option<u128> {
    let (whole, parts) = word.split_once('.').unwrap_or((word, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && parts.is_empty()) || !digits(whole) || !digits(parts) {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u128>().ok()? };
    let parts: String = parts.chars().chain("00000".chars()).take(5).collect();
    whole.checked_mul(SCALE)?.checked_add(parts.parse().ok()?)
}

/// The mean of the latest non-zero rows, as the procedure takes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// Mean of the factors.
    pub factor: f64,
    /// Factor of all that was written in these rows together; a long idle hour weighs less in it.
    pub factor_of_sums: f64,
    /// How many rows there were: at most as many as were asked for.
    pub rows: usize,
}

/// Takes the mean of the latest `rows` that are not zero; none if there is no such row.
#[must_use]
pub fn mean_of_latest(all: &[Row], rows: usize) -> Option<Mean> {
    let latest: Vec<(Row, f64)> = all
        .iter()
        .rev()
        .filter_map(|row| row.factor().map(|factor| (*row, factor)))
        .take(rows)
        .collect();
    let sum = |of: fn(&Row) -> u128| latest.iter().map(|(row, _)| of(row) as f64).sum::<f64>();
    let factors: f64 = latest.iter().map(|(_, factor)| factor).sum();
    (!latest.is_empty()).then(|| Mean {
        factor: factors / latest.len() as f64,
        factor_of_sums: sum(|row| row.media_mib) / sum(|row| row.host_mib),
        rows: latest.len(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;

    fn units(media: u128, host: u128) -> Reading {
        Reading { host_bytes: host * UNIT_BYTES, media_bytes: media * UNIT_BYTES }
    }

    #[test]
    fn rows_are_written_as_the_script_writes_them() {
        // The right-hand sides are what the script's own arithmetic and bc print.
        for (media, host, row) in [
            (269_906, 256_000, "1054 1000 1.05432"),
            (512_000, 256_000, "2000 1000 2.00000"),
            (128_000, 256_000, "500 1000 .50000"),
            (2, 3, "0 0 .66666"),
            (1, 1_000_000, "0 3906 0"),
            (3_000, 0, "11 0 0"),
            (0, 0, "0 0 0"),
        ] {
            assert_eq!(Row::of(units(media, host)).to_string(), row, "{media}/{host}");
        }
    }

    #[test]
    fn rows_of_the_script_on_an_idle_hour_are_read_as_such() {
        let rows = parse("0 0\n\n12 0\n1054 1000 1.05432\n500 1000 .5\n").unwrap();
        assert_eq!(
            rows.iter().map(|row| row.factor()).collect::<Vec<_>>(),
            [None, None, Some(1.05432), Some(0.5)]
        );
    }

    #[test]
    fn what_is_no_row_is_told_with_its_line() {
        for text in ["1", "1 2 3 4", "a b c", "1 2 x", "1 2 .", "1 2 -1", "-1 2 3", "1 2 1e9"] {
            let error = parse(&format!("1 1 1\n{text}\n")).unwrap_err();
            assert_eq!((error.line, error.text.as_str()), (2, text));
        }
    }

    #[test]
    fn the_mean_is_of_the_latest_rows_that_are_not_zero() {
        let mut text = "900 100 9.00000\n".to_owned();
        for hour in 0..12 {
            text += &format!("{} 100 1.{:02}000\n0 0 0\n", 100 + hour, hour);
        }
        let mean = mean_of_latest(&parse(&text).unwrap(), 12).unwrap();
        assert_eq!(mean.rows, 12);
        assert!((mean.factor - 1.055).abs() < 1e-9, "{mean:?}");
        assert!((mean.factor_of_sums - 1.055).abs() < 1e-9, "{mean:?}");
        let all = mean_of_latest(&parse(&text).unwrap(), 99).unwrap();
        assert_eq!(all.rows, 13);
        assert_eq!(mean_of_latest(&parse("0 0 0\n3 0\n").unwrap(), 12), None);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(media in 0..u64::MAX, host in 0..u64::MAX) {
            let row = Row::of(units(media.into(), host.into()));
            prop_assert_eq!(parse(&row.to_string()).unwrap(), vec![row]);
        }

        #[test]
        fn no_text_is_too_bad_to_be_read(text in "[-0-9. \\naé]{0,80}") {
            if let Ok(rows) = parse(&text) {
                let _mean = mean_of_latest(&rows, 12);
            }
        }
    }
}
