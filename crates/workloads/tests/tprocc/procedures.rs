//! Versions of the procedures.

use workloads::tprocc::{DataSet, Error, Profile, replace_procedures};

use crate::support::*;

pub(crate) fn another_version_is_refused_and_replaced_without_a_load(bench: &Bench) {
    let held = bench.two_warehouses(Profile::HammerDb);
    let rows = || number(&held.target, "SELECT COUNT(*) FROM order_line");
    let before = rows();
    let refused = || {
        let error = wait(held.data.expect_procedures(&held.target)).unwrap_err();
        assert!(matches!(error, Error::OtherProcedures { .. }), "{error}");
        assert!(error.to_string().contains("--procedures-only"), "{error}");
        error.to_string()
    };
    let replaced = || {
        wait(replace_procedures(&held.target)).unwrap();
        wait(held.data.expect_procedures(&held.target)).unwrap();
    };
    run(&held.target, "ALTER PROCEDURE PAYMENT COMMENT 'myrig tprocc hammerdb/0'");
    assert!(refused().contains("PAYMENT") && refused().contains("`myrig tprocc hammerdb/0`"));
    replaced();
    run(&held.target, "DROP PROCEDURE SLEV");
    assert!(refused().contains("SLEV") && refused().contains("missing"));
    replaced();
    let spec = DataSet { profile: Profile::Spec, ..held.data.clone() };
    let error = wait(spec.expect_procedures(&held.target)).unwrap_err();
    assert!(error.to_string().contains("hammerdb/1") && error.to_string().contains("spec/1"));
    assert_eq!(rows(), before);
}
