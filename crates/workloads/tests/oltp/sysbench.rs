//! sysbench itself, where it is installed: tables of one are run by the other.

use crate::support::*;
use client::{Endpoint, Target};
use std::process::Command;
use workloads::oltp::{DataSet, Kind, Oltp, Options};

/// Runs sysbench as an account without a password, so that none stands among its arguments. None
/// where it is not installed.
fn sysbench(target: &Target, arguments: &[&str]) -> Option<String> {
    let Some(Endpoint::Unix(socket)) = target.endpoints.first() else { panic!("no socket") };
    let database = target.database.as_deref().unwrap();
    let account = "CREATE USER IF NOT EXISTS bench@localhost";
    run(target, &[account, "GRANT ALL ON *.* TO bench@localhost"]);
    let output = Command::new("sysbench")
        .arg(arguments[0])
        .arg(format!("--mysql-socket={}", socket.display()))
        .args(["--mysql-user=bench", &format!("--mysql-db={database}")])
        .args(["--tables=2", "--table-size=1000", "--rand-seed=7"])
        .args(&arguments[1..])
        .output();
    let output = match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("SKIPPED: sysbench is not installed");
            return None;
        }
        output => output.unwrap(),
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{complained}");
    Some(said)
}

pub(crate) fn tables_of_sysbench_are_run_by_us(bench: &Bench) {
    let target = bench.target("sysbench_theirs");
    create_database(&target);
    if sysbench(&target, &["oltp_read_write", "prepare"]).is_none() {
        return;
    }
    assert_eq!(wait(DataSet::find(&target)).unwrap(), Some(small()));
    for (_, kind) in Kind::NAMES {
        let oltp = Oltp::new(target.clone(), Options { kind, ..on_small() }).unwrap();
        wait(oltp.preflight(1)).unwrap();
        transact(&oltp, 5);
    }
    // What sysbench would drop is all that is there.
    sysbench(&target, &["oltp_read_write", "cleanup"]).unwrap();
    assert_eq!(query(&target, "SHOW TABLES"), [""; 0]);
}

pub(crate) fn our_tables_are_run_by_sysbench(bench: &Bench) {
    let target = bench.tables("sysbench_ours", small());
    for (_, kind) in Kind::NAMES {
        let arguments = [kind.script(), "--events=20", "--time=10", "run"];
        let Some(said) = sysbench(&target, &arguments) else { return };
        assert!(said.contains("total number of events:              20"), "{said}");
    }
}
