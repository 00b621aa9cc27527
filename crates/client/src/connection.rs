//! One connection: statements, prepared statements and bulk data.

use crate::{
    error::Error,
    infile,
    row::{Row, Value},
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
        Self { conn: Some(conn), endpoint }
    }

    /// The address that this connection leads to.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Runs a statement by the text protocol and returns its rows.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection.
    pub async fn query(&mut self, sql: &str) -> Result<Vec<Row>, Error> {
        let mut rows = Vec::new();
        self.query_each(sql, |row| rows.push(row)).await?;
        Ok(rows)
    }

    /// Like [`Self::query`], one row at a time, so that any number fits in memory.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection; rows seen before it stay seen.
    pub async fn query_each(&mut self, sql: &str, each: impl FnMut(Row)) -> Result<(), Error> {
        let mut conn = self.take()?;
        let outcome = async { read_rows(guarded(conn.query_iter(sql)).await?, each).await }.await;
        self.put_back(conn, outcome)
    }

    /// Runs a statement by the text protocol and returns its first row.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection.
    pub async fn query_one(&mut self, sql: &str) -> Result<Option<Row>, Error> {
        Ok(self.query(sql).await?.into_iter().next())
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
        values: Vec<Value>,
    ) -> Result<Done, Error> {
        let values = positional(statement, values)?;
        let mut conn = self.take()?;
        let outcome =
            async { finish(guarded(conn.exec_iter(&statement.0, values)).await?).await }.await;
        self.put_back(conn, outcome)
    }

    /// Executes a prepared statement and returns its rows.
    ///
    /// # Errors
    /// Those of [`Self::execute`].
    pub async fn fetch(
        &mut self,
        statement: &Statement,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, Error> {
        let values = positional(statement, values)?;
        let mut conn = self.take()?;
        let mut rows = Vec::new();
        let outcome = async {
            let result = guarded(conn.exec_iter(&statement.0, values)).await?;
            read_rows(result, |row| rows.push(row)).await
        }
        .await;
        self.put_back(conn, outcome)?;
        Ok(rows)
    }

    /// Executes a prepared statement and returns its first row.
    ///
    /// # Errors
    /// Those of [`Self::execute`].
    pub async fn fetch_one(
        &mut self,
        statement: &Statement,
        values: Vec<Value>,
    ) -> Result<Option<Row>, Error> {
        Ok(self.fetch(statement, values).await?.into_iter().next())
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
    mut each: impl FnMut(Row),
) -> mysql_async::Result<()> {
    while let Some(row) = guarded(result.next()).await? {
        each(Row(row));
    }
    guarded(result.drop_result()).await
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
fn positional(statement: &Statement, values: Vec<Value>) -> Result<Params, Error> {
    let (takes, given) = (statement.parameters(), values.len());
    if takes != given {
        let reason = format!("a statement with {takes} parameters was given {given} values");
        return Err(Error::Protocol(reason));
    }
    Ok(match given {
        0 => Params::Empty,
        _ => Params::Positional(values.into_iter().map(|value| value.0).collect()),
    })
}
