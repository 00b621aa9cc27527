//! The kernel's scheduler.

use super::item::{Item, Judged, Verdict, item, text};
use crate::{Root, Topology, tuning::FEATURES};

const GROUP: &str = "scheduler";
const KERNEL: &str = "Linux Documentation/admin-guide/sysctl/kernel.rst";
const ASTREAM: &str = "astream procedure 4.1";

pub(super) fn items(root: &Root, topology: &Topology) -> Vec<Item> {
    vec![
        item(GROUP, "NUMA balancing", KERNEL, numa_balancing(root, topology)),
        item(GROUP, "autogroup", "sched(7)", autogroup(root)),
        item(GROUP, "STEAL", ASTREAM, steal(root)),
        item(GROUP, "STEAL's boot option", ASTREAM, steal_option(root)),
    ]
}

fn numa_balancing(root: &Root, topology: &Topology) -> Judged {
    let found = text(root, "proc/sys/kernel/numa_balancing")?;
    Ok(match (found.as_str(), topology.nodes.len()) {
        ("0", _) => Verdict::good("off"),
        (_, 1) => Verdict::good("on; with one node it does nothing"),
        _ => Verdict::advice("on", "it unmaps pages to see who uses them, which costs faults")
            .by("scheduler.numa-balancing = false"),
    })
}

fn autogroup(root: &Root) -> Judged {
    let found = text(root, "proc/sys/kernel/sched_autogroup_enabled")?;
    Ok(match found.as_str() {
        "0" => Verdict::good("off"),
        _ => Verdict::advice("on", "it weighs sessions, not threads: a server counts as one")
            .by("scheduler.autogroup = false"),
    })
}

/// The list of features. Only root may look into debugfs.
fn features(root: &Root) -> Result<String, Verdict> {
    for path in FEATURES {
        match root.read(path) {
            Ok(Some(text)) => return Ok(text),
            Ok(None) => {}
            Err(error) => return Err(Verdict::unknown(format!("/{path} cannot be read: {error}"))),
        }
    }
    Err(match root.names("sys/kernel/debug").is_empty() {
        true => {
            Verdict::unknown("debugfs is not mounted: `mount -t debugfs none /sys/kernel/debug`")
        }
        false => Verdict::absent("this kernel does not show its scheduler's features"),
    })
}

fn steal(root: &Root) -> Judged {
    let features = features(root)?;
    let has = |name: &str| features.split_whitespace().any(|word| word == name);
    Ok(match (has("STEAL"), has("NO_STEAL")) {
        (true, _) => Verdict::good("on"),
        (_, true) => Verdict::advice("off", "idle processors would take waiting threads")
            .by("scheduler.steal = true"),
        _ => Verdict::absent("this kernel's scheduler has no such feature"),
    })
}

fn steal_option(root: &Root) -> Judged {
    let line = text(root, "proc/cmdline")?;
    let option = line.split_whitespace().find(|word| word.starts_with("sched_steal_node_limit="));
    if let Some(option) = option {
        return Ok(Verdict::good(option));
    }
    // Only a kernel with the feature knows its option.
    match steal(root) {
        Ok(verdict) if verdict.is_absent() => Ok(verdict),
        Ok(_) => Ok(Verdict::advice(
            "not given",
            "boot with sched_steal_node_limit=4, which lets STEAL work across that many nodes",
        )),
        Err(early) => Err(early),
    }
}
