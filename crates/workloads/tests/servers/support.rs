//! What the tests with real servers share: a server a flavour, data sets, and a few words of SQL.

use std::{
    fmt::Write,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use client::{Connection, Secret, Target};
use engine::{Session, Workload};
use server::{
    Flavour,
    scratch::{ScratchServer, Unavailable},
};
use workloads::{
    ConditionResult,
    tpcc::{
        CheckProgress, DataSet, Error, LoadMethod, LoadOptions, LoadProgress, LoadSummary, Output,
        Profile, RunOptions, Table, Tpcc, check, input::Input, load,
    },
};

/// Longest that anything here may take; reached only by a failure.
pub(crate) const DEADLINE: Duration = Duration::from_secs(120);

/// Seed of every data set here, but where another one is the point.
pub(crate) const SEED: u64 = 42;

/// Chunks of one warehouse.
pub(crate) const CHUNKS: u64 = 62;

/// A server that tests share: each has a database of its own in it.
pub(crate) struct Bench {
    pub(crate) flavour: Flavour,
    server: Mutex<ScratchServer>,
    /// Data sets of two warehouses, a profile each, made when first asked for.
    data_sets: [Mutex<Option<DataSet>>; 2],
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
    let started = Arc::new(Bench::start(flavour, &[])?);
    *bench = Arc::downgrade(&started);
    Some(started)
}

impl Bench {
    /// A server of one's own, to kill or to fill. None where it is MySQL and absent.
    pub(crate) fn start(flavour: Flavour, settings: &[(&str, &str)]) -> Option<Self> {
        let redo = match flavour {
            Flavour::MariaDb => "innodb-log-file-size",
            Flavour::MySql | Flavour::Percona => "innodb-redo-log-capacity",
        };
        let usual = [
            // Room for more connections than statements, so that each limit can be met alone.
            ("max-connections", "2000"),
            // Loads are what these tests spend their time in.
            ("innodb-buffer-pool-size", "512M"),
            (redo, "512M"),
            ("performance-schema", "OFF"),
        ];
        let all = usual.iter().chain(settings);
        let all = all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        match wait(ScratchServer::start_with(flavour, all)) {
            Err(Unavailable::MySqlAbsent) => {
                eprintln!("SKIPPED: MySQL 9 is not unpacked; run scripts/setup");
                None
            }
            server => Some(Self {
                flavour,
                server: Mutex::new(server.expect("a scratch server")),
                data_sets: [Mutex::new(None), Mutex::new(None)],
            }),
        }
    }

    /// The server itself.
    pub(crate) fn server(&self) -> MutexGuard<'_, ScratchServer> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A database of it as root, by the socket.
    pub(crate) fn target(&self, database: &str) -> Target {
        self.server().socket_target().expect("the password file").with_database(database)
    }

    /// A database of it as root, by TCP.
    pub(crate) fn tcp(&self, database: &str) -> Target {
        self.server().target().expect("the password file").with_database(database)
    }

    /// Two warehouses, held for one test at a time. Whoever has them leaves them consistent.
    pub(crate) fn two_warehouses(&self, profile: Profile) -> Held<'_> {
        let slot = &self.data_sets[usize::from(profile == Profile::BenchmarkSql)];
        // After a test that failed the data may be anything.
        let mut slot = match slot.lock() {
            Ok(slot) => slot,
            Err(_) => panic!("a test before this one failed with this data set"),
        };
        let target = self.target(&format!("shared_{profile}"));
        let data = slot.unwrap_or_else(|| {
            let options = LoadOptions { warehouses: 2, ..options(profile) };
            load(&target, &options, &LoadProgress::default()).expect("a load");
            wait(DataSet::expect(&target, Some(profile))).expect("a data set")
        });
        *slot = Some(data);
        Held { target, data, _slot: slot }
    }
}

/// A data set that belongs to one test for the moment. Table names in SQL are those of the
/// specification, in braces.
pub(crate) struct Held<'a> {
    pub(crate) target: Target,
    pub(crate) data: DataSet,
    _slot: MutexGuard<'a, Option<DataSet>>,
}

impl Held<'_> {
    fn sql(&self, template: &str) -> String {
        Table::ALL.iter().fold(template.to_owned(), |sql, table| {
            let place = format!("{{{}}}", table.name(Profile::Spec));
            sql.replace(&place, table.name(self.data.profile))
        })
    }

    pub(crate) fn query(&self, template: &str) -> Vec<String> {
        query(&self.target, &self.sql(template))
    }

    pub(crate) fn number(&self, template: &str) -> i64 {
        number(&self.target, &self.sql(template))
    }

    pub(crate) fn run(&self, template: &str) {
        run(&self.target, &[&self.sql(template)]);
    }

    /// Runs one transaction in a session of its own.
    pub(crate) fn transact(&self, input: &Input) -> Output {
        self.transact_with(input, RunOptions::default())
    }

    /// The same, as the options say.
    pub(crate) fn transact_with(&self, input: &Input, options: RunOptions) -> Output {
        wait(async {
            let tpcc = Tpcc::new(self.target.clone(), self.data, options).expect("options");
            let mut session = tpcc.open(0, 0).await.expect("a session");
            let output = session.run(input).await;
            session.close().await;
            output.unwrap_or_else(|failure| panic!("{failure}: {input:?}"))
        })
    }
}

/// Runs a future to its end.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(future)
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
        let column = |row: client::Row<'_>, at| row.text(at).unwrap_or_else(|| "NULL".into());
        let text = |row: client::Row<'_>| {
            (0..row.len()).map(|at| column(row, at)).collect::<Vec<_>>().join(" ")
        };
        let rows = rows.iter().map(text).collect();
        connection.close().await;
        rows
    })
}

/// The only value of a query, a whole number.
pub(crate) fn number(target: &Target, sql: &str) -> i64 {
    let rows = query(target, sql);
    rows[0].parse().unwrap_or_else(|_| panic!("no whole number: {rows:?}: {sql}"))
}

/// Runs statements that return no rows, on a connection of their own, without foreign keys.
pub(crate) fn run(target: &Target, statements: &[&str]) {
    wait(async {
        let mut connection = Connection::connect(target).await.expect("a connection");
        connection.run("SET SESSION foreign_key_checks=0").await.expect("a session");
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

/// One warehouse, by two connections.
pub(crate) fn options(profile: Profile) -> LoadOptions {
    let method = LoadMethod::Auto;
    LoadOptions { profile, warehouses: 1, seed: SEED, connections: 2, method }
}

/// Loads and fails where that fails.
pub(crate) fn loaded(target: &Target, options: &LoadOptions) -> LoadSummary {
    load(target, options, &LoadProgress::default()).expect("a load")
}

/// Chunks that are in; none while there is no table of them.
pub(crate) fn chunks(target: &Target) -> u64 {
    wait(async {
        let Ok(mut connection) = Connection::connect(target).await else { return 0 };
        let row = connection.query_one("SELECT COUNT(*) FROM myrig_tpcc_chunk").await;
        let chunks = row.ok().flatten().and_then(|row| row.int(0).ok()).unwrap_or(0) as u64;
        connection.close().await;
        chunks
    })
}

/// Everything in the nine tables as sums that do not depend on the order of the rows.
pub(crate) fn fingerprint(target: &Target, profile: Profile) -> String {
    let mut all = String::new();
    for table in Table::ALL {
        let (name, columns) = (table.name(profile), table.loaded_columns(profile));
        let sql = format!("SELECT COUNT(*), SUM(CRC32(CONCAT_WS(',', {columns}))) FROM {name}");
        let _ = writeln!(all, "{}: {}", table.name(Profile::Spec), query(target, &sql)[0]);
    }
    all
}

/// What one warehouse of [`SEED`] must be, loaded by one connection without any disturbance. It
/// is the same for both flavours.
pub(crate) fn reference(profile: Profile) -> String {
    static REFERENCES: Mutex<[Option<String>; 2]> = Mutex::new([None, None]);
    let mut references = REFERENCES.lock().unwrap_or_else(PoisonError::into_inner);
    let slot = &mut references[usize::from(profile == Profile::BenchmarkSql)];
    let make = || {
        let bench = shared(Flavour::MariaDb).expect("MariaDB is never skipped");
        let target = bench.target(&format!("reference_{profile}"));
        loaded(&target, &LoadOptions { connections: 1, ..options(profile) });
        fingerprint(&target, profile)
    };
    slot.get_or_insert_with(make).clone()
}

/// The findings of a check.
pub(crate) fn findings(target: &Target, data: &DataSet) -> Vec<ConditionResult> {
    check(target, data, 2, &CheckProgress::default()).expect("a check")
}

/// Fails unless all twelve conditions were looked at and hold.
pub(crate) fn assert_consistent(target: &Target, data: &DataSet) {
    let found = findings(target, data);
    assert_eq!(found.len(), 12);
    for condition in found {
        assert!(condition.examined > 0 && condition.violations == 0, "{condition:?}");
    }
}

/// An account with these privileges on its database.
pub(crate) fn account(bench: &Bench, name: &str, privileges: &str) -> Target {
    let root = bench.target(name);
    create_database(&root);
    let grant = format!("GRANT {privileges} ON {name}.* TO {name}@localhost");
    let create = format!("CREATE USER {name}@localhost IDENTIFIED BY 'Harmless-1'");
    run(&root, &[&create, &grant]);
    Target { user: name.into(), password: Secret::new("Harmless-1"), ..root }
}

/// Fails unless the error says which privilege is missing and how it is granted.
pub(crate) fn denied(error: Error, word: &str) {
    assert!(matches!(error, Error::Denied { .. }), "{error}");
    let words = error.to_string();
    assert!(words.contains(word) && words.contains("GRANT"), "{words}");
}
