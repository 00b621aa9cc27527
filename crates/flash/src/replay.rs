//! A trace of the block layer through simulated drives.
//!
//! - [`Paging`] cuts sectors to pages; [`PageTrace`] is a trace that was cut, ready to be replayed.
//! - [`replay`] writes it to a drive, again and again until its write amplification is steady.
//! - [`replay_all`] does so for many drives at a time, and [`Effect`] compares two of them.
//! - [`replay_load`] writes what is [`MadeUp`] in place of a trace.
//!
//! A drive is handed whole pages. What the block layer writes of a page in part is a write of all
//! of it, each time, but for those that a write buffer joins where the drive has one
//! ([`crate::ftl::Options::buffer_pages`]).

mod bitmap;
mod bootstrap;
mod effect;
mod host;
mod load;
mod many;
mod page_trace;
mod paging;
mod passes;
mod position;

pub use bootstrap::change_interval;
pub use effect::Effect;
pub(crate) use host::Host;
pub use load::{MadeUp, replay_load};
pub use many::{Setup, on_threads, replay_all};
pub use page_trace::{EVENT_BYTES, Op, PageTrace, Summary};
pub use paging::{BeyondEnd, Paging};
pub use passes::{Outcome, ReplayError, Stopping, Watch, replay};
