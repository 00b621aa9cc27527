//! An option each: its value, and why.

use host::{
    Resources,
    resources::{DiskKind, Probe},
};

use super::{
    Sized,
    given::{Given, REDO},
    memory::{Bound, MemoryPlan},
    told, written,
};
use crate::version::{Release, Version};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Tables that a query opens at a time: TPC-C and OLTP need one to three.
const TABLES_OF_A_QUERY: u64 = 3;

/// What each server has as its default, and what no benchmark here needs more of.
const TABLES_MIN: u64 = 4000;
const TABLES_MAX: u64 = 30_000;

/// All options, in the order in which they are told.
pub(super) fn all(
    resources: &Resources,
    release: &Release,
    memory: &MemoryPlan,
    given: &Given<'_>,
) -> Vec<Sized> {
    let has_instances = release.flavour.is_mysql_like() || release.version < Version::new(10, 5, 1);
    let mut options = vec![pool(resources, memory)];
    if has_instances {
        options.extend(instances(resources, memory));
    }
    options.extend(redo(resources, release, memory));
    options.push(log_buffer(memory));
    options.extend(io_capacity(resources));
    options.extend(io_threads(resources));
    options.push(purge_threads(resources));
    options.extend(connections(resources, memory, given));
    if release.flavour.is_mysql_like() && memory.instruments_bytes == 0 {
        let reason = "below 2 GB of memory its 320 MB are better spent on pages";
        options.push(option("performance_schema", "OFF".into(), reason.into(), MEASURED));
    }
    options
}

const MEASURED: &str = "measured with MySQL 9.7 (docs/sizing.md)";
const USE: &str = "MySQL manual, how MySQL uses memory";
const DEDICATED: &str = "MySQL manual, innodb_dedicated_server";
const DEFAULTS_84: &str = "MySQL 8.4 release notes, changed defaults";

fn option(name: &str, value: String, reason: String, source: &'static str) -> Sized {
    Sized { name: name.to_owned(), value, reason, source }
}

fn pool(resources: &Resources, memory: &MemoryPlan) -> Sized {
    let of = told(resources.memory_bytes);
    let (reason, source) = match memory.bound {
        Bound::Share(percent) => {
            (format!("{percent}% of {of}, which leaves room for the rest"), DEDICATED)
        }
        _ => {
            let (budget, connections) = (told(memory.budget_bytes), memory.connections);
            (format!("what {budget} leave beside {connections} sessions and the program"), USE)
        }
    };
    option("innodb_buffer_pool_size", written(memory.pool_bytes), reason, source)
}

fn instances(resources: &Resources, memory: &MemoryPlan) -> [Sized; 2] {
    let by_chunks = memory.pool_bytes / (128 * MIB) / 2;
    let by_cpus = (resources.cpus / 4.0) as u64;
    let (count, reason) = match memory.pool_bytes <= GIB {
        true => (1, "a buffer pool of up to 1 GB is not divided".to_owned()),
        false => (
            by_chunks.min(by_cpus).clamp(1, 64),
            format!("one for 4 of {} processors and for 256 MB of the pool", cores(resources)),
        ),
    };
    let cleaners = "one for each instance of the buffer pool".to_owned();
    [
        option("innodb_buffer_pool_instances", count.to_string(), reason, DEFAULTS_84),
        option("innodb_page_cleaners", count.to_string(), cleaners, DEFAULTS_84),
    ]
}

/// The redo log in the words of the release. Its capacity is one option since MySQL 8.0.30, one
/// file since MariaDB 10.5, and two files before.
fn redo(resources: &Resources, release: &Release, memory: &MemoryPlan) -> Vec<Sized> {
    let half = (memory.pool_bytes / 2).clamp(128 * MIB, 64 * GIB);
    let room = resources.disk.free_bytes.map(|free| (free / 10).max(64 * MIB));
    let bytes = room.map_or(half, |room| half.min(room)) / (16 * MIB) * (16 * MIB);
    let (reason, source) = match bytes < half / (16 * MIB) * (16 * MIB) {
        true => ("a tenth of the room on the disk", "myrig: a log must not crowd the data out"),
        false => (
            "half the buffer pool, so that pages are not written before they must",
            "listings of astream (64 GB beside 150 GB) and HammerDB (32 GB beside 64 GB)",
        ),
    };
    let reason = reason.to_owned();
    let mysql = release.flavour.is_mysql_like();
    let [capacity, size, files] = REDO;
    if mysql && release.version >= Version::new(8, 0, 30) {
        return vec![option(capacity, written(bytes), reason, source)];
    }
    if !mysql && release.version >= Version::new(10, 5, 0) {
        return vec![option(size, written(bytes), reason, source)];
    }
    let each = format!("{reason}, in two files");
    vec![
        option(size, written(bytes / 2), each, source),
        option(files, "2".into(), "the default, which the size above counts on".into(), source),
    ]
}

fn log_buffer(memory: &MemoryPlan) -> Sized {
    let reason = match memory.log_buffer_bytes >= 64 * MIB {
        true => "what transactions write in a fraction of a second, so that none waits for room",
        false => "little, as the memory is",
    };
    let value = written(memory.log_buffer_bytes);
    option("innodb_log_buffer_size", value, reason.into(), DEFAULTS_84)
}

fn io_capacity(resources: &Resources) -> [Sized; 2] {
    let (pages, most, reason, source) = match (&resources.disk.measured, resources.disk.kind) {
        (Some(probe), _) => by_measure(probe),
        (None, DiskKind::Solid) => (
            10_000,
            20_000,
            "the disk is flash; --measure-disk says what it can do".to_owned(),
            DEFAULTS_84,
        ),
        (None, DiskKind::Rotational) => (
            200,
            2000,
            "the disk says that it rotates, as many virtual ones do; --measure-disk tells".into(),
            "MySQL 8.0 manual, default of innodb_io_capacity",
        ),
        (None, DiskKind::Unknown) => (
            2000,
            4000,
            "the disk does not say what it is; --measure-disk tells".into(),
            "between the defaults of MySQL 8.0 and 8.4",
        ),
    };
    let burst = "what flushing may rise to when it falls behind".to_owned();
    [
        option("innodb_io_capacity", pages.to_string(), reason, source),
        option("innodb_io_capacity_max", most.to_string(), burst, source),
    ]
}

/// Half of what the disk writes beside as many reads is for flushing in the background, all of it
/// when redo runs out.
fn by_measure(probe: &Probe) -> (u64, u64, String, &'static str) {
    let writes = (probe.writes_per_s / 100.0).floor() as u64 * 100;
    let most = writes.clamp(200, 100_000);
    let how = match probe.is_direct {
        true => "measured, beside as many reads",
        false => "measured with fdatasync, for want of O_DIRECT",
    };
    let reason = format!("half of {:.0} pages of 16 KiB a second, {how}", probe.writes_per_s);
    ((most / 2).max(100), most, reason, "MySQL manual, configuring InnoDB I/O capacity")
}

fn io_threads(resources: &Resources) -> [Sized; 2] {
    let count = ((resources.cpus / 2.0) as u64).clamp(4, 16);
    let reason = match count {
        4 => "the least, enough for asynchronous I/O".to_owned(),
        _ => format!("one for 2 of {} processors, 16 at most", cores(resources)),
    };
    ["innodb_read_io_threads", "innodb_write_io_threads"]
        .map(|name| option(name, count.to_string(), reason.clone(), DEFAULTS_84))
}

fn purge_threads(resources: &Resources) -> Sized {
    let (count, reason) = match resources.cpus <= 16.0 {
        true => (1, "up to 16 processors, which are the load's"),
        false => (4, "above 16 processors"),
    };
    option("innodb_purge_threads", count.to_string(), reason.into(), DEFAULTS_84)
}

fn connections(resources: &Resources, memory: &MemoryPlan, given: &Given<'_>) -> [Sized; 4] {
    const TABLES: &str = "MySQL manual, how MySQL opens and closes tables";
    const FILES: &str = "MySQL manual, open_files_limit";
    let connections = u64::from(memory.connections);
    let each = told(memory.session_bytes);
    let room = format!("{each} each is {} in all", told(memory.sessions_bytes()));
    let wanted = (connections * TABLES_OF_A_QUERY).clamp(TABLES_MIN, TABLES_MAX);
    // 10 files of its own, one a connection, and two a table.
    let affordable = resources.files_max.saturating_sub(10 + connections) / 2;
    let (tables, tables_why) = match wanted <= affordable {
        true => (wanted, format!("{TABLES_OF_A_QUERY} a connection, {TABLES_MIN} at least")),
        false => (affordable, format!("as {} files allow", resources.files_max)),
    };
    let tables_set = given.number("table_open_cache").unwrap_or(tables);
    let files = (10 + connections + tables_set * 2).max(connections * 5).max(5000);
    let files = files.min(resources.files_max);
    let files_why = "10, and one a connection, and two an open table".to_owned();
    let threads_why = "a thread kept for each connection, so that none is made anew".to_owned();
    let threads = connections.min(16_384).to_string();
    [
        option("max_connections", connections.to_string(), room, USE),
        option("table_open_cache", tables.to_string(), tables_why, TABLES),
        option("open_files_limit", files.to_string(), files_why, FILES),
        option("thread_cache_size", threads, threads_why, "the listing of the astream procedure"),
    ]
}

fn cores(resources: &Resources) -> f64 {
    (resources.cpus * 100.0).round() / 100.0
}
