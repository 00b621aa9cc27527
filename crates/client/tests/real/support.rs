//! What the tests with real servers share.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use client::{Connection, Endpoint, Error, Secret, Target, TlsMode};
use server::{
    Flavour, Settings,
    scratch::{ScratchServer, Unavailable},
};

/// Runs cases one after the other, each in an empty database; the last name that a failed test
/// printed is the case.
#[macro_export]
macro_rules! in_turn {
    ($server:expr; $($case:ident),+ $(,)?) => {$(
        eprintln!("case: {}", stringify!($case));
        $server.fresh().await;
        $case(&mut $server).await;
    )+};
}

/// Makes a test of cases, each an `async fn(&mut Server)`, for each flavour.
#[macro_export]
macro_rules! on_both {
    ($settings:expr; $($case:ident),+ $(,)?) => {
        #[tokio::test]
        async fn mariadb() {
            let settings: &[(&str, &str)] = $settings;
            let mut server = $crate::support::Server::mariadb(settings).await;
            $crate::in_turn!(server; $($case),+);
        }

        #[tokio::test]
        async fn mysql() {
            let settings: &[(&str, &str)] = $settings;
            let Some(mut server) = $crate::support::Server::mysql(settings).await else { return };
            $crate::in_turn!(server; $($case),+);
        }
    };
}

/// A server that lives as long as its test, and a connection of root.
pub(crate) struct Server {
    pub(crate) scratch: ScratchServer,
    pub(crate) root: Connection,
}

impl Server {
    /// MariaDB, which must be there.
    pub(crate) async fn mariadb(settings: &[(&str, &str)]) -> Self {
        Self::start(Flavour::MariaDb, settings).await.unwrap()
    }

    /// MySQL 9, if it is there.
    pub(crate) async fn mysql(settings: &[(&str, &str)]) -> Option<Self> {
        match Self::start(Flavour::MySql, settings).await {
            Err(Unavailable::MySqlAbsent) => {
                eprintln!("SKIPPED: MySQL 9 is not unpacked; run scripts/setup");
                None
            }
            server => Some(server.unwrap()),
        }
    }

    async fn start(flavour: Flavour, settings: &[(&str, &str)]) -> Result<Self, Unavailable> {
        let settings: Settings =
            settings.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let scratch = ScratchServer::start_with(flavour, settings).await?;
        let root = Connection::connect(&scratch.socket_target().unwrap()).await.unwrap();
        let mut server = Self { scratch, root };
        server.fresh().await;
        Ok(server)
    }

    /// Empties the database of the tests and deletes their accounts.
    pub(crate) async fn fresh(&mut self) {
        let mut statements = vec!["DROP DATABASE IF EXISTS t".into(), "CREATE DATABASE t".into()];
        let accounts = "SELECT user, host FROM mysql.user WHERE user <> '' AND \
                        user NOT IN ('root', 'mariadb.sys') AND user NOT LIKE 'mysql.%'";
        for row in self.root.query(accounts).await.unwrap().iter() {
            let (user, host) = (row.text(0).unwrap(), row.text(1).unwrap());
            statements.push(format!("DROP USER '{user}'@'{host}'"));
        }
        statements.push("USE t".into());
        for sql in statements {
            self.sql(&[&sql]).await;
        }
    }

    /// Root over TCP, in the database of the tests.
    pub(crate) fn tcp(&self) -> Target {
        self.scratch.target().unwrap().with_database("t")
    }

    /// Root over the UNIX socket, in the database of the tests.
    pub(crate) fn socket(&self) -> Target {
        self.scratch.socket_target().unwrap().with_database("t")
    }

    /// TCP as somebody else.
    pub(crate) fn tcp_as(&self, user: &str, password: &str) -> Target {
        let Target { endpoints, .. } = self.tcp();
        Target { endpoints, ..target(user, password) }
    }

    /// The UNIX socket as somebody else.
    pub(crate) fn socket_as(&self, user: &str, password: &str) -> Target {
        let Target { endpoints, .. } = self.socket();
        Target { endpoints, ..target(user, password) }
    }

    /// Runs statements as root.
    pub(crate) async fn sql(&mut self, statements: &[&str]) {
        for sql in statements {
            self.root.run(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        }
    }

    /// A second connection of root over TCP.
    pub(crate) async fn another(&self) -> Connection {
        Connection::connect(&self.tcp()).await.unwrap()
    }
}

fn target(user: &str, password: &str) -> Target {
    let nowhere = Endpoint::Tcp { host: "127.0.0.1".into(), port: 1 };
    Target::new(nowhere, user, Secret::new(password))
}

/// The same with another TLS mode.
pub(crate) fn with_tls(mut target: Target, mode: TlsMode) -> Target {
    target.tls.mode = mode;
    target
}

/// The first column of the first row, as text.
pub(crate) async fn one(connection: &mut Connection, sql: &str) -> String {
    connection.query_one(sql).await.unwrap().unwrap().text(0).unwrap()
}

/// The cipher of the connection's TLS, empty where it is plain.
pub(crate) async fn cipher(connection: &mut Connection) -> String {
    let row = connection.query_one("SHOW SESSION STATUS LIKE 'Ssl_cipher'").await.unwrap();
    row.unwrap().text(1).unwrap()
}

/// What the server says of a connection that is refused.
pub(crate) async fn refusal(target: &Target) -> Error {
    match Connection::connect(target).await {
        Err(error) => error,
        Ok(_) => panic!("let in by {:?} as {}", target.endpoints, target.user),
    }
}
