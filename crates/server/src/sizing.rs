//! Sizing: what a server's options should be on the machine, or the share of it, that it gets.
//!
//! - [`Sizing`]: the options that follow from [`Resources`], each with its reason and source.
//! - [`check`]: settings that the machine, or the instance's limits, cannot hold, as an error.
//! - [`fit`]: the same settings made smaller, with what became of each.
//! - `given`: settings as they may be spelt. `memory`: what a server takes beside its buffer pool.
//!   `rules`: an option each.
//!
//! Pure: facts about the machine come in as [`Resources`].

mod fit;
mod given;
mod memory;
mod rules;

pub use fit::{Excess, Fitted, check, fit};
pub use memory::MemoryPlan;

use host::{Resources, Size};

use crate::{
    error::Error,
    options::{self, Settings},
    version::Release,
};
use given::Given;

/// Least buffer pool that is worth a benchmark.
const POOL_BYTES_MIN: u64 = 32 << 20;

/// An option that follows from the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sized {
    /// Its name, as this release knows it.
    pub name: String,
    /// Its value, as an option file takes it.
    pub value: String,
    /// Why this value, in a sentence.
    pub reason: String,
    /// Where the rule is from.
    pub source: &'static str,
}

/// What to size for.
#[derive(Clone, Copy, Debug)]
pub struct Wishes<'a> {
    /// The server program: options differ.
    pub release: &'a Release,
    /// What has been decided already; the rest is sized around it.
    pub settings: &'a Settings,
    /// Connections that there will be; none for as many as there is room for, up to 1,000.
    pub connections: Option<u32>,
}

/// The options that follow from the machine, and how its memory is spent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizing {
    /// An entry an option, those left out that were decided already.
    pub options: Vec<Sized>,
    /// What the memory is for.
    pub memory: MemoryPlan,
}

/// The options that sizing may decide, in the words of any version.
pub const OPTIONS: [&str; 17] = [
    "innodb_buffer_pool_size",
    "innodb_buffer_pool_instances",
    "innodb_page_cleaners",
    "innodb_redo_log_capacity",
    "innodb_log_file_size",
    "innodb_log_files_in_group",
    "innodb_log_buffer_size",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_read_io_threads",
    "innodb_write_io_threads",
    "innodb_purge_threads",
    "max_connections",
    "table_open_cache",
    "open_files_limit",
    "thread_cache_size",
    "performance_schema",
];

impl Sizing {
    /// Sizes a server.
    ///
    /// # Errors
    /// [`Error::TooSmall`] where there is no room for a buffer pool; [`Error::Beyond`] for wishes
    /// that are beyond the machine.
    pub fn of(resources: &Resources, wishes: &Wishes<'_>) -> Result<Self, Error> {
        check(wishes.settings, wishes.release, resources)?;
        let given = Given::of(wishes.settings);
        let memory = MemoryPlan::of(resources, wishes, &given);
        if memory.pool_bytes < POOL_BYTES_MIN {
            return Err(Error::TooSmall {
                memory: told(resources.memory_bytes),
                release: wishes.release.to_string(),
                connections: memory.connections,
                missing: told(POOL_BYTES_MIN.saturating_sub(memory.pool_bytes)),
            });
        }
        let mut options = rules::all(resources, wishes.release, &memory, &given);
        options.retain(|option| !given.has(&option.name));
        Ok(Self { options, memory })
    }

    /// Sizes anew what has been sized before: of the settings that there are, those that sizing
    /// decides no longer count. Gives what to set and which of the present ones to unset.
    ///
    /// # Errors
    /// As [`Sizing::of`].
    pub fn anew(
        resources: &Resources,
        release: &Release,
        present: &Settings,
        given: &Settings,
    ) -> Result<(Settings, Vec<String>), Error> {
        let is_sized = |name: &str| {
            let plain = options::plain(name);
            OPTIONS.iter().any(|option| options::plain(option) == plain)
        };
        let mut decided = present.clone();
        decided.retain(|name, _| !is_sized(name));
        decided.extend(given.clone());
        let wishes = Wishes { release, settings: &decided, connections: None };
        let set = Self::of(resources, &wishes)?.under(given);
        let now = Given::of(&set);
        let stale = |name: &&String| is_sized(name) && now.text(name).is_none();
        let stale = present.keys().filter(stale).cloned().collect();
        Ok((set, stale))
    }

    /// As settings, for those that were given to be laid over.
    pub fn settings(&self) -> Settings {
        self.options.iter().map(|option| (option.name.clone(), option.value.clone())).collect()
    }

    /// The settings that were given over those that follow from the machine.
    pub fn under(&self, given: &Settings) -> Settings {
        let mut all = self.settings();
        for (name, value) in given {
            let plain = options::plain(name);
            all.retain(|known, _| options::plain(known) != plain);
            all.insert(name.clone(), value.clone());
        }
        all
    }
}

/// Memory in words, `1.5 GB`.
fn told(bytes: u64) -> String {
    Size { cpus: None, memory_bytes: Some(bytes) }.to_string()
}

/// A size as an option file takes it: `6G`, `6400M`.
fn written(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
    let unit = UNITS.iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    unit.map_or_else(|| bytes.to_string(), |(unit, name)| format!("{}{name}", bytes / unit))
}

#[cfg(test)]
mod tests;
