//! The whole way, there and back, on made trees: also when the process dies in the middle.

#![allow(clippy::unwrap_used)]

use super::{
    BackFate, Fate, Foreign, Head, Host, Journal, JournalError, Machine, Manner, Place, Queues,
    Reverted, Setting, Step, Subject, TuningError, Turn, apply, plan, revert,
};
use crate::{
    Root,
    testing::{FakeShell, add, tree},
    tuning::Scope,
};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    fs, io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

/// A machine of two processors with a bit of everything.
const FILES: &[(&str, &str)] = &[
    ("proc/sys/kernel/random/boot_id", "one"),
    ("proc/self/mountinfo", "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n"),
    ("proc/sys/vm/swappiness", "60"),
    ("proc/sys/vm/dirty_ratio", "20"),
    ("proc/sys/vm/dirty_bytes", "0"),
    ("proc/sys/vm/drop_caches", "0"),
    ("proc/sys/fs/nr_open", "4096"),
    ("proc/sys/fs/aio-max-nr", "2000000"),
    ("proc/interrupts", " CPU0 CPU1\n 40: 0 0 PCI-MSI eth0-TxRx-0\n 41: 0 0 PCI-MSI eth0-TxRx-1\n"),
    ("proc/irq/40/smp_affinity_list", "0-1"),
    ("proc/irq/41/smp_affinity_list", "0-1"),
    ("sys/class/net/eth0/device/numa_node", "-1"),
    ("sys/devices/system/cpu/online", "0-1"),
    ("sys/devices/system/cpu/smt/control", "on"),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "1"),
    ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave"),
    ("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "schedutil"),
    ("sys/devices/system/cpu/cpu0/cpuidle/state0/latency", "0"),
    ("sys/devices/system/cpu/cpu0/cpuidle/state0/disable", "0"),
    ("sys/devices/system/cpu/cpu0/cpuidle/state3/latency", "200"),
    ("sys/devices/system/cpu/cpu0/cpuidle/state3/disable", "0"),
    ("sys/kernel/debug/sched/features", "PLACE_LAG NO_STEAL"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never"),
    ("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0"),
    ("sys/block/sda/dev", "8:0"),
    ("sys/block/sda/sda1/dev", "8:1"),
    ("sys/block/sda/queue/scheduler", "none [mq-deadline] kyber"),
    ("sys/block/sda/queue/nr_requests", "64"),
    ("sys/block/sda/queue/read_ahead_kb", "4096"),
];

const SETTINGS: &[(&str, &str)] = &[
    ("vm.swappiness", "1"),
    ("vm.dirty-bytes", "1073741824"),
    ("cpu.governor", "performance"),
    ("cpu.turbo", "on"),
    ("cpu.idle-latency-max-us", "100"),
    ("scheduler.steal", "on"),
    ("scheduler.autogroup", "off"),
    ("thp.enabled", "never"),
    ("hugepages.2048kB", "8"),
    ("hugepages.64kB", "8"),
    ("disk.scheduler", "none"),
    ("disk.read-ahead-kb", "128"),
    ("fs.nr-open", "1048576"),
    ("fs.aio-max-nr", "1048576"),
    ("service.irqbalance", "stopped"),
    ("service.firewalld", "stopped"),
    ("net.queues", "1"),
    ("net.irq-cpus", "1"),
    ("vm.drop-caches", "on"),
];

/// A machine that behaves as a kernel does where files alone would not, and that can fail.
struct Kernel<'a> {
    host: Host<'a>,
    /// Writes that are still carried out; then the process dies, before or after the next.
    lives: Cell<Option<usize>>,
    dies_before: bool,
    /// A path that refuses to be written, and until when: so many refusals.
    refuses: RefCell<BTreeMap<String, usize>>,
    locked: bool,
}

impl<'a> Kernel<'a> {
    fn new(root: &'a Root, shell: &'a FakeShell) -> Self {
        Self {
            host: Host { root, shell },
            lives: Cell::new(None),
            dies_before: false,
            refuses: RefCell::default(),
            locked: false,
        }
    }

    /// Fails once a life is used up.
    fn live(&self, when: bool) {
        if when == self.dies_before
            && let Some(lives) = self.lives.get()
        {
            if lives == 0 {
                // Not `panic!`, which would tell of each of these deaths.
                std::panic::resume_unwind(Box::new("the process dies here"));
            }
            self.lives.set(Some(lives - 1));
        }
    }

    fn refuse(&self, path: &str) -> bool {
        let mut refuses = self.refuses.borrow_mut();
        let left = refuses.get_mut(path).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    }
}

impl Machine for Kernel<'_> {
    fn read(&self, place: &Place) -> io::Result<Option<String>> {
        self.host.read(place)
    }

    fn write(&self, place: &Place, value: &str) -> io::Result<()> {
        self.live(true);
        if self.refuse(&place.to_string()) {
            return Err(io::Error::other("Device or resource busy"));
        }
        self.host.write(place, value)?;
        if let Place::Either { paths } = place {
            let (name, _) = value.split_once('=').unwrap();
            let other = paths.iter().find(|path| !path.ends_with(name)).unwrap();
            self.host.root.write(other, "0")?;
        }
        let is_scheduler = matches!(place, Place::Choice { path } if path.ends_with("/scheduler"));
        if is_scheduler {
            self.host.root.write("sys/block/sda/queue/nr_requests", "256")?;
        }
        self.live(false);
        Ok(())
    }

    fn may_write(&self, place: &Place) -> bool {
        !self.locked && self.host.may_write(place)
    }
}

struct Bench {
    dir: tempfile::TempDir,
    root: Root,
    shell: FakeShell,
    scope: Scope,
}

impl Bench {
    fn new() -> Self {
        let (dir, root) = tree(FILES);
        let shell = FakeShell::default();
        shell.services.borrow_mut().insert("irqbalance".into(), true);
        shell.services.borrow_mut().insert("iptables".into(), true);
        shell.cards.borrow_mut().insert("eth0".into(), Queues { now: 2, max: 2 });
        let scope = Scope { data: Some("/".into()), nic: Some("eth0".into()), server_cpus: None };
        Self { dir, root, shell, scope }
    }

    fn kernel(&self) -> Kernel<'_> {
        Kernel::new(&self.root, &self.shell)
    }

    fn journal(&self) -> std::path::PathBuf {
        self.dir.path().join("home")
    }

    fn plan(&self, kernel: &Kernel<'_>, pairs: &[(&str, &str)]) -> Result<Vec<Step>, TuningError> {
        let subject =
            Subject { root: &self.root, shell: &self.shell, machine: kernel, scope: &self.scope };
        plan(&Setting::all(pairs.iter().copied())?, &subject)
    }

    fn apply(
        &self,
        kernel: &Kernel<'_>,
        pairs: &[(&str, &str)],
        keep_going: bool,
    ) -> Result<Vec<Step>, TuningError> {
        let subject =
            Subject { root: &self.root, shell: &self.shell, machine: kernel, scope: &self.scope };
        let head = Head::new(&self.root, "test", "2026-11-22T00:00:00Z");
        let manner = Manner { keep_going, go_on: &|_, _| true };
        let settings = Setting::all(pairs.iter().copied())?;
        apply(&settings, &subject, &self.journal(), head, &manner)
    }

    fn revert(&self, kernel: &Kernel<'_>, foreign: Foreign) -> Option<Reverted> {
        revert(&self.journal(), &self.root, kernel, foreign).unwrap()
    }

    /// Every file, service and card; brackets of a choice are taken for what they say.
    fn state(&self) -> BTreeMap<String, String> {
        let mut state = BTreeMap::new();
        for (path, _) in FILES.iter().filter(|(path, _)| !path.ends_with("drop_caches")) {
            let text = self.root.text(path).unwrap();
            let text = if path.ends_with("sched/features") {
                text.split_whitespace().any(|word| word == "STEAL").to_string()
            } else {
                super::place::chosen(&text)
            };
            state.insert((*path).to_owned(), text);
        }
        state.insert("services".into(), format!("{:?}", self.shell.services.borrow()));
        state.insert("cards".into(), format!("{:?}", self.shell.cards.borrow()));
        state
    }
}

fn fates<'a>(steps: &'a [Step], key: &str) -> Vec<&'a Fate> {
    steps.iter().filter(|step| step.key == key).map(|step| &step.fate).collect()
}

#[test]
fn everything_is_changed_and_put_back() {
    let bench = Bench::new();
    let (kernel, before) = (bench.kernel(), bench.state());
    let steps = bench.apply(&kernel, SETTINGS, false).unwrap();
    let text = |path: &str| bench.root.text(path).unwrap();
    for (path, value) in [
        ("proc/sys/vm/swappiness", "1"),
        ("proc/sys/vm/dirty_bytes", "1073741824"),
        ("sys/devices/system/cpu/intel_pstate/no_turbo", "0"),
        ("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance"),
        ("sys/devices/system/cpu/cpu0/cpuidle/state0/disable", "0"),
        ("sys/devices/system/cpu/cpu0/cpuidle/state3/disable", "1"),
        ("sys/kernel/debug/sched/features", "STEAL"),
        ("sys/kernel/mm/transparent_hugepage/enabled", "never"),
        ("sys/block/sda/queue/scheduler", "none"),
        ("proc/sys/fs/nr_open", "1048576"),
        ("proc/sys/fs/aio-max-nr", "2000000"),
        ("proc/irq/41/smp_affinity_list", "1"),
        ("proc/sys/vm/drop_caches", "3"),
    ] {
        assert_eq!(text(path), value, "{path}");
    }
    assert!(!bench.shell.services.borrow()["irqbalance"], "stopped");
    assert!(bench.shell.services.borrow()["iptables"], "nobody named it");
    assert_eq!(bench.shell.cards.borrow()["eth0"].now, 1);
    assert_eq!(fates(&steps, "fs.aio-max-nr"), [&Fate::Already], "it has more");
    for key in ["scheduler.autogroup", "hugepages.64kB", "service.firewalld"] {
        assert!(matches!(fates(&steps, key)[..], [Fate::Absent(_)]), "{key}");
    }
    let reverted = bench.revert(&kernel, Foreign::Keep).unwrap();
    assert!(!reverted.open && !reverted.stale);
    assert_eq!(bench.state(), before);
    assert_eq!(bench.revert(&kernel, Foreign::Keep), None, "there is nothing left to do");
}

#[test]
fn what_changes_beside_another_setting_counts_as_changed_when_it_was_asked_for() {
    let bench = Bench::new();
    let (kernel, before) = (bench.kernel(), bench.state());
    // The other scheduler comes with just this length of the queue.
    let pairs = [("disk.scheduler", "none"), ("disk.nr-requests", "256")];
    let steps = bench.apply(&kernel, &pairs, false).unwrap();
    let step = steps.iter().find(|step| step.key == "disk.nr-requests").unwrap();
    assert_eq!((step.old.as_deref(), &step.fate), (Some("64"), &Fate::Changed));
    assert!(!bench.revert(&kernel, Foreign::Keep).unwrap().open);
    assert_eq!(bench.state(), before);
}

#[test]
fn a_plan_changes_nothing() {
    let bench = Bench::new();
    let (kernel, before) = (bench.kernel(), bench.state());
    let steps = bench.plan(&kernel, SETTINGS).unwrap();
    assert_eq!(fates(&steps, "vm.swappiness"), [&Fate::Change]);
    assert_eq!(steps.iter().find(|it| it.key == "cpu.turbo").unwrap().old.as_deref(), Some("1"));
    assert_eq!(bench.state(), before);
    assert!(!bench.journal().exists());
}

#[test]
fn a_process_that_dies_between_any_two_writes_leaves_the_way_back() {
    let writes = {
        let bench = Bench::new();
        let steps = bench.apply(&bench.kernel(), SETTINGS, false).unwrap();
        steps.iter().filter(|step| step.fate == Fate::Changed).count()
    };
    assert!(writes > 12, "{writes}");
    for dies_before in [true, false] {
        for lives in 0..writes {
            let bench = Bench::new();
            let before = bench.state();
            let mut kernel = bench.kernel();
            (kernel.lives, kernel.dies_before) = (Cell::new(Some(lives)), dies_before);
            let died = catch_unwind(AssertUnwindSafe(|| bench.apply(&kernel, SETTINGS, false)));
            assert!(died.is_err(), "it was to die at {lives}");
            let again = bench.apply(&bench.kernel(), SETTINGS, false).unwrap_err();
            assert!(again.to_string().contains("myrig host revert"), "{again}");

            // The way back may be cut short as well, and is gone again from its beginning.
            let mut kernel = bench.kernel();
            (kernel.lives, kernel.dies_before) = (Cell::new(Some(lives / 2)), dies_before);
            let died = catch_unwind(AssertUnwindSafe(|| bench.revert(&kernel, Foreign::Keep)));
            if died.is_err() {
                let reverted = bench.revert(&bench.kernel(), Foreign::Keep).unwrap();
                assert!(!reverted.open, "{reverted:?}");
            }
            assert_eq!(bench.state(), before, "died at {lives}, before the write: {dies_before}");
        }
    }
}

#[test]
fn a_journal_that_is_cut_off_anywhere_is_read_as_far_as_it_is_whole() {
    let bench = Bench::new();
    bench.apply(&bench.kernel(), SETTINGS, false).unwrap();
    let file = bench.journal().join("journal.jsonl");
    let bytes = fs::read(&file).unwrap();
    let whole = Journal::open(&bench.journal()).unwrap().unwrap().entries().len();
    for length in 0..bytes.len() {
        fs::write(&file, &bytes[..length]).unwrap();
        let lines = bytes[..length].iter().filter(|byte| **byte == b'\n').count();
        let journal = Journal::open(&bench.journal()).unwrap();
        assert_eq!(journal.is_some(), lines > 0, "without its head nothing was begun");
        let entries = journal.map_or(0, |journal| journal.entries().len());
        assert!(entries <= whole && entries <= lines);
        let left = fs::read(&file).unwrap();
        assert!(lines == 0 || left.ends_with(b"\n"), "what is not a line is cut off");
    }
    fs::write(&file, "{\"head\":1}\n").unwrap();
    let error = Journal::open(&bench.journal()).unwrap_err().to_string();
    assert!(error.contains("journal.jsonl") && error.contains("line 1"), "{error}");
}

#[test]
fn a_value_that_the_machine_does_not_take_puts_everything_back() {
    let bench = Bench::new();
    let (kernel, before) = (bench.kernel(), bench.state());
    kernel.refuses.borrow_mut().insert("/proc/irq/41/smp_affinity_list".into(), 1);
    let error = bench.apply(&kernel, SETTINGS, false).unwrap_err();
    let text = error.to_string();
    for word in ["net.irq-cpus", "/proc/irq/41", "busy", "everything is as it was"] {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
    assert_eq!(bench.state(), before);
    assert_eq!(bench.revert(&kernel, Foreign::Keep), None);
}

#[test]
fn what_cannot_be_put_back_stays_in_the_journal() {
    let bench = Bench::new();
    let (kernel, before) = (bench.kernel(), bench.state());
    bench.apply(&kernel, SETTINGS, false).unwrap();
    kernel.refuses.borrow_mut().insert("/proc/sys/vm/swappiness".into(), 100);
    let reverted = bench.revert(&kernel, Foreign::Keep).unwrap();
    let stuck: Vec<_> = reverted.backs.iter().filter(|back| !back.is_well()).collect();
    assert!(reverted.open && stuck.len() == 1 && stuck[0].key == "vm.swappiness", "{stuck:?}");
    kernel.refuses.borrow_mut().clear();
    assert!(!bench.revert(&kernel, Foreign::Keep).unwrap().open);
    assert_eq!(bench.state(), before);
}

#[test]
fn a_value_that_is_taken_only_after_another_is_put_back_after_it() {
    let bench = Bench::new();
    let (kernel, before) = (bench.kernel(), bench.state());
    bench.apply(&kernel, SETTINGS, false).unwrap();
    kernel.refuses.borrow_mut().insert("/proc/sys/vm/swappiness".into(), 1);
    let reverted = bench.revert(&kernel, Foreign::Keep).unwrap();
    assert!(!reverted.open);
    assert_eq!(bench.state(), before);
}

#[test]
fn who_keeps_going_is_told_what_was_refused() {
    let bench = Bench::new();
    let (kernel, before) = (bench.kernel(), bench.state());
    kernel.refuses.borrow_mut().insert("/proc/sys/vm/swappiness".into(), 1);
    let steps = bench.apply(&kernel, SETTINGS, true).unwrap();
    assert!(matches!(fates(&steps, "vm.swappiness")[..], [Fate::Refused(_)]));
    assert_eq!(fates(&steps, "cpu.turbo"), [&Fate::Changed]);
    assert!(!bench.revert(&kernel, Foreign::Keep).unwrap().open);
    assert_eq!(bench.state(), before);
}

#[test]
fn what_somebody_else_has_changed_since_is_left_alone_until_told_otherwise() {
    for (foreign, swappiness, open) in [
        (Foreign::Keep, "33", true),
        (Foreign::Forget, "33", false),
        (Foreign::Overwrite, "60", false),
    ] {
        let bench = Bench::new();
        let kernel = bench.kernel();
        bench.apply(&kernel, SETTINGS, false).unwrap();
        add(&bench.root, &[("proc/sys/vm/swappiness", "33")]);
        let reverted = bench.revert(&kernel, foreign).unwrap();
        assert_eq!(bench.root.text("proc/sys/vm/swappiness").unwrap(), swappiness);
        assert_eq!(reverted.open, open);
        let back = reverted.backs.iter().find(|back| back.key == "vm.swappiness").unwrap();
        let expected = if swappiness == "60" { BackFate::Restored } else { BackFate::Foreign };
        assert_eq!((back.found.as_deref(), &back.fate), (Some("33"), &expected));
        assert_eq!(bench.root.text("proc/sys/fs/nr_open").unwrap(), "4096");
        assert_eq!(Journal::open(&bench.journal()).unwrap().is_some(), open);
    }
}

#[test]
fn after_a_reboot_there_is_nothing_to_put_back() {
    let bench = Bench::new();
    let kernel = bench.kernel();
    bench.apply(&kernel, SETTINGS, false).unwrap();
    add(&bench.root, &[("proc/sys/kernel/random/boot_id", "two")]);
    let reverted = bench.revert(&kernel, Foreign::Keep).unwrap();
    assert!(reverted.stale && reverted.backs.is_empty() && !reverted.open);
    assert_eq!(bench.root.text("proc/sys/vm/swappiness").unwrap(), "1", "left alone");
}

#[test]
fn who_may_not_write_is_told_before_anything_is_changed() {
    let bench = Bench::new();
    let (mut kernel, before) = (bench.kernel(), bench.state());
    kernel.locked = true;
    let error = bench.apply(&kernel, SETTINGS, false).unwrap_err().to_string();
    for word in ["root", "nothing was changed", "vm.swappiness", "service.irqbalance"] {
        assert!(error.contains(word), "`{word}` is not in: {error}");
    }
    assert!(!error.contains("firewalld"), "what is not there takes no permission: {error}");
    assert_eq!(bench.state(), before);
    assert!(!bench.journal().exists());
}

#[test]
fn interrupted_between_two_settings_everything_is_put_back() {
    let bench = Bench::new();
    let (kernel, before) = (bench.kernel(), bench.state());
    let subject =
        Subject { root: &bench.root, shell: &bench.shell, machine: &kernel, scope: &bench.scope };
    let settings = Setting::all(SETTINGS.iter().copied()).unwrap();
    let manner = Manner { keep_going: false, go_on: &|done, _| done < 7 };
    let head = Head::new(&bench.root, "test", "now");
    let error = apply(&settings, &subject, &bench.journal(), head, &manner).unwrap_err();
    assert!(error.to_string().contains("interrupted; everything is as it was"), "{error}");
    assert_eq!(bench.state(), before);
}

#[test]
fn requests_that_cannot_be_are_refused_before_anything_is_changed() {
    let refuse = |pairs: &[(&str, &str)], change: &dyn Fn(&mut Bench), words: &[&str]| {
        let mut bench = Bench::new();
        change(&mut bench);
        let error = bench.apply(&bench.kernel(), pairs, false).unwrap_err();
        assert!(error.is_usage(), "{error}");
        for word in words {
            assert!(error.to_string().contains(word), "`{word}` is not in: {error}");
        }
    };
    let nothing = |_: &mut Bench| {};
    let both = [("vm.dirty-ratio", "10"), ("vm.dirty-bytes", "9999999")];
    refuse(&both, &nothing, &["vm.dirty-ratio", "vm.dirty-bytes", "only one"]);
    refuse(&[("net.irq-cpus", "0-7")], &nothing, &["2-7", "net.irq-cpus", "0-1"]);
    let eth9 = |bench: &mut Bench| bench.scope.nic = Some("eth9".into());
    refuse(SETTINGS, &eth9, &["--nic eth9", "eth0"]);
    let nowhere = |bench: &mut Bench| bench.scope.data = Some("/nowhere".into());
    refuse(SETTINGS, &nowhere, &["--data /nowhere"]);
    let cpus = |bench: &mut Bench| bench.scope.server_cpus = Some("1-2".parse().unwrap());
    refuse(SETTINGS, &cpus, &["of the server", "2"]);
}

#[test]
fn only_one_changes_the_machine_at_a_time() {
    let bench = Bench::new();
    let turn = Turn::take(&bench.journal()).unwrap();
    let error = Turn::take(&bench.journal()).unwrap_err();
    assert!(matches!(error, JournalError::Held { .. }), "{error}");
    drop(turn);
    let _again = Turn::take(&bench.journal()).unwrap();
}

#[test]
fn a_journal_of_another_machine_is_left_alone() {
    let (bench, other) = (Bench::new(), Bench::new());
    bench.apply(&bench.kernel(), SETTINGS, false).unwrap();
    let kernel = other.kernel();
    let error = revert(&bench.journal(), &other.root, &kernel, Foreign::Keep).unwrap_err();
    assert!(error.to_string().contains("--root"), "{error}");
    assert!(Journal::open(&bench.journal()).unwrap().is_some());
    assert!(revert(Path::new("/none"), &other.root, &kernel, Foreign::Keep).unwrap().is_none());
}
