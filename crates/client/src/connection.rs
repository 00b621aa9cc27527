//! One connection: statements, prepared statements and bulk data.

use crate::{
    cell::{Cell, Column},
    error::Error,
    infile,
    row::{Row, Rows},
    value::Value,
    wire::guarded,
};
use bytes::Bytes;
use futures_util::Stream;
use mysql_async::{
    Conn, Params,
    prelude::{Protocol, Queryable},
};
use std::{fmt, io};

/// What a statement without rows did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Rows changed, as the server counts them.
    pub affected_rows: u64,
    /// The last value that AUTO_INCREMENT gave, if it gave one.
    pub last_insert_id: Option<u64>,
}

/// A statement that the server has prepared. It lives as long as its connection.
#[derive(Clone, Debug)]
pub struct Statement(mysql_async::Statement);

impl Statement {
    /// Parameters that it takes.
    pub fn parameters(&self) -> usize {
        usize::from(self.0.num_params())
    }
}

/// A connection to one server.
///
/// A call that is dropped before it is done takes the connection with it, because what the
/// server was about to say can no longer be told from the next reply; later calls then find the
/// connection lost.
pub struct Connection {
    /// None while a call is at work, and for good when it was dropped there or the connection
    /// broke.
    conn: Option<Conn>,
    endpoint: String,
    /// Of the last reply.
    rows: Rows,
}

/// The wire library would show the password.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.conn.as_ref().map(Conn::id);
        f.debug_struct("Connection").field("endpoint", &self.endpoint).field("id", &id).finish()
    }
}

impl Connection {
    pub(crate) fn new(conn: Conn, endpoint: String) -> Self {
        Self { conn: Some(conn), endpoint, rows: Rows::default() }
    }

    /// The address that this connection leads to.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Runs a statement by the text protocol and lends its rows.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection.
    pub async fn query(&mut self, sql: &str) -> Result<&Rows, Error> {
        let mut conn = self.take()?;
        let rows = &mut self.rows;
        let outcome = async { read_rows(guarded(conn.query_iter(sql)).await?, rows, None).await };
        let outcome = outcome.await;
        self.put_back(conn, outcome)?;
        Ok(&self.rows)
    }

    /// Like [`Self::query`], one row at a time, so that any number fits in memory.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection; rows seen before it stay seen.
    pub async fn query_each(
        &mut self,
        sql: &str,
        mut each: impl FnMut(Row<'_>),
    ) -> Result<(), Error> {
        let mut conn = self.take()?;
        let rows = &mut self.rows;
        let outcome =
            async { read_rows(guarded(conn.query_iter(sql)).await?, rows, Some(&mut each)).await };
        let outcome = outcome.await;
        self.put_back(conn, outcome)
    }

    /// Runs a statement by the text protocol and lends its first row.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection.
    pub async fn query_one(&mut self, sql: &str) -> Result<Option<Row<'_>>, Error> {
        Ok(self.query(sql).await?.first())
    }

    /// Runs a statement that returns no rows, by the text protocol.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection.
    pub async fn run(&mut self, sql: &str) -> Result<Done, Error> {
        let mut conn = self.take()?;
        let outcome = async { finish(guarded(conn.query_iter(sql)).await?).await }.await;
        self.put_back(conn, outcome)
    }

    /// Has the server prepare a statement.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection.
    pub async fn prepare(&mut self, sql: &str) -> Result<Statement, Error> {
        let mut conn = self.take()?;
        let outcome = guarded(conn.prep(sql)).await;
        self.put_back(conn, outcome).map(Statement)
    }

    /// Executes a prepared statement that returns no rows.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection; [`Error::Protocol`] for a wrong number of
    /// values, which leaves the connection as it was.
    pub async fn execute(
        &mut self,
        statement: &Statement,
        values: &[Value<'_>],
    ) -> Result<Done, Error> {
        let values = positional(statement, values)?;
        let mut conn = self.take()?;
        let outcome =
            async { finish(guarded(conn.exec_iter(&statement.0, values)).await?).await }.await;
        self.put_back(conn, outcome)
    }

    /// Executes a prepared statement and lends its rows. Of several result sets the last one is kept:
    /// after a CALL, the OUT parameters.
    ///
    /// # Errors
    /// Those of [`Self::execute`].
    pub async fn fetch(
        &mut self,
        statement: &Statement,
        values: &[Value<'_>],
    ) -> Result<&Rows, Error> {
        let values = positional(statement, values)?;
        let mut conn = self.take()?;
        let rows = &mut self.rows;
        let outcome = async {
            let result = guarded(conn.exec_iter(&statement.0, values)).await?;
            read_rows(result, rows, None).await
        }
        .await;
        self.put_back(conn, outcome)?;
        Ok(&self.rows)
    }

    /// Executes a prepared statement and lends its first row.
    ///
    /// # Errors
    /// Those of [`Self::execute`].
    pub async fn fetch_one(
        &mut self,
        statement: &Statement,
        values: &[Value<'_>],
    ) -> Result<Option<Row<'_>>, Error> {
        Ok(self.fetch(statement, values).await?.first())
    }

    /// Runs a `LOAD DATA LOCAL INFILE` statement and feeds it from `data`, whatever file name it
    /// gives. No file is ever read.
    ///
    /// # Errors
    /// The server's refusal (3948 or 4166 where it allows no LOCAL), or a lost connection.
    /// [`Error::Data`] when `data` fails: the protocol has no word for it, and what ends early
    /// looks whole to the server, so that the connection is broken off before the end.
    pub async fn load_data(
        &mut self,
        sql: &str,
        data: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
    ) -> Result<Done, Error> {
        let mut conn = self.take()?;
        let (data, failure) = infile::watched(data);
        infile::feed(&mut conn, data);
        let load = async { finish(guarded(conn.query_iter(sql)).await?).await };
        let outcome = tokio::select! {
            biased;
            Ok(error) = failure => return Err(Error::Data(error.to_string())),
            outcome = load => outcome,
        };
        // A statement that asked for no data has left it there.
        infile::feed_nothing(&mut conn);
        self.put_back(conn, outcome)
    }

    /// Says goodbye. An error at this point interests nobody.
    pub async fn close(self) {
        if let Some(conn) = self.conn {
            let _goodbye = conn.disconnect().await;
        }
    }

    fn take(&mut self) -> Result<Conn, Error> {
        self.conn.take().ok_or_else(|| Error::Lost {
            endpoint: self.endpoint.clone(),
            reason: "an earlier call failed or was broken off".into(),
        })
    }

    fn put_back<T>(&mut self, conn: Conn, outcome: mysql_async::Result<T>) -> Result<T, Error> {
        // After any other error it cannot be told where in its replies the server is.
        if matches!(outcome, Ok(_) | Err(mysql_async::Error::Server(_))) {
            self.conn = Some(conn);
        }
        outcome.map_err(|error| Error::from_wire(error, &self.endpoint))
    }
}

async fn read_rows<P: Protocol>(
    mut result: mysql_async::QueryResult<'_, '_, P>,
    rows: &mut Rows,
    mut each: Option<&mut dyn FnMut(Row<'_>)>,
) -> mysql_async::Result<()> {
    rows.clear();
    loop {
        if !result.columns_ref().is_empty() {
            rows.clear();
            rows.columns.extend(result.columns_ref().iter().map(|column| Column {
                kind: column.column_type() as u8,
                unsigned: false,
                decimals: column.decimals(),
            }));
        }
        while let Some(row) = guarded(result.next()).await? {
            for value in row.unwrap() {
                push(rows, value);
            }
            if let Some(each) = &mut each {
                if let Some(row) = rows.first() {
                    each(row);
                }
                rows.clear_rows();
            }
        }
        if result.is_empty() {
            break;
        }
    }
    guarded(result.drop_result()).await
}

fn push(rows: &mut Rows, value: mysql_async::Value) {
    use mysql_async::Value as Wire;
    rows.cells.push(match value {
        Wire::NULL => Cell::Null,
        Wire::Bytes(bytes) => return rows.push_bytes(&bytes),
        Wire::Int(value) => Cell::Int(value),
        Wire::UInt(value) => Cell::UInt(value),
        Wire::Float(value) => Cell::Float(value),
        Wire::Double(value) => Cell::Double(value),
        Wire::Date(year, month, day, hour, minute, second, micros) => {
            Cell::Date { year, month, day, hour, minute, second, micros }
        }
        Wire::Time(negative, days, hours, minute, second, micros) => {
            Cell::Time { negative, days, hours, minute, second, micros }
        }
    });
}

/// Reads what is left of a reply, and what the statement did.
async fn finish<P: Protocol>(
    result: mysql_async::QueryResult<'_, '_, P>,
) -> mysql_async::Result<Done> {
    let done =
        Done { affected_rows: result.affected_rows(), last_insert_id: result.last_insert_id() };
    guarded(result.drop_result()).await?;
    Ok(done)
}

/// The wire library breaks the connection off over a wrong number.
fn positional(statement: &Statement, values: &[Value<'_>]) -> Result<Params, Error> {
    let (takes, given) = (statement.parameters(), values.len());
    if takes != given {
        let reason = format!("a statement with {takes} parameters was given {given} values");
        return Err(Error::Protocol(reason));
    }
    Ok(match given {
        0 => Params::Empty,
        _ => Params::Positional(values.iter().map(wire_value).collect()),
    })
}

fn wire_value(value: &Value<'_>) -> mysql_async::Value {
    use mysql_async::Value as Wire;
    match *value {
        Value::Null => Wire::NULL,
        Value::Int(value) => Wire::Int(value),
        Value::UInt(value) => Wire::UInt(value),
        Value::Double(value) => Wire::Double(value),
        Value::Bytes(bytes) => Wire::Bytes(bytes.to_vec()),
        Value::DateTime { year, month, day, hour, minute, second } => {
            Wire::Date(year, month, day, hour, minute, second, 0)
        }
    }
}
