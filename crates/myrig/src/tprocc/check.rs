//! `myrig tprocc check`: the twelve conditions, and which of them the profile does not keep.

use crate::{
    args::CheckArgs,
    connect,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
    runtime::block_on,
    tpcc::check::{recorded, table, under_bar},
};
use client::Target;
use lab::record::CheckRecord;
use serde_json::json;
use std::sync::{Arc, atomic::Ordering};
use workloads::{
    ConditionResult,
    tpcc::{self, CheckProgress},
    tprocc::{DataSet, Error, Profile, Verdict, check},
};

pub(crate) fn run(args: &CheckArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let target = connect::target(&args.connection, paths, output)?;
    let data = block_on(DataSet::expect(&target, None, None))??;
    let progress = Arc::new(CheckProgress::default());
    let stopping = Arc::clone(&progress);
    interrupt::watch(move || stopping.stop.store(true, Ordering::Relaxed))?;
    let Checked { record, deviations } =
        check_with_bar(&target, &data, args.connections, &progress, output)?;
    let sentences: Vec<_> = deviations.iter().map(sentence).collect();
    let value = json!({
        "schema": "myrig.check/1",
        "workload": "tprocc",
        "profile": data.profile.versioned(),
        "warehouses": data.warehouses,
        "good": record.good,
        "conditions": record.conditions,
        "deviations": sentences,
    });
    let mut text = table(&record);
    for sentence in &sentences {
        text.push_str(sentence);
        text.push('\n');
    }
    output.result(&value, &text)?;
    Ok(if record.good { Status::Good } else { Status::Bad })
}

/// What a check found.
pub(super) struct Checked {
    /// The conditions that must hold, and whether they do.
    pub(super) record: CheckRecord,
    /// Those that the profile breaks by design.
    pub(super) deviations: Vec<ConditionResult>,
}

/// Checks under a progress bar.
pub(super) fn check_with_bar(
    target: &Target,
    data: &DataSet,
    connections: u32,
    progress: &CheckProgress,
    output: &Output,
) -> Result<Checked, Failure> {
    let checked = under_bar(progress, output, || check(target, data, connections, progress))?;
    let checked = checked.map_err(|error| match error {
        Error::Common(tpcc::Error::Stopped) => {
            anyhow::anyhow!("interrupted; `myrig tprocc check` does it")
        }
        other => other.into(),
    })?;
    Ok(judged(data.profile, checked))
}

/// A condition that the profile breaks by design is no fault of the server's: what was found is
/// told and does not count.
fn judged(profile: Profile, results: Vec<ConditionResult>) -> Checked {
    let (deviations, counting): (Vec<_>, Vec<_>) =
        results.into_iter().partition(|result| Verdict::of(profile, result) == Verdict::Deviates);
    Checked { record: recorded(counting), deviations }
}

fn sentence(result: &ConditionResult) -> String {
    format!(
        "{} is not kept by the profile, as HammerDB does not keep it: {} ({} of {} deviate).",
        result.name, result.text, result.violations, result.examined
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(name: &'static str) -> ConditionResult {
        let examples = vec!["warehouse 1".into()];
        ConditionResult { name, text: "A = B", examined: 9, violations: 7, examples }
    }

    #[test]
    fn a_deviation_of_the_profile_is_told_and_does_not_count() {
        let ids = |checked: &Checked| -> Vec<String> {
            checked.record.conditions.iter().map(|condition| condition.id.clone()).collect()
        };
        let checked = judged(Profile::HammerDb, vec![result("3.3.2.10")]);
        assert!(checked.record.good && sentence(&checked.deviations[0]).contains("7 of 9"));
        let checked = judged(Profile::HammerDb, vec![result("3.3.2.1"), result("3.3.2.10")]);
        assert!(!checked.record.good);
        assert_eq!((ids(&checked), checked.deviations.len()), (vec!["3.3.2.1".into()], 1));
        let checked = judged(Profile::Spec, vec![result("3.3.2.10")]);
        assert!(!checked.record.good && checked.deviations.is_empty());
    }
}
