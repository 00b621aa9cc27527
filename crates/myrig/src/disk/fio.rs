//! fio as a reference: the same pattern, its JSON read.

use anyhow::{Context, bail};
use disk::bench::{BenchOptions, Flow, Latency, Order, Target};
use serde::Serialize;
use serde_json::Value;
use std::process::{Command, Stdio};

/// What fio came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct FioRound {
    pub(super) read: Option<Flow>,
    pub(super) write: Option<Flow>,
}

/// The version of fio that is installed: `fio-3.33`.
pub(super) fn version() -> Option<String> {
    let said = Command::new("fio").arg("--version").stdin(Stdio::null()).output().ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    Some(said.trim().to_owned()).filter(|version| version.starts_with("fio"))
}

/// Has fio do the same to a target.
pub(super) fn run(target: &Target, options: &BenchOptions) -> anyhow::Result<FioRound> {
    let words = words(target, options);
    let ran = Command::new("fio").args(&words).stdin(Stdio::null()).output();
    let ran = ran.context("starting fio")?;
    if !ran.status.success() {
        let said = String::from_utf8_lossy(&ran.stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no words");
        bail!("fio ended with {}: {last}", ran.status);
    }
    read(&String::from_utf8_lossy(&ran.stdout), options.read_percent)
}

/// fio's options for a pattern. Its jobs have parts of their own, as ours do.
fn words(target: &Target, options: &BenchOptions) -> Vec<String> {
    let BenchOptions { block_bytes, jobs, depth, direct, order, read_percent, .. } = *options;
    let pattern = match (order, read_percent) {
        (Order::Sequential, 100..) => "read",
        (Order::Sequential, 0) => "write",
        (Order::Sequential, _) => "rw",
        (Order::Random, 100..) => "randread",
        (Order::Random, 0) => "randwrite",
        (Order::Random, _) => "randrw",
    };
    let blocks = target.bytes / block_bytes as u64;
    let part = match order {
        Order::Sequential => blocks / jobs.get() as u64 * block_bytes as u64,
        Order::Random => blocks * block_bytes as u64,
    };
    let mut words = vec![
        "--name=myrig".to_owned(),
        // A colon would separate two files.
        format!("--filename={}", target.path.display().to_string().replace(':', "\\:")),
        format!("--rw={pattern}"),
        format!("--bs={block_bytes}"),
        format!("--iodepth={depth}"),
        format!("--numjobs={jobs}"),
        format!("--direct={}", u8::from(direct)),
        "--ioengine=io_uring".to_owned(),
        "--thread".to_owned(),
        "--group_reporting".to_owned(),
        format!("--size={part}"),
        "--output-format=json".to_owned(),
        format!("--randseed={}", options.seed),
        format!("--runtime={}ms", options.duration.as_millis()),
    ];
    if order == Order::Sequential {
        words.push(format!("--offset_increment={part}"));
    } else {
        words.push("--norandommap".to_owned());
    }
    match options.bytes {
        Some(bytes) => words.push(format!("--io_size={}", bytes / jobs.get() as u64)),
        None => words.push("--time_based".to_owned()),
    }
    if read_percent < 100 {
        words.push("--end_fsync=1".to_owned());
        words.push(format!("--rwmixread={read_percent}"));
    }
    words
}

/// Reads fio's JSON, which may have words before it.
fn read(text: &str, read_percent: u8) -> anyhow::Result<FioRound> {
    let begin = text.find('{').context("fio printed no JSON")?;
    let value: Value = serde_json::from_str(&text[begin..]).context("fio's JSON")?;
    let job = value.pointer("/jobs/0").context("fio's JSON has no jobs")?;
    if let Some(error) = job["error"].as_i64().filter(|error| *error != 0) {
        bail!("fio met error {error}");
    }
    Ok(FioRound {
        read: (read_percent > 0).then(|| flow(&job["read"])),
        write: (read_percent < 100).then(|| flow(&job["write"])),
    })
}

fn flow(of: &Value) -> Flow {
    let number = |path: &str| of.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
    let us = |path: &str| number(path) / 1000.0;
    let percentile = |share: &str| us(&format!("/clat_ns/percentile/{share}"));
    Flow {
        requests: number("/total_ios") as u64,
        bytes: number("/io_bytes") as u64,
        bytes_per_s: number("/bw_bytes"),
        requests_per_s: number("/iops"),
        latency: Latency {
            mean_us: us("/clat_ns/mean"),
            p50_us: percentile("50.000000"),
            p95_us: percentile("95.000000"),
            p99_us: percentile("99.000000"),
            p999_us: percentile("99.900000"),
            max_us: us("/clat_ns/max"),
        },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use disk::Transport;
    use std::{num::NonZeroUsize, time::Duration};

    fn options() -> BenchOptions {
        BenchOptions {
            jobs: NonZeroUsize::new(2).unwrap(),
            depth: NonZeroUsize::new(16).unwrap(),
            block_bytes: 1 << 20,
            direct: true,
            order: Order::Sequential,
            read_percent: 100,
            duration: Duration::from_millis(1500),
            bytes: None,
            transport: Transport::Auto,
            seed: 7,
        }
    }

    #[test]
    fn fio_is_asked_for_the_same_pattern() {
        let target = Target { path: "/d:a/f".into(), bytes: (5 << 20) + 1, is_device: false };
        let asked = words(&target, &options()).join(" ");
        for word in [
            "--filename=/d\\:a/f",
            "--rw=read",
            "--bs=1048576",
            "--size=2097152",
            "--offset_increment=2097152",
            "--runtime=1500ms",
            "--time_based",
            "--direct=1",
        ] {
            assert!(asked.contains(word), "{word}: {asked}");
        }
        let mixed = BenchOptions {
            order: Order::Random,
            read_percent: 70,
            bytes: Some(4 << 20),
            ..options()
        };
        let asked = words(&target, &mixed).join(" ");
        for word in [
            "--rw=randrw",
            "--rwmixread=70",
            "--end_fsync=1",
            "--io_size=2097152",
            "--size=5242880",
            "--norandommap",
        ] {
            assert!(asked.contains(word), "{word}: {asked}");
        }
        assert!(!asked.contains("time_based"));
    }

    #[test]
    fn figures_are_taken_from_its_json() {
        let text = r#"fio: some remark
{"fio version": "fio-3.33", "jobs": [{"error": 0, "read": {"io_bytes": 3000, "total_ios": 3,
"bw_bytes": 1500, "iops": 1.5, "clat_ns": {"mean": 2000.0, "max": 9000,
"percentile": {"50.000000": 1000, "95.000000": 4000, "99.000000": 5000, "99.900000": 6000}}},
"write": {}}]}"#;
        let round = read(text, 100).unwrap();
        let flow = round.read.unwrap();
        assert_eq!((flow.bytes, flow.requests, flow.bytes_per_s), (3000, 3, 1500.0));
        assert_eq!(
            (flow.latency.mean_us, flow.latency.p999_us, flow.latency.max_us),
            (2.0, 6.0, 9.0)
        );
        assert_eq!(round.write, None);
        assert!(read("no words of JSON", 100).is_err());
        assert!(read(r#"{"jobs": []}"#, 100).is_err());
        assert!(read(r#"{"jobs": [{"error": 5}]}"#, 100).is_err());
        assert!(read("{", 0).is_err());
    }
}
