//! What the tests with real servers share.

#![allow(dead_code, clippy::unwrap_used, clippy::print_stderr)]

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use client::{Connection, Target};
use server::{
    Error, Flavour, Home, InitOptions, Installation, Instance, InstanceName, Settings,
    StartOptions,
    scratch::{self, ScratchHome, Unavailable},
};

/// Longest that anything here may take; reached only by a failure.
pub(crate) const DEADLINE: Duration = Duration::from_secs(120);

/// Makes a test of an `async fn(Installation)` for each flavour. MariaDB absent is a failure,
/// MySQL absent is said loudly.
#[macro_export]
macro_rules! on_both {
    ($($name:ident),+ $(,)?) => {
        mod mariadb { $(
            #[tokio::test]
            async fn $name() {
                super::$name($crate::support::mariadb().await).await;
            }
        )+ }
        mod mysql { $(
            #[tokio::test]
            async fn $name() {
                if let Some(installation) = $crate::support::mysql().await {
                    super::$name(installation).await;
                }
            }
        )+ }
    };
}

/// MariaDB, which must be there.
pub(crate) async fn mariadb() -> Installation {
    scratch::installation(Flavour::MariaDb).await.unwrap()
}

/// MySQL 9, if it is there.
pub(crate) async fn mysql() -> Option<Installation> {
    match scratch::installation(Flavour::MySql).await {
        Err(Unavailable::MySqlAbsent) => {
            eprintln!("SKIPPED: MySQL 9 is not unpacked; run scripts/setup");
            None
        }
        found => Some(found.unwrap()),
    }
}

/// A home of its own for a test.
pub(crate) struct Place {
    pub(crate) scratch: ScratchHome,
    pub(crate) home: Home,
}

impl Place {
    pub(crate) fn new() -> Self {
        let scratch = ScratchHome::create().unwrap();
        let home = scratch.home().unwrap();
        Self { scratch, home }
    }

    pub(crate) fn path(&self) -> &Path {
        self.scratch.path()
    }

    /// A small instance called `a`, stopped.
    pub(crate) async fn instance(&self, installation: &Installation) -> Instance {
        self.init(installation, Settings::new()).await.unwrap()
    }

    pub(crate) async fn init(
        &self,
        installation: &Installation,
        settings: Settings,
    ) -> Result<Instance, Error> {
        let mut all = scratch::quick_settings(installation.release().flavour);
        all.extend(settings);
        let options = InitOptions { settings: all, ..InitOptions::default() };
        Instance::init(&self.home, &name("a"), installation, &options).await
    }
}

pub(crate) fn name(text: &str) -> InstanceName {
    text.parse().unwrap()
}

pub(crate) fn setting(name: &str, value: &str) -> Settings {
    [(name.to_owned(), value.to_owned())].into()
}

pub(crate) fn start() -> StartOptions {
    StartOptions { port: None, deadline: DEADLINE }
}

/// The rows of a query, columns joined by blanks.
pub(crate) async fn query(target: &Target, sql: &str) -> Vec<String> {
    let mut connection = Connection::connect(target).await.unwrap();
    let text = |row: client::Row<'_>| {
        let columns = (0..).map_while(|column| row.text(column));
        columns.collect::<Vec<_>>().join(" ")
    };
    let rows = connection.query(sql).await.unwrap().iter().map(text).collect();
    connection.close().await;
    rows
}

/// Every process's arguments, as anybody on the machine can read them.
pub(crate) fn all_arguments() -> String {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let arguments = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    arguments.map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " ") + "\n").collect()
}

/// True while a server works below the directory.
pub(crate) fn any_server_below(dir: &Path) -> bool {
    all_arguments()
        .lines()
        .any(|line| line.contains("--datadir=") && line.contains(dir.to_str().unwrap()))
}

/// Waits for a condition; fails when it does not come.
pub(crate) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < DEADLINE, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Drives a future until a condition holds; the future must not be done before.
pub(crate) async fn drive_until<T>(
    what: &str,
    future: std::pin::Pin<&mut impl Future<Output = T>>,
    condition: impl FnMut() -> bool,
) {
    tokio::select! {
        _ = future => panic!("done before {what}"),
        () = until(what, condition) => {}
    }
}
