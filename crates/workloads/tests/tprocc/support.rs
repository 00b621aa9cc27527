//! What the tests share: a server a flavour, its data sets, and a few words of SQL.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use client::{Connection, Secret, Target};
use server::{
    Flavour,
    scratch::{ScratchServer, Unavailable},
};
use workloads::{
    tpcc::{LoadMethod, LoadProgress, Table},
    tprocc::{DataSet, LoadOptions, Profile, TableOptions, load},
};

/// Longest that anything here may take; reached only by a failure.
const DEADLINE: Duration = Duration::from_secs(120);

/// Seed of every data set here.
pub(crate) const SEED: u64 = 42;

/// A server that tests share: each has a database of its own in it.
pub(crate) struct Bench {
    server: Mutex<ScratchServer>,
    turn: Mutex<()>,
    /// Data sets of two warehouses, a profile each, made when first asked for.
    data_sets: [Mutex<Option<DataSet>>; 2],
}

impl Bench {
    /// The server of a flavour. It lives as long as a test holds it.
    pub(crate) fn shared(flavour: Flavour) -> Option<Arc<Self>> {
        static BENCHES: Mutex<[Weak<Bench>; 2]> = Mutex::new([Weak::new(), Weak::new()]);
        let mut benches = BENCHES.lock().unwrap_or_else(PoisonError::into_inner);
        let bench = &mut benches[usize::from(flavour == Flavour::MySql)];
        if let Some(bench) = bench.upgrade() {
            return Some(bench);
        }
        let started = Arc::new(Self::start(flavour)?);
        *bench = Arc::downgrade(&started);
        Some(started)
    }

    fn start(flavour: Flavour) -> Option<Self> {
        let redo = match flavour {
            Flavour::MariaDb => "innodb-log-file-size",
            Flavour::MySql | Flavour::Percona => "innodb-redo-log-capacity",
        };
        let settings =
            [("innodb-buffer-pool-size", "512M"), (redo, "512M"), ("performance-schema", "OFF")];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        match wait(ScratchServer::start_with(flavour, settings.into_iter().collect())) {
            Err(Unavailable::MySqlAbsent) => {
                eprintln!("SKIPPED: MySQL 9 is not unpacked; run scripts/setup");
                None
            }
            server => Some(Self {
                server: Mutex::new(server.expect("a scratch server")),
                turn: Mutex::new(()),
                data_sets: [Mutex::new(None), Mutex::new(None)],
            }),
        }
    }

    /// One test at a time has the server for itself: its counters are part of what is looked at.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A database of it as root.
    pub(crate) fn target(&self, database: &str) -> Target {
        let server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        server.target().expect("the password file").with_database(database)
    }

    /// Two warehouses, held for one test at a time.
    pub(crate) fn two_warehouses(&self, profile: Profile) -> Held<'_> {
        let slot = &self.data_sets[usize::from(profile == Profile::Spec)];
        let Ok(mut slot) = slot.lock() else {
            panic!("a test before this one failed with this data set");
        };
        let target = self.target(&format!("shared_{profile}"));
        let data = slot.clone().unwrap_or_else(|| {
            let options = LoadOptions { warehouses: 2, ..options(profile) };
            load(&target, &options, &LoadProgress::default()).expect("a load");
            wait(DataSet::expect(&target, Some(profile), Some(2))).expect("a data set")
        });
        *slot = Some(data.clone());
        Held { target, data, _slot: slot }
    }

    /// An account with these privileges on its database, which is made.
    pub(crate) fn account(&self, name: &str, privileges: &str) -> Target {
        let root = self.target(name);
        let server = Target { database: None, ..root.clone() };
        for sql in [
            format!("CREATE DATABASE IF NOT EXISTS {name}"),
            format!("CREATE USER {name}@'%' IDENTIFIED BY 'Harmless-1'"),
            format!("GRANT {privileges} ON {name}.* TO {name}@'%'"),
        ] {
            run(&server, &sql);
        }
        Target { user: name.into(), password: Secret::new("Harmless-1"), ..root }
    }
}

/// A data set that belongs to one test for the moment.
pub(crate) struct Held<'a> {
    pub(crate) target: Target,
    pub(crate) data: DataSet,
    _slot: MutexGuard<'a, Option<DataSet>>,
}

/// One warehouse, by two connections.
pub(crate) fn options(profile: Profile) -> LoadOptions {
    LoadOptions {
        profile,
        warehouses: 1,
        seed: SEED,
        tables: TableOptions::default(),
        connections: 2,
        method: LoadMethod::Auto,
    }
}

/// Runs a future to its end, as the engine does: sessions share what their thread has.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    tokio::task::LocalSet::new().block_on(&runtime.expect("a runtime"), future)
}

/// Waits for a condition; fails when it does not come.
pub(crate) fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < DEADLINE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The rows of a query, columns joined by blanks.
pub(crate) fn query(target: &Target, sql: &str) -> Vec<String> {
    wait(async {
        let mut connection = Connection::connect(target).await.expect("a connection");
        let rows = connection.query(sql).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
        let column = |row: &client::Row<'_>, at| row.text(at).unwrap_or_else(|| "NULL".to_owned());
        let words = |row: client::Row<'_>| {
            (0..row.len()).map(|at| column(&row, at)).collect::<Vec<_>>().join(" ")
        };
        let words = rows.iter().map(words).collect();
        connection.close().await;
        words
    })
}

/// The only value of a query, a whole number.
pub(crate) fn number(target: &Target, sql: &str) -> i64 {
    let rows = query(target, sql);
    rows[0].parse().unwrap_or_else(|_| panic!("no whole number: {rows:?}: {sql}"))
}

/// Runs a statement that returns no rows.
pub(crate) fn run(target: &Target, sql: &str) {
    wait(async {
        let mut connection = Connection::connect(target).await.expect("a connection");
        connection.run(sql).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
        connection.close().await;
    });
}

/// The columns of a table that the loader fills, with moments reduced to whether there is one:
/// two runs do not happen in the same second.
pub(crate) fn comparable_columns(table: Table) -> Vec<String> {
    let columns = table.loaded_columns(workloads::tpcc::Profile::Spec).split(',');
    let words = |column: &str| match column {
        "o_entry_d" | "ol_delivery_d" | "h_date" => format!("{column} IS NULL"),
        _ => format!("COALESCE({column}, 'NULL')"),
    };
    columns.map(words).collect()
}

/// Everything in a table as sums that do not depend on the order of the rows.
pub(crate) fn fingerprint(target: &Target, table: Table) -> String {
    let columns = comparable_columns(table).join(", ");
    let name = table.name(workloads::tpcc::Profile::Spec);
    let sql = format!("SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|', {columns}))) FROM {name}");
    query(target, &sql).remove(0)
}
