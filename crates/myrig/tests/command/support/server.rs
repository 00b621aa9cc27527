//! Real servers, made and started by the command itself, and the data sets that tests share.

use super::{DEADLINE, Ended, Rig, Running};
use client::{Connection, Endpoint, Secret, Target};
use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

static MARIADB: LazyLock<Server> = LazyLock::new(|| Server::start(Rig::new(), None, ""));

static MYSQL: LazyLock<Option<Server>> =
    LazyLock::new(|| Some(Server::start(Rig::new(), Some(&mysql_basedir()?), "")));

/// Where MySQL 9 is unpacked, if it is; said loudly when not.
pub(crate) fn mysql_basedir() -> Option<PathBuf> {
    let cache = || env::var_os("HOME").map(|home| Path::new(&home).join(".cache/myrig"));
    let named = env::var_os("MYRIG_DEPS").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let found = named.or_else(cache).map(|dir| dir.join("mysql-9")).filter(|dir| dir.is_dir());
    if found.is_none() {
        println!("SKIPPED: MySQL 9 is not unpacked; run scripts/setup");
    }
    found
}

/// A running instance called `s`.
pub(crate) struct Server {
    pub(crate) rig: Rig,
    facts: Value,
    data: Mutex<Vec<String>>,
}

/// A loaded database that nobody else uses meanwhile.
pub(crate) struct Data<'a> {
    pub(crate) server: &'a Server,
    pub(crate) database: String,
    _turn: MutexGuard<'a, Vec<String>>,
}

impl Server {
    /// The MariaDB that tests share.
    pub(crate) fn mariadb() -> &'static Self {
        &MARIADB
    }

    /// The MySQL 9 that tests share, if it is there.
    pub(crate) fn mysql() -> Option<&'static Self> {
        MYSQL.as_ref()
    }

    /// One of a test's own: MariaDB, with further `settings` in the words of `server init`.
    pub(crate) fn own(settings: &str) -> Self {
        Self::start(Rig::new(), None, settings)
    }

    /// One in a rig; small, and it syncs nothing.
    pub(crate) fn start(rig: Rig, basedir: Option<&Path>, settings: &str) -> Self {
        let (redo, basedir) = match basedir {
            None => ("innodb-log-file-size", String::new()),
            Some(dir) => ("innodb-redo-log-capacity", format!("--basedir {}", dir.display())),
        };
        let made = rig.run(&format!(
            "server init s {basedir} --set {redo}=96M --set innodb-buffer-pool-size=160M --set \
             innodb-flush-log-at-trx-commit=0 --set innodb-flush-method=nosync {settings} --json"
        ));
        let facts = made.good().json();
        let expected = if basedir.is_empty() { "MariaDB" } else { "MySQL" };
        assert_eq!(facts["flavour"], expected);
        rig.run("server start s").good();
        Self { rig, facts, data: Mutex::default() }
    }

    /// Runs `myrig LINE --instance s`.
    pub(crate) fn run(&self, line: &str) -> Ended {
        self.rig.run(&format!("{line} --instance s"))
    }

    /// Starts `myrig LINE --instance s`.
    pub(crate) fn begin(&self, line: &str) -> Running {
        self.rig.start(&format!("{line} --instance s"))
    }

    /// What `server init` said.
    pub(crate) fn fact(&self, name: &str) -> String {
        match &self.facts[name] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    /// Its process now.
    pub(crate) fn pid(&self) -> u32 {
        let status = self.rig.run("server status s --json").good().json();
        status["pid"].as_u64().unwrap().try_into().unwrap()
    }

    /// The password of root.
    pub(crate) fn password(&self) -> String {
        let file = fs::read_to_string(self.fact("password_file")).unwrap();
        file.lines().next().unwrap().to_owned()
    }

    /// The first column of a query's rows, as text.
    pub(crate) fn query(&self, sql: &str) -> Vec<String> {
        let port = self.fact("port").parse().unwrap();
        let endpoint = Endpoint::Tcp { host: "127.0.0.1".into(), port };
        let target = Target::new(endpoint, "root", Secret::new(self.password()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let asked = runtime.block_on(async {
            let asking = async {
                let mut connection = Connection::connect(&target).await.unwrap();
                let rows = connection.query(sql).await.unwrap();
                let rows = rows.iter().map(|row| row.text(0).unwrap_or_default()).collect();
                connection.close().await;
                rows
            };
            tokio::time::timeout(DEADLINE, asking).await
        });
        asked.unwrap()
    }

    /// The only value of a query.
    pub(crate) fn number(&self, sql: &str) -> i64 {
        self.query(sql)[0].parse().unwrap()
    }

    /// Two warehouses of the specification's profile, loaded by the first test that asks.
    pub(crate) fn two_warehouses(&self) -> Data<'_> {
        let mut turn = self.data.lock().unwrap_or_else(PoisonError::into_inner);
        let database = "two".to_owned();
        if !turn.contains(&database) {
            self.run(&format!("tpcc prepare -w 2 -c 2 -D {database}")).good();
            turn.push(database.clone());
        }
        Data { server: self, database, _turn: turn }
    }
}

impl Data<'_> {
    /// Runs `tpcc run` on it, `options` besides, and returns the record. The check is left out
    /// where it says nothing new.
    pub(crate) fn measure(&self, options: &str) -> Value {
        let line = format!("tpcc run -D {} --ramp-up 0 --json {options}", self.database);
        self.server.run(&line).good().json()
    }
}
