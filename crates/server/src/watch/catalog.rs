//! Which counters of a server are worth having: the list.
//!
//! A value is a sum of status variables (`SHOW GLOBAL STATUS`) or, with `metric.` before the name,
//! of counters of `information_schema.INNODB_METRICS`. Flavours count the same thing under
//! different names; the first formula whose names are all there is taken. Sources: the MySQL 9
//! reference manual, sections 7.1.10 (server status variables) and 28.4.21 (INNODB_METRICS); the
//! MariaDB knowledge base, "InnoDB Status Variables" and "Server Status Variables".

/// How the value of a formula is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It grows; its growth a second is the value.
    Total,
    /// It is the value.
    State,
    /// It has two formulas with a slash between: hundred times the growth of the first over the
    /// growth of the second.
    Percent,
}

/// A line of the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) group: &'static str,
    pub(super) unit: &'static str,
    pub(super) kind: Kind,
    /// Sums of names with `+` and `-` between, the first that can be had.
    pub(super) formulas: &'static [&'static str],
}

const fn total(
    group: &'static str,
    name: &'static str,
    label: &'static str,
    formulas: &'static [&'static str],
) -> Entry {
    Entry { name, label, group, unit: "1/s", kind: Kind::Total, formulas }
}

const fn bytes(
    group: &'static str,
    name: &'static str,
    label: &'static str,
    formulas: &'static [&'static str],
) -> Entry {
    Entry { name, label, group, unit: "B/s", kind: Kind::Total, formulas }
}

const fn state(
    group: &'static str,
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    formulas: &'static [&'static str],
) -> Entry {
    Entry { name, label, group, unit, kind: Kind::State, formulas }
}

/// Statements, sessions and what they hold.
pub(super) const SERVER: &[Entry] = &[
    total("statements", "server.questions", "statements", &["Questions"]),
    total("statements", "server.selects", "SELECT", &["Com_select"]),
    total("statements", "server.inserts", "INSERT", &["Com_insert"]),
    total("statements", "server.updates", "UPDATE", &["Com_update"]),
    total("statements", "server.deletes", "DELETE", &["Com_delete"]),
    total("commits", "server.commits", "COMMIT", &["Com_commit"]),
    total("commits", "server.rollbacks", "ROLLBACK", &["Com_rollback"]),
    total("commits", "binlog.commits", "into the binary log", &["Binlog_commits"]),
    total("commits", "binlog.groups", "groups of these", &["Binlog_group_commits"]),
    state("threads", "server.threads_running", "running", "threads", &["Threads_running"]),
    state("threads", "server.threads_connected", "connected", "threads", &["Threads_connected"]),
    total("temporary", "server.temporary_tables", "in memory or on disk", &["Created_tmp_tables"]),
    total("temporary", "server.temporary_on_disk", "on disk", &["Created_tmp_disk_tables"]),
    bytes("logs", "binlog.written", "binary log", &["Binlog_bytes_written"]),
];

/// InnoDB.
pub(super) const INNODB: &[Entry] = &[
    total(
        "rows",
        "rows.read",
        "read",
        &[
            "Innodb_rows_read",
            "Handler_read_first + Handler_read_key + Handler_read_last + Handler_read_next + \
             Handler_read_prev + Handler_read_rnd + Handler_read_rnd_next",
        ],
    ),
    total("rows", "rows.inserted", "inserted", &["Innodb_rows_inserted", "Handler_write"]),
    total("rows", "rows.updated", "updated", &["Innodb_rows_updated", "Handler_update"]),
    total("rows", "rows.deleted", "deleted", &["Innodb_rows_deleted", "Handler_delete"]),
    bytes("logs", "redo.written", "redo log", &["Innodb_os_log_written"]),
    total("redo-operations", "redo.writes", "writes", &["Innodb_log_writes"]),
    total("redo-operations", "redo.syncs", "syncs", &["Innodb_os_log_fsyncs"]),
    total("redo-operations", "redo.buffer_full", "log buffer full", &["Innodb_log_waits"]),
    state(
        "checkpoint",
        "redo.checkpoint_age",
        "checkpoint age",
        "B",
        &["Innodb_checkpoint_age", "Innodb_redo_log_current_lsn - Innodb_redo_log_checkpoint_lsn"],
    ),
    state("checkpoint", "redo.checkpoint_age_max", "limit", "B", &["Innodb_checkpoint_max_age"]),
    state(
        "history",
        "undo.history",
        "history list",
        "transactions",
        &["Innodb_history_list_length", "metric.trx_rseg_history_len"],
    ),
    state("dirty", "pool.dirty", "dirty", "B", &["Innodb_buffer_pool_bytes_dirty"]),
    state("dirty", "pool.data", "with data", "B", &["Innodb_buffer_pool_bytes_data"]),
    total("pool", "pool.reads", "read in want", &["Innodb_buffer_pool_reads"]),
    total("pool", "pool.read_ahead", "read ahead", &["Innodb_buffer_pool_read_ahead"]),
    total("pool", "pool.flushed", "written", &["Innodb_buffer_pool_pages_flushed"]),
    total("pool", "pool.wait_free", "waits for a free page", &["Innodb_buffer_pool_wait_free"]),
    Entry {
        name: "pool.hits",
        label: "found in the pool",
        group: "hits",
        unit: "%",
        kind: Kind::Percent,
        formulas: &["Innodb_buffer_pool_read_requests - Innodb_buffer_pool_reads / \
             Innodb_buffer_pool_read_requests"],
    },
    total("data-files", "data.reads", "reads", &["Innodb_data_reads"]),
    total("data-files", "data.writes", "writes", &["Innodb_data_writes"]),
    total("data-files", "data.syncs", "syncs", &["Innodb_data_fsyncs"]),
    total("data-files", "data.doublewrites", "doublewrites", &["Innodb_dblwr_writes"]),
    total("row-locks", "lock.waits", "waits", &["Innodb_row_lock_waits"]),
    total(
        "row-locks",
        "lock.deadlocks",
        "deadlocks",
        &["Innodb_deadlocks", "metric.lock_deadlocks"],
    ),
    total("row-locks", "lock.timeouts", "timeouts", &["metric.lock_timeouts"]),
    state(
        "row-lock-waiters",
        "lock.waiting",
        "waiting for a row lock",
        "sessions",
        &[ROW_LOCK_WAITERS],
    ),
];

/// Sessions that wait for a row lock now, as in the list above.
pub(super) const ROW_LOCK_WAITERS: &str = "Innodb_row_lock_current_waits";

/// Time that sessions waited for row locks, milliseconds: not a series but a wait.
pub(super) const ROW_LOCK_MS: &str = "Innodb_row_lock_time";
