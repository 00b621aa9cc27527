//! Numbers as people read them.

/// With a comma at every thousand, `12,345`.
pub fn count(value: u64) -> String {
    group(&value.to_string())
}

/// A rate or another figure: thousands without decimals, less with three significant digits.
pub(crate) fn figure(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    let decimals = match size {
        _ if size >= 999.5 || size == 0.0 => 0,
        _ if size >= 99.95 => 1,
        _ if size >= 9.995 => 2,
        _ => 3,
    };
    let text = format!("{size:.decimals$}");
    let sign = if value < 0.0 { "-" } else { "" };
    match text.split_once('.') {
        None => format!("{sign}{}", group(&text)),
        Some((whole, rest)) => format!("{sign}{}.{rest}", group(whole)),
    }
}

/// Milliseconds with three significant digits, no unit.
pub(crate) fn ms(value: f64) -> String {
    let decimals = match value {
        _ if value >= 99.95 => 0,
        _ if value >= 9.995 => 1,
        _ if value >= 0.9995 => 2,
        _ => 3,
    };
    if !value.is_finite() {
        return "–".to_owned();
    }
    let text = format!("{value:.decimals$}");
    match text.split_once('.') {
        None => group(&text),
        Some(_) => text,
    }
}

/// A short latency with its unit, for axes: `500 µs`, `2 ms`, `10 s`.
pub(crate) fn latency(ms: f64) -> String {
    let (value, unit) = match ms {
        _ if ms >= 999.5 => (ms / 1e3, "s"),
        _ if ms >= 0.9995 => (ms, "ms"),
        _ => (ms * 1e3, "µs"),
    };
    format!("{} {unit}", short(value))
}

/// A tick's number: as few digits as tell it, `0.5`, `20`, `1.5k`.
pub(crate) fn short(value: f64) -> String {
    let (value, unit) = match value.abs() {
        size if size >= 1e9 => (value / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let text = format!("{value:.3}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Seconds since the start, for a place on the axis: `31.5 s`, from three minutes on `12:05`, from
/// three hours on `3:20 h`.
pub(crate) fn instant(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match seconds {
        _ if seconds < 180.0 => format!("{} s", short((seconds * 10.0).round() / 10.0)),
        _ if seconds < 10_800.0 => format!("{}:{:02} min", whole / 60, whole % 60),
        _ => format!("{}:{:02} h", whole / 3600, whole / 60 % 60),
    }
}

/// A length of time in at most two units: `2.8 s`, `60 s`, `12 min 5 s`, `2 h`.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    let (large, small, names) = match whole {
        0..180 => return format!("{} s", short((seconds * 10.0).round() / 10.0)),
        180..10_800 => (whole / 60, whole % 60, ("min", "s")),
        _ => (whole / 3600, whole / 60 % 60, ("h", "min")),
    };
    match small {
        0 => format!("{large} {}", names.0),
        _ => format!("{large} {} {small} {}", names.0, names.1),
    }
}

/// Memory, `7.8 GiB`.
pub(crate) fn bytes(value: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut scaled = value as f64;
    let mut unit = 0;
    while scaled >= 1024.0 && unit + 1 < units.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    format!("{} {}", short((scaled * 10.0).round() / 10.0), units[unit])
}

/// A value of a series with its unit: `1,234/s`, `12.3 MB/s`, `98.7%`, `3.50 sessions`.
pub(crate) fn amount(value: f64, unit: &str) -> String {
    let scaled = |unit: &str| {
        let (value, prefix) = match value.abs() {
            size if size >= 1e9 => (value / 1e9, "G"),
            size if size >= 1e6 => (value / 1e6, "M"),
            size if size >= 1e3 => (value / 1e3, "k"),
            _ => (value, ""),
        };
        format!("{} {prefix}{unit}", figure(value))
    };
    match unit {
        "B" | "B/s" => scaled(unit),
        "1/s" => format!("{}/s", figure(value)),
        "%" => format!("{}%", figure(value)),
        "" => figure(value),
        _ => format!("{} {unit}", figure(value)),
    }
}

/// A share as percent, `45.2%`.
pub(crate) fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.1}%", share * 100.0) } else { "–".to_owned() }
}

/// `one` or the plural by adding an s, with the number before it.
pub(crate) fn counted(number: u64, one: &str) -> String {
    format!("{} {one}{}", count(number), if number == 1 { "" } else { "s" })
}

fn group(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(["0", "999", "1,000", "1,234,567"], [0, 999, 1000, 1_234_567].map(count));
    }

    #[test]
    fn figures_have_at_least_three_digits() {
        let given = [0.0, 0.1234, 9.994, 9.996, 99.96, 999.4, 999.6, 12_345.6, -1234.5];
        let shown = ["0", "0.123", "9.994", "10.00", "100.0", "999.4", "1,000", "12,346", "-1,234"];
        assert_eq!(given.map(figure), shown);
        assert_eq!(figure(f64::NAN), "–");
    }

    #[test]
    fn latencies_have_three_digits() {
        assert_eq!(
            [0.012, 1.5, 12.34, 123.4, 12_345.0].map(ms),
            ["0.012", "1.50", "12.3", "123", "12,345"]
        );
        assert_eq!([0.05, 2.0, 1500.0].map(latency), ["50 µs", "2 ms", "1.5 s"]);
    }

    #[test]
    fn amounts_have_their_units() {
        let given = [(1234.4, "1/s"), (12.34e6, "B/s"), (98.74, "%"), (3.5, "sessions")];
        let shown = ["1,234/s", "12.34 MB/s", "98.74%", "3.500 sessions"];
        assert_eq!(given.map(|(value, unit)| amount(value, unit)), shown);
        assert_eq!((amount(0.0, "B"), amount(2.0, "")), ("0 B".into(), "2.000".into()));
    }

    #[test]
    fn times_and_sizes_read_naturally() {
        assert_eq!(
            [0.0, 31.54, 725.0, 12_000.0].map(instant),
            ["0 s", "31.5 s", "12:05 min", "3:20 h"]
        );
        assert_eq!(
            [0.0, 2.81, 120.0, 725.0, 3600.0, 43_500.0].map(duration),
            ["0 s", "2.8 s", "120 s", "12 min 5 s", "60 min", "12 h 5 min"]
        );
        assert_eq!([512, 8 << 30, 8_321_499_136].map(bytes), ["512 B", "8 GiB", "7.8 GiB"]);
        assert_eq!((counted(1, "run"), counted(2, "run")), ("1 run".into(), "2 runs".into()));
    }
}
