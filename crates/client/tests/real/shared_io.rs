//! Connections that share the system calls of their thread.

use crate::{
    on_both,
    support::{Server, one, with_tls},
};
use client::{Connection, ErrorClass, Statement, TlsMode, Value};
use std::{rc::Rc, time::Duration};
use tokio::{
    sync::Barrier,
    task::{LocalSet, spawn_local},
};

on_both!(&[("max_connections", "400")];
    many_connections_share_a_thread,
    long_requests_and_replies_pass,
    queued_statements_take_one_round_trip,
    killed_and_deserted_connections_leave_the_others_alone,
    without_a_local_set_of_its_own_a_ring_ends,
);

/// A connection without TLS, which no ring carries.
async fn plain(server: &Server) -> Connection {
    let target = with_tls(server.tcp(), TlsMode::Disabled);
    Connection::connect(&target).await.unwrap()
}

/// A connection on the ring; the kernel must have one, or this test would show nothing.
async fn shared(server: &Server) -> Connection {
    let mut connection = plain(server).await;
    assert!(connection.share_thread_io(), "this kernel has no io_uring");
    connection
}

async fn many_connections_share_a_thread(server: &mut Server) {
    // Many more than the kernel delivers at a time.
    const CONNECTIONS: i64 = 200;
    const QUERIES: i64 = 40;
    let local = LocalSet::new();
    let server = &*server;
    local
        .run_until(async move {
            let together = Rc::new(Barrier::new(CONNECTIONS as usize));
            let mut tasks = Vec::new();
            for n in 0..CONNECTIONS {
                let mut connection = shared(server).await;
                let together = Rc::clone(&together);
                tasks.push(spawn_local(async move {
                    let statement = connection.prepare("SELECT ? * 1000 + ?, ?").await.unwrap();
                    together.wait().await;
                    for query in 0..QUERIES {
                        let text = format!("{n} {query}");
                        let values = [n.into(), query.into(), (&text).into()];
                        let row = connection.fetch_one(&statement, &values).await.unwrap().unwrap();
                        assert_eq!(row.double(0).unwrap(), (n * 1000 + query) as f64);
                        assert_eq!(row.text(1).unwrap(), text);
                    }
                    connection.close().await;
                }));
            }
            for task in tasks {
                task.await.unwrap();
            }
        })
        .await;
}

async fn long_requests_and_replies_pass(server: &mut Server) {
    let server = &*server;
    let local = LocalSet::new();
    local
        .run_until(async move {
            let mut connection = shared(server).await;
            let statement = connection.prepare("SELECT ?, ?").await.unwrap();
            for length in [0, 1, 4000, 70_000, 3_000_000] {
                let long: Vec<u8> = (0..length).map(|n: u32| n as u8).collect();
                let values = [Value::from(&long), Value::Int(7)];
                let row = connection.fetch_one(&statement, &values).await.unwrap().unwrap();
                assert!(row.bytes(0) == Some(&long[..]), "{length} bytes are spoilt");
                assert_eq!(row.int(1).unwrap(), 7);
            }
        })
        .await;
}

async fn queued_statements_take_one_round_trip(server: &mut Server) {
    server.sql(&["CREATE TABLE q (id INT PRIMARY KEY)"]).await;
    let server = &*server;
    let local = LocalSet::new();
    local
        .run_until(async move {
            for on_ring in [false, true] {
                let mut connection = plain(server).await;
                assert_eq!(on_ring, on_ring && connection.share_thread_io());
                let insert = connection.prepare("INSERT INTO q VALUES (?)").await.unwrap();
                for id in 0..20 {
                    connection.queue(&insert, &[id.into()]).unwrap();
                }
                assert_eq!(connection.execute_queued().await.unwrap().affected_rows, 20);
                // One of them is there already; those behind it are carried out all the same.
                for id in [20, 3, 21] {
                    connection.queue(&insert, &[id.into()]).unwrap();
                }
                assert_eq!(connection.execute_queued().await.unwrap_err().code(), 1062);
                assert_eq!(one(&mut connection, "SELECT COUNT(*) FROM q").await, "22");
                // What is queued and not sent is dropped by the next call.
                connection.queue(&insert, &[99.into()]).unwrap();
                connection.run("DELETE FROM q").await.unwrap();
                assert_eq!(connection.execute_queued().await.unwrap().affected_rows, 0);
                assert!(connection.queue(&insert, &[]).is_err());
                replies_are_read_one_by_one(&mut connection, &insert).await;
                assert_eq!(one(&mut connection, "SELECT COUNT(*) FROM q").await, "0");
            }
        })
        .await;
}

/// Leaves the table empty.
async fn replies_are_read_one_by_one(connection: &mut Connection, insert: &Statement) {
    let select = connection.prepare("SELECT ? + 1").await.unwrap();
    for n in [10, 20, 30] {
        connection.queue(&select, &[n.into()]).unwrap();
    }
    for n in [11, 21] {
        let rows = connection.fetch_queued().await.unwrap();
        assert_eq!(rows.first().unwrap().double(0).unwrap(), f64::from(n));
        assert!(connection.queue(&select, &[1.into()]).is_err(), "one reply is unread");
    }
    assert_eq!(connection.execute_queued().await.unwrap().affected_rows, 0);
    assert!(connection.fetch_queued().await.is_err(), "nothing is queued");
    // The second is refused; the replies behind it are not taken for another's.
    for id in [1, 1, 2] {
        connection.queue(insert, &[id.into()]).unwrap();
    }
    connection.fetch_queued().await.unwrap();
    assert_eq!(connection.fetch_queued().await.unwrap_err().code(), 1062);
    assert_eq!(connection.run("DELETE FROM q").await.unwrap().affected_rows, 2);
}

async fn killed_and_deserted_connections_leave_the_others_alone(server: &mut Server) {
    let local = LocalSet::new();
    local
        .run_until(async {
            let mut good = shared(server).await;
            let mut killed = shared(server).await;
            let id = one(&mut killed, "SELECT CONNECTION_ID()").await;
            let root = &mut server.root;
            let kill = format!("KILL {id}");
            let (slept, killing) = tokio::join!(killed.query("SELECT SLEEP(600)"), async {
                tokio::time::sleep(Duration::from_millis(20)).await;
                root.run(&kill).await
            });
            killing.unwrap();
            assert_eq!(slept.unwrap_err().class(), ErrorClass::ConnectionLost);

            let mut deserted = shared(server).await;
            let sleep = deserted.query("SELECT SLEEP(600)");
            assert!(tokio::time::timeout(Duration::from_millis(50), sleep).await.is_err());
            let error = deserted.query("SELECT 1").await.unwrap_err();
            assert_eq!(error.class(), ErrorClass::ConnectionLost);
            drop((killed, deserted));
            // Their places are taken by others.
            let mut next = shared(server).await;
            assert_eq!(one(&mut next, "SELECT 1").await, "1");
            assert_eq!(one(&mut good, "SELECT 2").await, "2");
            // Left at work when the thread's set ends.
            spawn_local(async move { good.query("SELECT SLEEP(600)").await.map(drop) });
            tokio::task::yield_now().await;
        })
        .await;
}

async fn without_a_local_set_of_its_own_a_ring_ends(server: &mut Server) {
    let mut kept = LocalSet::new().run_until(async { shared(server).await }).await;
    let error = kept.query("SELECT 1").await.unwrap_err();
    assert_eq!(error.class(), ErrorClass::ConnectionLost, "{error}");
    let local = LocalSet::new();
    local
        .run_until(async {
            let mut again = shared(server).await;
            assert_eq!(one(&mut again, "SELECT 1").await, "1");
        })
        .await;
}
