//! What of the machine bears on a database benchmark, and what is to be said about it.
//!
//! [`check`] reads a machine at a [`Root`](crate::Root) and says of each thing what it is, whether
//! it is good, what would be better and which setting of a profile makes it so. It changes nothing.
//! Rates (steal time, busy processes) come from two [`Moment`]s that the caller takes.

mod disk;
mod item;
mod limits;
mod load;
mod memory;
mod moment;
mod network;
mod processor;
mod scheduler;
mod services;
#[cfg(test)]
mod tests;

pub use item::{Item, State};
pub use moment::Moment;

use crate::{
    Root, Topology,
    tuning::{Scope, Shell, TuningError},
};

/// The machine that is looked at, and which parts of it.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// Its tree.
    pub root: &'a Root,
    /// Who is asked about services and queues.
    pub shell: &'a dyn Shell,
    /// Which parts.
    pub scope: &'a Scope,
    /// The machine some time ago.
    pub before: &'a Moment,
    /// The machine now.
    pub after: &'a Moment,
    /// The process that looks, which is not counted among busy ones.
    pub own_pid: u32,
}

/// Says of everything what it is, group by group.
///
/// # Errors
/// A directory, a card or processors in the scope that the machine does not have.
pub fn check(look: &Look<'_>) -> Result<Vec<Item>, TuningError> {
    look.scope.check(look.root)?;
    let topology = Topology::of(look.root);
    let mut items = processor::items(look, &topology);
    items.extend(scheduler::items(look.root, &topology));
    items.extend(memory::items(look.root, &topology));
    items.extend(disk::items(look));
    items.extend(network::items(look));
    items.extend(services::items(look));
    items.extend(limits::items(look.root));
    items.extend(load::items(look, &topology));
    Ok(items)
}
