//! Times that processors were slowed down because they were too hot.

use crate::{CpuSet, Root};

/// Thermal throttling events of all cores since the machine started, from
/// `/sys/devices/system/cpu/cpuN/thermal_throttle/core_throttle_count`
/// (`Documentation/admin-guide/abi`); none where no processor counts them, as in most virtual
/// machines. Threads of one core count the same events, which are told once for each of them.
pub fn thermal_throttlings(root: &Root) -> Option<u64> {
    let online: CpuSet = root.text("sys/devices/system/cpu/online")?.trim().parse().ok()?;
    let count = |cpu: u32| -> Option<u64> {
        root.number(format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count"))
    };
    online.iter().filter_map(count).reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::tree;

    #[test]
    fn events_of_all_cores_are_added_up() {
        let count =
            |cpu| format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count");
        let (first, second) = (count(0), count(1));
        let online = ("sys/devices/system/cpu/online", "0-2\n");
        let (_dir, root) = tree(&[online, (&first, "3\n"), (&second, "4\n")]);
        assert_eq!(thermal_throttlings(&root), Some(7));
        let (_dir, without) = tree(&[online]);
        assert_eq!(thermal_throttlings(&without), None);
    }
}
