//! Variants for the tests of capabilities.

use lab::experiment::spec::{Arm, Options, ServerSpec, WorkloadSpec};
use serde_json::Value;

/// A variant with a section of a capability.
pub(crate) fn arm(key: &str, section: Value) -> Arm {
    let workload = WorkloadSpec { name: "tpcc".into(), options: Options::new() };
    Arm {
        name: "variant".into(),
        note: String::new(),
        server: ServerSpec::default(),
        host: None,
        data: workload.clone(),
        workload,
        others: [(key.to_owned(), section)].into(),
    }
}
