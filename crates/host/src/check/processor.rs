//! Processors: frequency, idle states, threads, clock, and what lies between them and us.

use super::{
    Look,
    item::{Item, Judged, Verdict, item, text},
};
use crate::{Root, Topology};
use std::collections::BTreeSet;

const GROUP: &str = "processor";
const CPU: &str = "sys/devices/system/cpu";
/// Exit latency of an idle state that a waking thread of a database begins to feel.
const IDLE_LATENCY_MAX_US: u64 = 100;
/// Share of stolen time that shows in a result.
const STEAL_MAX: f64 = 0.01;
/// Clocks that are read without leaving the program.
const FAST_CLOCKS: &[&str] =
    &["tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"];

pub(super) fn items(look: &Look<'_>, topology: &Topology) -> Vec<Item> {
    let root = look.root;
    let named = |name: &str, source, judged| item(GROUP, name, source, judged);
    vec![
        named("governor", "Linux Documentation/admin-guide/pm/cpufreq.rst", governor(root)),
        named("turbo", "HammerDB MySQL best practice, System Setup", turbo(root)),
        named(
            "energy preference",
            "Linux Documentation/admin-guide/pm/intel_pstate.rst",
            energy(root),
        ),
        named(
            "idle states",
            "Linux Documentation/admin-guide/pm/cpuidle.rst",
            idle_states(root, topology),
        ),
        named(
            "threads a core",
            "Linux Documentation/ABI/testing/sysfs-devices-system-cpu",
            threads(root),
        ),
        named("clock source", "Linux Documentation/timers/timekeeping.rst", clock(root)),
        named(
            "mitigations",
            "Linux Documentation/admin-guide/hw-vuln/index.rst",
            mitigations(root),
        ),
        named("virtualisation", "/proc/cpuinfo, flag hypervisor", hypervisor(root)),
        named("steal time", "proc_stat(5)", steal(look)),
    ]
}

/// What the policies hold, each value once.
fn of_policies(root: &Root, name: &str) -> Result<String, Verdict> {
    let home = format!("{CPU}/cpufreq");
    let policies = root.names(&home).into_iter().filter(|it| it.starts_with("policy"));
    let values: BTreeSet<String> =
        policies.filter_map(|it| root.text(format!("{home}/{it}/{name}"))).collect();
    match values.is_empty() {
        true => Err(Verdict::absent("the frequency cannot be chosen from here")),
        false => Ok(values.into_iter().collect::<Vec<_>>().join(", ")),
    }
}

fn governor(root: &Root) -> Judged {
    let found = of_policies(root, "scaling_governor")?;
    Ok(match found.as_str() {
        "performance" => Verdict::good(found),
        _ => Verdict::advice(found, "under others the frequency follows the load, late")
            .by("cpu.governor = \"performance\""),
    })
}

fn energy(root: &Root) -> Judged {
    let found = of_policies(root, "energy_performance_preference")?;
    Ok(match found.as_str() {
        "performance" => Verdict::good(found),
        _ => Verdict::advice(found, "the processor prefers thrift to speed")
            .by("cpu.energy-preference = \"performance\""),
    })
}

fn turbo(root: &Root) -> Judged {
    let intel = root.text(format!("{CPU}/intel_pstate/no_turbo")).map(|text| text == "0");
    let other = || root.text(format!("{CPU}/cpufreq/boost")).map(|text| text == "1");
    Ok(match intel.or_else(other) {
        Some(true) => Verdict::good("on"),
        Some(false) => Verdict::advice("off", "it is slower than it could be, but evenly so")
            .by("cpu.turbo = true"),
        None => Verdict::absent("it cannot be chosen from here"),
    })
}

fn idle_states(root: &Root, topology: &Topology) -> Judged {
    let mut deepest: Option<(u64, String)> = None;
    for cpu in topology.online.iter() {
        let home = format!("{CPU}/cpu{cpu}/cpuidle");
        for state in root.names(&home) {
            let file = |name: &str| root.text(format!("{home}/{state}/{name}"));
            let latency: Option<u64> = file("latency").and_then(|text| text.parse().ok());
            let Some(latency) = latency else { continue };
            let is_on = file("disable").as_deref() != Some("1");
            if is_on && deepest.as_ref().is_none_or(|(known, _)| latency > *known) {
                deepest = Some((latency, file("name").unwrap_or(state)));
            }
        }
    }
    Ok(match deepest {
        None => Verdict::absent("there are none to choose from here"),
        Some((latency, name)) if latency <= IDLE_LATENCY_MAX_US => {
            Verdict::good(format!("down to {name}, {latency} us to leave"))
        }
        Some((latency, name)) => {
            let found = format!("down to {name}, {latency} us to leave");
            Verdict::advice(found, "a thread that wakes up waits that long, at low load most")
                .by(format!("cpu.idle-latency-max-us = {IDLE_LATENCY_MAX_US}"))
        }
    })
}

fn threads(root: &Root) -> Judged {
    let active = text(root, &format!("{CPU}/smt/active"))?;
    let control = root.text(format!("{CPU}/smt/control")).unwrap_or_default();
    Ok(match (active.as_str(), control.as_str()) {
        ("1", _) => Verdict::good("several (SMT is on); they share the core's speed"),
        (_, "off" | "forceoff") => Verdict::good("one (SMT is off)"),
        _ => Verdict::good("one"),
    })
}

fn clock(root: &Root) -> Judged {
    let home = "sys/devices/system/clocksource/clocksource0";
    let found = text(root, &format!("{home}/current_clocksource"))?;
    if FAST_CLOCKS.contains(&found.as_str()) {
        return Ok(Verdict::good(found));
    }
    let offers = root.text(format!("{home}/available_clocksource")).unwrap_or_default();
    let better = offers.split_whitespace().find(|offer| FAST_CLOCKS.contains(offer));
    let advice = "every look at the clock is a system call, and a server looks often";
    let verdict = Verdict::advice(found, advice);
    Ok(match better {
        Some(better) => verdict.by(format!("clock.source = \"{better}\"")),
        None => verdict,
    })
}

fn mitigations(root: &Root) -> Judged {
    let home = format!("{CPU}/vulnerabilities");
    let names = root.names(&home);
    if names.is_empty() {
        return Err(Verdict::absent(format!("this kernel has no /{home}")));
    }
    let mitigated = names.into_iter().filter(|name| {
        root.text(format!("{home}/{name}")).is_some_and(|text| text.starts_with("Mitigation"))
    });
    let mitigated: Vec<String> = mitigated.collect();
    let option = root.text("proc/cmdline").and_then(|line| {
        line.split_whitespace().find(|word| word.starts_with("mitigations=")).map(str::to_owned)
    });
    let option = option.map(|option| format!("; booted with {option}")).unwrap_or_default();
    Ok(Verdict::good(match mitigated.len() {
        0 => format!("none at work{option}"),
        _ => format!("{}{option}; compare runs under the same only", mitigated.join(", ")),
    }))
}

fn hypervisor(root: &Root) -> Judged {
    let cpuinfo = text(root, "proc/cpuinfo")?;
    let is_virtual = cpuinfo.lines().any(|line| {
        line.starts_with("flags") && line.split_whitespace().any(|flag| flag == "hypervisor")
    });
    let vendor = root.text("sys/class/dmi/id/sys_vendor").filter(|vendor| !vendor.is_empty());
    Ok(Verdict::good(match (is_virtual, vendor) {
        (false, _) => "none seen".to_owned(),
        (true, Some(vendor)) => format!("a virtual machine of {vendor}"),
        (true, None) => "a virtual machine".to_owned(),
    }))
}

fn steal(look: &Look<'_>) -> Judged {
    let Some(share) = look.after.stolen_since(look.before) else {
        return Err(Verdict::unknown("no time passed between two readings of /proc/stat"));
    };
    let found = format!("{:.1} % just now", share * 100.0);
    Ok(match share <= STEAL_MAX {
        true => Verdict::good(found),
        false => Verdict::advice(found, "the hypervisor gives this machine's time to others"),
    })
}
