//! Values sent to the server.

/// A parameter of a prepared statement. Text and binary strings are borrowed, so that making one
/// costs no memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// NULL.
    Null,
    /// A whole number, sent as BIGINT.
    Int(i64),
    /// A whole number, sent as BIGINT UNSIGNED.
    UInt(u64),
    /// A number with a fraction, sent as DOUBLE.
    Double(f64),
    /// Text, a binary string, or a DECIMAL in its digits.
    Bytes(&'a [u8]),
    /// A DATETIME of whole seconds.
    DateTime {
        /// 0 to 9999.
        year: u16,
        /// 1 to 12.
        month: u8,
        /// 1 to 31.
        day: u8,
        /// 0 to 23.
        hour: u8,
        /// 0 to 59.
        minute: u8,
        /// 0 to 59.
        second: u8,
    },
}

macro_rules! value_from {
    ($($type:ty => $convert:expr),+ $(,)?) => {$(
        impl<'a> From<$type> for Value<'a> {
            fn from(value: $type) -> Self {
                let convert: fn($type) -> Self = $convert;
                convert(value)
            }
        }
    )+};
}

value_from! {
    i64 => Self::Int,
    i32 => |value| Self::Int(value.into()),
    u32 => |value| Self::Int(value.into()),
    u64 => Self::UInt,
    f64 => Self::Double,
    &'a str => |value| Self::Bytes(value.as_bytes()),
    &'a String => |value| Self::Bytes(value.as_bytes()),
    &'a [u8] => Self::Bytes,
    &'a Vec<u8> => |value| Self::Bytes(value),
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl Value<'_> {
    /// A DATETIME of the given moment, seconds since 1970 UTC, read as UTC.
    pub fn utc(unix_s: i64) -> Self {
        let (days, second_of_day) = (unix_s.div_euclid(86_400), unix_s.rem_euclid(86_400));
        let (year, month, day) = civil_from_days(days);
        let (hour, minute) = ((second_of_day / 3600) as u8, (second_of_day / 60 % 60) as u8);
        Self::DateTime { year, month, day, hour, minute, second: (second_of_day % 60) as u8 }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_become_dates_of_the_calendar() {
        let date_time = |year, month, day, hour, minute, second| Value::DateTime {
            year,
            month,
            day,
            hour,
            minute,
            second,
        };
        for (unix_s, moment) in [
            (0, date_time(1970, 1, 1, 0, 0, 0)),
            (951_782_399, date_time(2000, 2, 28, 23, 59, 59)),
            (951_782_400, date_time(2000, 2, 29, 0, 0, 0)),
            (1_795_295_106, date_time(2026, 11, 21, 21, 5, 6)),
        ] {
            assert_eq!(Value::utc(unix_s), moment);
        }
    }
}
