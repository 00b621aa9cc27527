//! Values and rows of both protocols.

use crate::{
    on_both,
    support::{Server, one},
};
use client::{Connection, Error, ErrorClass, Row, Value};

on_both!(&[];
    every_kind_of_value_comes_back,
    both_protocols_read_alike,
    an_error_leaves_the_connection_usable,
    any_number_of_rows_is_read,
);

async fn fetch<'a>(connection: &'a mut Connection, sql: &str, values: &[Value<'_>]) -> Row<'a> {
    let statement = connection.prepare(sql).await.unwrap();
    assert_eq!(statement.parameters(), values.len());
    connection.fetch_one(&statement, values).await.unwrap().unwrap()
}

/// One value of each kind; the last but one is a moment, seconds since 1970.
type Kinds<'a> = (i64, u64, f64, &'a str, &'a [u8], i64, &'a str);

async fn every_kind_of_value_comes_back(server: &mut Server) {
    let every_byte: Vec<u8> = (0..=255).collect();
    let long = vec![0xA5u8; 3_000_000];
    server
        .sql(&["CREATE TABLE v (id INT AUTO_INCREMENT PRIMARY KEY, i BIGINT, u BIGINT UNSIGNED, \
             d DOUBLE, s VARCHAR(40), b LONGBLOB, t DATETIME, m DECIMAL(20,4))"])
        .await;
    let connection = &mut server.root;
    let insert = "INSERT INTO v (i, u, d, s, b, t, m) VALUES (?, ?, ?, ?, ?, ?, ?)";
    let insert = connection.prepare(insert).await.unwrap();
    let rows: [Kinds; 3] = [
        (i64::MIN, u64::MAX, -1.5e300, "péché 🎼 ' \\ \" \0", &every_byte, 0, "-0.0100"),
        (i64::MAX, 0, f64::MIN_POSITIVE, "", &[], 951_782_399, "1234567890123456.7800"),
        (-1, 1 << 63, 0.1, "?", &long, 4_102_444_799, "0.0000"),
    ];
    for (n, (i, u, d, s, b, t, m)) in rows.into_iter().enumerate() {
        let values = [i.into(), u.into(), d.into(), s.into(), b.into(), Value::utc(t), m.into()];
        let done = connection.execute(&insert, &values).await.unwrap();
        assert_eq!((done.affected_rows, done.last_insert_id), (1, Some(n as u64 + 1)));
    }
    connection.execute(&insert, &[Value::from(None::<i64>); 7]).await.unwrap();

    let select = connection.prepare("SELECT i, u, d, s, b, t, m FROM v WHERE id = ?").await;
    let select = select.unwrap();
    let dates = ["1970-01-01 00:00:00", "2000-02-28 23:59:59", "2099-12-31 23:59:59"];
    for (n, (i, u, d, s, b, _, m)) in rows.into_iter().enumerate() {
        let row = connection.fetch_one(&select, &[(n as u32 + 1).into()]).await.unwrap();
        let row = row.unwrap();
        assert_eq!((row.int(0).unwrap(), row.text(1).unwrap()), (i, u.to_string()));
        assert_eq!(row.double(2).unwrap(), d);
        assert_eq!((row.text(3).unwrap().as_str(), row.bytes(4).unwrap()), (s, b));
        assert_eq!(row.text(5).unwrap(), dates[n]);
        assert_eq!(row.text(6).unwrap(), m);
    }
    let row = connection.fetch_one(&select, &[4.into()]).await.unwrap().unwrap();
    assert!((0..row.len()).all(|column| row.is_null(column)), "{row:?}");
    assert_eq!(row.text(0), None);
    assert!(connection.fetch_one(&select, &[5.into()]).await.unwrap().is_none());
}

/// What a column is read as does not depend on the protocol that brought it.
async fn both_protocols_read_alike(server: &mut Server) {
    let connection = &mut server.root;
    let sql = "SELECT CAST(-7 AS SIGNED), CAST(18446744073709551615 AS UNSIGNED), 12.50, 1.5e0, \
               CAST(1.25 AS FLOAT), 'text', NULL, DATE '2026-11-21', \
               TIMESTAMP '2026-11-21 01:02:03', TIME '-12:34:56', X'00ff', \
               CAST(7 AS DECIMAL(10,2)), TIMESTAMP '2026-11-21 00:00:00', \
               TIME '100:00:00.5', TIMESTAMP '2026-11-21 01:02:03.000400'";
    let by_text = connection.query(sql).await.unwrap().clone();
    let by_binary = fetch(connection, sql, &[]).await;
    for row in [by_text.first().unwrap(), by_binary] {
        assert_eq!((row.len(), row.is_empty()), (15, false));
        assert_eq!(row.int(0).unwrap(), -7);
        assert_eq!(row.text(1).unwrap(), u64::MAX.to_string());
        assert!(matches!(row.int(1), Err(Error::UnexpectedValue { column: 1, .. })));
        assert_eq!((row.cents(2).unwrap(), row.double(2).unwrap()), (1250, 12.5));
        assert_eq!((row.double(3).unwrap(), row.double(4).unwrap()), (1.5, 1.25));
        assert_eq!((row.bytes(5), row.text(5).as_deref()), (Some(&b"text"[..]), Some("text")));
        assert!(row.is_null(6) && row.is_null(99) && row.int(6).is_err());
        assert_eq!(row.text(7).unwrap(), "2026-11-21");
        assert_eq!(row.text(8).unwrap(), "2026-11-21 01:02:03");
        assert_eq!(row.text(9).unwrap(), "-12:34:56");
        assert_eq!(row.bytes(10).unwrap(), [0, 0xff]);
        assert_eq!(row.cents(11).unwrap(), 700);
        assert_eq!(row.text(12).unwrap(), "2026-11-21 00:00:00");
        assert_eq!(row.text(13).unwrap(), "100:00:00.5");
        assert_eq!(row.text(14).unwrap(), "2026-11-21 01:02:03.000400");
    }
}

async fn an_error_leaves_the_connection_usable(server: &mut Server) {
    server.sql(&["CREATE TABLE k (id INT PRIMARY KEY)", "INSERT INTO k VALUES (1)"]).await;
    let connection = &mut server.root;
    let id = one(connection, "SELECT CONNECTION_ID()").await;
    let insert = connection.prepare("INSERT INTO k VALUES (?)").await.unwrap();
    // The second row is only found wrong when the first has been sent.
    let late = "SELECT CASE id WHEN 1 THEN id ELSE (SELECT 1 UNION SELECT 2) END FROM \
                (SELECT 1 AS id UNION ALL SELECT 2) AS both_rows";
    let late = connection.prepare(late).await.unwrap();
    let errors = [
        (1064, connection.query("SELEC").await.map(drop)),
        (1146, connection.query("SELECT * FROM none").await.map(drop)),
        (1146, connection.prepare("SELECT * FROM none").await.map(drop)),
        (1062, connection.execute(&insert, &[1.into()]).await.map(drop)),
        (1242, connection.fetch(&late, &[]).await.map(drop)),
        (2027, connection.execute(&insert, &[]).await.map(drop)),
        (2027, connection.fetch(&insert, &[1.into(), 2.into()]).await.map(drop)),
    ];
    for (code, outcome) in errors {
        let error = outcome.unwrap_err();
        assert_eq!((error.code(), error.class()), (code, ErrorClass::Fatal), "{error}");
    }
    assert_eq!(connection.execute(&insert, &[2.into()]).await.unwrap().affected_rows, 1);
    assert_eq!(one(connection, "SELECT CONNECTION_ID()").await, id, "it is the same connection");
    let done = connection.run("UPDATE k SET id = id + 10").await.unwrap();
    assert_eq!(done.affected_rows, 2);
}

async fn any_number_of_rows_is_read(server: &mut Server) {
    const ROWS: i64 = 100_000;
    let tens = "(SELECT 0 n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL \
                SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL \
                SELECT 8 UNION ALL SELECT 9)";
    let sql = format!(
        "SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n, REPEAT('x', 20) \
         FROM {tens} a, {tens} b, {tens} c, {tens} d, {tens} e"
    );
    let connection = &mut server.root;
    let (mut count, mut sum) = (0, 0);
    let each = |row: Row<'_>| {
        count += 1;
        sum += row.int(0).unwrap();
        assert_eq!(row.bytes(1).unwrap().len(), 20);
    };
    connection.query_each(&sql, each).await.unwrap();
    assert_eq!((count, sum), (ROWS, ROWS * (ROWS - 1) / 2));
    let statement = connection.prepare(&sql).await.unwrap();
    assert_eq!(connection.fetch(&statement, &[]).await.unwrap().len(), ROWS as usize);
    assert_eq!(one(connection, "SELECT 1").await, "1");
}
