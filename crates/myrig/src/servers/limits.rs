//! How the limits of an instance are shown.

use host::Size;
use serde_json::{Value, json};
use server::Limits;

/// A line below the instance's own: what it has used of what it is allowed, and how it ended.
pub(super) fn line(limits: &Limits) -> String {
    let usage = &limits.usage;
    let mut parts = Vec::new();
    if let Some(cpu_s) = usage.cpu_s {
        parts.push(format!("processor {cpu_s:.1} s"));
    }
    if let Some(share) = usage.throttled_share() {
        parts.push(format!("held back in {:.0}% of periods", share * 100.0));
    }
    if let Some(bytes) = usage.memory_bytes {
        parts.push(format!("memory {}", told(bytes)));
    }
    if let Some(bytes) = usage.memory_peak_bytes {
        parts.push(format!("at most {}", told(bytes)));
    }
    let mut text = format!("  {}\n", parts.join(", "));
    if limits.killed_by_memory() {
        text.push_str("  killed by its memory limit; give it more by `myrig server change`\n");
    }
    if let Some(broken) = &limits.broken {
        text.push_str(&format!("  its limits do not hold: {broken}\n"));
    }
    text
}

fn told(memory_bytes: u64) -> String {
    Size { cpus: None, memory_bytes: Some(memory_bytes) }.to_string()
}

/// The same as an object.
pub(super) fn value(limits: &Limits) -> Value {
    let usage = &limits.usage;
    json!({
        "cpus": limits.size.cpus,
        "memory_bytes": limits.size.memory_bytes,
        "held": limits.broken.is_none(),
        "broken": limits.broken,
        "cpu_s": usage.cpu_s,
        "periods": usage.periods,
        "throttled_periods": usage.throttled_periods,
        "throttled_s": usage.throttled_s,
        "memory_used_bytes": usage.memory_bytes,
        "memory_peak_bytes": usage.memory_peak_bytes,
        "oom_kills": usage.oom_kills,
        "killed_by_memory": limits.killed_by_memory(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::cgroup::Usage;

    #[test]
    fn what_was_used_and_how_it_ended_is_told() {
        let usage = Usage {
            cpu_s: Some(12.34),
            periods: Some(100),
            throttled_periods: Some(34),
            throttled_s: Some(1.0),
            memory_bytes: Some(512 << 20),
            memory_peak_bytes: Some(1 << 30),
            oom_kills: Some(0),
        };
        let size = Size { cpus: Some(4.0), memory_bytes: Some(8 << 30) };
        let limits = Limits { size, usage, broken: None };
        assert_eq!(
            line(&limits),
            "  processor 12.3 s, held back in 34% of periods, memory 512 MB, at most 1 GB\n"
        );
        let killed = Limits { usage: Usage { oom_kills: Some(1), ..usage }, ..limits };
        assert!(line(&killed).contains("killed by its memory limit"));
        assert_eq!(value(&killed)["killed_by_memory"], true);
        let broken = Limits { broken: Some("cpu.max says `max`".into()), ..killed };
        assert!(line(&broken).contains("do not hold: cpu.max"));
        assert_eq!(value(&broken)["held"], false);
    }
}
