//! One connection: made with privacy as asked, used for statements and bulk data.

use crate::{
    error::Error,
    row::{Row, Value},
    target::{Endpoint, Target, Tls, TlsMode},
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use mysql_async::{
    Conn, DriverError, Opts, OptsBuilder, Params, SslOpts,
    prelude::{Protocol, Queryable},
};
use std::{
    io,
    path::Path,
    sync::{Mutex, PoisonError},
};
use tokio::time::timeout;

/// The largest packet that either side sends, bytes. MySQL's protocol allows no more in one.
const MAX_ALLOWED_PACKET_BYTES: usize = 16 * 1024 * 1024;

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
#[derive(Debug)]
pub struct Connection {
    conn: Conn,
    endpoint: String,
}

impl Connection {
    /// Connects to the first endpoint that lets us in.
    ///
    /// # Errors
    /// The last endpoint's refusal, when none does.
    pub async fn connect(target: &Target) -> Result<Self, Error> {
        Self::connect_nth(target, 0).await
    }

    /// Connects to endpoint `nth` (modulo their number), so that many connections spread over a
    /// cluster; where it cannot be reached, the others are tried in turn.
    ///
    /// # Errors
    /// The last endpoint's refusal, when none lets us in. A refused login ends the search: the
    /// other members would refuse it as well.
    pub async fn connect_nth(target: &Target, nth: usize) -> Result<Self, Error> {
        let count = target.endpoints.len();
        let mut last = Error::Connect { endpoint: "nowhere".into(), reason: "no endpoint".into() };
        for step in 0..count {
            match Self::connect_to(target, &target.endpoints[(nth + step) % count]).await {
                Ok(connection) => return Ok(connection),
                Err(error @ Error::Connect { .. }) => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    async fn connect_to(target: &Target, endpoint: &Endpoint) -> Result<Self, Error> {
        match Self::attempt(target, endpoint, target.tls.mode).await {
            Err(Refused::NoTls) if target.tls.mode == TlsMode::Preferred => {
                Self::attempt(target, endpoint, TlsMode::Disabled).await
            }
            outcome => outcome,
        }
        .map_err(|refused| refused.into_error(endpoint))
    }

    async fn attempt(target: &Target, endpoint: &Endpoint, mode: TlsMode) -> Result<Self, Refused> {
        let opts = wire_options(target, endpoint, mode)?;
        match timeout(target.connect_timeout, Conn::new(opts)).await {
            Ok(Ok(conn)) => Ok(Self { conn, endpoint: endpoint.to_string() }),
            Ok(Err(mysql_async::Error::Driver(DriverError::NoClientSslFlagFromServer))) => {
                Err(Refused::NoTls)
            }
            Ok(Err(error)) => Err(Refused::Wire(error)),
            Err(_elapsed) => {
                Err(Refused::Because(format!("no answer within {:?}", target.connect_timeout)))
            }
        }
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
    pub async fn query_each(&mut self, sql: &str, mut each: impl FnMut(Row)) -> Result<(), Error> {
        let Self { conn, endpoint } = self;
        let wire = |error| Error::from_wire(error, endpoint);
        let mut result = conn.query_iter(sql).await.map_err(wire)?;
        while let Some(row) = result.next().await.map_err(wire)? {
            each(Row(row));
        }
        result.drop_result().await.map_err(wire)
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
        let Self { conn, endpoint } = self;
        let result =
            conn.query_iter(sql).await.map_err(|error| Error::from_wire(error, endpoint))?;
        finish(result, endpoint).await
    }

    /// Has the server prepare a statement.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection.
    pub async fn prepare(&mut self, sql: &str) -> Result<Statement, Error> {
        self.conn
            .prep(sql)
            .await
            .map(Statement)
            .map_err(|error| Error::from_wire(error, &self.endpoint))
    }

    /// Executes a prepared statement that returns no rows.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection.
    pub async fn execute(
        &mut self,
        statement: &Statement,
        values: Vec<Value>,
    ) -> Result<Done, Error> {
        let Self { conn, endpoint } = self;
        let result = conn
            .exec_iter(&statement.0, positional(values))
            .await
            .map_err(|error| Error::from_wire(error, endpoint))?;
        finish(result, endpoint).await
    }

    /// Executes a prepared statement and returns its rows.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection.
    pub async fn fetch(
        &mut self,
        statement: &Statement,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, Error> {
        let Self { conn, endpoint } = self;
        let wire = |error| Error::from_wire(error, endpoint);
        let mut result = conn.exec_iter(&statement.0, positional(values)).await.map_err(wire)?;
        let mut rows = Vec::new();
        while let Some(row) = result.next().await.map_err(wire)? {
            rows.push(Row(row));
        }
        result.drop_result().await.map_err(wire)?;
        Ok(rows)
    }

    /// Executes a prepared statement and returns its first row.
    ///
    /// # Errors
    /// The server's refusal, or a lost connection.
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
    pub async fn load_data(
        &mut self,
        sql: &str,
        data: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
    ) -> Result<Done, Error> {
        // The wire library wants to share what only one side ever touches; a mutex that nobody
        // else can see satisfies it.
        let data = Mutex::new(data.boxed());
        self.conn.set_infile_handler(async move {
            Ok(data.into_inner().unwrap_or_else(PoisonError::into_inner))
        });
        self.run(sql).await
    }

    /// Says goodbye. An error at this point interests nobody.
    pub async fn close(self) {
        let _goodbye = self.conn.disconnect().await;
    }
}

/// Reads what is left of a reply, and what the statement did.
async fn finish<P: Protocol>(
    result: mysql_async::QueryResult<'_, '_, P>,
    endpoint: &str,
) -> Result<Done, Error> {
    let done =
        Done { affected_rows: result.affected_rows(), last_insert_id: result.last_insert_id() };
    result.drop_result().await.map_err(|error| Error::from_wire(error, endpoint))?;
    Ok(done)
}

fn positional(values: Vec<Value>) -> Params {
    if values.is_empty() {
        Params::Empty
    } else {
        Params::Positional(values.into_iter().map(|value| value.0).collect())
    }
}

/// Why an endpoint did not let us in.
enum Refused {
    NoTls,
    Because(String),
    Wire(mysql_async::Error),
}

impl Refused {
    fn into_error(self, endpoint: &Endpoint) -> Error {
        let connect = |reason| Error::Connect { endpoint: endpoint.to_string(), reason };
        match self {
            Self::NoTls => connect(
                "the server offers no TLS; allow plain text with --tls-mode preferred".into(),
            ),
            Self::Because(reason) => connect(reason),
            Self::Wire(error) => match Error::from_wire(error, "") {
                Error::Lost { reason, .. } => connect(reason),
                Error::Protocol(reason) => connect(reason),
                refusal => refusal,
            },
        }
    }
}

fn wire_options(target: &Target, endpoint: &Endpoint, mode: TlsMode) -> Result<Opts, Refused> {
    let builder = OptsBuilder::default()
        .user(Some(target.user.as_str()))
        .pass(Some(target.password.expose()))
        .db_name(target.database.as_deref())
        .prefer_socket(false)
        .stmt_cache_size(0)
        .tcp_nodelay(true)
        // Given here, they need not be asked of the server on every connect.
        .max_allowed_packet(Some(MAX_ALLOWED_PACKET_BYTES))
        .wait_timeout(Some(28_800));
    let builder = match endpoint {
        Endpoint::Tcp { host, port } => builder
            .ip_or_hostname(host.as_str())
            .tcp_port(*port)
            .ssl_opts(tls_options(&target.tls, mode)?),
        Endpoint::Unix(path) => {
            if matches!(mode, TlsMode::Required | TlsMode::VerifyCa | TlsMode::VerifyIdentity) {
                return Err(Refused::Because(format!(
                    "TLS mode {mode} is for TCP; a UNIX socket never leaves the machine: \
                     use --host, or --tls-mode preferred"
                )));
            }
            let path = path.to_str().ok_or_else(|| {
                Refused::Because("the path of the socket is not valid UTF-8".into())
            })?;
            builder.socket(Some(path))
        }
    };
    Ok(builder.into())
}

fn tls_options(tls: &Tls, mode: TlsMode) -> Result<Option<SslOpts>, Refused> {
    if mode == TlsMode::Disabled {
        return Ok(None);
    }
    let mut options = SslOpts::default();
    match mode {
        TlsMode::VerifyCa => options = options.with_danger_skip_domain_validation(true),
        TlsMode::VerifyIdentity => {}
        _ => options = options.with_danger_accept_invalid_certs(true),
    }
    if let Some(ca) = &tls.ca {
        readable(ca, "--tls-ca")?;
        // A named authority replaces the public ones: trusting both would verify too little.
        options =
            options.with_disable_built_in_roots(true).with_root_certs(vec![ca.clone().into()]);
    }
    match (&tls.certificate, &tls.key) {
        (Some(certificate), Some(key)) => {
            readable(certificate, "--tls-cert")?;
            readable(key, "--tls-key")?;
            options = options.with_client_identity(Some(mysql_async::ClientIdentity::new(
                certificate.clone().into(),
                key.clone().into(),
            )));
        }
        (None, None) => {}
        _ => return Err(Refused::Because("--tls-cert and --tls-key go together".into())),
    }
    Ok(Some(options))
}

fn readable(path: &Path, option: &str) -> Result<(), Refused> {
    std::fs::File::open(path)
        .map(drop)
        .map_err(|error| Refused::Because(format!("{option} {}: {error}", path.display())))
}
