//! Sizes as a person reads them.

use std::fmt;

/// A number of bytes, shown in the binary unit that a person would choose: `1.5 GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut value, mut unit) = (self.0 as f64, 0);
        while value >= 1024.0 && unit + 1 < UNITS.len() {
            (value, unit) = (value / 1024.0, unit + 1);
        }
        // Three digits at most, and no `.0` where nothing is lost.
        let tenths = (value * 10.0).round() / 10.0;
        let digits = usize::from(value < 100.0 && tenths.fract() != 0.0);
        write!(f, "{value:.digits$} {}", UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits_at_most() {
        let told = [0, 1023, 1536, 200 << 20, 3 << 30, 14_526_480_384, 1_u64 << 50];
        let told = told.map(|bytes| Bytes(bytes).to_string());
        let expected = ["0 B", "1023 B", "1.5 KiB", "200 MiB", "3 GiB", "13.5 GiB", "1024 TiB"];
        assert_eq!(told, expected);
    }
}
