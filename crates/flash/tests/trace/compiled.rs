//! The committed object is what its source compiles to.

use std::{fs, path::Path, process::Command};

#[test]
fn the_program_in_the_kernel_is_the_one_whose_source_is_here() {
    let told = Command::new("clang-14").arg("--version").output();
    let version = told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned());
    if !version.as_ref().is_ok_and(|version| version.contains("clang version 14.0.6")) {
        println!("SKIPPED: the BPF program compiled again, because there is no clang 14.0.6");
        return;
    }
    let of_the_crate = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = of_the_crate.join("../../scripts/build-bpf");
    let dir = tempfile::tempdir().unwrap();
    let made = dir.path().join("made.o");
    let built = Command::new(script).arg(&made).output().unwrap();
    if built.status.code() == Some(3) {
        println!("SKIPPED: the BPF program compiled again, because there is no llvm-strip-14");
        return;
    }
    assert!(built.status.success(), "{built:?}");
    let committed = fs::read(of_the_crate.join("bpf/block_trace.bpf.o")).unwrap();
    let same = fs::read(made).unwrap() == committed;
    assert!(same, "run scripts/build-bpf and commit crates/flash/bpf/block_trace.bpf.o");
}
