//! What can be typed about traces of the block layer.

use super::{parse_bytes, parse_duration};
use clap::Args;
use std::{path::PathBuf, time::Duration};

/// What is traced, or shown of a trace.
#[derive(Clone, Debug, Args)]
pub(crate) struct SsdTraceArgs {
    /// The disk or partition, such as /dev/nvme0n1 or /dev/loop0
    #[arg(value_name = "DEVICE", required_unless_present = "show")]
    pub(crate) device: Option<PathBuf>,
    /// Keep the trace in this file, for --show and `ssd simulate`
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How long [default: until Ctrl-C]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) duration: Option<Duration>,
    /// Find out whose writes they are: look where the files on the device lie, again and again
    #[arg(long)]
    pub(crate) files: bool,
    /// Room in memory for events that wait to be taken, a power of two; an event takes 32 bytes
    #[arg(long, value_name = "SIZE", value_parser = parse_ring, default_value = "16M")]
    pub(crate) ring: u64,
    /// Instead of a device, say what a kept trace comes to
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["device", "output", "duration", "files"])]
    pub(crate) show: Option<PathBuf>,
    /// With --show, every event, a line each
    #[arg(long, requires = "show", conflicts_with_all = ["device", "output", "duration", "files"])]
    pub(crate) events: bool,
}

/// A size that the kernel takes for a ring buffer.
fn parse_ring(text: &str) -> Result<u64, String> {
    let bytes = parse_bytes(text)?;
    match bytes.is_power_of_two() && (4 << 10..=1 << 30).contains(&bytes) {
        true => Ok(bytes),
        false => Err(format!("`{text}` is no power of two from 4K to 1G")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_has_a_size_that_the_kernel_takes() {
        assert_eq!(parse_ring("16M"), Ok(16 << 20));
        for text in ["3M", "2K", "2G", "0", "many"] {
            assert!(parse_ring(text).is_err(), "{text}");
        }
    }
}
