//! A server that writes as fast as it can, and what it is told to write.

use client::{Connection, Target};
use server::{
    Flavour,
    scratch::{ScratchServer, Unavailable},
};
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

/// Connections that write, each in tables of its own: rows, BLOBs and DDL of every kind.
const CHANGERS: usize = 3;
/// Connections that change a row on every page of a table, over and over. Their tables together
/// are twice as large as the buffer pool, so that the server flushes and evicts all the time.
const FLUSHERS: usize = 2;
/// `ER_LOCK_WAIT_TIMEOUT`, by which DDL gives way to the purge.
const LOCK_WAIT_TIMEOUT: u16 = 1205;

/// The page size of [`server`], in bytes: the longer a page takes to be written, the more often it
/// is read in between.
pub(crate) const PAGE_BYTES: u64 = 65_536;

/// A server that flushes what is dirty at once and has to evict pages all the time.
pub(crate) fn server(flavour: Flavour) -> Option<ScratchServer> {
    let settings = [
        ("innodb-page-size", "64K"),
        ("innodb-buffer-pool-size", "32M"),
        ("innodb-flush-method", "O_DIRECT_NO_FSYNC"),
        ("innodb-max-dirty-pages-pct", "0"),
        ("innodb-io-capacity", "20000"),
        ("innodb-io-capacity-max", "40000"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    match runtime().block_on(ScratchServer::start_with(flavour, settings)) {
        Err(Unavailable::MySqlAbsent) => {
            println!("SKIPPED: pages of a running MySQL 9: it is not unpacked; run scripts/setup");
            None
        }
        server => Some(server.expect("a scratch server")),
    }
}

/// What runs the statements of one thread.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs statements, which have to succeed.
pub(crate) fn run(target: &Target, statements: &[&str]) {
    runtime().block_on(async {
        let mut connection = Connection::connect(target).await.unwrap();
        for sql in statements {
            connection.run(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        }
    });
}

/// Pages that the server has written since it was started.
pub(crate) fn pages_written(target: &Target) -> u64 {
    runtime().block_on(async {
        let mut connection = Connection::connect(target).await.unwrap();
        let row = connection.query_one("SHOW GLOBAL STATUS LIKE 'Innodb_pages_written'").await;
        row.unwrap().unwrap().text(1).unwrap().parse().unwrap()
    })
}

/// Fills the tables that do not fit into the buffer pool.
pub(crate) fn prepare(target: &Target) {
    for flusher in 0..FLUSHERS {
        let table = format!("wide{flusher}");
        let mut statements = vec![
            format!(
                "CREATE TABLE {table}(id INT AUTO_INCREMENT PRIMARY KEY, k INT, c VARCHAR(8000)) \
                 ENGINE=InnoDB CHARSET=latin1"
            ),
            format!("INSERT INTO {table}(k, c) VALUES (0, REPEAT('w', 7000))"),
        ];
        // 4096 rows, nine of them a page: 28 MiB.
        let double = format!("INSERT INTO {table}(k, c) SELECT k, c FROM {table}");
        statements.extend(std::iter::repeat_n(double, 12));
        run(target, &statements.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// What is told to those who write.
#[derive(Debug, Default)]
pub(crate) struct Load {
    stop: AtomicBool,
    statements: AtomicU64,
}

impl Load {
    /// Tells everybody to end; statements may fail from now on.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Statements that were carried out.
    pub(crate) fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    async fn say(&self, connection: &mut Connection, sql: &str) {
        match connection.run(sql).await {
            Ok(_) => {
                self.statements.fetch_add(1, Ordering::Relaxed);
            }
            // A table that is not there yet.
            Err(_) if self.stopped() || sql.starts_with("TRUNCATE") => {}
            Err(error) if error.code() == LOCK_WAIT_TIMEOUT => {}
            Err(error) => panic!("{sql}: {error}"),
        }
    }
}

/// Ends the load whatever happens.
struct Ending<'a>(&'a Load);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Carries out `then` while the server writes; its database is that of `target`.
pub(crate) fn during<T>(target: &Target, flavour: Flavour, then: impl FnOnce(&Load) -> T) -> T {
    let load = Load::default();
    thread::scope(|scope| {
        for writer in 0..CHANGERS {
            let load = &load;
            scope.spawn(move || {
                write(target, load, |round| changes(writer, round, flavour));
            });
        }
        for flusher in 0..FLUSHERS {
            let load = &load;
            let update = move |round| {
                vec![format!("UPDATE wide{flusher} SET k=k+1 WHERE id%9={}", round % 9)]
            };
            scope.spawn(move || write(target, load, update));
        }
        let _ending = Ending(&load);
        then(&load)
    })
}

fn write(target: &Target, load: &Load, statements: impl Fn(u64) -> Vec<String>) {
    runtime().block_on(async {
        let mut connection = Connection::connect(target).await.unwrap();
        for sql in (0..).flat_map(statements) {
            if load.stopped() {
                return;
            }
            load.say(&mut connection, &sql).await;
        }
    });
}

/// What one connection says in a round: tables of every kind are filled, changed, emptied,
/// built anew and dropped.
fn changes(writer: usize, round: u64, flavour: Flavour) -> Vec<String> {
    let format = match (writer, flavour) {
        (0, _) => "ROW_FORMAT=DYNAMIC",
        (1, _) => "ROW_FORMAT=REDUNDANT",
        (_, Flavour::MariaDb) => "PAGE_COMPRESSED=1",
        (..) => "COMPRESSION='zlib'",
    };
    let table = |name: &str| {
        format!(
            "CREATE TABLE IF NOT EXISTS {name}(id INT AUTO_INCREMENT PRIMARY KEY, k INT, \
             c VARCHAR(300), b LONGTEXT, KEY(k), KEY(c(40))) ENGINE=InnoDB CHARSET=latin1 {format}"
        )
    };
    let (kept, passing) = (format!("kept{writer}"), format!("passing{writer}"));
    let fill = |name: &str| {
        let rows: Vec<String> = (0..60)
            .map(|n| {
                let value = (n * 7919 + round * 31) % 10_007;
                format!("({value}, REPEAT(SHA2({value}, 256), 4), REPEAT('{value}', 4000))")
            })
            .collect();
        format!("INSERT INTO {name}(k, c, b) VALUES {}", rows.join(", "))
    };
    let mut sql = vec![table(&kept)];
    sql.extend([
        fill(&kept),
        fill(&kept),
        format!("UPDATE {kept} SET c=REVERSE(c), k=k+1 WHERE id%3={}", round % 3),
        format!("UPDATE {kept} SET b=REVERSE(b) WHERE id%7={}", round % 7),
        format!("DELETE FROM {kept} WHERE id%11={}", round % 11),
    ]);
    match round % 8 {
        2 => sql.extend([table(&passing), fill(&passing), fill(&passing)]),
        4 => sql.push(format!("TRUNCATE TABLE {passing}")),
        5 => sql.extend([fill(&passing), format!("DROP TABLE {passing}")]),
        7 => sql.push(format!("DELETE FROM {kept} WHERE id%2=0")),
        _ => {}
    }
    if round % 20 == 19 {
        sql.push(format!("ALTER TABLE {kept} ENGINE=InnoDB"));
    }
    sql
}
