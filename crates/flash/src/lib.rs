//! Flash: what drives say of their write amplification, what the block layer writes, and a
//! simulated drive that needs no hardware.
//!
//! - [`waf`]: host and media bytes, the figure they make, and the seam behind which drives stand.
//! - [`trace`]: the writes and discards of a block device, as they happened.
//! - [`result_file`]: the rows in which the published procedure keeps it.
//! - [`ftl`]: a page-mapped flash translation layer, simulated.

pub mod ftl;
pub mod result_file;
pub mod trace;
pub mod waf;
