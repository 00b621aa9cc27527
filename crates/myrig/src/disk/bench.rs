//! `myrig disk bench`: how fast files and devices are read and written at most.

use super::{
    fio,
    limit::{self, Limit},
    measure::{self, Measured, Round},
};
use crate::{
    args::{DiskBenchArgs, FioArg, IoArg},
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    transfer,
};
use disk::{
    Transport,
    bench::{BenchOptions, BenchReport, Benching, Flow, Order},
};
use host::Bytes;
use serde_json::{Value, json};
use std::{
    num::NonZeroUsize,
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

/// More threads than that bring no drive to its limit that fewer do not.
const JOBS_MAX: NonZeroUsize = NonZeroUsize::new(4).unwrap();

pub(super) fn run(args: &DiskBenchArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let options = options(args)?;
    measure::check(args, &options, paths)?;
    let version = if args.fio == FioArg::Never { None } else { fio::version() };
    if args.fio == FioArg::Always && version.is_none() {
        return Err(anyhow::anyhow!(
            "fio is not installed: it is in the package fio; or say --fio never"
        )
        .into());
    }
    let (measured, _) = transfer::under_bar("measuring", output, |benching: &Benching| {
        measure::measure(args, &options, version.is_some(), benching)
    })?;
    let measured = measured?;
    let mut kept = Vec::new();
    for of_path in &measured {
        if let Some(limit) = read_limit(of_path, &options) {
            limit::keep(paths, limit.clone())?;
            kept.push(limit);
        }
    }
    let value = json!({
        "schema": "myrig.disk-bench/1",
        "options": options,
        "fio_version": version,
        "paths": measured.iter().map(path_value).collect::<Vec<_>>(),
        "limits_kept": kept,
    });
    let mut text: String = measured.iter().map(|of| path_words(of, &options, &version)).collect();
    if version.is_none() && args.fio == FioArg::Auto {
        text.push_str("fio is not installed, so there is no reference beside it\n");
    }
    for limit in &kept {
        text.push_str(&format!(
            "kept as the read limit of {}: {}\n",
            limit.device,
            speed(limit.read_bytes_per_s)
        ));
    }
    output.result(&value, &text)?;
    Ok(Status::Good)
}

fn options(args: &DiskBenchArgs) -> Result<BenchOptions, Failure> {
    let cpus = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    Ok(BenchOptions {
        jobs: args.jobs.unwrap_or(cpus.min(JOBS_MAX)),
        depth: args.depth,
        block_bytes: usize::try_from(args.block_size).map_err(Failure::usage)?,
        direct: !args.buffered,
        order: if args.random { Order::Random } else { Order::Sequential },
        read_percent: match (args.write, args.mix) {
            (_, Some(percent)) => percent,
            (true, None) => 0,
            (false, None) => 100,
        },
        duration: args.duration,
        bytes: args.bytes,
        transport: match args.io {
            IoArg::Auto => Transport::Auto,
            IoArg::Uring => Transport::Uring,
            IoArg::Plain => Transport::Plain,
        },
        seed: args.seed,
    })
}

/// The best of all rounds, where they measured what a limit is: sequential direct reads.
fn read_limit(measured: &Measured, options: &BenchOptions) -> Option<Limit> {
    let is_limit = options.direct && options.read_percent == 100;
    if !is_limit || options.order != Order::Sequential || options.block_bytes < 128 << 10 {
        return None;
    }
    let speeds = measured.rounds.iter().flat_map(|Round { ours, fio }| {
        // What was read through the page cache says nothing of the device.
        let is_direct = !ours.fallbacks.iter().any(|lack| lack.without == "direct I/O");
        let ours = ours.read.filter(|_| is_direct);
        let theirs = fio.as_ref().and_then(|fio| fio.read).filter(|_| is_direct);
        ours.into_iter().chain(theirs).map(|flow| flow.bytes_per_s)
    });
    let read_bytes_per_s = speeds.max_by(f64::total_cmp)?;
    let (device, file_system) = limit::under(&measured.path)?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(Limit {
        device,
        file_system,
        read_bytes_per_s,
        jobs: options.jobs.get(),
        depth: options.depth.get(),
        block_bytes: options.block_bytes,
        measured_unix_s: since.as_secs(),
    })
}

fn path_value(measured: &Measured) -> Value {
    let under = limit::under(&measured.path);
    json!({
        "path": measured.path,
        "device": under.as_ref().map(|(device, _)| device),
        "file_system": under.as_ref().and_then(|(_, file_system)| file_system.as_ref()),
        "size_bytes": measured.size_bytes,
        "made": measured.made,
        "rounds": measured.rounds,
    })
}

/// A path: what was done, and a line for each flow of each round.
fn path_words(measured: &Measured, options: &BenchOptions, version: &Option<String>) -> String {
    let made = if measured.made { ", made for it and deleted" } else { "" };
    let mut text = format!(
        "{}: {}{made}\n{}\n",
        measured.path.display(),
        Bytes(measured.size_bytes),
        pattern(options)
    );
    let head = ["", "speed", "requests/s", "mean", "p50", "p99", "p99.9", "max"];
    let mut rows = vec![head.map(str::to_owned)];
    let reference = version.as_deref().unwrap_or("fio");
    for Round { ours, fio } in &measured.rounds {
        rows.extend(rows_of("myrig", ours.read, ours.write));
        rows.extend(fio.iter().flat_map(|fio| rows_of(reference, fio.read, fio.write)));
    }
    text += &table(&rows);
    let shares = measured.rounds.iter().filter_map(share_of_fio).collect::<Vec<_>>();
    if !shares.is_empty() {
        text += &format!("share of fio: {}\n", shares.join(", "));
    }
    if let Some(Round { ours, .. }) = measured.rounds.last() {
        text += &lacks(ours);
    }
    text
}

fn pattern(options: &BenchOptions) -> String {
    let order = match options.order {
        Order::Sequential => "sequential",
        Order::Random => "random",
    };
    let what = match options.read_percent {
        0 => "writes".to_owned(),
        100.. => "reads".to_owned(),
        percent => format!("requests ({percent}% reads)"),
    };
    format!(
        "{order} {what} of {}, {} threads with {} in flight, {} the page cache",
        Bytes(options.block_bytes as u64),
        options.jobs,
        options.depth,
        if options.direct { "past" } else { "through" }
    )
}

fn rows_of(who: &str, read: Option<Flow>, write: Option<Flow>) -> Vec<[String; 8]> {
    let row = |what: &str, flow: Flow| {
        let latency = flow.latency;
        let times = [latency.mean_us, latency.p50_us, latency.p99_us, latency.p999_us];
        let [mean, p50, p99, p999] = times.map(time);
        [
            format!("{who} {what}"),
            speed(flow.bytes_per_s),
            format!("{:.0}", flow.requests_per_s),
            mean,
            p50,
            p99,
            p999,
            time(latency.max_us),
        ]
    };
    let read = read.map(|flow| row("read", flow));
    read.into_iter().chain(write.map(|flow| row("write", flow))).collect()
}

fn share_of_fio(round: &Round) -> Option<String> {
    let all = |read: Option<Flow>, write: Option<Flow>| {
        [read, write].into_iter().flatten().map(|flow| flow.bytes_per_s).sum::<f64>()
    };
    let fio = round.fio.as_ref()?;
    let (ours, theirs) = (all(round.ours.read, round.ours.write), all(fio.read, fio.write));
    (theirs > 0.0).then(|| format!("{:.1}%", 100.0 * ours / theirs))
}

fn lacks(report: &BenchReport) -> String {
    let line = |lack: &disk::Fallback| format!("without {}: {}\n", lack.without, lack.reason);
    let mut text: String = report.fallbacks.iter().map(line).collect();
    if report.write.is_some() {
        text += &format!("the fsync behind the writes took {:.2} s\n", report.fsync_seconds);
    }
    text
}

fn table(rows: &[[String; 8]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: [usize; 8] = std::array::from_fn(width);
    let line = |row: &[String; 8]| {
        let mut line = format!("  {:<w$}", row[0], w = widths[0]);
        for (cell, width) in row.iter().zip(widths).skip(1) {
            line.push_str(&format!("  {cell:>width$}"));
        }
        line + "\n"
    };
    rows.iter().map(line).collect()
}

fn speed(bytes_per_s: f64) -> String {
    match bytes_per_s {
        ..1e9 => format!("{:.0} MB/s", bytes_per_s / 1e6),
        _ => format!("{:.2} GB/s", bytes_per_s / 1e9),
    }
}

fn time(us: f64) -> String {
    match us {
        ..1000.0 => format!("{us:.0} us"),
        ..1e6 => format!("{:.1} ms", us / 1e3),
        _ => format!("{:.1} s", us / 1e6),
    }
}
