//! Experiments for tests.

use super::spec::{Arm, Experiment, Options, Repeat, ServerSpec, WorkloadSpec};

/// A variant of that name with nothing special about it.
pub(crate) fn arm(name: &str) -> Arm {
    let workload = WorkloadSpec { name: "tpcc".into(), options: Options::new() };
    Arm {
        name: name.into(),
        note: String::new(),
        server: ServerSpec::default(),
        host: None,
        data: workload.clone(),
        workload,
        others: Options::new(),
    }
}

/// An experiment of those variants.
pub(crate) fn experiment(variants: Vec<Arm>, repeat: Repeat) -> Experiment {
    Experiment {
        name: "test".into(),
        title: "A test".into(),
        question: "Does it hold?".into(),
        scale: String::new(),
        published: None,
        variants,
        repeat,
        measure: Options::new(),
        compare: None,
    }
}
