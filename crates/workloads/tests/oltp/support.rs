//! What the tests share: a server a flavour, tables, and a few words of SQL.

use client::{Connection, Target};
use engine::{Completion, Failure, Session, Workload};
use server::{
    Flavour,
    scratch::{ScratchServer, Unavailable},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::task::LocalSet;
use workloads::oltp::{
    DataSet, LoadMethod, LoadOptions, LoadProgress, LoadSummary, Oltp, Options, load,
};

/// A server that tests share: each has databases of its own in it.
pub(crate) struct Bench {
    server: ScratchServer,
    turn: Mutex<()>,
}

/// The server of a flavour. It lives as long as a test holds it: a value that lived to the end
/// of the program would never be dropped and leave its process behind.
pub(crate) fn shared(flavour: Flavour) -> Option<Arc<Bench>> {
    static BENCHES: Mutex<[Weak<Bench>; 2]> = Mutex::new([Weak::new(), Weak::new()]);
    let mut benches = BENCHES.lock().unwrap_or_else(PoisonError::into_inner);
    let bench = &mut benches[usize::from(flavour == Flavour::MySql)];
    if let Some(bench) = bench.upgrade() {
        return Some(bench);
    }
    let settings = [
        ("max-connections", "100"),
        ("max-prepared-stmt-count", "500"),
        ("innodb-lock-wait-timeout", "1"),
        ("performance-schema", "OFF"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let server = match wait(ScratchServer::start_with(flavour, settings)) {
        Err(Unavailable::MySqlAbsent) => {
            eprintln!("SKIPPED: MySQL 9 is not unpacked; run scripts/setup");
            return None;
        }
        server => server.expect("a scratch server"),
    };
    let started = Arc::new(Bench { server, turn: Mutex::new(()) });
    *bench = Arc::downgrade(&started);
    Some(started)
}

impl Bench {
    /// Keeps other tests of this server waiting.
    pub(crate) fn alone(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A database of it as root.
    pub(crate) fn target(&self, database: &str) -> Target {
        self.server.socket_target().expect("the password file").with_database(database)
    }

    /// Small tables in a database of their own.
    pub(crate) fn tables(&self, database: &str, data: DataSet) -> Target {
        let target = self.target(database);
        loaded(&target, &LoadOptions { data, connections: 2, ..LoadOptions::default() });
        target
    }
}

/// Two tables of 1,000 rows.
pub(crate) fn small() -> DataSet {
    DataSet { tables: 2, table_size: 1_000, ..DataSet::default() }
}

/// What runs on [`small`] tables.
pub(crate) fn on_small() -> Options {
    Options { tables: 2, table_size: 1_000, ..Options::default() }
}

/// Loads and fails where that fails.
pub(crate) fn loaded(target: &Target, options: &LoadOptions) -> LoadSummary {
    load(target, options, &LoadProgress::default()).expect("a load")
}

/// Two tables of two chunks each.
pub(crate) fn chunked() -> LoadOptions {
    let data = DataSet { tables: 2, table_size: 25_000, ..DataSet::default() };
    LoadOptions { data, seed: 42, connections: 4, method: LoadMethod::Auto, ..Default::default() }
}

/// Runs a future to its end, where the engine would run it: sessions share their thread's system
/// calls, which takes a `LocalSet`.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    LocalSet::new().block_on(&runtime.expect("a runtime"), future)
}

/// The rows of a query, columns joined by blanks.
pub(crate) fn query(target: &Target, sql: &str) -> Vec<String> {
    wait(async {
        let mut connection = Connection::connect(target).await.expect("a connection");
        let rows = connection.query(sql).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
        let column = |row: client::Row<'_>, at| row.text(at).unwrap_or_else(|| "NULL".into());
        let columns = |row: client::Row<'_>| -> Vec<String> {
            (0..row.len()).map(|at| column(row, at)).collect()
        };
        let rows = rows.iter().map(|row| columns(row).join(" ")).collect();
        connection.close().await;
        rows
    })
}

/// The only value of a query, a whole number.
pub(crate) fn number(target: &Target, sql: &str) -> i64 {
    let rows = query(target, sql);
    rows[0].parse().unwrap_or_else(|_| panic!("no whole number: {rows:?}: {sql}"))
}

/// Runs statements that return no rows, on one connection.
pub(crate) fn run(target: &Target, statements: &[&str]) {
    wait(async {
        let mut connection = Connection::connect(target).await.expect("a connection");
        for sql in statements {
            connection.run(sql).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
        }
        connection.close().await;
    });
}

/// Makes an empty database.
pub(crate) fn create_database(target: &Target) {
    let name = target.database.clone().expect("a named database");
    let server = Target { database: None, ..target.clone() };
    run(&server, &[&format!("CREATE DATABASE `{name}`")]);
}

/// Everything in two tables as sums that do not depend on the order of the rows.
pub(crate) fn fingerprint(target: &Target) -> Vec<String> {
    let of = |table: u32| {
        format!("SELECT COUNT(*), SUM(CRC32(CONCAT_WS(',', id, k, c, pad))) FROM sbtest{table}")
    };
    [1, 2].map(|table| query(target, &of(table))[0].clone()).into()
}

/// Draws and executes transactions in one session; every one must commit.
pub(crate) fn transact(oltp: &Oltp, transactions: u32) {
    wait(async {
        let mut session = oltp.open(0, 0).await.expect("a session");
        for _ in 0..transactions {
            once(&mut session).await.expect("a transaction");
        }
        session.close().await;
    });
}

/// Draws and executes one transaction.
pub(crate) async fn once(session: &mut impl Session) -> Result<Completion, Failure> {
    session.draw();
    session.execute().await
}
