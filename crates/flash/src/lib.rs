//! Flash: what drives say of their write amplification, what the block layer writes, and a
//! simulated drive that needs no hardware.
//!
//! - [`waf`]: host and media bytes, the figure they make, and the seam behind which drives stand.
//! - [`trace`]: the writes and discards of a block device, as they happened.
//! - [`ftl`]: a page-mapped flash translation layer, simulated.

pub mod ftl;
pub mod trace;
pub mod waf;
