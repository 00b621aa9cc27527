//! What the machine and a process on it have done so far: processor time, disk and network
//! traffic, memory, stalls, and what each thread waits for now.
//!
//! Everything here is a total since the machine or the process started, or a state of now; whoever
//! wants a rate asks twice and divides by the time between. Parsers take the kernel's texts as
//! they are (proc(5), Documentation/admin-guide/iostats.rst, accounting/psi.rst): a line that does
//! not look as it should is passed over, for a counter that is missing is a gap in a chart and no
//! reason to end a run.

mod disk;
mod memory;
mod network;
mod pressure;
mod process;
mod processor;
mod syscall;
mod thread;
mod throttling;

pub use disk::Disk;
pub use memory::Memory;
pub use network::Network;
pub use pressure::{Pressure, Resource};
pub use process::ProcessCounters;
pub use processor::Processors;
pub use syscall::{Activity, FileCall};
pub use thread::{ThreadTimes, TimeShare};
pub use throttling::thermal_throttlings;

/// A number of milliseconds, as the kernel counts them, in seconds.
fn ms(value: u64) -> f64 {
    value as f64 / 1e3
}
