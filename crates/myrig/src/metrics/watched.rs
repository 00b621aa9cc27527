//! What is watched of server and machine, under names that Prometheus' users expect: a metric each,
//! in base units.

use super::board::Watched;

/// Name, help and value of the metric for the series `name`.
pub(super) fn metric(name: &str, watched: &Watched) -> (String, String, f64) {
    let Watched { label, unit, value } = watched;
    let stem: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let without = |suffix: &str| stem.strip_suffix(suffix).unwrap_or(&stem).to_owned();
    let (stem, unit_words, value) = match *unit {
        "1/s" => (format!("{stem}_per_second"), "a second", *value),
        "B/s" => (format!("{}_bytes_per_second", without("_bytes")), "bytes a second", *value),
        "B" => (format!("{}_bytes", without("_bytes")), "bytes", *value),
        "%" => (format!("{stem}_ratio"), "share, 0 to 1", value / 100.0),
        "ms" => (format!("{}_seconds", without("_ms")), "seconds", value / 1e3),
        other if other.is_empty() || stem.contains(other) => (stem, other, *value),
        other => (format!("{stem}_{other}"), other, *value),
    };
    let series = name.replace('_', " ").replace('.', ": ");
    let help = format!("Last second, watched, {series} ({label}); {unit_words}.");
    (format!("myrig_{stem}"), help, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_have_names_with_base_units() {
        let named = |name: &str, unit: &'static str| {
            let watched = Watched { label: "l".into(), unit, value: 50.0 };
            let (name, _, value) = metric(name, &watched);
            (name, value)
        };
        let wanted = [
            ("server.commits", "1/s", "myrig_server_commits_per_second", 50.0),
            ("disk.read_bytes", "B/s", "myrig_disk_read_bytes_per_second", 50.0),
            ("redo.written", "B/s", "myrig_redo_written_bytes_per_second", 50.0),
            ("memory.available", "B", "myrig_memory_available_bytes", 50.0),
            ("disk.busy", "%", "myrig_disk_busy_ratio", 0.5),
            ("disk.read_ms", "ms", "myrig_disk_read_seconds", 0.05),
            ("server.threads_running", "threads", "myrig_server_threads_running", 50.0),
            ("cpu.user", "processors", "myrig_cpu_user_processors", 50.0),
            ("wait.row-lock", "sessions", "myrig_wait_row_lock_sessions", 50.0),
        ];
        for (series, unit, name, value) in wanted {
            assert_eq!(named(series, unit), (name.to_owned(), value));
        }
    }
}
