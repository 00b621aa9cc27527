//! The tables of a store, and how an older file becomes a newer one.

/// `PRAGMA application_id` of a store, "myRg" in ASCII: tells it from any other SQLite file.
pub(super) const APPLICATION_ID: i32 = 0x6d79_5267;

/// The steps from an empty file to the present format. `PRAGMA user_version` counts the steps that
/// a file has gone through. A released step is never changed; a new one is added after it.
pub(super) const MIGRATIONS: &[&str] = &[RUNS, SWEEPS, GROUPS, WATCHES, EXPERIMENTS];

const RUNS: &str = r"
    CREATE TABLE runs (
        run INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        label TEXT NOT NULL,
        started_at TEXT NOT NULL,
        workload TEXT NOT NULL,
        profile TEXT NOT NULL,
        server TEXT NOT NULL,
        status TEXT NOT NULL,
        headline_name TEXT,
        headline_value REAL,
        headline_unit TEXT,
        record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX runs_started_at ON runs (started_at);
    CREATE INDEX runs_workload ON runs (workload, profile, started_at);
    CREATE INDEX runs_label ON runs (label);

    CREATE TABLE transactions (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        type INTEGER NOT NULL,
        name TEXT NOT NULL,
        committed INTEGER NOT NULL,
        rolled_back INTEGER NOT NULL,
        failed INTEGER NOT NULL,
        retried INTEGER NOT NULL,
        in_doubt INTEGER NOT NULL,
        PRIMARY KEY (run, type)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE histograms (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        type INTEGER NOT NULL,
        latency TEXT NOT NULL CHECK (latency IN ('service', 'queue', 'response')),
        count INTEGER NOT NULL,
        hdr_v2 BLOB NOT NULL,
        PRIMARY KEY (run, type, latency)
    ) STRICT;

    CREATE TABLE intervals (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        second INTEGER NOT NULL,
        at_s REAL NOT NULL,
        length_s REAL NOT NULL,
        connected INTEGER NOT NULL,
        client_cpu REAL NOT NULL,
        PRIMARY KEY (run, second)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE interval_transactions (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        second INTEGER NOT NULL,
        type INTEGER NOT NULL,
        committed INTEGER NOT NULL,
        rolled_back INTEGER NOT NULL,
        failed INTEGER NOT NULL,
        retries INTEGER NOT NULL,
        p50_ms REAL NOT NULL,
        p95_ms REAL NOT NULL,
        p99_ms REAL NOT NULL,
        max_ms REAL NOT NULL,
        PRIMARY KEY (run, second, type)
    ) STRICT, WITHOUT ROWID;

    CREATE VIEW series AS
        SELECT runs.id, i.at_s, i.length_s, t.name AS transaction_name,
               x.committed, x.rolled_back, x.failed, x.retries,
               x.p50_ms, x.p95_ms, x.p99_ms, x.max_ms
        FROM runs
        JOIN intervals i USING (run)
        JOIN interval_transactions x USING (run, second)
        LEFT JOIN transactions t USING (run, type);
";

const SWEEPS: &str = r"
    CREATE TABLE sweeps (
        sweep INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        started_at TEXT NOT NULL,
        summary TEXT NOT NULL,
        record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX sweeps_started_at ON sweeps (started_at);

    CREATE TABLE sweep_steps (
        sweep INTEGER NOT NULL REFERENCES sweeps ON DELETE CASCADE,
        step INTEGER NOT NULL,
        run TEXT NOT NULL,
        PRIMARY KEY (sweep, step)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sweep_steps_run ON sweep_steps (run);
";

const GROUPS: &str = r"
    CREATE TABLE run_groups (
        run_group INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        started_at TEXT NOT NULL,
        summary TEXT NOT NULL,
        record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX run_groups_started_at ON run_groups (started_at);

    CREATE TABLE group_members (
        run_group INTEGER NOT NULL REFERENCES run_groups ON DELETE CASCADE,
        member INTEGER NOT NULL,
        run TEXT NOT NULL,
        PRIMARY KEY (run_group, member)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX group_members_run ON group_members (run);
";

const WATCHES: &str = r"
    CREATE TABLE watches (
        run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
        samples INTEGER NOT NULL,
        at_s BLOB NOT NULL
    ) STRICT;

    CREATE TABLE watch_series (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        place INTEGER NOT NULL,
        name TEXT NOT NULL,
        label TEXT NOT NULL,
        series_group TEXT NOT NULL,
        unit TEXT NOT NULL,
        source TEXT NOT NULL,
        mean REAL,
        most REAL,
        packed BLOB NOT NULL,
        PRIMARY KEY (run, place)
    ) STRICT;
    CREATE INDEX watch_series_name ON watch_series (name);
";

const EXPERIMENTS: &str = r"
    CREATE TABLE experiments (
        experiment INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        started_at TEXT NOT NULL,
        summary TEXT NOT NULL,
        record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX experiments_started_at ON experiments (started_at);

    -- The id of a run or, of a trial that is a sweep, of the sweep.
    CREATE TABLE experiment_trials (
        experiment INTEGER NOT NULL REFERENCES experiments ON DELETE CASCADE,
        trial INTEGER NOT NULL,
        run TEXT NOT NULL,
        PRIMARY KEY (experiment, trial)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX experiment_trials_run ON experiment_trials (run);
";

/// The format that this version writes.
pub(super) fn current() -> i64 {
    MIGRATIONS.len() as i64
}
