//! Each thing in each of its states, on made trees.

#![allow(clippy::unwrap_used)]

use super::{Item, Look, Moment, State, check};
use crate::{
    CpuSet, Root,
    testing::{FakeShell, add, tree},
    tuning::{KNOBS, Nothing, Queues, Scope, Setting},
};

fn looked_at(root: &Root, shell: &FakeShell, scope: &Scope) -> Vec<Item> {
    let before = Moment::default();
    let after = Moment::of(root);
    let look = Look { root, shell, scope, before: &before, after: &after, own_pid: 1 };
    check(&look).unwrap()
}

fn find<'a>(items: &'a [Item], name: &str) -> &'a Item {
    items.iter().find(|item| item.name == name).unwrap_or_else(|| panic!("no {name}"))
}

/// A file, its text, the item that it is about, its state, and the setting that mends it.
type Case = (&'static str, &'static str, &'static str, State, &'static str);

const CASES: &[Case] = &[
    (
        "sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
        "powersave",
        "governor",
        State::Advice,
        "cpu.governor",
    ),
    (
        "sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
        "performance",
        "governor",
        State::Good,
        "",
    ),
    (
        "sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference",
        "power",
        "energy preference",
        State::Advice,
        "cpu.energy-preference",
    ),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "1", "turbo", State::Advice, "cpu.turbo"),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "0", "turbo", State::Good, ""),
    ("sys/devices/system/cpu/cpufreq/boost", "0", "turbo", State::Advice, "cpu.turbo"),
    (
        "sys/devices/system/cpu/cpu0/cpuidle/state2/latency",
        "133",
        "idle states",
        State::Advice,
        "cpu.idle-latency-max-us",
    ),
    ("sys/devices/system/cpu/cpu0/cpuidle/state2/latency", "10", "idle states", State::Good, ""),
    ("sys/devices/system/cpu/smt/active", "1", "threads a core", State::Good, ""),
    (
        "sys/devices/system/clocksource/clocksource0/current_clocksource",
        "hpet",
        "clock source",
        State::Advice,
        "",
    ),
    (
        "sys/devices/system/clocksource/clocksource0/current_clocksource",
        "tsc",
        "clock source",
        State::Good,
        "",
    ),
    ("proc/sys/kernel/numa_balancing", "1", "NUMA balancing", State::Good, ""),
    (
        "proc/sys/kernel/sched_autogroup_enabled",
        "1",
        "autogroup",
        State::Advice,
        "scheduler.autogroup",
    ),
    ("sys/kernel/debug/sched_features", "A NO_STEAL", "STEAL", State::Advice, "scheduler.steal"),
    ("sys/kernel/debug/sched_features", "A NO_STEAL", "STEAL's boot option", State::Advice, ""),
    ("sys/kernel/debug/sched/features", "A STEAL", "STEAL", State::Good, ""),
    ("sys/kernel/debug/sched/features", "A NO_B", "STEAL", State::Absent, ""),
    ("sys/kernel/debug/other", "", "STEAL", State::Absent, ""),
    ("proc/cmdline", "quiet sched_steal_node_limit=4", "STEAL's boot option", State::Good, ""),
    ("proc/sys/vm/swappiness", "60", "swappiness", State::Advice, "vm.swappiness"),
    ("proc/sys/vm/swappiness", "none", "swappiness", State::Unknown, ""),
    ("proc/sys/vm/zone_reclaim_mode", "1", "zone reclaim", State::Advice, "vm.zone-reclaim"),
    ("proc/sys/vm/overcommit_memory", "2", "overcommit", State::Advice, "vm.overcommit-memory"),
    ("proc/sys/vm/dirty_bytes", "1048576", "dirty limit", State::Good, ""),
    ("proc/sys/vm/dirty_ratio", "20", "dirty limit", State::Advice, "vm.dirty-bytes"),
    (
        "proc/sys/vm/dirty_background_ratio",
        "10",
        "dirty, background",
        State::Advice,
        "vm.dirty-background-bytes",
    ),
    (
        "sys/kernel/mm/transparent_hugepage/enabled",
        "[always] never",
        "transparent huge pages",
        State::Advice,
        "thp.enabled",
    ),
    (
        "sys/kernel/mm/transparent_hugepage/enabled",
        "always [madvise]",
        "transparent huge pages",
        State::Good,
        "",
    ),
    (
        "sys/kernel/mm/transparent_hugepage/defrag",
        "[always] never",
        "THP defrag",
        State::Advice,
        "thp.defrag",
    ),
    (
        "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
        "7",
        "huge pages, 2048kB",
        State::Good,
        "",
    ),
    (
        "sys/block/sda/queue/scheduler",
        "none [bfq]",
        "sda: scheduler",
        State::Advice,
        "disk.scheduler",
    ),
    ("sys/block/sda/queue/scheduler", "none", "sda: scheduler", State::Good, ""),
    ("sys/block/sda/queue/rq_affinity", "0", "sda: completion", State::Advice, "disk.rq-affinity"),
    (
        "sys/block/sda/queue/read_ahead_kb",
        "8192",
        "sda: read-ahead",
        State::Advice,
        "disk.read-ahead-kb",
    ),
    ("sys/block/sda/queue/wbt_lat_usec", "75000", "sda: write-back throttle", State::Good, ""),
    ("sys/block/sda/queue/write_cache", "write back", "sda: write cache", State::Good, ""),
    ("sys/block/sda/queue/rotational", "0", "sda: kind", State::Good, ""),
    ("proc/sys/fs/nr_open", "1024", "open files, most allowed", State::Advice, "fs.nr-open"),
    ("proc/sys/fs/file-max", "2000", "open files, machine", State::Advice, "fs.file-max"),
    ("proc/sys/fs/aio-max-nr", "65000", "asynchronous I/O", State::Advice, "fs.aio-max-nr"),
    ("proc/self/limits", "Max open files  1024  4096  files", "open files", State::Advice, ""),
    ("proc/self/limits", "Max open files  1024  1048576  files", "open files", State::Good, ""),
    (
        "proc/self/limits",
        "Max locked memory  unlimited  unlimited",
        "locked memory",
        State::Good,
        "",
    ),
    ("proc/pressure/io", "some avg10=7.10 avg60=0.00", "pressure, io", State::Advice, ""),
    ("proc/pressure/cpu", "some avg10=0.10 avg60=0.00", "pressure, cpu", State::Good, ""),
    ("proc/pressure/cpu", "some", "pressure, cpu", State::Unknown, ""),
];

/// What every case has beside its own file.
const COMMON: &[(&str, &str)] = &[
    (
        "proc/meminfo",
        "MemTotal: 99999999 kB\nMemAvailable: 88888888 kB\nCached: 1 kB\nDirty: 0 kB\n",
    ),
    ("proc/cmdline", "quiet"),
    ("proc/self/mountinfo", "27 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"),
    ("proc/sys/vm/dirty_ratio", "1"),
    ("proc/sys/vm/dirty_bytes", "0"),
    ("proc/sys/vm/dirty_background_ratio", "1"),
    ("proc/sys/vm/dirty_background_bytes", "0"),
    ("sys/block/sda/dev", "8:0"),
    ("sys/block/sda/sda1/dev", "8:1"),
    ("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "3"),
];

#[test]
fn each_thing_is_seen_in_each_of_its_states() {
    for (path, text, name, state, key) in CASES {
        let (_dir, root) = tree(COMMON);
        add(&root, &[(path, text)]);
        let scope = Scope { data: Some("/".into()), ..Scope::default() };
        let items = looked_at(&root, &FakeShell::default(), &scope);
        let item = find(&items, name);
        assert_eq!(item.state, *state, "{path} = {text}: {item:?}");
        let setting = item.setting.as_deref().unwrap_or("");
        assert!(setting.starts_with(key) && setting.is_empty() == key.is_empty(), "{item:?}");
        assert_eq!(item.advice.is_empty(), *state != State::Advice, "{item:?}");
    }
}

#[test]
fn every_setting_that_is_advised_is_one_that_there_is() {
    for (path, text, ..) in CASES {
        let (_dir, root) = tree(COMMON);
        add(&root, &[(path, text)]);
        let scope = Scope { data: Some("/".into()), ..Scope::default() };
        for item in looked_at(&root, &FakeShell::default(), &scope) {
            let Some(line) = &item.setting else { continue };
            let (key, value) = line.split_once(" = ").unwrap();
            Setting::new(key, value.trim_matches('"')).unwrap();
        }
    }
    assert!(KNOBS.len() > 30);
}

#[test]
fn a_machine_that_tells_nothing_is_absent_or_unknown_and_never_advised() {
    let (_dir, root) = tree(&[]);
    let (scope, moment) = (Scope::default(), Moment::default());
    let look = Look {
        root: &root,
        shell: &Nothing,
        scope: &scope,
        before: &moment,
        after: &moment,
        own_pid: 1,
    };
    for item in check(&look).unwrap() {
        assert!(matches!(item.state, State::Absent | State::Unknown), "{item:?}");
        assert!(!item.value.is_empty() && !item.source.is_empty(), "{item:?}");
    }
}

#[test]
fn mount_options_of_the_data_directory_are_judged() {
    let judged = |options: &str, kind: &str, name: &str| {
        let line = format!("27 1 0:40 / / {options} - {kind} none rw\n");
        let (_dir, root) = tree(&[("proc/self/mountinfo", &line)]);
        let scope = Scope { data: Some("/".into()), ..Scope::default() };
        find(&looked_at(&root, &FakeShell::default(), &scope), name).state
    };
    assert_eq!(judged("rw", "xfs", "access times"), State::Advice);
    assert_eq!(judged("rw,noatime", "xfs", "access times"), State::Good);
    assert_eq!(judged("rw,nobarrier", "xfs", "barriers"), State::Advice);
    assert_eq!(judged("rw,discard", "ext4", "discard"), State::Advice);
    assert_eq!(judged("rw", "tmpfs", "file system"), State::Advice);
    assert_eq!(judged("rw", "tmpfs", "disks"), State::Absent);
    assert_eq!(judged("rw", "xfs", "file system"), State::Good);
}

#[test]
fn interrupts_on_the_servers_processors_are_told() {
    let (_dir, root) = tree(&[
        ("proc/interrupts", " CPU0 CPU1\n 40: 0 0 PCI-MSI eth0-TxRx-0\n"),
        ("proc/irq/40/smp_affinity_list", "1"),
        ("sys/class/net/eth0/device/vendor", "x"),
        ("sys/class/net/eth0/queues/rx-0/rps_cpus", "00000000,00000003"),
        ("sys/class/net/eth0/queues/tx-0/xps_cpus", "0"),
        ("sys/devices/system/cpu/online", "0-1"),
    ]);
    let shell = FakeShell::default();
    shell.cards.borrow_mut().insert("eth0".into(), Queues { now: 1, max: 4 });
    for (cpus, state) in [("0", State::Good), ("0-1", State::Advice)] {
        let server: CpuSet = cpus.parse().unwrap();
        let scope = Scope { server_cpus: Some(server), ..Scope::default() };
        let items = looked_at(&root, &shell, &scope);
        assert_eq!(find(&items, "eth0: interrupts").state, state);
        assert!(find(&items, "eth0: queues").value.ends_with("1 combined of 4"));
        assert_eq!(
            find(&items, "eth0: steering (RPS, XPS)").value,
            "for 1 queues to receive and 0 to send"
        );
    }
}

#[test]
fn services_are_seen_by_their_manager_or_by_their_process() {
    let stat = "7 (firewalld) S 1 1 1 0 -1 0 0 0 0 0 9 9 0 0 20\n";
    let (_dir, root) = tree(&[("proc/7/stat", stat), ("proc/stat", "cpu  1 0 0 99 0 0 0 0\n")]);
    let shell = FakeShell::default();
    shell.services.borrow_mut().insert("irqbalance".into(), true);
    shell.services.borrow_mut().insert("nftables".into(), false);
    let items = looked_at(&root, &shell, &Scope::default());
    let irqbalance = find(&items, "irqbalance");
    assert_eq!(irqbalance.setting.as_deref(), Some("service.irqbalance = \"stopped\""));
    assert_eq!(find(&items, "nftables").state, State::Good);
    assert_eq!(find(&items, "ufw").state, State::Absent);
    let firewalld = find(&items, "firewalld");
    assert_eq!((firewalld.state, &firewalld.setting), (State::Advice, &None));
}

#[test]
fn this_machine_is_looked_at_without_harm() {
    let root = Root::real();
    let moment = Moment::of(&root);
    let scope = Scope { data: Some("/".into()), ..Scope::default() };
    let look = Look {
        root: &root,
        shell: &crate::tuning::Programs,
        scope: &scope,
        before: &moment,
        after: &moment,
        own_pid: std::process::id(),
    };
    let items = check(&look).unwrap();
    assert_eq!(find(&items, "swappiness").group, "memory");
    assert_ne!(find(&items, "file system").state, State::Unknown);
}
