//! `LOAD DATA LOCAL INFILE` from streams, good and bad.

use crate::{
    on_both,
    support::{Server, one},
};
use bytes::Bytes;
use client::{Connection, Error, ErrorClass};
use futures_util::stream;
use std::{io, time::Duration};

on_both!(&[];
    rows_of_a_stream_are_loaded,
    a_stream_that_fails_loads_nothing,
    statements_that_want_no_data_get_none,
    a_refused_load_leaves_the_connection_usable,
);

const ROWS: u32 = 50_000;
const LOAD: &str = "LOAD DATA LOCAL INFILE 'rows' INTO TABLE l (id, text)";

/// The longest that a load may take; reached only by one that hangs.
const DEADLINE: Duration = Duration::from_secs(60);

fn rows(from: u32, to: u32) -> Bytes {
    (from..to).map(|id| format!("{id}\ttext of {id}\n")).collect::<String>().into()
}

async fn load(
    connection: &mut Connection,
    sql: &str,
    parts: Vec<io::Result<Bytes>>,
) -> Result<u64, Error> {
    let load = connection.load_data(sql, stream::iter(parts));
    let outcome = tokio::time::timeout(DEADLINE, load).await.expect("no load may hang");
    outcome.map(|done| done.affected_rows)
}

async fn table(server: &mut Server) {
    let create = "CREATE TABLE l (id INT PRIMARY KEY, text VARCHAR(40)) ENGINE=InnoDB";
    server.sql(&[create]).await;
}

async fn count(server: &mut Server) -> String {
    one(&mut server.root, "SELECT COUNT(*) FROM l").await
}

async fn rows_of_a_stream_are_loaded(server: &mut Server) {
    table(server).await;
    // Cut anywhere, with empty pieces and one that is longer than a packet.
    let all = rows(0, ROWS);
    let mut parts = vec![Ok(Bytes::new()), Ok(all.slice(..1)), Ok(all.slice(1..1001))];
    parts.extend([Ok(Bytes::new()), Ok(all.slice(1001..))]);
    assert_eq!(load(&mut server.root, LOAD, parts).await, Ok(u64::from(ROWS)));
    assert_eq!(count(server).await, ROWS.to_string());
    let last = one(&mut server.root, "SELECT text FROM l ORDER BY id DESC LIMIT 1").await;
    assert_eq!(last, format!("text of {}", ROWS - 1));

    assert_eq!(load(&mut server.root, LOAD, Vec::new()).await, Ok(0));
    // The same keys again: LOCAL passes over rows that are there.
    assert_eq!(load(&mut server.root, LOAD, vec![Ok(rows(0, 10))]).await, Ok(0));
    let over = load(&mut server.another().await, LOAD, vec![Ok(rows(ROWS, ROWS + 7))]).await;
    assert_eq!(over, Ok(7));
}

async fn a_stream_that_fails_loads_nothing(server: &mut Server) {
    table(server).await;
    for good in [0, 1, ROWS] {
        let mut connection = server.another().await;
        let broken = || Err(io::Error::other("the disk is on fire"));
        let parts = vec![Ok(rows(0, good)), broken(), Ok(rows(good, ROWS))];
        let error = load(&mut connection, LOAD, parts).await.unwrap_err();
        assert_eq!((error.class(), error.code()), (ErrorClass::Fatal, 2000));
        assert!(error.to_string().contains("the disk is on fire"), "{error}");
        let after = connection.query("SELECT 1").await.unwrap_err();
        assert_eq!(after.class(), ErrorClass::ConnectionLost, "{after}");
        until_gone(server).await;
        assert_eq!(count(server).await, "0", "after {good} rows");
    }
}

/// Waits until no connection but root's own works on the table.
async fn until_gone(server: &mut Server) {
    let sql = "SELECT id FROM information_schema.processlist \
               WHERE info LIKE 'LOAD DATA%' AND id <> CONNECTION_ID()";
    for _ in 0..6000 {
        if server.root.query(sql).await.unwrap().is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the server goes on with a load that was broken off");
}

async fn statements_that_want_no_data_get_none(server: &mut Server) {
    table(server).await;
    let mut connection = server.another().await;
    let outcome = load(&mut connection, "DO 1", vec![Ok(rows(0, 9))]).await;
    assert_eq!(outcome, Ok(0));
    // Nothing of it is left for a statement that comes without data; no file is read, either.
    let error = connection.run(LOAD).await.unwrap_err();
    assert_eq!(error.class(), ErrorClass::Fatal, "{error}");
    assert_eq!(count(server).await, "0");
    let mut connection = server.another().await;
    let error = connection.run("LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE l").await;
    assert!(matches!(error, Err(Error::Protocol(_))), "{error:?}");
    assert_eq!(count(server).await, "0");
}

async fn a_refused_load_leaves_the_connection_usable(server: &mut Server) {
    table(server).await;
    let mut connection = server.another().await;
    let data = || vec![Ok(rows(0, ROWS))];
    let none = LOAD.replace("TABLE l", "TABLE none");
    let error = load(&mut connection, &none, data()).await.unwrap_err();
    assert_eq!((error.class(), error.code()), (ErrorClass::Fatal, 1146));

    // Refused in the middle of the data, which then has to be read to its end.
    server.sql(&["CREATE TABLE strict (id INT PRIMARY KEY, CHECK (id < 100))"]).await;
    let strict = "LOAD DATA LOCAL INFILE 'rows' INTO TABLE strict (id, @text)";
    let outcome = load(&mut connection, strict, data()).await;
    assert!(matches!(outcome, Ok(100) | Err(Error::Server { .. })), "{outcome:?}");
    assert_eq!(one(&mut connection, "SELECT 1").await, "1");

    server.sql(&["SET GLOBAL local_infile = OFF"]).await;
    let error = load(&mut connection, LOAD, data()).await.unwrap_err();
    assert!(matches!(error.code(), 3948 | 4166), "{error}");
    assert_eq!(error.class(), ErrorClass::Fatal);
    assert_eq!(one(&mut connection, "SELECT 1").await, "1");
    server.sql(&["SET GLOBAL local_infile = ON"]).await;
    assert_eq!(load(&mut connection, LOAD, data()).await, Ok(u64::from(ROWS)));
}
