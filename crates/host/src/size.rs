//! The size of an instance, as a cloud sells it: so many cores, so much memory.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Fewest processors that a limit can be set to: the kernel's shortest quota is a hundredth.
const CPUS_MIN: f64 = 0.01;
/// Most processors that make sense; what is more is a slip of the pen.
const CPUS_MAX: f64 = 8192.0;
/// Least memory that a limit can be set to: below that no server starts at all.
const MEMORY_BYTES_MIN: u64 = 16 << 20;

/// Limits of an instance. What is none is not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Processors' worth of time, 0.5 for half of one.
    #[serde(default)]
    pub cpus: Option<f64>,
    /// Memory, bytes, page cache included.
    #[serde(default)]
    pub memory_bytes: Option<u64>,
}

/// A size that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SizeError {
    /// Not a number of processors.
    #[error("{0} is no number of processors; give one from 0.01 to 8192, such as 4 or 0.5")]
    Cpus(f64),
    /// Too little memory.
    #[error("a memory limit of {0} bytes is too little for any server; give 16M or more")]
    Memory(u64),
}

impl Size {
    /// No limit at all.
    pub const UNLIMITED: Self = Self { cpus: None, memory_bytes: None };

    /// Whether there is a limit.
    pub fn is_limited(&self) -> bool {
        *self != Self::UNLIMITED
    }

    /// Refuses what no kernel could hold a server to.
    ///
    /// # Errors
    /// The part at fault.
    pub fn check(&self) -> Result<(), SizeError> {
        match (self.cpus, self.memory_bytes) {
            (Some(cpus), _) if !(CPUS_MIN..=CPUS_MAX).contains(&cpus) => Err(SizeError::Cpus(cpus)),
            (_, Some(bytes)) if bytes < MEMORY_BYTES_MIN => Err(SizeError::Memory(bytes)),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cores = self.cpus.map(|cpus| match cpus {
            1.0 => "1 core".to_owned(),
            _ => format!("{cpus} cores"),
        });
        let parts: Vec<String> = cores.into_iter().chain(self.memory_bytes.map(memory)).collect();
        match parts.is_empty() {
            true => f.write_str("unlimited"),
            false => f.write_str(&parts.join(", ")),
        }
    }
}

/// As the vendors write it: a GB of an instance's memory is 2^30 bytes.
fn memory(bytes: u64) -> String {
    const MB: u64 = 1 << 20;
    const GB: u64 = 1 << 30;
    match bytes {
        _ if bytes >= GB && bytes.is_multiple_of(GB) => format!("{} GB", bytes / GB),
        _ if bytes >= 10 * GB => format!("{:.1} GB", bytes as f64 / GB as f64),
        _ => format!("{:.0} MB", bytes as f64 / MB as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_as_vendors_tell_them() {
        let told = |cpus, memory_bytes| Size { cpus, memory_bytes }.to_string();
        assert_eq!(told(Some(4.0), Some(8 << 30)), "4 cores, 8 GB");
        assert_eq!(told(Some(1.0), Some(512 << 20)), "1 core, 512 MB");
        assert_eq!(told(Some(0.5), None), "0.5 cores");
        assert_eq!(told(None, Some((1 << 30) + (1 << 29))), "1536 MB");
        assert_eq!(told(None, None), "unlimited");
    }

    #[test]
    fn sizes_that_cannot_be_are_refused() {
        let check = |cpus, memory_bytes| Size { cpus, memory_bytes }.check();
        for cpus in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(matches!(check(Some(cpus), None), Err(SizeError::Cpus(_))), "{cpus}");
        }
        assert_eq!(check(None, Some(1)), Err(SizeError::Memory(1)));
        assert_eq!(check(Some(0.5), Some(1 << 30)), Ok(()));
        assert!(!Size::UNLIMITED.is_limited() && check(None, None).is_ok());
    }
}
