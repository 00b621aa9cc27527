//! Errors that are tried again, and those that are not.

use crate::support::*;
use client::Connection;
use engine::{FailureClass, Session, Workload};
use workloads::oltp::{Ignore, Kind, Mix, Oltp, Options};

pub(crate) fn a_lock_wait_timeout_is_rolled_back_and_can_be_tried_again(bench: &Bench) {
    let target = bench.tables("retries_locked", small());
    let before = fingerprint(&target);
    let mix = Mix { point_selects: 1, range_selects: false, delete_inserts: 0, ..Mix::default() };
    let oltp = Oltp::new(target.clone(), Options { mix, ..on_small() }).unwrap();
    wait(async {
        let mut holder = Connection::connect(&target).await.unwrap();
        holder.run("BEGIN").await.unwrap();
        for table in [1, 2] {
            let sql = format!("SELECT COUNT(*) FROM sbtest{table} FOR UPDATE");
            holder.query(&sql).await.unwrap();
        }
        let mut session = oltp.open(0, 0).await.unwrap();
        session.draw();
        let failure = session.execute().await.unwrap_err();
        assert_eq!((failure.class, failure.code), (FailureClass::Retryable, 1205), "{failure}");
        let queries = oltp.queries();
        // BEGIN and ROLLBACK around one read; the update did not come about.
        assert_eq!((queries.read, queries.write, queries.other), (1, 0, 2));

        holder.run("ROLLBACK").await.unwrap();
        session.execute().await.unwrap();
        let again = oltp.queries().since(&queries);
        assert_eq!((again.read, again.write, again.other), (1, 2, 2));
        session.close().await;
        holder.close().await;
    });
    // The second attempt had the inputs that a session without trouble has.
    let after = fingerprint(&target);
    assert_ne!(after, before);
    let calm = bench.tables("retries_calm", small());
    transact(&Oltp::new(calm.clone(), Options { mix, ..on_small() }).unwrap(), 1);
    assert_eq!(fingerprint(&calm), after);
}

pub(crate) fn inserts_take_the_next_key_where_one_is_taken(bench: &Bench) {
    let target = bench.tables("retries_keys", small());
    let options =
        Options { kind: Kind::Insert, auto_inc: false, tables: 1, unique_seed: 5, ..on_small() };
    transact(&Oltp::new(target.clone(), options.clone()).unwrap(), 3);
    let oltp = Oltp::new(target.clone(), options).unwrap();
    wait(async {
        let mut session = oltp.open(0, 0).await.unwrap();
        session.draw();
        for _ in 0..3 {
            let failure = session.execute().await.unwrap_err();
            assert_eq!((failure.class, failure.code), (FailureClass::Retryable, 1062));
        }
        session.execute().await.unwrap();
        session.close().await;
    });
    assert_eq!(number(&target, "SELECT COUNT(*) FROM sbtest1"), 1_004);
    let own = Options { kind: Kind::Insert, tables: 1, ..on_small() };
    transact(&Oltp::new(target.clone(), own).unwrap(), 5);
    assert_eq!(number(&target, "SELECT COUNT(*) FROM sbtest1"), 1_009);
}

pub(crate) fn errors_are_ignored_only_as_asked(bench: &Bench) {
    let target = bench.tables("retries_ignored", small());
    let class = |ignore: Ignore| {
        let options = Options { kind: Kind::UpdateIndex, ignore, ..on_small() };
        let oltp = Oltp::new(target.clone(), options).unwrap();
        wait(async {
            let mut holder = Connection::connect(&target).await.unwrap();
            let mut session = oltp.open(0, 0).await.unwrap();
            for table in [1, 2] {
                let away = format!("RENAME TABLE sbtest{table} TO away{table}");
                holder.run(&away).await.unwrap();
            }
            let failure = once(&mut session).await.unwrap_err();
            for table in [1, 2] {
                let back = format!("RENAME TABLE away{table} TO sbtest{table}");
                holder.run(&back).await.unwrap();
            }
            // The session is ready for the next transaction all the same.
            once(&mut session).await.unwrap();
            session.close().await;
            holder.close().await;
            (failure.class, failure.code)
        })
    };
    assert_eq!(class(Ignore::Retryable), (FailureClass::Fatal, 1146));
    assert_eq!(class(Ignore::Codes(vec![1213])), (FailureClass::Fatal, 1146));
    assert_eq!(class(Ignore::Codes(vec![1146])), (FailureClass::Retryable, 1146));
    assert_eq!(class(Ignore::All), (FailureClass::Retryable, 1146));
}
