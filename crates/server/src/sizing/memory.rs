//! What a server's memory is spent on.
//!
//! The fixed parts were measured with MariaDB 10.11 and MySQL 9.7 (docs/sizing.md); the parts of a
//! session are its buffers, of which it rarely fills all.

use host::Resources;

use super::{Wishes, given::Given};
use crate::version::Release;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Below this, a server goes without what is not for its data.
const SMALL_BYTES: u64 = 2 * GIB;

/// What InnoDB takes beside its pages, in tenths of the buffer pool (MySQL manual, buffer pool
/// size: about 10%).
const CONTROL_TENTHS: u64 = 1;

/// Stack that a session touches, bytes.
const STACK_BYTES: u64 = 256 << 10;

/// Connections where there is room and nobody says how many.
const CONNECTIONS_MAX: u64 = 1000;
const CONNECTIONS_MIN: u64 = 20;

/// How the memory of a server is divided, bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// What there is for the server, without what the system and other programs need.
    pub budget_bytes: u64,
    /// The program itself.
    pub base_bytes: u64,
    /// Performance Schema.
    pub instruments_bytes: u64,
    /// The buffer of the redo log.
    pub log_buffer_bytes: u64,
    /// Connections at most.
    pub connections: u32,
    /// What a connection takes when it fills one of each of its buffers.
    pub session_bytes: u64,
    /// The buffer pool.
    pub pool_bytes: u64,
    /// What InnoDB takes beside the pages of its buffer pool.
    pub control_bytes: u64,
    /// Why the buffer pool is not larger.
    pub(super) bound: Bound,
}

/// What keeps the buffer pool from being larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// It was decided already.
    Given,
    /// The share of memory that the manual names, percent.
    Share(u64),
    /// What the rest leaves.
    Rest,
}

impl MemoryPlan {
    pub(super) fn of(resources: &Resources, wishes: &Wishes<'_>, given: &Given<'_>) -> Self {
        let budget_bytes = budget(resources);
        let small = resources.memory_bytes < SMALL_BYTES;
        let session_bytes = session(wishes.release, given);
        let base_bytes = base(wishes.release);
        let instruments_bytes = instruments(wishes.release, given, small);
        let log_buffer_bytes = given.number("innodb_log_buffer_size");
        let log_buffer_bytes = log_buffer_bytes.unwrap_or(if small { 16 * MIB } else { 64 * MIB });
        let connections = given.number("max_connections").unwrap_or_else(|| {
            let affordable = budget_bytes / 4 / session_bytes / 10 * 10;
            let affordable = affordable.clamp(CONNECTIONS_MIN, CONNECTIONS_MAX);
            wishes.connections.map_or(affordable, u64::from)
        });
        let connections = u32::try_from(connections).unwrap_or(u32::MAX);
        let spent = [
            base_bytes,
            instruments_bytes,
            log_buffer_bytes,
            session_bytes.saturating_mul(connections.into()),
        ];
        let spent = spent.iter().fold(0, |sum: u64, part| sum.saturating_add(*part));
        let left = budget_bytes.saturating_sub(spent) / (10 + CONTROL_TENTHS) * 10;
        let percent = if resources.memory_bytes > 4 * GIB { 75 } else { 50 };
        let share = resources.memory_bytes / 4 * (percent / 25);
        let (pool_bytes, bound) = match given.number("innodb_buffer_pool_size") {
            Some(bytes) => (bytes, Bound::Given),
            None if share <= left => (rounded(share), Bound::Share(percent)),
            None => (rounded(left), Bound::Rest),
        };
        Self {
            budget_bytes,
            base_bytes,
            instruments_bytes,
            log_buffer_bytes,
            connections,
            session_bytes,
            pool_bytes,
            control_bytes: control(pool_bytes),
            bound,
        }
    }

    /// What all sessions together take, bytes.
    pub fn sessions_bytes(&self) -> u64 {
        self.session_bytes.saturating_mul(self.connections.into())
    }

    /// Everything that is spent, bytes.
    pub fn spent_bytes(&self) -> u64 {
        [
            self.base_bytes,
            self.instruments_bytes,
            self.log_buffer_bytes,
            self.sessions_bytes(),
            self.pool_bytes,
            self.control_bytes,
        ]
        .iter()
        .fold(0, |sum, part| sum.saturating_add(*part))
    }
}

/// What a server may take in all. A limit is its own but for the page cache of its log; on a
/// machine live the kernel, the load and whoever else is there.
fn budget(resources: &Resources) -> u64 {
    let total = resources.memory_bytes;
    let spare = match resources.is_limit {
        true => total / 20,
        false => (total / 10).max(512 * MIB),
    };
    total.saturating_sub(spare).min(resources.available_bytes)
}

/// Beside its pages: descriptors, hash tables, locks.
pub(super) fn control(pool_bytes: u64) -> u64 {
    pool_bytes / 10 * CONTROL_TENTHS
}

/// The program without buffer pool and Performance Schema.
pub(super) fn base(release: &Release) -> u64 {
    match release.flavour.is_mysql_like() {
        true => 256 * MIB,
        false => 128 * MIB,
    }
}

/// MySQL has Performance Schema on unless told otherwise, MariaDB off.
pub(super) fn instruments(release: &Release, given: &Given<'_>, small: bool) -> u64 {
    const NAME: &str = "performance_schema";
    match release.flavour.is_mysql_like() {
        // On a small instance the sizing switches it off.
        true if given.is_off(NAME) || (small && given.text(NAME).is_none()) => 0,
        true => 320 * MIB,
        false if given.is_on(NAME) => 160 * MIB,
        false => 0,
    }
}

/// A session's buffers by name, with their defaults in MySQL and MariaDB.
const BUFFERS: [(&str, u64, u64); 6] = [
    ("sort_buffer_size", 256 << 10, 2 << 20),
    ("join_buffer_size", 256 << 10, 256 << 10),
    ("read_buffer_size", 128 << 10, 128 << 10),
    ("read_rnd_buffer_size", 256 << 10, 256 << 10),
    ("binlog_cache_size", 32 << 10, 32 << 10),
    ("net_buffer_length", 16 << 10, 16 << 10),
];

/// What a session takes that fills one of each of its buffers.
pub(super) fn session(release: &Release, given: &Given<'_>) -> u64 {
    let mysql = release.flavour.is_mysql_like();
    BUFFERS.iter().fold(STACK_BYTES, |sum, (name, in_mysql, in_mariadb)| {
        let default = if mysql { *in_mysql } else { *in_mariadb };
        sum.saturating_add(given.number(name).unwrap_or(default))
    })
}

/// Down to what a server keeps as it is: MySQL rounds up to chunks of 128 MiB.
fn rounded(bytes: u64) -> u64 {
    let unit = if bytes >= 128 * MIB { 128 * MIB } else { 8 * MIB };
    bytes / unit * unit
}
