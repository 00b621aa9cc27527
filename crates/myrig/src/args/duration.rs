//! Times on a command line: `90`, `90s`, `1.5m`, `2h`, `250ms`.

use std::time::Duration;

/// Reads a time; a bare number is in seconds.
///
/// # Errors
/// A sentence that shows what a time looks like.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let refuse = || format!("`{text}` is no time; write 90, 90s, 1.5m, 2h or 250ms");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(refuse()),
    };
    let number: f64 = number.parse().map_err(|_| refuse())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| refuse())
}

/// Writes a time as [`parse`] reads it.
pub(crate) fn show(time: Duration) -> String {
    match time.subsec_nanos() {
        0 => format!("{}s", time.as_secs()),
        _ => format!("{}ms", time.as_secs_f64() * 1000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, ms) in
            [("90", 90_000), ("90s", 90_000), ("1.5m", 90_000), ("2h", 7_200_000), ("250ms", 250)]
        {
            assert_eq!(parse(text), Ok(Duration::from_millis(ms)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "s", "-1", "1x", "1e9", "..", "1 s", "99999999999999999999999999"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for ms in [0, 1, 250, 1000, 90_000] {
            let time = Duration::from_millis(ms);
            assert_eq!(parse(&show(time)), Ok(time));
        }
    }
}
