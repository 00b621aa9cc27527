//! One value of a reply, and the column that it stands in.

/// What a reply says of a column, as far as reading its values needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// `enum_field_types` of `field_types.h`.
    pub(crate) kind: u8,
    /// `UNSIGNED_FLAG` of `mysql_com.h`.
    pub(crate) unsigned: bool,
    /// Digits of the fraction; 31 where there is no fixed number of them.
    pub(crate) decimals: u8,
}

/// `MYSQL_TYPE_DATE` of `field_types.h`.
pub(crate) const TYPE_DATE: u8 = 10;

/// A value of a reply. Strings are in the reply's data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    Null,
    Int(i64),
    UInt(u64),
    Float(f32),
    Double(f64),
    Bytes { from: u32, until: u32 },
    Date { year: u16, month: u8, day: u8, hour: u8, minute: u8, second: u8, micros: u32 },
    Time { negative: bool, days: u32, hours: u8, minute: u8, second: u8, micros: u32 },
}

impl Cell {
    /// The value as the text protocol would show it; `bytes` are those of a string. None for NULL.
    pub(crate) fn text(self, bytes: &[u8], column: Column) -> Option<String> {
        Some(match self {
            Self::Null => return None,
            Self::Int(value) => value.to_string(),
            Self::UInt(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
            Self::Double(value) => value.to_string(),
            Self::Bytes { .. } => String::from_utf8_lossy(bytes).into_owned(),
            Self::Date { year, month, day, hour, minute, second, micros } => {
                let date = format!("{year:04}-{month:02}-{day:02}");
                if column.kind == TYPE_DATE {
                    return Some(date);
                }
                let time = clock(hour.into(), minute, second);
                format!("{date} {time}{}", fraction(micros, column.decimals))
            }
            Self::Time { negative, days, hours, minute, second, micros } => {
                let sign = if negative { "-" } else { "" };
                let hours = days.saturating_mul(24).saturating_add(hours.into());
                let time = clock(hours, minute, second);
                format!("{sign}{time}{}", fraction(micros, column.decimals))
            }
        })
    }
}

fn clock(hours: u32, minute: u8, second: u8) -> String {
    format!("{hours:02}:{minute:02}:{second:02}")
}

/// Microseconds with the digits that the column has.
fn fraction(micros: u32, digits: u8) -> String {
    match usize::from(digits) {
        0 => String::new(),
        digits @ 1..=6 => format!(".{}", &format!("{:06}", micros % 1_000_000)[..digits]),
        _ => format!(".{micros:06}"),
    }
}

/// Reads `-12`, `12.3`, `12.34` or `12.3400` as hundredths.
pub(crate) fn parse_cents(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let dot = digits.iter().position(|byte| *byte == b'.');
    let (whole, fraction) = match dot {
        Some(at) => (&digits[..at], &digits[at + 1..]),
        None => (digits, &b""[..]),
    };
    if whole.is_empty() || fraction.iter().skip(2).any(|byte| *byte != b'0') {
        return None;
    }
    let hundredths = [0, 1].map(|at| fraction.get(at).copied().unwrap_or(b'0'));
    let mut cents: i64 = 0;
    for byte in whole.iter().chain(&hundredths) {
        if !byte.is_ascii_digit() {
            return None;
        }
        cents = cents.checked_mul(10)?.checked_add(i64::from(byte - b'0'))?;
    }
    Some(if negative { -cents } else { cents })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dates_and_times_have_the_digits_of_their_columns() {
        let column = |kind, decimals| Column { kind, unsigned: false, decimals };
        let date = Cell::Date {
            year: 2026,
            month: 11,
            day: 21,
            hour: 9,
            minute: 5,
            second: 6,
            micros: 120_000,
        };
        let time =
            Cell::Time { negative: true, days: 2, hours: 3, minute: 4, second: 5, micros: 7 };
        for (cell, column, text) in [
            (date, column(TYPE_DATE, 0), "2026-11-21"),
            (date, column(12, 0), "2026-11-21 09:05:06"),
            (date, column(12, 3), "2026-11-21 09:05:06.120"),
            (time, column(11, 6), "-51:04:05.000007"),
            (time, column(11, 0), "-51:04:05"),
        ] {
            assert_eq!(cell.text(&[], column).as_deref(), Some(text));
        }
    }

    #[test]
    fn amounts_are_read_to_the_cent() {
        for (text, cents) in [
            ("0", 0),
            ("-10.00", -1000),
            ("12.3", 1230),
            ("12.3400", 1234),
            ("300000.00", 30000000),
        ] {
            assert_eq!(parse_cents(text.as_bytes()), Some(cents), "{text}");
        }
        for text in ["", ".5", "1.234", "1e3", "abc", "-", "99999999999999999999"] {
            assert_eq!(parse_cents(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_amount_written_with_two_digits_reads_back(
            cents in -1_000_000_000_000i64..1_000_000_000_000,
        ) {
            let sign = if cents < 0 { "-" } else { "" };
            let text = format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100);
            prop_assert_eq!(parse_cents(text.as_bytes()), Some(cents));
        }

        #[test]
        fn hostile_amounts_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _answer = parse_cents(&bytes);
        }
    }
}
