//! Values sent to the server and rows that come back.

use crate::error::Error;
use mysql_async::{Value as Wire, consts::ColumnType};

/// A parameter of a prepared statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Value(pub(crate) Wire);

macro_rules! value_from {
    ($($type:ty => $convert:expr),+ $(,)?) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                let convert: fn($type) -> Wire = $convert;
                Self(convert(value))
            }
        }
    )+};
}

value_from! {
    i64 => Wire::Int,
    i32 => |value| Wire::Int(value.into()),
    u32 => |value| Wire::Int(value.into()),
    u64 => Wire::UInt,
    f64 => Wire::Double,
    String => |value| Wire::Bytes(value.into_bytes()),
    Vec<u8> => Wire::Bytes,
    &str => |value| Wire::Bytes(value.as_bytes().to_vec()),
    &[u8] => |value| Wire::Bytes(value.to_vec()),
}

impl Value {
    /// A DATETIME of the given moment, seconds since 1970 UTC, read as UTC.
    pub fn utc(unix_s: i64) -> Self {
        let (days, second_of_day) = (unix_s.div_euclid(86_400), unix_s.rem_euclid(86_400));
        let (year, month, day) = civil_from_days(days);
        let (hour, minute) = (second_of_day / 3600, second_of_day / 60 % 60);
        let second = second_of_day % 60;
        Self(Wire::Date(year, month, day, hour as u8, minute as u8, second as u8, 0))
    }
}

/// Year, month and day of a day counted from 1970-01-01, in the proleptic Gregorian calendar
/// (H. Hinnant, "chrono-compatible low-level date algorithms").
fn civil_from_days(days: i64) -> (u16, u8, u8) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year as u16, month as u8, day as u8)
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self(Wire::NULL), Into::into)
    }
}

fn clock(hours: u32, minute: u8, second: u8) -> String {
    format!("{hours:02}:{minute:02}:{second:02}")
}

/// One row of a reply. Columns are counted from 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Row(pub(crate) mysql_async::Row);

impl Row {
    /// Number of columns.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True for a row without columns, which no statement returns.
    pub fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    /// True where the column is NULL or does not exist.
    pub fn is_null(&self, column: usize) -> bool {
        matches!(self.0.as_ref(column), None | Some(Wire::NULL))
    }

    /// The column's bytes where it came as text or binary string.
    pub fn bytes(&self, column: usize) -> Option<&[u8]> {
        match self.0.as_ref(column) {
            Some(Wire::Bytes(bytes)) => Some(bytes),
            _ => None,
        }
    }

    /// The column as text, whatever its type; none for NULL.
    pub fn text(&self, column: usize) -> Option<String> {
        match self.0.as_ref(column)? {
            Wire::NULL => None,
            Wire::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Wire::Int(value) => Some(value.to_string()),
            Wire::UInt(value) => Some(value.to_string()),
            Wire::Float(value) => Some(value.to_string()),
            Wire::Double(value) => Some(value.to_string()),
            Wire::Date(year, month, day, hour, minute, second, micro) => {
                let date = format!("{year:04}-{month:02}-{day:02}");
                let time = clock(u32::from(*hour), *minute, *second);
                match self.column_type(column) {
                    Some(ColumnType::MYSQL_TYPE_DATE) => Some(date),
                    _ => Some(format!("{date} {time}{}", self.fraction(column, *micro))),
                }
            }
            Wire::Time(is_negative, days, hours, minute, second, micro) => {
                let sign = if *is_negative { "-" } else { "" };
                let hours = days.saturating_mul(24).saturating_add(u32::from(*hours));
                let time = clock(hours, *minute, *second);
                Some(format!("{sign}{time}{}", self.fraction(column, *micro)))
            }
        }
    }

    fn column_type(&self, column: usize) -> Option<ColumnType> {
        Some(self.0.columns_ref().get(column)?.column_type())
    }

    /// Microseconds with the digits that the column has, as the text protocol would show them.
    fn fraction(&self, column: usize, micro: u32) -> String {
        let digits = self.0.columns_ref().get(column).map_or(0, |column| column.decimals());
        match usize::from(digits) {
            0 => String::new(),
            digits @ 1..=6 => format!(".{}", &format!("{micro:06}")[..digits]),
            _ => format!(".{micro:06}"),
        }
    }

    /// The column as a whole number, of either protocol.
    ///
    /// # Errors
    /// [`Error::UnexpectedValue`] where it is NULL, missing or no whole number.
    pub fn int(&self, column: usize) -> Result<i64, Error> {
        let number = match self.0.as_ref(column) {
            Some(Wire::Int(value)) => Some(*value),
            Some(Wire::UInt(value)) => i64::try_from(*value).ok(),
            Some(Wire::Bytes(bytes)) => {
                std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok())
            }
            _ => None,
        };
        number.ok_or_else(|| self.unexpected(column, "a whole number"))
    }

    /// The column as a number with a fraction.
    ///
    /// # Errors
    /// [`Error::UnexpectedValue`] where it is NULL, missing or no number.
    pub fn double(&self, column: usize) -> Result<f64, Error> {
        let number = match self.0.as_ref(column) {
            Some(Wire::Int(value)) => Some(*value as f64),
            Some(Wire::UInt(value)) => Some(*value as f64),
            Some(Wire::Float(value)) => Some((*value).into()),
            Some(Wire::Double(value)) => Some(*value),
            Some(Wire::Bytes(bytes)) => {
                std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok())
            }
            _ => None,
        };
        number.ok_or_else(|| self.unexpected(column, "a number"))
    }

    /// A DECIMAL column as a whole number of hundredths, the exact form of an amount of money.
    /// Further digits of the fraction must be zero.
    ///
    /// # Errors
    /// [`Error::UnexpectedValue`] where it is NULL, missing or not such a number.
    pub fn cents(&self, column: usize) -> Result<i64, Error> {
        match self.0.as_ref(column) {
            Some(Wire::Bytes(bytes)) => parse_cents(bytes),
            Some(Wire::Int(value)) => value.checked_mul(100),
            Some(Wire::UInt(value)) => i64::try_from(*value).ok().and_then(|v| v.checked_mul(100)),
            _ => None,
        }
        .ok_or_else(|| self.unexpected(column, "an amount"))
    }

    fn unexpected(&self, column: usize, expected: &'static str) -> Error {
        let found = match self.0.as_ref(column) {
            None => "missing".to_owned(),
            Some(Wire::NULL) => "NULL".to_owned(),
            Some(value) => value.as_sql(true),
        };
        Error::UnexpectedValue { column, expected, found }
    }
}

/// Reads `-12`, `12.3`, `12.34` or `12.3400` as hundredths.
fn parse_cents(text: &[u8]) -> Option<i64> {
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
    fn moments_become_dates_of_the_calendar() {
        for (unix_s, date) in [
            (0, Wire::Date(1970, 1, 1, 0, 0, 0, 0)),
            (951_782_399, Wire::Date(2000, 2, 28, 23, 59, 59, 0)),
            (951_782_400, Wire::Date(2000, 2, 29, 0, 0, 0, 0)),
            (1_795_295_106, Wire::Date(2026, 11, 21, 21, 5, 6, 0)),
        ] {
            assert_eq!(Value::utc(unix_s).0, date);
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
