//! A small record in which every field of the schema holds something, for tests.

use super::*;

/// Four seconds, two transaction types, one outage, one failed condition.
pub(crate) fn record() -> RunRecord {
    RunRecord {
        schema: RUN_SCHEMA.to_owned(),
        id: "20261121T204500-1f3a9c".to_owned(),
        label: "larger redo".to_owned(),
        started_at: "2026-11-21T20:45:00Z".to_owned(),
        status: RunStatus::Partial { reason: "interrupted".to_owned() },
        workload: WorkloadFacts {
            name: "tpcc".to_owned(),
            profile: "spec/1".to_owned(),
            scale: "10 warehouses".to_owned(),
            deviations: vec!["No terminals are emulated.".to_owned()],
        },
        settings: BTreeMap::from([
            ("connections".to_owned(), 16.into()),
            ("duration".to_owned(), "60s".into()),
        ]),
        server: server(),
        host: host(),
        client: ClientFacts {
            version: "0.1.0".to_owned(),
            threads: 2,
            connections: 16,
            cpu_s: 1.5,
            busiest_thread: 0.25,
        },
        phases: vec![phase("ramp-up", 0.0, 1.0), phase("measure", 1.0, 4.0)],
        headline: vec![Figure {
            name: "tpmC".to_owned(),
            value: 6060.0,
            unit: "1/min".to_owned(),
            ci95: Some((5910.95, 6209.05)),
        }],
        transactions: vec![transaction("New-Order", 303), transaction("Payment", 150)],
        errors: vec![ErrorCount {
            transaction: "New-Order".to_owned(),
            code: 1213,
            message: "Deadlock found when trying to get lock".to_owned(),
            retried: 3,
            failed: 1,
        }],
        intervals: (0..4).map(interval).collect(),
        outages: vec![Outage { from_s: 2.25, until_s: None, connections: 3 }],
        arrivals: Some(Arrivals {
            rate_per_s: 150.0,
            distribution: "poisson".to_owned(),
            due: 600,
            unstarted: 7,
            oldest_wait_s: 0.125,
        }),
        warnings: vec!["The client was short of processor time.".to_owned()],
        check: Some(CheckRecord {
            good: false,
            conditions: vec![Condition {
                id: "3.3.2.1".to_owned(),
                text: "W_YTD = sum(D_YTD)".to_owned(),
                examined: 10,
                violations: 1,
                examples: vec!["warehouse 4: 300000.00 is not 299990.00".to_owned()],
            }],
        }),
        server_cpus: Some(1.25),
        watch: Some(watch()),
        amplification: vec![amplification()],
    }
}

fn server() -> ServerFacts {
    ServerFacts {
        flavour: "MariaDB".to_owned(),
        version: "10.11.14-MariaDB".to_owned(),
        endpoints: vec!["127.0.0.1:3307".to_owned()],
        tls: "TLSv1.3".to_owned(),
        variables: BTreeMap::from([("sync_binlog".to_owned(), "1".to_owned())]),
        size: "4 cores, 8 GB".to_owned(),
        place: "processors 0-3".to_owned(),
    }
}

fn host() -> HostFacts {
    HostFacts {
        os: "Debian GNU/Linux 12 (bookworm)".to_owned(),
        kernel: "6.1.0-28-amd64".to_owned(),
        cpu_model: "Example CPU".to_owned(),
        cpus: 2,
        memory_bytes: 8 << 30,
        hypervisor: "KVMKVMKVM".to_owned(),
        shared_with_server: true,
    }
}

fn watch() -> Watch {
    let series = |name: &str, group: &str, unit: &str, values: [Option<f64>; 3]| Series {
        name: name.to_owned(),
        label: name.to_owned(),
        group: group.to_owned(),
        unit: unit.to_owned(),
        source: "a test".to_owned(),
        values: values.to_vec(),
    };
    let class = |name: &str, sessions, share| WaitClass {
        name: name.to_owned(),
        label: name.to_owned(),
        sessions,
        share,
        meaning: "It waits.".to_owned(),
        source: "a test".to_owned(),
    };
    let mean = |label: &str, mean| MeanCount { label: label.to_owned(), mean };
    Watch {
        at_s: vec![0.001, 1.002, 2.001],
        series: vec![
            series("rows.read", "rows", "1/s", [None, Some(1234.567), None]),
            series("pool.dirty", "dirty", "B", [Some(16_384.0), Some(0.1 + 0.2), Some(0.0)]),
        ],
        waits: Some(WaitSummary {
            classes: vec![class("commit", 3.5, Some(1.0)), class("idle", 12.5, None)],
            states: vec![mean("commit", 3.25)],
            instruments: vec![mean("redo log, sync", 0.5)],
        }),
        remarks: vec!["performance_schema is off.".to_owned()],
        cost: WatchCost { cpus: 0.004, server_cpus: Some(0.002), answer_ms: Some(1.5) },
    }
}

fn amplification() -> Amplification {
    Amplification {
        drive: "7% spare, 1 MiB blocks".to_owned(),
        facts: "Pages of 4 KiB, greedy victims.".to_owned(),
        source: "simulated".to_owned(),
        honours_hints: Some(true),
        capacity_bytes: Some(1 << 20),
        rows: vec![AmplificationRow {
            from_s: 0.0,
            until_s: 4.0,
            host_bytes: 4096,
            media_bytes: 8192,
        }],
    }
}

fn phase(name: &str, from_s: f64, until_s: f64) -> Phase {
    Phase { name: name.to_owned(), from_s, until_s }
}

fn transaction(name: &str, committed: u64) -> TransactionRecord {
    let measured = Outcomes { committed, rolled_back: 3, failed: 2, retried: 4, in_doubt: 1 };
    let mut latencies = LatencyHistogram::empty();
    latencies.0.record_n(1500, 300).expect("within bounds");
    latencies.0.record_n(25_000, 6).expect("within bounds");
    TransactionRecord {
        name: name.to_owned(),
        measured,
        total: Outcomes { committed: committed + 99, ..measured },
        service: latencies.clone(),
        queue: LatencyHistogram::empty(),
        response: latencies,
    }
}

fn interval(second: u32) -> Interval {
    let of = |committed| IntervalTransactions {
        committed,
        rolled_back: 1,
        failed: 0,
        retries: 2,
        p50_ms: 1.5,
        p95_ms: 2.1,
        p99_ms: 20.7,
        max_ms: 25.3,
    };
    Interval {
        at_s: f64::from(second + 1),
        length_s: 1.0,
        transactions: vec![of(99 + u64::from(second)), of(50)],
        connected: 16,
        client_cpu: 0.1 + 0.2,
    }
}
