//! Memory: huge pages, swapping, and what is written but not yet on disk.

use super::item::{Item, Judged, Verdict, item, number, text};
use crate::{Bytes, Root, Topology, meminfo::field_bytes, tuning::chosen};

const GROUP: &str = "memory";
const VM: &str = "Linux Documentation/admin-guide/sysctl/vm.rst";
const THP: &str = "Linux Documentation/admin-guide/mm/transhuge.rst";
const HUGE: &str = "MySQL manual, Enabling Large Page Support";
const PROC: &str = "proc_meminfo(5)";
/// More than this is written at once when a limit is reached.
const DIRTY_MAX_BYTES: u64 = 4 << 30;
const SWAPPINESS_MAX: u64 = 10;

pub(super) fn items(root: &Root, topology: &Topology) -> Vec<Item> {
    let mut items = vec![
        item(GROUP, "available", PROC, available(root)),
        item(GROUP, "page cache", PROC, cached(root)),
        item(GROUP, "swap in use", PROC, swap(root)),
        item(GROUP, "swappiness", VM, swappiness(root)),
        item(GROUP, "zone reclaim", VM, zone_reclaim(root)),
        item(GROUP, "overcommit", VM, overcommit(root)),
        item(GROUP, "dirty limit", VM, dirty(root, "dirty", "vm.dirty-bytes = 1073741824")),
        item(
            GROUP,
            "dirty, background",
            VM,
            dirty(root, "dirty_background", "vm.dirty-background-bytes = 268435456"),
        ),
        item(GROUP, "transparent huge pages", THP, thp(root)),
        item(GROUP, "THP defrag", THP, thp_defrag(root)),
    ];
    items.extend(huge_pages(root, topology));
    items
}

/// A field of `/proc/meminfo`, bytes.
fn field(root: &Root, name: &str) -> Result<u64, Verdict> {
    let meminfo = text(root, "proc/meminfo")?;
    field_bytes(&meminfo, name)
        .ok_or_else(|| Verdict::unknown(format!("/proc/meminfo has no {name}")))
}

fn available(root: &Root) -> Judged {
    let (available, total) = (field(root, "MemAvailable")?, field(root, "MemTotal")?);
    Ok(Verdict::good(format!("{} of {}", Bytes(available), Bytes(total))))
}

fn cached(root: &Root) -> Judged {
    let (cached, dirty) = (field(root, "Cached")?, field(root, "Dirty")?);
    let found = format!("{}, {} of it dirty", Bytes(cached), Bytes(dirty));
    Ok(match dirty > DIRTY_MAX_BYTES {
        true => Verdict::advice(found, "it is being written now: wait, or `sync`"),
        false => Verdict::good(found),
    })
}

fn swap(root: &Root) -> Judged {
    let (total, free) = (field(root, "SwapTotal")?, field(root, "SwapFree")?);
    Ok(match (total, total.saturating_sub(free)) {
        (0, _) => Verdict::good("none; there is no swap"),
        (_, 0) => Verdict::good("none"),
        (_, used) => Verdict::advice(
            Bytes(used).to_string(),
            "what is swapped out comes back during the run: free memory, then swapoff and swapon",
        ),
    })
}

fn swappiness(root: &Root) -> Judged {
    let found = number(root, "proc/sys/vm/swappiness")?;
    Ok(match found <= SWAPPINESS_MAX {
        true => Verdict::good(found.to_string()),
        false => Verdict::advice(found.to_string(), "the buffer pool may go to swap for files")
            .by("vm.swappiness = 1"),
    })
}

fn zone_reclaim(root: &Root) -> Judged {
    let found = number(root, "proc/sys/vm/zone_reclaim_mode")?;
    Ok(match found {
        0 => Verdict::good("off"),
        _ => Verdict::advice(found.to_string(), "a node drops its cache instead of using another")
            .by("vm.zone-reclaim = 0"),
    })
}

fn overcommit(root: &Root) -> Judged {
    Ok(match number(root, "proc/sys/vm/overcommit_memory")? {
        0 => Verdict::good("by guess (0)"),
        1 => Verdict::good("always (1)"),
        found => Verdict::advice(
            format!("never ({found})"),
            "a large buffer pool may be refused though there is memory",
        )
        .by("vm.overcommit-memory = 0"),
    })
}

/// The limit of written pages, whichever of its two files counts.
fn dirty(root: &Root, name: &str, setting: &str) -> Judged {
    let in_bytes = number(root, &format!("proc/sys/vm/{name}_bytes"))?;
    let ratio = number(root, &format!("proc/sys/vm/{name}_ratio"))?;
    let (limit, found) = match in_bytes {
        0 => {
            let limit = (field(root, "MemAvailable")? / 100).saturating_mul(ratio);
            (limit, format!("{ratio} % of what is available, {} now", Bytes(limit)))
        }
        limit => (limit, Bytes(limit).to_string()),
    };
    Ok(match limit > DIRTY_MAX_BYTES {
        true => Verdict::advice(found, "so much is written in one burst").by(setting),
        false => Verdict::good(found),
    })
}

fn thp(root: &Root) -> Judged {
    let found = chosen(&text(root, "sys/kernel/mm/transparent_hugepage/enabled")?);
    Ok(match found.as_str() {
        "always" => Verdict::advice(found, "pages are joined behind the server's back, in stalls")
            .by("thp.enabled = \"never\""),
        _ => Verdict::good(found),
    })
}

fn thp_defrag(root: &Root) -> Judged {
    let found = chosen(&text(root, "sys/kernel/mm/transparent_hugepage/defrag")?);
    Ok(match found.as_str() {
        "always" => Verdict::advice(found, "a program waits while memory is moved together")
            .by("thp.defrag = \"madvise\""),
        _ => Verdict::good(found),
    })
}

/// Huge pages of each size, by node where there are several.
fn huge_pages(root: &Root, topology: &Topology) -> Vec<Item> {
    const HOME: &str = "sys/kernel/mm/hugepages";
    let sizes = root.names(HOME);
    if sizes.is_empty() {
        let lacking = Verdict::absent(format!("this kernel has no /{HOME}"));
        return vec![item(GROUP, "huge pages", HUGE, Err(lacking))];
    }
    let count = |home: &str, size: &str, name: &str| {
        number(root, &format!("{home}/{size}/{name}_hugepages"))
    };
    let one = |size: &String| {
        let judged = count(HOME, size, "nr").and_then(|all| {
            let mut found = format!("{all}, {} free", count(HOME, size, "free")?);
            if topology.nodes.len() > 1 && all > 0 {
                let of_nodes = topology.nodes.iter().map(|node| {
                    let home = format!("sys/devices/system/node/node{}/hugepages", node.number);
                    count(&home, size, "nr").map_or("?".to_owned(), |count| count.to_string())
                });
                found += &format!("; by node {}", of_nodes.collect::<Vec<_>>().join(", "));
            }
            Ok(Verdict::good(found))
        });
        let size = size.trim_start_matches("hugepages-");
        item(GROUP, format!("huge pages, {size}"), HUGE, judged)
    };
    sizes.iter().map(one).collect()
}
