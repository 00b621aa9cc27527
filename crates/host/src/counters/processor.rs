//! Processor time of the machine by mode, from `/proc/stat`.

use crate::Root;

/// Seconds that all processors together have spent in each mode since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Processors {
    /// Programs, those with a lowered priority and guests included.
    pub user_s: f64,
    /// The kernel for programs.
    pub system_s: f64,
    /// Interrupts, hard and soft.
    pub interrupts_s: f64,
    /// Idle while a thread that last ran here waits for a disk. A hint more than a measure: with
    /// something else to run this time is not idle.
    pub iowait_s: f64,
    /// Wanted, and given to another guest by the hypervisor.
    pub steal_s: f64,
    /// Idle.
    pub idle_s: f64,
}

impl Processors {
    /// Asks the machine; `ticks_per_s` is the kernel's unit (`sysconf(_SC_CLK_TCK)`). None where
    /// it does not tell.
    pub fn of(root: &Root, ticks_per_s: f64) -> Option<Self> {
        Self::parse(&root.text("proc/stat")?, ticks_per_s)
    }

    /// All modes together.
    pub fn total_s(&self) -> f64 {
        let Self { user_s, system_s, interrupts_s, iowait_s, steal_s, idle_s } = self;
        user_s + system_s + interrupts_s + iowait_s + steal_s + idle_s
    }

    /// The line of all processors in `/proc/stat`. Older kernels have fewer columns.
    fn parse(stat: &str, ticks_per_s: f64) -> Option<Self> {
        let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let ticks: Vec<u64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
        if ticks.len() < 4 {
            return None;
        }
        let seconds = |columns: &[usize]| {
            let columns = columns.iter().filter_map(|column| ticks.get(*column));
            columns.map(|ticks| *ticks as f64).sum::<f64>() / ticks_per_s
        };
        Some(Self {
            user_s: seconds(&[0, 1]),
            system_s: seconds(&[2]),
            idle_s: seconds(&[3]),
            iowait_s: seconds(&[4]),
            interrupts_s: seconds(&[5, 6]),
            steal_s: seconds(&[7]),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn modes_are_told_apart() {
        let stat = "cpu  100 20 30 400 50 6 7 80 9 1\ncpu0 1 2 3 4\nintr 5\n";
        let told = Processors::parse(stat, 100.0).unwrap();
        assert_eq!((told.user_s, told.system_s, told.idle_s), (1.2, 0.3, 4.0));
        assert_eq!((told.iowait_s, told.interrupts_s, told.steal_s), (0.5, 0.13, 0.8));
    }

    #[test]
    fn a_kernel_that_knows_few_modes_has_none_of_the_others() {
        let told = Processors::parse("cpu  1 2 3 4", 1.0).unwrap();
        assert_eq!((told.idle_s, told.steal_s), (4.0, 0.0));
        assert_eq!(Processors::parse("cpu  1 2 x 4", 1.0), None);
        assert_eq!(Processors::parse("cpu0 1 2 3 4", 1.0), None);
    }

    #[test]
    fn this_machine_has_been_busy() {
        let told = Processors::of(&Root::real(), 100.0).unwrap();
        assert!(told.user_s > 0.0 && told.idle_s > 0.0);
    }

    proptest! {
        #[test]
        fn any_text_gives_finite_times_or_none(text in "(cpu )?[0-9a-z \n-]{0,60}") {
            if let Some(told) = Processors::parse(&text, 100.0) {
                prop_assert!(told.user_s.is_finite() && told.idle_s.is_finite());
            }
        }
    }
}
