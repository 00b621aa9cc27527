//! `myrig tprocc check`: the twelve conditions, and which of them the profile does not keep.

use crate::{
    args::CheckArgs,
    connect,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
    runtime::block_on,
    tpcc::check::{condition, table, under_bar},
};
use client::Target;
use lab::record::{CheckRecord, Condition};
use serde_json::json;
use std::sync::{Arc, atomic::Ordering};
use workloads::{
    tpcc::{self, CheckProgress, ConditionResult},
    tprocc::{DataSet, Error, Profile, Verdict, check},
};

pub(crate) fn run(args: &CheckArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let target = connect::target(&args.connection, paths, output)?;
    let data = block_on(DataSet::expect(&target, None, None))??;
    let progress = Arc::new(CheckProgress::default());
    let stopping = Arc::clone(&progress);
    interrupt::watch(move || stopping.stop.store(true, Ordering::Relaxed))?;
    let record = check_with_bar(&target, &data, args.connections, &progress, output)?;
    let value = json!({
        "schema": "myrig.check/1",
        "workload": "tprocc",
        "profile": data.profile.versioned(),
        "warehouses": data.warehouses,
        "good": record.good,
        "conditions": record.conditions,
    });
    output.result(&value, &table(&record))?;
    Ok(if record.good { Status::Good } else { Status::Bad })
}

/// Checks under a progress bar.
pub(super) fn check_with_bar(
    target: &Target,
    data: &DataSet,
    connections: u32,
    progress: &CheckProgress,
    output: &Output,
) -> Result<CheckRecord, Failure> {
    let checked = under_bar(progress, output, || check(target, data, connections, progress))?;
    let checked = checked.map_err(|error| match error {
        Error::Common(tpcc::Error::Stopped) => {
            anyhow::anyhow!("interrupted; `myrig tprocc check` does it")
        }
        other => other.into(),
    })?;
    let conditions: Vec<_> =
        checked.into_iter().map(|result| judged(data.profile, result)).collect();
    let good = conditions.iter().all(|condition| condition.violations == 0);
    Ok(CheckRecord { good, conditions })
}

/// A condition that the profile breaks by design is no fault of the server's: what was found is
/// told in words and does not count as a violation.
fn judged(profile: Profile, result: ConditionResult) -> Condition {
    let verdict = Verdict::of(profile, &result);
    let mut condition = condition(result);
    if verdict == Verdict::Deviates {
        condition.text.push_str(&format!(
            " - not kept by profile {profile}, as HammerDB does not: {} deviate",
            condition.violations
        ));
        condition.violations = 0;
        condition.examples.clear();
    }
    condition
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(number: u32) -> ConditionResult {
        let examples = vec!["warehouse 1".into()];
        ConditionResult { number, text: "A = B", examined: 9, violations: 7, examples }
    }

    #[test]
    fn a_deviation_of_the_profile_is_told_and_does_not_count() {
        let told = judged(Profile::HammerDb, result(10));
        assert_eq!((told.violations, told.examined), (0, 9));
        assert!(told.text.contains("not kept by profile hammerdb") && told.text.contains("7"));
        assert_eq!(judged(Profile::HammerDb, result(1)).violations, 7);
        assert_eq!(judged(Profile::Spec, result(10)).violations, 7);
    }
}
