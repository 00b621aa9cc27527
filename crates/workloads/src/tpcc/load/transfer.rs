//! One loading connection: a chunk and its marker in one transaction.

use super::{Chunk, LoadMethod};
use crate::tpcc::{
    error::Error, profile::Profile, rows::Population, state::CHUNK_TABLE, table::Table,
};
use bytes::Bytes;
use client::{Connection, ErrorClass, Target};
use futures_util::stream;

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
pub(super) enum Method {
    LoadData,
    Insert,
}

impl Method {
    /// Asks the server whether it takes LOAD DATA LOCAL, where that matters.
    pub(super) async fn choose(
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
pub(super) struct Sender {
    connection: Connection,
    profile: Profile,
    method: Method,
    user: String,
    database: String,
    buffer_bytes: usize,
}

impl Sender {
    pub(super) async fn open(
        target: &Target,
        profile: Profile,
        method: Method,
    ) -> Result<Self, Error> {
        let user = target.user.clone();
        let database = target.database.clone().unwrap_or_default();
        let refused = Error::sorted("connecting", &user, &database);
        let mut connection = Connection::connect(target).await.map_err(refused)?;
        // Keys are unique by construction and parents arrive in any order.
        let sql = "SET SESSION autocommit=0, foreign_key_checks=0";
        connection.run(sql).await.map_err(Error::database("preparing the session"))?;
        Ok(Self { connection, profile, method, user, database, buffer_bytes: 0 })
    }

    /// Sends a chunk and returns its rows: none where another attempt had committed it.
    pub(super) async fn send(
        &mut self,
        chunk: Chunk,
        population: &Population,
    ) -> Result<u64, Error> {
        let mut rows = Vec::with_capacity(self.buffer_bytes);
        chunk.write(population, &mut rows);
        self.buffer_bytes = self.buffer_bytes.max(rows.len());
        let count = rows.iter().filter(|byte| **byte == b'\n').count() as u64;
        let rows = Bytes::from(rows);
        let table = chunk.table.name(self.profile);
        let mut attempt = 1;
        loop {
            match self.transaction(chunk, &rows).await {
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
    async fn transaction(&mut self, chunk: Chunk, rows: &Bytes) -> Result<bool, client::Error> {
        let marker = format!("INSERT INTO {CHUNK_TABLE} (id) VALUES ({})", chunk.id());
        match self.connection.run(&marker).await {
            Err(error) if error.code() == DUPLICATE_KEY => {
                self.connection.run("ROLLBACK").await?;
                return Ok(false);
            }
            outcome => outcome.map(drop)?,
        }
        match self.method {
            Method::LoadData => self.load_data(chunk.table, rows).await?,
            Method::Insert => self.insert(chunk.table, rows).await?,
        }
        self.connection.run("COMMIT").await?;
        Ok(true)
    }

    async fn load_data(&mut self, table: Table, rows: &Bytes) -> Result<(), client::Error> {
        let sql = format!(
            "LOAD DATA LOCAL INFILE 'rows' INTO TABLE {} CHARACTER SET latin1 ({})",
            table.name(self.profile),
            table.loaded_columns(self.profile)
        );
        let rows = rows.clone();
        let packets = (0..rows.len())
            .step_by(PACKET_BYTES)
            .map(move |from| Ok(rows.slice(from..rows.len().min(from + PACKET_BYTES))));
        self.connection.load_data(&sql, stream::iter(packets)).await.map(drop)
    }

    async fn insert(&mut self, table: Table, rows: &Bytes) -> Result<(), client::Error> {
        let head = format!(
            "INSERT INTO {} ({}) VALUES ",
            table.name(self.profile),
            table.loaded_columns(self.profile)
        );
        let mut sql = String::with_capacity(INSERT_BYTES + 4096);
        for line in rows.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            sql.push_str(if sql.is_empty() { &head } else { "," });
            push_values(&mut sql, line);
            if sql.len() >= INSERT_BYTES {
                self.connection.run(&sql).await?;
                sql.clear();
            }
        }
        if !sql.is_empty() {
            self.connection.run(&sql).await?;
        }
        Ok(())
    }

    pub(super) async fn close(self) {
        self.connection.close().await;
    }
}

/// One row as the values of an INSERT. The population holds letters, digits and punctuation of
/// numbers and dates only, so nothing in it needs an escape.
fn push_values(sql: &mut String, line: &[u8]) {
    for (at, field) in line.split(|byte| *byte == b'\t').enumerate() {
        sql.push(if at == 0 { '(' } else { ',' });
        if field == b"\\N" {
            sql.push_str("NULL");
        } else {
            sql.push('\'');
            sql.push_str(&String::from_utf8_lossy(field));
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
        push_values(&mut sql, b"1\t\\N\tabc\t-10.00");
        assert_eq!(sql, "('1',NULL,'abc','-10.00')");
    }
}
