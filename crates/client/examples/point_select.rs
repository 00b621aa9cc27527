//! What a query costs this client, without any engine: prepared point selects on one thread.
//!
//! ```text
//! MYSQL_PWD=… cargo run --release -p client --example point_select -- \
//!     HOST:PORT USER DATABASE ROWS CONNECTIONS SECONDS epoll|ring PAUSE_US
//! ```
#![allow(clippy::print_stdout, reason = "a program for a person")]

use client::{Connection, Endpoint, Secret, Target, TlsMode};
use rand::RngExt;
use std::{
    cell::Cell,
    error::Error,
    rc::Rc,
    time::{Duration, Instant},
};
use tokio::task::{LocalSet, spawn_local};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [address, user, database, rows, connections, seconds, way, pause_us] = words.as_slice()
    else {
        return Err("HOST:PORT USER DATABASE ROWS CONNECTIONS SECONDS epoll|ring PAUSE_US".into());
    };
    let password = Secret::new(std::env::var("MYSQL_PWD").unwrap_or_default());
    let mut target = Target::new(Endpoint::parse_tcp(address, 3306)?, user, password);
    target.database = Some(database.clone());
    target.tls.mode = TlsMode::Disabled;
    let load = Load {
        target,
        rows: rows.parse()?,
        connections: connections.parse()?,
        length: Duration::from_secs(seconds.parse()?),
        on_ring: way == "ring",
        pause: Duration::from_micros(pause_us.parse()?),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, load.run())
}

struct Load {
    target: Target,
    rows: u32,
    connections: u32,
    length: Duration,
    on_ring: bool,
    /// About how long a connection rests between two queries.
    pause: Duration,
}

impl Load {
    async fn run(self) -> Result<(), Box<dyn Error>> {
        let (queries, is_over) = (Rc::new(Cell::new(0u64)), Rc::new(Cell::new(false)));
        let mut tasks = Vec::new();
        for _connection in 0..self.connections {
            let mut connection = Connection::connect(&self.target).await?;
            let statement = connection.prepare("SELECT c FROM sbtest1 WHERE id=?").await?;
            if self.on_ring && !connection.share_thread_io() {
                return Err("this kernel has no io_uring".into());
            }
            let (queries, is_over) = (Rc::clone(&queries), Rc::clone(&is_over));
            let (rows, pause) = (self.rows, self.pause);
            tasks.push(spawn_local(async move {
                let mut rng = rand::rng();
                while !is_over.get() {
                    let id = rng.random_range(1..=rows);
                    connection.fetch(&statement, &[id.into()]).await?;
                    queries.set(queries.get() + 1);
                    if !pause.is_zero() {
                        tokio::time::sleep(pause.mul_f64(rng.random_range(0.5..1.5))).await;
                    }
                }
                Ok::<_, client::Error>(())
            }));
        }
        let (started, cpu_us, early) = (Instant::now(), cpu_us(), queries.get());
        tokio::time::sleep(self.length).await;
        let (took_s, cpu_us) = (started.elapsed().as_secs_f64(), self::cpu_us() - cpu_us);
        let asked = (queries.get() - early) as f64;
        is_over.set(true);
        for task in tasks {
            task.await??;
        }
        let [user, system] = [cpu_us.0 / asked, cpu_us.1 / asked];
        println!(
            "{:.0} queries/s, {:.2} µs of processor time a query ({user:.2} user, {system:.2} \
             system)",
            asked / took_s,
            user + system
        );
        Ok(())
    }
}

/// User and system time of this process, microseconds.
#[derive(Clone, Copy)]
struct CpuUs(f64, f64);

impl std::ops::Sub for CpuUs {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self(self.0 - earlier.0, self.1 - earlier.1)
    }
}

fn cpu_us() -> CpuUs {
    let ticks = |field: Option<&str>| field.and_then(|text| text.parse().ok()).unwrap_or(0.0);
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
    // A tick is a hundredth of a second, whatever the kernel's own clock (proc(5)).
    CpuUs(ticks(fields.next()) * 1e4, ticks(fields.next()) * 1e4)
}
