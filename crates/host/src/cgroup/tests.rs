#![allow(clippy::unwrap_used)]
use super::*;
use crate::testing;
use std::process::{Child, Command, Stdio};

const V2_MOUNT: &str = "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
const V1_MOUNTS: &str = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
    32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
    33 31 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n\
    35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
    41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
    let machine =
        [("proc/meminfo", "MemTotal: 33554432 kB\n"), ("sys/devices/system/cpu/online", "0-7\n")];
    let (dir, root) = testing::tree(&machine);
    testing::add(&root, files);
    (dir, root)
}

fn write(root: &Root, path: &str, text: &str) {
    testing::add(root, &[(path, text)]);
}

fn v2(own: &str) -> (tempfile::TempDir, Root) {
    let own_line = format!("0::/{own}\n");
    let own_controllers = format!("sys/fs/cgroup/{own}/cgroup.controllers");
    tree(&[
        ("proc/self/mountinfo", V2_MOUNT),
        ("proc/self/cgroup", &own_line),
        ("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n"),
        (&own_controllers, "cpu memory\n"),
    ])
}

fn v1() -> (tempfile::TempDir, Root) {
    let own = "3:cpuacct:/\n2:cpu:/\n4:memory:/jobs/a\n0::/\n";
    let (dir, root) = tree(&[("proc/self/mountinfo", V1_MOUNTS), ("proc/self/cgroup", own)]);
    for hierarchy in ["cpu", "cpuacct", "memory/jobs/a", "unified"] {
        fs::create_dir_all(root.path(format!("sys/fs/cgroup/{hierarchy}"))).unwrap();
    }
    (dir, root)
}

fn size(cpus: f64, memory_bytes: u64) -> Size {
    Size { cpus: Some(cpus), memory_bytes: Some(memory_bytes) }
}

#[test]
fn version_2_gets_its_controllers_and_limits_in_one_directory() {
    let (_dir, root) = v2("user.slice/a.scope");
    write(&root, "sys/fs/cgroup/user.slice/cgroup.controllers", "cpu memory\n");
    let group = Group::create(&root, "myrig-s", &size(1.5, 8 << 30)).unwrap();
    let text = |file: &str| root.text(format!("sys/fs/cgroup/{file}")).unwrap();
    assert_eq!(text("myrig-s/cpu.max"), "150000 100000");
    assert_eq!(text("myrig-s/memory.max"), "8589934592");
    assert_eq!(text("cgroup.subtree_control"), "+cpu +memory");
    let entrances = group.entrances(&root);
    assert_eq!(entrances, [root.path("sys/fs/cgroup/myrig-s/cgroup.procs")]);
    assert!(group.exists(&root) && group.holds(&root, 1).is_ok());
}

#[test]
fn version_1_gets_a_directory_for_each_controller() {
    let (_dir, root) = v1();
    let group = Group::create(&root, "myrig-s", &size(0.5, 1 << 30)).unwrap();
    let text = |file: &str| root.text(format!("sys/fs/cgroup/{file}")).unwrap();
    assert_eq!(text("cpu/myrig-s/cpu.cfs_quota_us"), "50000");
    assert_eq!(text("cpu/myrig-s/cpu.cfs_period_us"), "100000");
    assert_eq!(text("memory/myrig-s/memory.limit_in_bytes"), "1073741824");
    assert_eq!(group.entrances(&root).len(), 3, "processor, its account, memory");
}

#[test]
fn a_group_is_made_below_every_limit_that_we_are_under() {
    let (_dir, root) = v1();
    write(&root, "sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "2147483648\n");
    Group::create(&root, "myrig-s", &size(1.0, 1 << 30)).unwrap();
    assert!(root.path("sys/fs/cgroup/memory/jobs/myrig-s").is_dir());
    let own = own_limits(&root);
    assert_eq!(own, Size { cpus: None, memory_bytes: Some(2 << 30) });
}

#[test]
fn the_lowest_limit_above_us_is_ours() {
    let (_dir, root) = v2("a/b");
    write(&root, "sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    write(&root, "sys/fs/cgroup/a/cpu.max", "250000 100000\n");
    write(&root, "sys/fs/cgroup/a/memory.max", "1048576\n");
    write(&root, "sys/fs/cgroup/a/b/memory.max", "max\n");
    assert_eq!(own_limits(&root), size(2.5, 1 << 20));
    assert_eq!(own_limits(&tree(&[]).1), Size::UNLIMITED);
}

#[test]
fn sizes_beyond_the_machine_are_refused_and_nothing_is_made() {
    let (_dir, root) = v2("a");
    for (size, option) in [(size(9.0, 1 << 30), "--cpus"), (size(1.0, 33 << 30), "--memory")] {
        let error = Group::create(&root, "myrig-s", &size).unwrap_err();
        assert!(matches!(error, CgroupError::Beyond { .. }), "{error}");
        assert!(error.to_string().contains(option), "{error}");
        assert!(can_limit(&root, &size).is_err());
    }
    assert!(!root.path("sys/fs/cgroup/myrig-s").exists());
}

#[test]
fn a_kernel_without_the_controller_is_told_with_the_way_out() {
    for mounts in ["", "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"] {
        let (_dir, root) = tree(&[("proc/self/mountinfo", mounts)]);
        let only = Size { cpus: None, memory_bytes: Some(1 << 30) };
        let error = Group::create(&root, "myrig-s", &only).unwrap_err();
        assert!(matches!(error, CgroupError::NoController("memory")), "{error}");
        assert!(error.to_string().contains("--memory"), "{error}");
        assert!(can_limit(&root, &Size::UNLIMITED).is_ok(), "no limit needs no controller");
    }
}

#[test]
fn a_controller_that_is_not_handed_down_is_told() {
    let (_dir, root) = v2("a");
    write(&root, "sys/fs/cgroup/a/cgroup.controllers", "memory\n");
    write(&root, "sys/fs/cgroup/a/memory.max", "1073741824\n");
    let error = Group::create(&root, "myrig-s", &size(1.0, 1 << 29)).unwrap_err();
    assert!(matches!(error, CgroupError::NotDelegated { controller: "cpu", .. }), "{error}");
    assert!(error.to_string().contains("Delegate=yes"), "{error}");
}

#[test]
fn a_failure_half_way_leaves_nothing() {
    let (_dir, root) = v1();
    // A directory where a file should be, in the hierarchy that is written last.
    let blocked = root.path("sys/fs/cgroup/memory/myrig-s/memory.limit_in_bytes");
    fs::create_dir_all(&blocked).unwrap();
    let error = Group::create(&root, "myrig-s", &size(1.0, 1 << 30)).unwrap_err();
    assert!(matches!(error, CgroupError::Refused { .. }), "{error}");
    // A directory tree keeps its files where the kernel drops a group with them.
    let left: Vec<_> = root.names("sys/fs/cgroup/cpuacct");
    assert_eq!(left, [""; 0], "{left:?}");
}

#[test]
fn a_limit_that_somebody_changed_and_a_thread_outside_are_found() {
    let (_dir, root) = v2("a");
    let group = Group::create(&root, "myrig-s", &size(1.0, 1 << 30)).unwrap();
    write(&root, "proc/7/task/7/stat", "");
    write(&root, "proc/7/task/8/stat", "");
    write(&root, "sys/fs/cgroup/myrig-s/cgroup.threads", "7\n");
    let error = group.holds(&root, 7).unwrap_err();
    assert!(matches!(error, CgroupError::Outside { pid: 7, thread: 8, .. }), "{error}");
    write(&root, "sys/fs/cgroup/myrig-s/cgroup.threads", "7\n8\n");
    group.holds(&root, 7).unwrap();
    write(&root, "sys/fs/cgroup/myrig-s/cpu.max", "max 100000\n");
    let error = group.holds(&root, 7).unwrap_err().to_string();
    assert!(error.contains("cpu.max") && error.contains("100000 100000"), "{error}");
}

#[test]
fn usage_is_read_in_both_versions() {
    let (_dir, root) = v2("a");
    let group = Group::create(&root, "g", &size(1.0, 1 << 30)).unwrap();
    let stat = "usage_usec 2500000\nnr_periods 10\nnr_throttled 4\nthrottled_usec 500000\n";
    write(&root, "sys/fs/cgroup/g/cpu.stat", stat);
    write(&root, "sys/fs/cgroup/g/memory.peak", "4096\n");
    write(&root, "sys/fs/cgroup/g/memory.events", "low 0\noom 2\noom_kill 1\n");
    let usage = group.usage(&root);
    assert_eq!((usage.cpu_s, usage.throttled_s), (Some(2.5), Some(0.5)));
    assert_eq!(usage.throttled_share(), Some(0.4));
    assert_eq!((usage.memory_peak_bytes, usage.oom_kills), (Some(4096), Some(1)));

    let (_dir, root) = v1();
    let group = Group::create(&root, "g", &size(1.0, 1 << 30)).unwrap();
    let stat = "nr_periods 0\nnr_throttled 0\nthrottled_time 1500000000\n";
    write(&root, "sys/fs/cgroup/cpu/g/cpu.stat", stat);
    write(&root, "sys/fs/cgroup/cpuacct/g/cpuacct.usage", "3000000000\n");
    write(&root, "sys/fs/cgroup/memory/g/memory.oom_control", "under_oom 0\noom_kill 3\n");
    let usage = group.usage(&root);
    assert_eq!((usage.cpu_s, usage.throttled_s), (Some(3.0), Some(1.5)));
    assert_eq!((usage.throttled_share(), usage.oom_kills), (Some(0.0), Some(3)));
}

#[test]
fn a_group_reads_back_from_a_record() {
    let (_dir, root) = v1();
    let group = Group::create(&root, "g", &size(1.0, 1 << 30)).unwrap();
    let text = serde_json::to_string(&group).unwrap();
    assert_eq!(serde_json::from_str::<Group>(&text).unwrap(), group);
}

/// A group of this machine that goes away with whatever is in it.
struct Real {
    group: Group,
    children: Vec<Child>,
}

impl Real {
    /// None, said aloud, where this machine does not let us.
    fn create(name: &str, size: &Size) -> Option<Self> {
        let name = format!("myrig-test-{}-{name}", std::process::id());
        match Group::create(&Root::real(), &name, size) {
            Ok(group) => Some(Self { group, children: Vec::new() }),
            Err(error) => {
                eprintln!("SKIPPED: a real cgroup: {error}");
                None
            }
        }
    }

    fn run(&mut self, script: &str) -> &mut Child {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::null());
        let mut command = self.group.entered_by(&Root::real(), &command);
        self.children.push(command.spawn().unwrap());
        self.children.last_mut().unwrap()
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        self.group.remove(&Root::real(), Duration::from_secs(10)).unwrap();
        assert!(!self.group.exists(&Root::real()));
    }
}

fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no {what} in a minute");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn busy_processes_get_the_time_that_they_are_allowed_and_no_more() {
    let half = Size { cpus: Some(0.5), memory_bytes: None };
    let Some(mut real) = Real::create("cpu", &half) else { return };
    let root = Root::real();
    let busy = "while :; do :; done";
    let pid = real.run(busy).id();
    real.run(busy);
    let cpu_s = |real: &Real| real.group.usage(&root).cpu_s.unwrap();
    until("use of the processor", || cpu_s(&real) > 0.2);
    real.group.holds(&root, pid).unwrap();
    let (begun, before) = (Instant::now(), cpu_s(&real));
    thread::sleep(Duration::from_secs(3));
    let used = (cpu_s(&real) - before) / begun.elapsed().as_secs_f64();
    assert!((0.30..0.55).contains(&used), "{used} processors of 0.5");
    assert!(real.group.usage(&root).throttled_share().unwrap() > 0.3);
    assert!(real.group.holds(&root, std::process::id()).is_err(), "we are outside");
    let error = real.group.remove(&root, Duration::from_millis(30)).unwrap_err();
    assert!(matches!(error, CgroupError::InUse { .. }), "{error}");
}

#[test]
fn a_process_that_takes_more_memory_than_allowed_is_killed_and_told_of() {
    let small = Size { cpus: None, memory_bytes: Some(32 << 20) };
    let Some(mut real) = Real::create("memory", &small) else { return };
    // `tail` keeps what has no line ends.
    let child = real.run("head -c 256M /dev/zero | tail >/dev/null");
    child.wait().unwrap();
    let usage = real.group.usage(&Root::real());
    assert!(usage.oom_kills.unwrap() >= 1, "{usage:?}");
    assert!(usage.memory_peak_bytes.unwrap() <= 32 << 20, "{usage:?}");
}

#[test]
fn a_leftover_group_is_made_anew_unless_somebody_is_in_it() {
    let small = Size { cpus: None, memory_bytes: Some(64 << 20) };
    let Some(mut real) = Real::create("left", &small) else { return };
    let root = Root::real();
    let name = format!("myrig-test-{}-left", std::process::id());
    let bigger = Size { memory_bytes: Some(128 << 20), ..small };
    real.group = Group::create(&root, &name, &bigger).unwrap();
    let pid = real.run("exec sleep 600").id();
    until("process in the group", || real.group.holds(&root, pid).is_ok());
    let error = Group::create(&root, &name, &small).unwrap_err();
    assert!(matches!(error, CgroupError::InUse { .. }), "{error}");
    real.group.holds(&root, pid).unwrap();
}
