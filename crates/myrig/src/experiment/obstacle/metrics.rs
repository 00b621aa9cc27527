//! What can be compared.

use crate::experiment::{
    capability::WATCH,
    options::{self, Load},
};
use lab::experiment::{Experiment, spec::Arm};

/// Metrics that no run of these workloads has.
pub(super) fn of_metrics(experiment: &Experiment) -> Vec<String> {
    let Some(compare) = &experiment.compare else { return Vec::new() };
    // Measurements bring figures of their own.
    if experiment.measure.keys().any(|key| key != WATCH) {
        return Vec::new();
    }
    let known: Vec<String> = experiment.variants.iter().flat_map(metrics).collect();
    let by_type =
        |name: &str| ["p50 ", "p95 ", "p99 "].iter().any(|percentile| name.starts_with(percentile));
    let unknown = compare.metrics.iter().filter(|name| !known.contains(name) && !by_type(name));
    let told = |name: &String| {
        let mut known = known.clone();
        known.sort();
        known.dedup();
        format!("compare.metrics: there is no metric `{name}`; there are {}", known.join(", "))
    };
    unknown.map(told).collect()
}

/// What can be compared of a variant's runs.
fn metrics(arm: &Arm) -> Vec<String> {
    let mut names = vec!["p50".to_owned(), "p95".into(), "p99".into()];
    if arm.is_at_rest() {
        names.extend(["MB/s", "CPU s/GB"].map(str::to_owned));
        return names;
    }
    let own: &[&str] = match options::run_args(&arm.workload) {
        Ok(Load::Tpcc(_)) => &["tpmC", "TPS"],
        Ok(Load::Tprocc(_)) => &["NOPM", "TPM", "NOPM (client)", "TPM (client)"],
        Ok(Load::Oltp(args)) => {
            names.extend(args.percentile.map(|percent| format!("p{percent}")));
            &["TPS", "QPS"]
        }
        Err(_) => &[],
    };
    let beside = ["server CPUs", "client CPU a transaction"];
    names.extend(own.iter().chain(&beside).map(|&name| name.to_owned()));
    names
}
