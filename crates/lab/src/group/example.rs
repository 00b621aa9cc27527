//! A small group for tests.

use super::*;
use crate::record::example;

/// The runs of the group's members.
pub(crate) fn runs() -> Vec<RunRecord> {
    let run = |number| {
        let mut run = example::record();
        run.id = format!("20261121T204500-{number:06}");
        run.status = RunStatus::Complete;
        run
    };
    [7, 8].map(run).into()
}

/// A group in which every field of the schema holds something.
pub(crate) fn group() -> GroupRecord {
    let runs = runs();
    let member = |name: &str, run: &RunRecord| GroupMember {
        name: name.to_owned(),
        server: run.server.clone(),
        run: SweepStep::of(run, None, None),
    };
    let run = &runs[0];
    let mut group = GroupRecord {
        schema: GROUP_SCHEMA.to_owned(),
        id: "group-20261121T204500-abcdef".to_owned(),
        label: "two instances".to_owned(),
        started_at: run.started_at.clone(),
        status: RunStatus::Complete,
        workload: run.workload.clone(),
        settings: BTreeMap::from([("instance".to_owned(), vec!["a", "b"].into())]),
        host: run.host.clone(),
        client_version: "0.1.0".to_owned(),
        headline: Vec::new(),
        members: vec![member("a", &runs[0]), member("b", &runs[1])],
        warnings: Vec::new(),
    };
    group.take(&runs);
    group
}
