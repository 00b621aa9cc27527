//! Network cards: queues, interrupts, and who handles what comes in.

use super::{
    Look,
    item::{Item, Judged, Verdict, item},
};
use crate::{CpuSet, Nic, tuning::Answer};

const GROUP: &str = "network";
const ASTREAM: &str = "astream procedure 4.3";
const SCALING: &str = "Linux Documentation/networking/scaling.rst";

pub(super) fn items(look: &Look<'_>) -> Vec<Item> {
    let names = match &look.scope.nic {
        Some(name) => vec![name.clone()],
        None => Nic::names(look.root),
    };
    if names.is_empty() {
        let lacking = Verdict::absent("there is no network card");
        return vec![item(GROUP, "cards", SCALING, Err(lacking))];
    }
    let mut items = Vec::new();
    for nic in names.iter().filter_map(|name| Nic::of(look.root, name)) {
        let named = |what: &str, source, judged| {
            item(GROUP, format!("{}: {what}", nic.name), source, judged)
        };
        items.extend([
            named("queues", ASTREAM, queues(&nic, look)),
            named("interrupts", ASTREAM, interrupts(&nic, look)),
            named("steering (RPS, XPS)", SCALING, steering(&nic, look)),
        ]);
    }
    items
}

fn queues(nic: &Nic, look: &Look<'_>) -> Judged {
    let found = format!("{} to receive, {} to send", nic.rx_queues, nic.tx_queues);
    Ok(Verdict::good(match look.shell.queues(&nic.name) {
        Answer::Is(queues) => format!("{found}; {} combined of {}", queues.now, queues.max),
        Answer::Absent(_) | Answer::Unknown(_) => found,
    }))
}

/// Interrupts that come on the server's processors take them from it.
fn interrupts(nic: &Nic, look: &Look<'_>) -> Judged {
    if nic.interrupts.is_empty() {
        return Err(Verdict::absent("it has none of its own"));
    }
    let known = nic.interrupts.iter().filter_map(|interrupt| interrupt.affinity.as_ref());
    let Some(cpus) = CpuSet::of(known.flat_map(CpuSet::iter)) else {
        return Err(Verdict::unknown("the kernel does not tell where they come"));
    };
    let found = format!("{} on processors {cpus}", nic.interrupts.len());
    let Some(server) = &look.scope.server_cpus else {
        return Ok(Verdict::good(format!("{found}; with --cpus it is said whether that is apart")));
    };
    Ok(match cpus.within(server) {
        None => Verdict::good(format!("{found}, apart from the server's")),
        Some(shared) => {
            Verdict::advice(found, format!("the server is interrupted on {shared}, its own"))
                .by("net.irq-cpus = \"auto\"")
        }
    })
}

fn steering(nic: &Nic, look: &Look<'_>) -> Judged {
    let home = format!("sys/class/net/{}/queues", nic.name);
    let (mut receive, mut send) = (0, 0);
    for queue in look.root.names(&home) {
        // A mask of zeros, with commas, is off.
        let is_on = |name: &str| {
            let mask = look.root.text(format!("{home}/{queue}/{name}")).unwrap_or_default();
            mask.chars().any(|c| !matches!(c, '0' | ','))
        };
        receive += usize::from(is_on("rps_cpus"));
        send += usize::from(is_on("xps_cpus"));
    }
    Ok(Verdict::good(match (receive, send) {
        (0, 0) => "off".to_owned(),
        _ => format!("for {receive} queues to receive and {send} to send"),
    }))
}
