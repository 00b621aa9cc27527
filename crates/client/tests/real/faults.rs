//! What goes wrong on a connection, and how it is sorted.

use crate::{
    on_both,
    support::{Server, one},
};
use client::{Connection, Error, ErrorClass, Value};
use std::time::Duration;

on_both!(&[("innodb-lock-wait-timeout", "1")];
    deadlocks_and_lock_waits_can_be_tried_again,
    killed_connections_are_lost,
    a_call_that_is_broken_off_takes_the_connection_with_it,
    a_killed_server_loses_its_connections,
);

async fn two_rows(server: &mut Server) -> (Connection, Connection) {
    server
        .sql(&[
            "CREATE TABLE pair (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB",
            "INSERT INTO pair VALUES (1, 0), (2, 0)",
        ])
        .await;
    let mut pair = (server.another().await, server.another().await);
    for connection in [&mut pair.0, &mut pair.1] {
        connection.run("BEGIN").await.unwrap();
    }
    pair
}

async fn deadlocks_and_lock_waits_can_be_tried_again(server: &mut Server) {
    let (mut one_side, mut other_side) = two_rows(server).await;
    one_side.run("UPDATE pair SET n = n + 1 WHERE id = 1").await.unwrap();

    // A lock wait that times out costs the statement, not the transaction.
    let waited = other_side.run("UPDATE pair SET n = n + 1 WHERE id = 1").await.unwrap_err();
    assert_eq!((waited.class(), waited.code()), (ErrorClass::Retryable, 1205), "{waited}");

    other_side.run("UPDATE pair SET n = n + 1 WHERE id = 2").await.unwrap();
    let (one_outcome, other_outcome) = tokio::join!(
        one_side.run("UPDATE pair SET n = n + 1 WHERE id = 2"),
        other_side.run("UPDATE pair SET n = n + 1 WHERE id = 1"),
    );
    let errors: Vec<_> = [one_outcome, other_outcome].into_iter().filter_map(Result::err).collect();
    assert_eq!(errors.len(), 1, "one of two is the victim: {errors:?}");
    assert_eq!((errors[0].class(), errors[0].code()), (ErrorClass::Retryable, 1213));

    // Both connections go on.
    for connection in [&mut one_side, &mut other_side] {
        connection.run("ROLLBACK").await.unwrap();
        assert_eq!(one(connection, "SELECT SUM(n) FROM pair").await, "0");
    }
}

async fn killed_connections_are_lost(server: &mut Server) {
    // While it is idle, and while a statement runs.
    for sql in ["SELECT 1", "SELECT SLEEP(600)"] {
        let mut victim = server.another().await;
        let id = one(&mut victim, "SELECT CONNECTION_ID()").await;
        let is_idle = sql == "SELECT 1";
        let kill = async {
            if !is_idle {
                let condition = format!("id = {id} AND info LIKE '%SLEEP%'");
                until_found(&mut server.root, &condition, 1).await;
            }
            server.root.run(&format!("KILL CONNECTION {id}")).await.unwrap();
            until_found(&mut server.root, &format!("id = {id}"), 0).await;
        };
        let error = if is_idle {
            kill.await;
            victim.query(sql).await.unwrap_err()
        } else {
            let (outcome, ()) = tokio::join!(victim.query(sql), kill);
            outcome.unwrap_err()
        };
        assert_eq!(error.class(), ErrorClass::ConnectionLost, "{sql}: {error:?}");
        let again = victim.query("SELECT 1").await.unwrap_err();
        assert_eq!(again.class(), ErrorClass::ConnectionLost, "{again:?}");
        victim.close().await;
    }
}

/// Waits until the server has so many connections of that kind.
async fn until_found(root: &mut Connection, condition: &str, count: usize) {
    let sql = format!("SELECT id FROM information_schema.processlist WHERE {condition}");
    for _ in 0..6000 {
        if root.query(&sql).await.unwrap().len() == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("waited in vain for {count} connections with {condition}");
}

async fn a_killed_server_loses_its_connections(server: &mut Server) {
    let mut by_tcp = server.another().await;
    let mut by_socket = Connection::connect(&server.socket()).await.unwrap();
    let mut busy = server.another().await;
    let statement = by_tcp.prepare("SELECT ?").await.unwrap();
    let deadline = Duration::from_secs(60);
    let kill = async {
        until_found(&mut server.root, "info LIKE '%SLEEP(600)' AND command = 'Query'", 1).await;
        server.scratch.instance().kill(deadline).await.unwrap();
    };
    let (outcome, ()) = tokio::join!(busy.query("SELECT SLEEP(600)"), kill);
    let errors = [
        outcome.unwrap_err(),
        by_tcp.fetch(&statement, &[Value::from(1)]).await.unwrap_err(),
        by_socket.run("DO 1").await.unwrap_err(),
        by_socket.prepare("DO 1").await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(&error, Error::Lost { .. }), "{error:?}");
        assert_eq!((error.class(), error.code()), (ErrorClass::ConnectionLost, 2013));
    }
    let error = Connection::connect(&server.tcp()).await.unwrap_err();
    assert!(matches!(error, Error::Connect { .. }), "{error}");
}

async fn a_call_that_is_broken_off_takes_the_connection_with_it(server: &mut Server) {
    let mut connection = server.another().await;
    let id = one(&mut connection, "SELECT CONNECTION_ID()").await;
    let sleep = connection.query("SELECT SLEEP(600)");
    assert!(tokio::time::timeout(Duration::from_millis(50), sleep).await.is_err());
    let error = connection.query("SELECT 1").await.unwrap_err();
    assert_eq!(error.class(), ErrorClass::ConnectionLost);
    assert!(error.to_string().contains("broken off"), "{error}");
    // The server may take its time to see that nobody listens; a KILL shows that it lets go.
    server.root.run(&format!("KILL QUERY {id}")).await.unwrap();
    until_found(&mut server.root, &format!("id = {id}"), 0).await;
}
