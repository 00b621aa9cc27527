//! Services that meddle with a run.

use super::{
    Look,
    item::{Item, Judged, Verdict, item},
};
use crate::tuning::Answer;

const GROUP: &str = "services";

/// Services, what they do to a run, and where that is written.
const SERVICES: &[(&str, &str, &str)] = &[
    (
        "irqbalance",
        "it moves interrupts to other processors in the middle of a run",
        "astream procedure 4.2",
    ),
    ("firewalld", "every packet goes through its rules", "astream procedure 4.2"),
    ("iptables", "every packet goes through its rules", "astream procedure 4.2"),
    ("nftables", "every packet goes through its rules", "astream procedure 4.2"),
    ("ufw", "every packet goes through its rules", "astream procedure 4.2"),
    ("tuned", "it sets what is set here, too", "tuned(8)"),
];

pub(super) fn items(look: &Look<'_>) -> Vec<Item> {
    let one = |(name, why, source): &(&'static str, &str, &'static str)| {
        item(GROUP, *name, source, service(name, why, look))
    };
    SERVICES.iter().map(one).collect()
}

/// The service manager knows best; where there is none, a process of the name tells.
fn service(name: &str, why: &str, look: &Look<'_>) -> Judged {
    match look.shell.service(name) {
        Answer::Is(true) => {
            Ok(Verdict::advice("running", why).by(format!("service.{name} = \"stopped\"")))
        }
        Answer::Is(false) => Ok(Verdict::good("stopped")),
        _ if look.after.has_process(name) => {
            Ok(Verdict::advice("running, without systemd", format!("{why}; stop it by hand")))
        }
        Answer::Absent(why) => Err(Verdict::absent(why)),
        Answer::Unknown(why) => Err(Verdict::unknown(why)),
    }
}
