//! Groups in the store, and what a list shows of them.

use super::{
    bundles::{Bundle, Tables},
    find::HeadlineSummary,
};
use crate::{
    export::ExportError,
    group::{self, GroupRecord},
    record::RunStatus,
};
use serde::{Deserialize, Serialize};

/// One line of a list of groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupSummary {
    /// Unique id.
    pub id: String,
    /// What a person called it, or empty.
    pub label: String,
    /// Start, UTC, RFC 3339.
    pub started_at: String,
    /// Workload's name.
    pub workload: String,
    /// Declared profile with its version.
    pub profile: String,
    /// Names of the members, in order.
    pub members: Vec<String>,
    /// `complete` or `partial`.
    pub status: String,
    /// The most important sum, where there is one.
    pub headline: Option<HeadlineSummary>,
}

/// Where groups are.
pub(super) const GROUPS: Tables =
    Tables { whole: "run_groups", key: "run_group", parts: "group_members" };

/// A group as it is written.
pub(super) fn bundle(record: &GroupRecord) -> Result<Bundle<'_, GroupSummary>, ExportError> {
    Ok(Bundle {
        id: &record.id,
        started_at: &record.started_at,
        summary: summary(record),
        record: group::compact(record)?,
        runs: record.members.iter().map(|member| member.run.run.as_str()).collect(),
    })
}

fn summary(record: &GroupRecord) -> GroupSummary {
    let headline = record.headline.first().map(|figure| HeadlineSummary {
        name: figure.name.clone(),
        value: figure.value,
        unit: figure.unit.clone(),
    });
    GroupSummary {
        id: record.id.clone(),
        label: record.label.clone(),
        started_at: record.started_at.clone(),
        workload: record.workload.name.clone(),
        profile: record.workload.profile.clone(),
        members: record.members.iter().map(|member| member.name.clone()).collect(),
        status: match record.status {
            RunStatus::Complete => "complete".to_owned(),
            RunStatus::Partial { .. } => "partial".to_owned(),
        },
        headline,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{
        group::example,
        record,
        store::{Found, RunFilter, Store},
    };

    #[test]
    fn a_group_is_found_listed_and_removed_with_its_runs() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = Store::open(directory.path().join("runs.sqlite")).unwrap();
        store.save(&record::example::record()).unwrap();
        for run in example::runs() {
            store.save(&run).unwrap();
        }
        let group = example::group();
        store.save_group(&group).unwrap();
        store.save_group(&group).unwrap();
        for key in [group.id.as_str(), "group-2026", "latest"] {
            assert_eq!(store.find(key).unwrap(), Found::Group(group.clone().into()), "{key}");
        }
        assert_eq!(store.list_groups(None).unwrap()[0].members, ["a", "b"]);
        let runs = store.list(&RunFilter::default()).unwrap();
        let places: Vec<_> =
            runs.iter().map(|run| run.group.as_ref().map(|group| group.step)).collect();
        assert_eq!(places, [Some(2), Some(1), None]);
        store.remove_group(&group.id).unwrap();
        assert_eq!(store.list(&RunFilter::default()).unwrap().len(), 1);
        assert_eq!(store.list_groups(None).unwrap(), []);
        assert!(store.find("group-2026").is_err());
    }
}
