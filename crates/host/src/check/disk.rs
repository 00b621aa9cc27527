//! The file system of the data directory, and the disks under it.

use super::{
    Look,
    item::{Item, Judged, Verdict, item, text},
};
use crate::{Root, disks_of, mount_of, storage::Mount, tuning::chosen};

const GROUP: &str = "disk";
const BLOCK: &str = "Linux Documentation/ABI/stable/sysfs-block";
const SCHEDULER: &str = "Linux Documentation/block/switching-sched.rst";
const MOUNT: &str = "mount(8)";
/// Reading further ahead than this takes room and time from random reads.
const READ_AHEAD_MAX_KB: u64 = 1024;

pub(super) fn items(look: &Look<'_>) -> Vec<Item> {
    let root = look.root;
    let alone = |verdict| vec![item(GROUP, "data directory", MOUNT, Err(verdict))];
    let Some(data) = &look.scope.data else {
        return alone(Verdict::unknown("it is not said: give --data DIR"));
    };
    let Some(mount) = mount_of(root, data) else {
        return alone(Verdict::unknown("the machine does not tell its mounts"));
    };
    let mut items = vec![
        item(GROUP, "file system", "MySQL manual 10.12.1", kind(&mount)),
        item(GROUP, "access times", MOUNT, access_times(&mount)),
        item(GROUP, "barriers", "ext4(5), xfs(5)", barriers(&mount)),
        item(GROUP, "discard", MOUNT, discard(&mount)),
    ];
    let disks = disks_of(root, &mount);
    if disks.is_empty() {
        let lacking = Verdict::absent(format!("{} has no disk", mount.file_system));
        items.push(item(GROUP, "disks", BLOCK, Err(lacking)));
    }
    for disk in disks {
        let queue = format!("sys/block/{disk}/queue");
        let named =
            |name: &str, source, judged| item(GROUP, format!("{disk}: {name}"), source, judged);
        items.extend([
            named("kind", BLOCK, rotational(root, &queue)),
            named("scheduler", SCHEDULER, scheduler(root, &queue)),
            named("queue", BLOCK, requests(root, &queue)),
            named("completion", BLOCK, completion(root, &queue)),
            named("write-back throttle", BLOCK, throttle(root, &queue)),
            named("write cache", BLOCK, cache(root, &queue)),
            named("read-ahead", BLOCK, read_ahead(root, &queue)),
        ]);
    }
    items
}

fn kind(mount: &Mount) -> Judged {
    let found = format!("{} on {}, {}", mount.file_system, mount.source, mount.point.display());
    Ok(match mount.file_system.as_str() {
        "xfs" | "ext4" => Verdict::good(found),
        "tmpfs" => Verdict::advice(found, "this is memory: nothing here tells of a disk"),
        "overlay" => Verdict::advice(found, "a container's layers: give the data its own volume"),
        "btrfs" | "zfs" => Verdict::advice(found, "it copies on write: random writes scatter"),
        "nfs" | "nfs4" | "cifs" => Verdict::advice(found, "this measures a network as well"),
        _ => Verdict::good(found),
    })
}

fn access_times(mount: &Mount) -> Judged {
    let has = |option: &str| mount.options.iter().any(|it| it == option);
    Ok(match () {
        () if has("noatime") => Verdict::good("noatime"),
        () if has("relatime") => Verdict::good("relatime: once a day at most"),
        () => Verdict::advice("at every read", "mount it with noatime"),
    })
}

fn barriers(mount: &Mount) -> Judged {
    let off = ["nobarrier", "barrier=0"];
    let is_off = mount.options.iter().any(|option| off.contains(&option.as_str()));
    Ok(match is_off {
        true => Verdict::advice(
            "off",
            "a power failure may harm the data, unless the disk's cache survives one",
        ),
        false => Verdict::good("on"),
    })
}

fn discard(mount: &Mount) -> Judged {
    Ok(match mount.options.iter().any(|option| option == "discard") {
        true => Verdict::advice(
            "with every deletion",
            "dropped tables and purged logs make the disk busy: mount without, and run fstrim",
        ),
        false => Verdict::good("not with every deletion"),
    })
}

fn rotational(root: &Root, queue: &str) -> Judged {
    Ok(Verdict::good(match text(root, &format!("{queue}/rotational"))?.as_str() {
        "0" => "without moving parts",
        _ => "it says that it turns (virtual disks often do)",
    }))
}

fn scheduler(root: &Root, queue: &str) -> Judged {
    let found = chosen(&text(root, &format!("{queue}/scheduler"))?);
    let turns = root.text(format!("{queue}/rotational")).as_deref() == Some("1");
    Ok(match found.as_str() {
        "none" | "noop" => Verdict::good(found),
        "mq-deadline" | "deadline" if turns => Verdict::good(found),
        _ => Verdict::advice(found, "a fast disk orders its requests itself")
            .by("disk.scheduler = \"none\""),
    })
}

fn requests(root: &Root, queue: &str) -> Judged {
    let length = text(root, &format!("{queue}/nr_requests"))?;
    let merges = match root.text(format!("{queue}/nomerges")).as_deref() {
        Some("1") => "simple merges",
        Some("2") => "no merges",
        _ => "merges",
    };
    Ok(Verdict::good(format!("{length} requests, {merges}")))
}

fn completion(root: &Root, queue: &str) -> Judged {
    Ok(match text(root, &format!("{queue}/rq_affinity"))?.as_str() {
        "2" => Verdict::good("on the processor that asked"),
        "1" => Verdict::good("near the processor that asked"),
        _ => Verdict::advice("where the interrupt comes", "the result is in another cache")
            .by("disk.rq-affinity = 2"),
    })
}

fn throttle(root: &Root, queue: &str) -> Judged {
    Ok(Verdict::good(match text(root, &format!("{queue}/wbt_lat_usec"))?.as_str() {
        "0" => "off".to_owned(),
        found => format!("background writes wait where reads take over {found} us"),
    }))
}

fn cache(root: &Root, queue: &str) -> Judged {
    Ok(Verdict::good(match text(root, &format!("{queue}/write_cache"))?.as_str() {
        "write back" => "write back: a commit empties the disk's cache",
        _ => "write through: the kernel sends no flushes",
    }))
}

fn read_ahead(root: &Root, queue: &str) -> Judged {
    let found = super::item::number(root, &format!("{queue}/read_ahead_kb"))?;
    Ok(match found > READ_AHEAD_MAX_KB {
        true => Verdict::advice(format!("{found} KiB"), "random reads fetch what nobody asked for")
            .by("disk.read-ahead-kb = 128"),
        false => Verdict::good(format!("{found} KiB")),
    })
}
