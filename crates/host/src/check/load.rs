//! What else the machine is doing.

use super::{
    Look,
    item::{Item, Judged, Verdict, item, text},
};
use crate::{Root, Topology};

const GROUP: &str = "load";
const PSI: &str = "Linux Documentation/accounting/psi.rst";
/// Processors that another process may use beside a run.
const BUSY_MAX: f64 = 0.1;
/// Share of time, in per cent, that somebody may wait.
const PRESSURE_MAX: f64 = 5.0;
/// How many busy processes are named.
const NAMED: usize = 3;

pub(super) fn items(look: &Look<'_>, topology: &Topology) -> Vec<Item> {
    let pressure = |what| item(GROUP, format!("pressure, {what}"), PSI, pressure(look.root, what));
    vec![
        item(GROUP, "busy processes", "proc_pid_stat(5)", busy(look, topology)),
        pressure("cpu"),
        pressure("memory"),
        pressure("io"),
    ]
}

fn busy(look: &Look<'_>, topology: &Topology) -> Judged {
    if look.after.stolen_since(look.before).is_none() {
        return Err(Verdict::unknown("no time passed between two readings of /proc"));
    }
    let all = look.after.busy_since(look.before, topology.online.len());
    let others = all.iter().filter(|(pid, _, used)| *pid != look.own_pid && *used > BUSY_MAX);
    let named: Vec<String> =
        others.take(NAMED).map(|(pid, name, used)| format!("{name} ({pid}): {used:.1}")).collect();
    Ok(match named.is_empty() {
        true => Verdict::good("none"),
        false => Verdict::advice(
            format!("{} processors", named.join(", ")),
            "they take part in the run: stop them, or wait",
        ),
    })
}

fn pressure(root: &Root, what: &str) -> Judged {
    let text = text(root, &format!("proc/pressure/{what}"))?;
    let average = text.lines().find_map(|line| {
        let rest = line.strip_prefix("some avg10=")?;
        rest.split_whitespace().next()?.parse::<f64>().ok()
    });
    let Some(average) = average else {
        return Err(Verdict::unknown("the kernel does not tell"));
    };
    let found = format!("{average:.1} % of the last ten seconds");
    Ok(match average > PRESSURE_MAX {
        true => Verdict::advice(found, "somebody waits for it already: let it settle first"),
        false => Verdict::good(found),
    })
}
