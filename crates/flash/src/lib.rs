//! Flash: what drives say of their write amplification, what the block layer writes, and a
//! simulated drive that needs no hardware.
//!
//! - [`waf`]: host and media bytes, the figure they make, and the seam behind which drives stand.
//! - [`trace`]: the writes and discards of a block device, as they happened.
//! - [`nvme`], [`drive`]: real drives, by admin commands of our own.
//! - [`result_file`]: the rows in which the published procedure keeps it.
//! - [`ftl`]: a page-mapped flash translation layer, simulated.
//! - [`live`]: simulated drives that are fed with what a device is written, as it happens.
//! - [`placement`]: which stream of a drive a write goes to.
//! - [`replay`]: a trace through simulated drives; [`tune`]: stream rules proposed from one.
//! - [`synthetic`]: writes drawn from distributions, for it to be tried with.
//! - [`theory`]: the write amplification that it must come to, in closed form.

pub mod drive;
pub mod ftl;
pub mod live;
pub mod nvme;
pub mod placement;
pub mod replay;
pub mod result_file;
pub mod synthetic;
pub mod theory;
pub mod trace;
pub mod tune;
pub mod waf;
