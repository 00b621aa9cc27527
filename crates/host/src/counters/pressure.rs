//! Stalls for want of a resource, from `/proc/pressure` (Linux 4.20 and later, where not
//! switched off).

use crate::Root;

/// What threads can be short of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Processors.
    Cpu,
    /// Memory.
    Memory,
    /// Block devices.
    Io,
}

/// Time since the machine started in which threads were short of a resource, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pressure {
    /// At least one was, while others may have worked.
    pub some_s: f64,
    /// All that had something to do were.
    pub full_s: f64,
}

impl Pressure {
    /// Asks the machine; none where it does not tell.
    pub fn of(root: &Root, resource: Resource) -> Option<Self> {
        let name = match resource {
            Resource::Cpu => "cpu",
            Resource::Memory => "memory",
            Resource::Io => "io",
        };
        Self::parse(&root.text(format!("proc/pressure/{name}"))?)
    }

    fn parse(text: &str) -> Option<Self> {
        let total_s = |kind: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(kind))?;
            let (_, total) = line.rsplit_once("total=")?;
            Some(total.trim().parse::<u64>().ok()? as f64 / 1e6)
        };
        Some(Self { some_s: total_s("some ")?, full_s: total_s("full ").unwrap_or(0.0) })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn totals_are_microseconds() {
        let text = "some avg10=0.05 avg60=0.62 avg300=0.98 total=2500000\n\
                    full avg10=0.00 avg60=0.05 avg300=0.42 total=500000";
        assert_eq!(Pressure::parse(text).unwrap(), Pressure { some_s: 2.5, full_s: 0.5 });
        let old = "some avg10=0.05 avg60=0.62 avg300=0.98 total=1000000";
        assert_eq!(Pressure::parse(old).unwrap(), Pressure { some_s: 1.0, full_s: 0.0 });
    }

    proptest! {
        #[test]
        fn any_text_is_a_time_or_none(text in "(some |full )?[a-z0-9=. \n]{0,60}") {
            if let Some(told) = Pressure::parse(&text) {
                prop_assert!(told.some_s >= 0.0 && told.full_s >= 0.0);
            }
        }
    }
}
