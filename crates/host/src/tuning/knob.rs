//! The settings that there are: names, values, places, sources. This is data.

use super::error::TuningError;
use crate::CpuSet;

/// A setting of the machine that bears on a database benchmark.
#[derive(Debug)]
pub struct Knob {
    /// Its name in profiles: `vm.swappiness`. A part in capitals stands for what varies.
    pub key: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Where that is written.
    pub source: &'static str,
    pub(crate) takes: Takes,
    pub(crate) at: At,
}

/// Values that a setting takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Takes {
    /// On or off.
    Switch,
    /// A whole number in a range.
    Number(u64, u64),
    /// A whole number; a machine that has more is left alone.
    AtLeast(u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Processors, or `auto`.
    Cpus,
}

/// Where a setting stands on a machine.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    /// In a file, as it is; a switch as 0 or 1.
    File(&'static str),
    /// The same, offering what another file lists.
    Offered(&'static str, &'static str),
    /// In a file with a choice in brackets.
    Choice(&'static str),
    /// In a file of each frequency policy, which offers what another file of it lists.
    Policies(&'static str, &'static str),
    /// In a file of the queue of each disk under the data directory.
    Queue(&'static str),
    /// The same, with a choice in brackets.
    QueueChoice(&'static str),
    /// One of a pair of files in `/proc/sys/vm`, of which only one counts.
    Pair(&'static str, &'static str),
    /// Writing the text to the file does it; there is no way back.
    Act(&'static str, &'static str),
    /// A service.
    Service(&'static str),
    Turbo,
    IdleStates,
    Smt,
    Steal,
    HugePages,
    NicQueues,
    NicInterrupts,
}

const GOVERNORS: &[&str] =
    &["performance", "powersave", "schedutil", "ondemand", "conservative", "userspace"];
const ENERGY: &[&str] =
    &["performance", "balance_performance", "default", "balance_power", "power"];
const THP: &[&str] = &["always", "madvise", "never"];
const THP_DEFRAG: &[&str] = &["always", "defer", "defer+madvise", "madvise", "never"];
const SCHEDULERS: &[&str] = &["none", "mq-deadline", "kyber", "bfq", "noop", "deadline", "cfq"];
const CLOCKS: &[&str] = &[
    "tsc",
    "kvm-clock",
    "arch_sys_counter",
    "hyperv_clocksource_tsc_page",
    "xen",
    "hpet",
    "acpi_pm",
];
const RUNS: &[&str] = &["stopped", "running"];
const CACHES: &[&str] = &["write back", "write through"];

const CPUFREQ: &str = "Linux Documentation/admin-guide/pm/cpufreq.rst";
const PSTATE: &str = "Linux Documentation/admin-guide/pm/intel_pstate.rst";
const VM: &str = "Linux Documentation/admin-guide/sysctl/vm.rst";
const KERNEL: &str = "Linux Documentation/admin-guide/sysctl/kernel.rst";
const FS: &str = "Linux Documentation/admin-guide/sysctl/fs.rst";
const THP_RST: &str = "Linux Documentation/admin-guide/mm/transhuge.rst";
const HUGE: &str = "Linux Documentation/admin-guide/mm/hugetlbpage.rst";
const BLOCK: &str = "Linux Documentation/ABI/stable/sysfs-block";
const ASTREAM_4_1: &str = "astream procedure 4.1";
const ASTREAM_4_2: &str = "astream procedure 4.2";
const ASTREAM_4_3: &str = "astream procedure 4.3";

const fn knob(
    key: &'static str,
    takes: Takes,
    at: At,
    about: &'static str,
    source: &'static str,
) -> Knob {
    Knob { key, about, source, takes, at }
}

/// Every setting, in the order in which they are made.
#[rustfmt::skip]
pub static KNOBS: &[Knob] = &[
    knob("cpu.smt", Takes::Switch, At::Smt,
        "two or more threads on each core",
        "Linux Documentation/ABI/testing/sysfs-devices-system-cpu"),
    knob("cpu.governor", Takes::Word(GOVERNORS),
        At::Policies("scaling_governor", "scaling_available_governors"),
        "how the frequency of the processors is chosen", CPUFREQ),
    knob("cpu.energy-preference", Takes::Word(ENERGY),
        At::Policies("energy_performance_preference", "energy_performance_available_preferences"),
        "what the processor itself prefers, speed or thrift", PSTATE),
    knob("cpu.turbo", Takes::Switch, At::Turbo,
        "frequencies above the nominal one, while there is power and cooling for them", PSTATE),
    knob("cpu.idle-latency-max-us", Takes::Number(0, 1_000_000), At::IdleStates,
        "idle states that take longer than this to leave are switched off",
        "Linux Documentation/admin-guide/pm/cpuidle.rst"),
    knob("clock.source", Takes::Word(CLOCKS),
        At::Offered("sys/devices/system/clocksource/clocksource0/current_clocksource",
            "sys/devices/system/clocksource/clocksource0/available_clocksource"),
        "what the time is read from",
        "Linux Documentation/timers/timekeeping.rst"),
    knob("scheduler.numa-balancing", Takes::Switch, At::File("proc/sys/kernel/numa_balancing"),
        "moving pages towards the threads that use them, for the price of page faults", KERNEL),
    knob("scheduler.autogroup", Takes::Switch, At::File("proc/sys/kernel/sched_autogroup_enabled"),
        "an equal share for each session instead of each thread", "sched(7)"),
    knob("scheduler.steal", Takes::Switch, At::Steal,
        "idle processors take waiting threads from busy ones (kernels of openEuler)", ASTREAM_4_1),
    knob("vm.swappiness", Takes::Number(0, 200), At::File("proc/sys/vm/swappiness"),
        "how willingly memory of programs is swapped out", VM),
    knob("vm.zone-reclaim", Takes::Number(0, 7), At::File("proc/sys/vm/zone_reclaim_mode"),
        "clearing a node's own memory before using another node's", VM),
    knob("vm.dirty-ratio", Takes::Number(0, 100), At::Pair("dirty_ratio", "dirty_bytes"),
        "written pages, in per cent of memory, at which writers have to wait", VM),
    knob("vm.dirty-bytes", Takes::Number(8192, u64::MAX), At::Pair("dirty_bytes", "dirty_ratio"),
        "written pages, in bytes, at which writers have to wait", VM),
    knob("vm.dirty-background-ratio", Takes::Number(0, 100),
        At::Pair("dirty_background_ratio", "dirty_background_bytes"),
        "written pages, in per cent of memory, at which they begin to go to disk", VM),
    knob("vm.dirty-background-bytes", Takes::Number(1, u64::MAX),
        At::Pair("dirty_background_bytes", "dirty_background_ratio"),
        "written pages, in bytes, at which they begin to go to disk", VM),
    knob("vm.overcommit-memory", Takes::Number(0, 2), At::File("proc/sys/vm/overcommit_memory"),
        "whether more memory is promised than there is", VM),
    knob("thp.enabled", Takes::Word(THP), At::Choice("sys/kernel/mm/transparent_hugepage/enabled"),
        "huge pages for programs that did not ask", THP_RST),
    knob("thp.defrag", Takes::Word(THP_DEFRAG),
        At::Choice("sys/kernel/mm/transparent_hugepage/defrag"),
        "whether a program waits while memory is moved together for a huge page", THP_RST),
    knob("hugepages.SIZE", Takes::Number(0, 1 << 32), At::HugePages,
        "huge pages of SIZE such as 2048kB; hugepages.2048kB.node0 for those of a node", HUGE),
    knob("disk.scheduler", Takes::Word(SCHEDULERS), At::QueueChoice("scheduler"),
        "who orders the requests to the disk", "Linux Documentation/block/switching-sched.rst"),
    knob("disk.nr-requests", Takes::Number(4, 65_536), At::Queue("nr_requests"),
        "requests that may wait for the disk", BLOCK),
    knob("disk.nomerges", Takes::Number(0, 2), At::Queue("nomerges"),
        "whether requests side by side are looked for and joined (0: thoroughly, 2: not)", BLOCK),
    knob("disk.rq-affinity", Takes::Number(0, 2), At::Queue("rq_affinity"),
        "where a request is completed (1: near who asked, 2: on the very processor)", BLOCK),
    knob("disk.wbt-lat-us", Takes::Number(0, 10_000_000), At::Queue("wbt_lat_usec"),
        "latency that background writes are held back for; 0 lets them go", BLOCK),
    knob("disk.read-ahead-kb", Takes::Number(0, 1 << 20), At::Queue("read_ahead_kb"),
        "how much is read beyond what was asked for", BLOCK),
    knob("disk.write-cache", Takes::Word(CACHES), At::Queue("write_cache"),
        "whether the kernel tells the disk to empty its cache; `write through` is safe only with \
         a cache that survives a power failure", BLOCK),
    knob("fs.aio-max-nr", Takes::AtLeast(1 << 32), At::File("proc/sys/fs/aio-max-nr"),
        "asynchronous requests of all programs together, at least", FS),
    knob("fs.file-max", Takes::AtLeast(u64::MAX), At::File("proc/sys/fs/file-max"),
        "open files of the machine, at least", FS),
    knob("fs.nr-open", Takes::AtLeast(1 << 30), At::File("proc/sys/fs/nr_open"),
        "open files that a process may be allowed, at least", FS),
    knob("service.irqbalance", Takes::Word(RUNS), At::Service("irqbalance"),
        "a service that moves interrupts between processors", ASTREAM_4_2),
    knob("service.firewalld", Takes::Word(RUNS), At::Service("firewalld"),
        "a firewall: rules that every packet goes through", ASTREAM_4_2),
    knob("service.iptables", Takes::Word(RUNS), At::Service("iptables"),
        "a firewall: rules that every packet goes through", ASTREAM_4_2),
    knob("service.nftables", Takes::Word(RUNS), At::Service("nftables"),
        "a firewall: rules that every packet goes through", ASTREAM_4_2),
    knob("service.ufw", Takes::Word(RUNS), At::Service("ufw"),
        "a firewall: rules that every packet goes through", ASTREAM_4_2),
    knob("service.tuned", Takes::Word(RUNS), At::Service("tuned"),
        "a service that sets what is set here, too", "tuned(8)"),
    knob("net.queues", Takes::Number(1, 4096), At::NicQueues,
        "combined queues of the network card", ASTREAM_4_3),
    knob("net.irq-cpus", Takes::Cpus, At::NicInterrupts,
        "processors that handle the network card's interrupts, one each in turns; `auto` chooses \
         them apart from the server's and on the card's own node", ASTREAM_4_3),
    knob("vm.drop-caches", Takes::Switch, At::Act("proc/sys/vm/drop_caches", "3"),
        "forgets, once, what is cached of files", "astream procedure 2.4"),
];

/// A setting that is to be made.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its key: `hugepages.2048kB`.
    pub key: String,
    /// Its value as it is wanted: a switch is `on` or `off`.
    pub value: String,
    pub(crate) knob: &'static Knob,
}

impl Setting {
    /// Checks a key and a value.
    ///
    /// # Errors
    /// No such key, or a value that it does not take.
    pub fn new(key: &str, value: &str) -> Result<Self, TuningError> {
        let knob = KNOBS.iter().find(|knob| knob.is(key)).ok_or_else(|| {
            let keys = KNOBS.iter().map(|knob| knob.key);
            let nearest =
                keys.min_by_key(|known| strsim::levenshtein(key, known)).unwrap_or_default();
            TuningError::UnknownKey { key: key.to_owned(), nearest: nearest.to_owned() }
        })?;
        let refuse = || TuningError::Value {
            key: key.to_owned(),
            value: value.to_owned(),
            takes: knob.takes(),
        };
        let value = knob.takes.canonical(value.trim()).ok_or_else(refuse)?;
        Ok(Self { key: key.to_owned(), value, knob })
    }

    /// Settings in the order in which they are made; of two of a key the later one holds.
    ///
    /// # Errors
    /// See [`Setting::new`].
    pub fn all<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Vec<Self>, TuningError> {
        let mut settings: Vec<Self> = Vec::new();
        for (key, value) in pairs {
            let setting = Self::new(key, value)?;
            settings.retain(|known| known.key != setting.key);
            settings.push(setting);
        }
        settings
            .sort_by_key(|setting| KNOBS.iter().position(|knob| std::ptr::eq(knob, setting.knob)));
        Ok(settings)
    }
}

impl Knob {
    /// What it takes, in words.
    pub fn takes(&self) -> String {
        match self.takes {
            Takes::Switch => "on or off".to_owned(),
            Takes::Number(least, u64::MAX) => format!("a whole number from {least}"),
            Takes::Number(least, most) => format!("a whole number from {least} to {most}"),
            Takes::AtLeast(_) => "a whole number".to_owned(),
            Takes::Word(words) => words.join(", "),
            Takes::Cpus => "processors such as 61-66, or auto".to_owned(),
        }
    }

    fn is(&self, key: &str) -> bool {
        match self.at {
            At::HugePages => huge_pages(key).is_some(),
            _ => self.key == key,
        }
    }
}

impl Takes {
    fn canonical(self, text: &str) -> Option<String> {
        match self {
            Self::Switch => match text {
                "on" | "true" | "1" | "yes" => Some("on".to_owned()),
                "off" | "false" | "0" | "no" => Some("off".to_owned()),
                _ => None,
            },
            Self::Number(least, most) => {
                let number: u64 = text.parse().ok()?;
                (least..=most).contains(&number).then(|| number.to_string())
            }
            Self::AtLeast(most) => {
                text.parse::<u64>().ok().filter(|number| *number <= most).map(|it| it.to_string())
            }
            Self::Word(words) => words.contains(&text).then(|| text.to_owned()),
            Self::Cpus if text == "auto" => Some(text.to_owned()),
            Self::Cpus => Some(text.parse::<CpuSet>().ok()?.to_string()),
        }
    }
}

/// Size and node of `hugepages.2048kB.node0`.
pub(crate) fn huge_pages(key: &str) -> Option<(&str, Option<&str>)> {
    let rest = key.strip_prefix("hugepages.")?;
    let (size, node) = match rest.split_once('.') {
        Some((size, node)) => (size, Some(node)),
        None => (rest, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let node_is_good = node.is_none_or(|node| node.strip_prefix("node").is_some_and(digits));
    (size.strip_suffix("kB").is_some_and(digits) && node_is_good).then_some((size, node))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const PAGE: &str = include_str!("../../../../docs/host.md");

    #[test]
    fn a_key_that_there_is_not_names_the_nearest() {
        for (key, nearest) in
            [("vm.swapiness", "vm.swappiness"), ("cpu.govenor", "cpu.governor"), ("", "cpu.smt")]
        {
            let error = Setting::new(key, "1").unwrap_err();
            assert!(error.to_string().contains(nearest) && error.is_usage(), "{error}");
        }
    }

    #[test]
    fn values_are_checked_and_written_in_one_way() {
        for (key, value, canonical) in [
            ("cpu.turbo", "true", "on"),
            ("cpu.smt", "0", "off"),
            ("vm.swappiness", " 007 ", "7"),
            ("net.irq-cpus", "3,1,2", "1-3"),
            ("net.irq-cpus", "auto", "auto"),
            ("hugepages.2048kB", "8192", "8192"),
            ("hugepages.1048576kB.node1", "4", "4"),
            ("service.irqbalance", "stopped", "stopped"),
        ] {
            assert_eq!(Setting::new(key, value).unwrap().value, canonical);
        }
        for (key, value) in [
            ("cpu.turbo", "maybe"),
            ("vm.swappiness", "201"),
            ("vm.swappiness", "-1"),
            ("thp.enabled", "sometimes"),
            ("net.irq-cpus", "3-1"),
            ("vm.dirty-bytes", "1"),
            ("fs.nr-open", "x"),
        ] {
            let error = Setting::new(key, value).unwrap_err().to_string();
            assert!(error.contains(key) && error.contains("takes"), "{error}");
        }
        assert!(Setting::new("hugepages.2MB", "1").is_err());
    }

    #[test]
    fn of_two_of_a_key_the_later_holds_and_the_order_is_that_of_the_table() {
        let pairs = [("vm.swappiness", "1"), ("cpu.turbo", "on"), ("vm.swappiness", "10")];
        let settings = Setting::all(pairs).unwrap();
        let shown: Vec<_> = settings.iter().map(|it| format!("{}={}", it.key, it.value)).collect();
        assert_eq!(shown, ["cpu.turbo=on", "vm.swappiness=10"]);
    }

    #[test]
    fn keys_are_given_once_and_every_knob_has_its_words() {
        for (at, knob) in KNOBS.iter().enumerate() {
            assert!(KNOBS[..at].iter().all(|other| other.key != knob.key), "{}", knob.key);
            assert!(
                PAGE.contains(&format!("| `{}` |", knob.key)),
                "{} is in no document",
                knob.key
            );
            assert!(!knob.about.is_empty() && !knob.source.is_empty() && !knob.takes().is_empty());
        }
    }

    proptest! {
        #[test]
        fn any_key_and_value_give_an_answer(key in "[a-z0-9.B-]{0,24}", value in ".{0,8}") {
            let _answer = Setting::new(&key, &value);
        }
    }
}
