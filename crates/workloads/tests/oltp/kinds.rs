//! The eight scripts: what they send, counted on both sides.

use crate::support::*;
use client::{Connection, Target};
use engine::{Ended, Phases, Session, Stop, Workload};
use std::{sync::Arc, time::Duration};
use workloads::{
    oltp::{CheckOptions, DataSet, Kind, Mix, Oltp, Options, Protocol, Queries, Schema, check},
    tpcc::CheckProgress,
};

const TRANSACTIONS: u64 = 12;

/// The server's own counters of SELECT, of writes, and of BEGIN, COMMIT and ROLLBACK.
async fn counters(connection: &mut Connection) -> [i64; 3] {
    let mut sums = [0; 3];
    let rows = connection.query("SHOW GLOBAL STATUS LIKE 'Com\\_%'").await.unwrap();
    for row in rows.iter() {
        let at = match row.text(0).unwrap().as_str() {
            "Com_select" => 0,
            "Com_update" | "Com_insert" | "Com_delete" => 1,
            "Com_begin" | "Com_commit" | "Com_rollback" => 2,
            _ => continue,
        };
        sums[at] += row.int(1).unwrap();
    }
    sums
}

/// Runs transactions in one session, and holds our counters against the server's.
fn counted(target: &Target, options: &Options) -> Queries {
    let oltp = Oltp::new(target.clone(), options.clone()).unwrap();
    wait(async {
        let mut watcher = Connection::connect(target).await.unwrap();
        let mut session = oltp.open(0, 0).await.unwrap();
        let before = counters(&mut watcher).await;
        for _ in 0..TRANSACTIONS {
            once(&mut session).await.unwrap();
        }
        let after = counters(&mut watcher).await;
        let queries = oltp.queries();
        let ours = [queries.read, queries.write, queries.other].map(|count| count as i64);
        assert_eq!(ours, [0, 1, 2].map(|at| after[at] - before[at]), "{options:?}");
        session.close().await;
        watcher.close().await;
        queries
    })
}

pub(crate) fn every_kind_counts_what_the_server_counts(bench: &Bench) {
    let target = bench.tables("kinds_counted", small());
    let older = bench.tables("kinds_older", DataSet { schema: Schema::V0_5, ..small() });
    for (_, kind) in Kind::NAMES {
        // Reads, writes, and the brackets around them.
        let expected = match kind {
            Kind::ReadOnly => [14, 0, 2],
            Kind::ReadWrite => [14, 4, 2],
            Kind::WriteOnly => [0, 4, 2],
            Kind::PointSelect => [1, 0, 0],
            _ => [0, 1, 0],
        };
        for (protocol, schema, target) in [
            (Protocol::Prepared, Schema::V1_0, &target),
            (Protocol::Text, Schema::V1_0, &target),
            (Protocol::Prepared, Schema::V0_5, &older),
            (Protocol::Text, Schema::V0_5, &older),
        ] {
            let options = Options { kind, protocol, schema, ..on_small() };
            let queries = counted(target, &options);
            let each = [queries.read, queries.write, queries.other];
            assert_eq!(each.map(|count| count / TRANSACTIONS), expected, "{options:?}");
            assert_eq!(queries.total() % TRANSACTIONS, 0);
        }
    }
    let mix = Mix { range_selects: false, ..Mix::default() };
    let bare = Options { kind: Kind::ReadOnly, mix, skip_trx: true, ..on_small() };
    let expected = Queries { read: 10 * TRANSACTIONS, ..Queries::default() };
    assert_eq!(counted(&target, &bare), expected);
}

pub(crate) fn both_protocols_do_the_same_to_the_data(bench: &Bench) {
    let changed = |name: &str, protocol, schema| {
        let target = bench.tables(name, small());
        let untouched = fingerprint(&target);
        let options = Options { protocol, schema, ..on_small() };
        transact(&Oltp::new(target.clone(), options).unwrap(), 30);
        let touched = fingerprint(&target);
        assert_ne!(touched, untouched);
        touched
    };
    let prepared = changed("kinds_prepared", Protocol::Prepared, Schema::V1_0);
    assert_eq!(changed("kinds_text", Protocol::Text, Schema::V1_0), prepared);
    // With another way to draw tables other rows are met.
    assert_ne!(changed("kinds_one_table", Protocol::Prepared, Schema::V0_5), prepared);
}

pub(crate) fn a_run_of_the_engine_commits_and_keeps_the_data_sound(bench: &Bench) {
    let target = bench.tables("kinds_engine", small());
    let oltp = Arc::new(Oltp::new(target.clone(), on_small()).unwrap());
    wait(oltp.preflight(8)).unwrap();
    let load = engine::LoadOptions {
        connections: 8,
        threads: 2,
        phases: Phases {
            ramp_up: Duration::ZERO,
            measure: Duration::from_secs(1),
            ramp_down: Duration::ZERO,
        },
        ..engine::LoadOptions::default()
    };
    let report = engine::run(Arc::clone(&oltp), &load, &Stop::new(), |_| {}).unwrap();
    assert_eq!(report.ended, Ended::Complete);
    let total = &report.transactions[0].total;
    assert_eq!(report.transactions[0].name, "oltp_read_write");
    assert!(total.committed > 20 && total.failed == 0, "{total:?} {:?}", report.errors);
    // Attempts that were tried again come on top.
    let queries = oltp.queries();
    assert!(queries.read >= 14 * total.committed && queries.write >= 4 * total.committed);
    if total.retries == 0 {
        assert_eq!(queries.total(), 20 * total.committed);
    }
    let options = CheckOptions { table_size: Some(1_000), rows_changed: false };
    let found = check(&target, options, &CheckProgress::default()).unwrap();
    assert_eq!(found.len(), 4);
    for condition in found {
        assert!(condition.examined == 2 && condition.violations == 0, "{condition:?}");
    }
}
