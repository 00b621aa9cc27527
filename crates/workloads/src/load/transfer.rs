//! One loading connection: a chunk and its marker in one transaction.

use super::{LoadMethod, Part, Piece, Supply};
use crate::tpcc::error::Error;
use bytes::Bytes;
use client::{Connection, ErrorClass, Target};
use futures_util::stream;
use std::io;

/// Bytes of one packet of LOAD DATA LOCAL: below every server's `max_allowed_packet`, and far
/// above what a packet costs.
const PACKET_BYTES: usize = 256 * 1024;
/// Bytes after which an INSERT statement is sent, below the smallest default
/// `max_allowed_packet` (16 MiB in MariaDB) and beyond the point where more would help.
const INSERT_BYTES: usize = 512 * 1024;
/// How often a chunk is sent again after a deadlock or a lock wait timeout.
const ATTEMPTS: u32 = 5;
/// A row with this key is there already.
const DUPLICATE_KEY: u16 = 1062;

/// How rows are sent, once that is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    LoadData,
    Insert,
}

impl Method {
    /// Asks the server whether it takes LOAD DATA LOCAL, where that matters.
    pub(crate) async fn choose(
        connection: &mut Connection,
        wanted: LoadMethod,
    ) -> Result<Self, Error> {
        if wanted == LoadMethod::Insert {
            return Ok(Self::Insert);
        }
        let row = connection.query_one("SELECT @@GLOBAL.local_infile").await;
        let row = row.map_err(Error::database("asking for local_infile"))?;
        match row.map(|row| row.int(0)) {
            Some(Ok(1)) => Ok(Self::LoadData),
            _ if wanted == LoadMethod::LoadData => Err(Error::NoLocalInfile),
            _ => Ok(Self::Insert),
        }
    }
}

/// A connection that sends chunks.
pub(super) struct Sender<'a, S> {
    connection: Connection,
    source: &'a S,
    method: Method,
    user: String,
    database: String,
}

/// The statements of one chunk, made once for all attempts.
enum Statements {
    /// LOAD DATA LOCAL and what it is fed with.
    LoadData(Vec<(String, Bytes)>),
    /// INSERT.
    Insert(Vec<String>),
}

impl<'a, S: Supply> Sender<'a, S> {
    pub(super) async fn open(
        target: &Target,
        source: &'a S,
        method: Method,
    ) -> Result<Self, Error> {
        let user = target.user.clone();
        let database = target.database.clone().unwrap_or_default();
        let refused = Error::sorted("connecting", &user, &database);
        let mut connection = Connection::connect(target).await.map_err(refused)?;
        // Keys are unique by construction and parents arrive in any order.
        let sql = "SET SESSION autocommit=0, foreign_key_checks=0";
        connection.run(sql).await.map_err(Error::database("preparing the session"))?;
        Ok(Self { connection, source, method, user, database })
    }

    /// Sends a chunk and returns its rows: none where another attempt had committed it.
    pub(super) async fn send(&mut self, chunk: S::Piece) -> Result<u64, Error> {
        let (statements, count) = self.statements(chunk);
        let table = self.source.name(chunk);
        let mut attempt = 1;
        loop {
            match self.transaction(chunk, &statements).await {
                Ok(true) => return Ok(count),
                Ok(false) => return Ok(0),
                Err(error) if error.class() == ErrorClass::Retryable && attempt < ATTEMPTS => {
                    attempt += 1;
                    let _rolled_back = self.connection.run("ROLLBACK").await;
                }
                Err(error) => {
                    let doing = format!("loading {table}");
                    return Err(Error::sorted(&doing, &self.user, &self.database)(error));
                }
            }
        }
    }

    /// False when the chunk's marker is there: the rows then are as well. The marker comes
    /// first, so that a killed load that is still committing is waited for here.
    async fn transaction(
        &mut self,
        chunk: S::Piece,
        statements: &Statements,
    ) -> Result<bool, client::Error> {
        let chunks = self.source.chunk_table();
        let marker = format!("INSERT INTO {chunks} (id) VALUES ({})", chunk.id());
        match self.connection.run(&marker).await {
            Err(error) if error.code() == DUPLICATE_KEY => {
                self.connection.run("ROLLBACK").await?;
                return Ok(false);
            }
            outcome => outcome.map(drop)?,
        }
        match statements {
            Statements::LoadData(parts) => {
                for (sql, rows) in parts {
                    self.connection.load_data(sql, stream::iter(packets(rows))).await?;
                }
            }
            Statements::Insert(statements) => {
                for sql in statements {
                    self.connection.run(sql).await?;
                }
            }
        }
        self.connection.run("COMMIT").await?;
        Ok(true)
    }

    /// The statements that send a chunk, and its rows.
    fn statements(&self, chunk: S::Piece) -> (Statements, u64) {
        let lines = |rows: &[u8]| rows.iter().filter(|byte| **byte == b'\n').count() as u64;
        let table = self.source.name(chunk);
        match self.method {
            Method::LoadData => {
                let parts = self.source.parts(chunk);
                let count = parts.iter().map(|part| lines(&part.rows)).sum();
                let load = |part: Part| {
                    let target = part.target;
                    let sql = format!(
                        "LOAD DATA LOCAL INFILE 'rows' INTO TABLE {table} CHARACTER SET latin1 \
                         {target}"
                    );
                    (sql, Bytes::from(part.rows))
                };
                (Statements::LoadData(parts.into_iter().map(load).collect()), count)
            }
            Method::Insert => {
                let mut rows = Vec::new();
                self.source.write(chunk, &mut rows);
                let columns = self.source.columns(chunk);
                let head = format!("INSERT INTO {table} ({columns}) VALUES ");
                (Statements::Insert(inserts(&head, &rows)), lines(&rows))
            }
        }
    }

    pub(super) async fn close(self) {
        self.connection.close().await;
    }
}

/// Rows as the packets that LOAD DATA LOCAL is fed with; they share the rows' memory.
fn packets(rows: &Bytes) -> impl Iterator<Item = io::Result<Bytes>> + Send + use<> {
    let rows = rows.clone();
    (0..rows.len())
        .step_by(PACKET_BYTES)
        .map(move |from| Ok(rows.slice(from..rows.len().min(from + PACKET_BYTES))))
}

/// Rows as INSERT statements of a bounded length that begin with `head`.
fn inserts(head: &str, rows: &[u8]) -> Vec<String> {
    let mut statements = Vec::new();
    let mut sql = String::with_capacity(INSERT_BYTES + 4096);
    for line in rows.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        sql.push_str(if sql.is_empty() { head } else { "," });
        push_values(&mut sql, line);
        if sql.len() >= INSERT_BYTES {
            statements.push(std::mem::take(&mut sql));
        }
    }
    if !sql.is_empty() {
        statements.push(sql);
    }
    statements
}

/// One row as the values of an INSERT. Of what would need an escape no population holds anything
/// but quotation marks (TPC-H has `Tiresias'`).
fn push_values(sql: &mut String, line: &[u8]) {
    for (at, field) in line.split(|byte| *byte == b'\t').enumerate() {
        sql.push(if at == 0 { '(' } else { ',' });
        if field == b"\\N" {
            sql.push_str("NULL");
        } else {
            sql.push('\'');
            sql.push_str(&String::from_utf8_lossy(field).replace('\'', "''"));
            sql.push('\'');
        }
    }
    sql.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_becomes_the_values_of_an_insert() {
        let mut sql = String::new();
        push_values(&mut sql, b"1\t\\N\tabc's\t-10.00");
        assert_eq!(sql, "('1',NULL,'abc''s','-10.00')");
    }
}
