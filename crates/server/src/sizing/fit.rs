//! Settings against what there is: refused, or made to fit.

use std::fmt;

use host::Resources;

use super::{
    POOL_BYTES_MIN, Wishes,
    given::{Given, REDO},
    memory::{self, MemoryPlan},
    told, written,
};
use crate::{
    error::Error,
    options::{self, Settings},
    version::Release,
};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// MySQL makes its buffer pool of chunks of this size, the same number for each instance.
const CHUNK_BYTES: u64 = 128 * MIB;

const POOL: &str = "innodb_buffer_pool_size";
const LOG_BUFFER: &str = "innodb_log_buffer_size";
const CONNECTIONS: &str = "max_connections";
const TABLES: &str = "table_open_cache";

/// A setting that the machine, or the limits of an instance, cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excess {
    /// The option.
    pub option: &'static str,
    /// What it was set to.
    pub value: String,
    /// What there is.
    pub limit: String,
    /// What can be done.
    pub way_out: String,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { option, value, limit, way_out } = self;
        write!(f, "{option} = {value} is more than there is: {limit}; {way_out}")
    }
}

/// What was made smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// The setting, as it was spelt.
    pub name: String,
    /// Its value before.
    pub from: String,
    /// Its value now.
    pub to: String,
    /// Why.
    pub why: String,
}

/// Refuses settings that cannot be held.
///
/// # Errors
/// [`Error::Beyond`] with the first of them.
pub fn check(settings: &Settings, release: &Release, resources: &Resources) -> Result<(), Error> {
    let given = Given::of(settings);
    let excess = memory_excess(&given, release, resources)
        .or_else(|| redo_excess(&given, resources))
        .or_else(|| files_excess(&given, resources));
    excess.map_or(Ok(()), |excess| Err(Error::Beyond(excess)))
}

fn memory_excess(given: &Given<'_>, release: &Release, resources: &Resources) -> Option<Excess> {
    let pool = given.number(POOL)?;
    let log_buffer = given.number(LOG_BUFFER).unwrap_or(0);
    let program = memory::base(release) + memory::instruments(release, given, false);
    let total = resources.memory_bytes;
    let beside = program.saturating_add(log_buffer).saturating_add(memory::control(pool));
    if pool.saturating_add(beside) <= total {
        return None;
    }
    let (option, bytes) = match log_buffer > pool {
        true => (LOG_BUFFER, log_buffer),
        false => (POOL, pool),
    };
    let room = total.saturating_sub(program.saturating_add(log_buffer.min(pool))) / 11 * 10;
    let whose = if resources.is_limit { "the memory limit is" } else { "memory is" };
    Some(Excess {
        option,
        value: given.text(option).unwrap_or_default().to_owned(),
        limit: format!(
            "{whose} {}, and {} of buffers need {} beside them",
            told(total),
            told(bytes),
            told(beside.saturating_sub(if option == LOG_BUFFER { log_buffer } else { 0 })),
        ),
        way_out: match room / MIB {
            0 => "give the server more memory".to_owned(),
            megabytes => format!("set {megabytes}M or less, or have it sized (--size auto)"),
        },
    })
}

fn redo_excess(given: &Given<'_>, resources: &Resources) -> Option<Excess> {
    let (bytes, free) = (given.redo_bytes()?, resources.disk.free_bytes?);
    let option = REDO.into_iter().find(|name| given.text(name).is_some())?;
    (bytes > free).then(|| Excess {
        option,
        value: given.text(option).unwrap_or_default().to_owned(),
        limit: format!("the redo log takes {}, the data's disk has {}", told(bytes), told(free)),
        way_out: format!("make it smaller, or keep the data elsewhere ({})", "--data DIR"),
    })
}

fn files_excess(given: &Given<'_>, resources: &Resources) -> Option<Excess> {
    let most = resources.files_max;
    let connections = given.number(CONNECTIONS).unwrap_or(0);
    let tables = given.number(TABLES).unwrap_or(0);
    let needs = [
        ("open_files_limit", given.number("open_files_limit")),
        ("innodb_open_files", given.number("innodb_open_files")),
        (CONNECTIONS, given.number(CONNECTIONS).map(|count| count.saturating_add(10))),
        (TABLES, given.number(TABLES).map(|_| files_of(connections, tables))),
    ];
    let (option, files) = needs.into_iter().find_map(|(option, files)| {
        let files = files.filter(|files| *files > most)?;
        Some((option, files))
    })?;
    Some(Excess {
        option,
        value: given.text(option).unwrap_or_default().to_owned(),
        limit: format!("it needs {files} open files, and a process may have {most}"),
        way_out: "raise the hard limit (`ulimit -Hn`, LimitNOFILE=), or set less".to_owned(),
    })
}

/// Files of so many connections and open tables (MySQL manual, open_files_limit).
fn files_of(connections: u64, tables: u64) -> u64 {
    tables.saturating_mul(2).saturating_add(connections).saturating_add(10)
}

/// Makes what does not fit smaller, so that a published listing can be tried on another machine.
/// Only what is set is changed, and nothing is made larger.
pub fn fit(settings: &mut Settings, release: &Release, resources: &Resources) -> Vec<Fitted> {
    let mut fitting = Fitting { settings, fitted: Vec::new() };
    fitting.connections(release, resources);
    fitting.log_buffer(resources);
    fitting.pool(release, resources);
    fitting.redo(resources);
    fitting.files(resources);
    fitting.fitted
}

struct Fitting<'a> {
    settings: &'a mut Settings,
    fitted: Vec<Fitted>,
}

impl Fitting<'_> {
    fn number(&self, option: &str) -> Option<u64> {
        Given::of(self.settings).number(option)
    }

    /// Lowers a setting that is above `most`.
    fn lower(&mut self, option: &str, most: u64, write: fn(u64) -> String, why: String) {
        if self.number(option).is_none_or(|value| value <= most) {
            return;
        }
        let plain = options::plain(option);
        let found = self.settings.iter_mut().find(|(name, _)| options::plain(name) == plain);
        let Some((name, value)) = found else { return };
        let to = write(most);
        let from = std::mem::replace(value, to.clone());
        self.fitted.push(Fitted { name: name.clone(), from, to, why });
    }

    fn connections(&mut self, release: &Release, resources: &Resources) {
        let session_bytes = memory::session(release, &Given::of(self.settings));
        let by_memory = resources.memory_bytes / 2 / session_bytes;
        let why = format!("at {} a session they would take half the memory", told(session_bytes));
        self.lower(CONNECTIONS, by_memory.max(1), |count| count.to_string(), why);
        let by_files = resources.files_max / 5;
        let why = format!("a process may open {} files", resources.files_max);
        self.lower(CONNECTIONS, by_files.max(1), |count| count.to_string(), why);
    }

    fn log_buffer(&mut self, resources: &Resources) {
        let most = (resources.memory_bytes / 32 / MIB * MIB).max(MIB);
        let why = format!("a thirty-second of {}", told(resources.memory_bytes));
        self.lower(LOG_BUFFER, most, written, why);
    }

    fn pool(&mut self, release: &Release, resources: &Resources) {
        let without: Settings = self
            .settings
            .iter()
            .filter(|(name, _)| options::plain(name) != options::plain(POOL))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let wishes = Wishes { release, settings: &without, connections: None };
        let plan = MemoryPlan::of(resources, &wishes, &Given::of(&without));
        let mut most = plan.pool_bytes.max(POOL_BYTES_MIN);
        if self.number(POOL).is_none_or(|bytes| bytes <= most) {
            return;
        }
        let why = "each instance of the buffer pool should have 1 GB".to_owned();
        for option in ["innodb_buffer_pool_instances", "innodb_page_cleaners"] {
            self.lower(option, (most / GIB).max(1), |count| count.to_string(), why.clone());
        }
        let instances = self.number("innodb_buffer_pool_instances").unwrap_or(1).max(1);
        let unit = CHUNK_BYTES.saturating_mul(instances);
        if release.flavour.is_mysql_like() && most >= unit {
            // The server would round up.
            most = most / unit * unit;
        }
        let why = format!(
            "what {} leave beside {} connections and the program",
            told(resources.memory_bytes),
            plan.connections
        );
        self.lower(POOL, most, written, why);
    }

    fn redo(&mut self, resources: &Resources) {
        let Some(free) = resources.disk.free_bytes else { return };
        let most = (free / 10 / (16 * MIB) * (16 * MIB)).max(64 * MIB);
        let why = format!("a tenth of the {} that the disk has left", told(free));
        let [capacity, size, files] = REDO;
        self.lower(capacity, most, written, why.clone());
        let files = self.number(files).unwrap_or(1).max(1);
        self.lower(size, (most / files / MIB * MIB).max(4 * MIB), written, why);
    }

    fn files(&mut self, resources: &Resources) {
        let most = resources.files_max;
        let why = format!("a process may open {most} files");
        let connections = self.number(CONNECTIONS).unwrap_or(0);
        let tables = most.saturating_sub(connections.saturating_add(10)) / 2;
        let write = |count: u64| count.to_string();
        self.lower(TABLES, tables, write, why.clone());
        for option in ["open_files_limit", "innodb_open_files"] {
            self.lower(option, most, write, why.clone());
        }
    }
}
