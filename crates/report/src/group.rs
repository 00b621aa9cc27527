//! A group of runs side by side: as one HTML file, as text for a terminal, as a Markdown page.

mod page;
mod section;
mod text;

pub use page::html;
pub use text::{markdown, text};

use lab::{group::GroupRecord, record::RunStatus};

/// The group in one line: `TPC-C, 10 warehouses each, on 2 servers side by side`.
fn title(group: &GroupRecord) -> String {
    let name = crate::summary::workload_name(&group.workload.name);
    let servers = crate::format::counted(group.members.len() as u64, "server");
    format!("{name}, {} each, on {servers} side by side", group.workload.scale)
}

/// Everything that stands in the way of believing a member's figures: whose, and what.
fn troubles(group: &GroupRecord) -> Vec<(String, String)> {
    let mut troubles = Vec::new();
    for member in &group.members {
        let mut tell = |words: String| troubles.push((member.name.clone(), words));
        if let RunStatus::Partial { reason } = &member.run.status {
            tell(format!("partial: {reason}"));
        }
        if member.run.check_good == Some(false) {
            tell("consistency check failed".to_owned());
        }
        if member.run.failed > 0 {
            tell(format!("{} failed", crate::format::count(member.run.failed)));
        }
    }
    troubles
}
