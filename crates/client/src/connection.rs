//! One connection: statements, prepared statements and bulk data.

use crate::{
    error::Error,
    row::{Row, Rows},
    value::Value,
    wire::{
        Channel, Fault, command,
        reply::{self, Done, Form, Prepared},
    },
};
use std::fmt;

/// A statement that the server has prepared. It lives as long as its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement(Prepared);

impl Statement {
    /// Parameters that it takes.
    pub fn parameters(&self) -> usize {
        self.0.parameters.into()
    }
}

/// A connection to one server.
///
/// A call that is dropped before it is done takes the connection with it, because what the
/// server was about to say can no longer be told from the next reply; later calls then find the
/// connection lost.
pub struct Connection {
    pub(crate) channel: Channel,
    /// The server's number of the connection.
    id: u32,
    endpoint: String,
    /// Of the last reply.
    pub(crate) rows: Rows,
    /// False while a call is at work, and for good when it was dropped there or the connection
    /// broke.
    is_ready: bool,
    /// Executions that are sent together and whose replies have not been read.
    queued: u32,
    /// Whether they have been sent.
    is_sent: bool,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("endpoint", &self.endpoint)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl Connection {
    pub(crate) fn new(channel: Channel, id: u32, endpoint: String) -> Self {
        Self {
            channel,
            id,
            endpoint,
            rows: Rows::default(),
            is_ready: true,
            queued: 0,
            is_sent: false,
        }
    }

    /// The address that this connection leads to.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Has the connection share its system calls with the others of the calling thread, by an
    /// io_uring: cheaper where many replies come at a time, no dearer where they come one by one.
    /// From then on it belongs to that thread, and is lost when the thread's `LocalSet` ends.
    /// Returns false, and goes on as before, under TLS and where the kernel has no such thing.
    ///
    /// # Panics
    /// Outside of a `LocalSet`, on which the thread's part of the work is done.
    pub fn share_thread_io(&mut self) -> bool {
        self.is_ready && self.channel.onto_ring()
    }

    /// Runs a statement by the text protocol and lends its rows.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection.
    pub async fn query(&mut self, sql: &str) -> Result<&Rows, Error> {
        self.run(sql).await?;
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
        let call = Call::start(self)?;
        let Connection { channel, rows, .. } = &mut *call.connection;
        channel.put(|out| command::query(out, sql));
        let outcome = reply::read(channel, rows, Form::Text, Some(&mut each)).await;
        call.finish(outcome).map(drop)
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
        let call = Call::start(self)?;
        let Connection { channel, rows, .. } = &mut *call.connection;
        channel.put(|out| command::query(out, sql));
        let outcome = reply::read(channel, rows, Form::Text, None).await;
        call.finish(outcome)
    }

    /// Has the server prepare a statement.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection.
    pub async fn prepare(&mut self, sql: &str) -> Result<Statement, Error> {
        let call = Call::start(self)?;
        let channel = &mut call.connection.channel;
        channel.put(|out| command::prepare(out, sql));
        let outcome = reply::read_prepared(channel).await;
        call.finish(outcome).map(Statement)
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
        self.check_count(statement, values)?;
        let call = Call::start(self)?;
        let Connection { channel, rows, .. } = &mut *call.connection;
        channel.put(|out| command::execute(out, statement.0.id, values));
        let outcome = reply::read(channel, rows, Form::Binary, None).await;
        call.finish(outcome)
    }

    /// Executes a prepared statement and lends its rows. Of several result sets the last one is
    /// kept: after a CALL, the OUT parameters.
    ///
    /// # Errors
    /// Those of [`Self::execute`].
    pub async fn fetch(
        &mut self,
        statement: &Statement,
        values: &[Value<'_>],
    ) -> Result<&Rows, Error> {
        self.execute(statement, values).await?;
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

    fn check_count(&self, statement: &Statement, values: &[Value<'_>]) -> Result<(), Error> {
        let (takes, given) = (statement.parameters(), values.len());
        if takes == given {
            return Ok(());
        }
        let reason = format!("a statement with {takes} parameters was given {given} values");
        Err(Error::Protocol(reason))
    }

    /// Queues an execution, to be sent together with others by [`Self::execute_queued`] or
    /// [`Self::fetch_queued`]: many statements in one round trip. Any other call drops what is
    /// queued and not sent.
    ///
    /// # Errors
    /// [`Error::Protocol`] for a wrong number of values, or where replies to an earlier queue have
    /// not been read; a lost connection.
    pub fn queue(&mut self, statement: &Statement, values: &[Value<'_>]) -> Result<(), Error> {
        self.check_count(statement, values)?;
        if self.is_sent {
            return Err(Error::Protocol("replies to queued statements are still unread".into()));
        }
        if self.queued == 0 {
            // Nothing is at work yet: the connection stays ready for any call.
            Call::start(self)?.finish(Ok(()))?;
        }
        self.channel.begin_queued();
        self.channel.put(|out| command::execute(out, statement.0.id, values));
        self.queued += 1;
        Ok(())
    }

    /// Sends what is queued and lends the rows of the first statement, the next time those of the
    /// second, and so on. After a refusal the replies behind it are read and forgotten; who wants
    /// no more of them says so by [`Self::execute_queued`].
    ///
    /// # Errors
    /// The statement's refusal, [`Error::Protocol`] where nothing is queued, or a lost connection.
    pub async fn fetch_queued(&mut self) -> Result<&Rows, Error> {
        let left = self.queued.checked_sub(1);
        let left = left.ok_or_else(|| Error::Protocol("nothing is queued".into()))?;
        let call = Call::go_on(self)?;
        let Connection { channel, rows, queued, is_sent, .. } = &mut *call.connection;
        channel.begin_reply();
        let mut outcome = reply::read(channel, rows, Form::Binary, None).await;
        (*queued, *is_sent) = (left, left > 0);
        if let Err(refusal @ Fault::Server { .. }) = outcome {
            (*queued, *is_sent) = (0, false);
            outcome = match read_queued(channel, rows, left).await {
                Ok(_) | Err(Fault::Server { .. }) => Err(refusal),
                Err(worse) => Err(worse),
            };
        }
        call.finish(outcome)?;
        Ok(&self.rows)
    }

    /// Sends what is queued, if that has not been done, and reads all replies that are left; adds
    /// up what the statements did. The server carries out every one, also those behind one that it
    /// refuses.
    ///
    /// # Errors
    /// The first refusal, or a lost connection.
    pub async fn execute_queued(&mut self) -> Result<Done, Error> {
        let queued = std::mem::take(&mut self.queued);
        self.is_sent = false;
        if queued == 0 {
            return Ok(Done::default());
        }
        let call = Call::go_on(self)?;
        let Connection { channel, rows, .. } = &mut *call.connection;
        let outcome = read_queued(channel, rows, queued).await;
        call.finish(outcome)
    }

    /// Says goodbye. An error at this point interests nobody.
    pub async fn close(mut self) {
        if let Ok(call) = Call::start(&mut self) {
            call.connection.channel.put(command::quit);
            call.connection.channel.close().await;
        }
    }
}

async fn read_queued(channel: &mut Channel, rows: &mut Rows, queued: u32) -> Result<Done, Fault> {
    let (mut done, mut refusal) = (Done::default(), None);
    for _statement in 0..queued {
        channel.begin_reply();
        match reply::read(channel, rows, Form::Binary, None).await {
            Ok(one) => done.affected_rows = done.affected_rows.saturating_add(one.affected_rows),
            Err(fault @ Fault::Server { .. }) => refusal = refusal.or(Some(fault)),
            Err(fault) => return Err(fault),
        }
    }
    refusal.map_or(Ok(done), Err)
}

/// A call at work on a connection. Dropped before its end, it takes the connection with it.
pub(crate) struct Call<'a> {
    pub(crate) connection: &'a mut Connection,
}

impl<'a> Call<'a> {
    /// Starts a call where no other is at work, and the connection is whole.
    pub(crate) fn start(connection: &'a mut Connection) -> Result<Self, Error> {
        let left_unread = std::mem::take(&mut connection.is_sent);
        let call = Self::go_on(connection)?;
        if left_unread {
            // They would be taken for the reply to this call.
            let fault = Fault::nonsense("replies to queued statements were left unread");
            return Err(fault.into_error(&call.connection.endpoint));
        }
        call.connection.queued = 0;
        call.connection.channel.begin();
        Ok(call)
    }

    /// The same, and leaves what is queued to be sent.
    fn go_on(connection: &'a mut Connection) -> Result<Self, Error> {
        if !std::mem::replace(&mut connection.is_ready, false) {
            let reason = "an earlier call failed or was broken off".into();
            return Err(Error::Lost { endpoint: connection.endpoint.clone(), reason });
        }
        Ok(Self { connection })
    }

    pub(crate) fn finish<T>(self, outcome: Result<T, Fault>) -> Result<T, Error> {
        // After any other fault it cannot be told where in its replies the server is.
        self.connection.is_ready = matches!(outcome, Ok(_) | Err(Fault::Server { .. }));
        outcome.map_err(|fault| fault.into_error(&self.connection.endpoint))
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if !self.connection.is_ready {
            self.connection.channel.break_off();
        }
    }
}
