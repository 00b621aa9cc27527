//! Wrong usage ends with 2 and names the option, before anything is asked of a server.

use crate::support::Rig;

/// Command lines, and what their refusal must name.
const WRONG: &[(&str, &[&str])] = &[
    ("", &["subcommand"]),
    ("tpcc", &["subcommand"]),
    ("frobnicate", &["frobnicate"]),
    ("tpcc run --frobnicate", &["--frobnicate"]),
    ("tpcc run --duration soon", &["--duration", "1.5m"]),
    ("tpcc run --duration 0", &["--duration"]),
    ("tpcc run --ramp-up -1s", &["-1"]),
    ("tpcc run --duration 1e9", &["--duration", "no time"]),
    ("tpcc run --connections 0", &["--connections 0", "from 1"]),
    ("tpcc run --connections 4 --threads 5", &["--threads 5", "from 1 to 4"]),
    ("tpcc run --connections 1,2 --rate 10,20", &["--connections and --rate", "only one"]),
    ("tpcc run --connections 4,2", &["--connections", "2 after 4"]),
    ("tpcc run --connections 1,two", &["--connections", "two"]),
    ("tpcc run --rate 1,1", &["--rate", "1 after 1"]),
    ("tpcc run --stop-after-peak 2", &["--stop-after-peak", "--connections 1,2,4,8"]),
    ("tpcc run --stop-after-peak 0 -c 1,2", &["--stop-after-peak"]),
    ("tpcc run --settle-deadline 1s", &["--settle-deadline", "a list"]),
    ("tpcc run --threads 0", &["--threads 0"]),
    ("tpcc run --transactions 0", &["--transactions 0"]),
    ("tpcc run --retries 100000", &["--retries"]),
    ("tpcc run --weights 1,2", &["--weights", "five", "2"]),
    ("tpcc run --weights 0,0,0,0,0", &["--weights", "not all of them 0"]),
    ("tpcc run --weights 1,1,1,1,nan", &["--weights"]),
    ("tpcc run --weights 1,1,1,1,x", &["--weights", "x"]),
    ("tpcc run --rate 0", &["--rate 0"]),
    ("tpcc run --metrics-addr nowhere", &["--metrics-addr", "such as 9400"]),
    ("tpcc run --rate inf", &["--rate inf"]),
    ("tpcc run --rate 10 --think-time 1", &["--rate", "--think-time"]),
    ("tpcc run --arrivals even", &["--rate"]),
    ("tpcc run --keying-time=-1", &["--keying-time"]),
    ("tpcc run --think-time nan", &["--think-time"]),
    ("tpcc run --isolation loose", &["--isolation", "loose"]),
    ("tpcc run --profile tpch", &["--profile", "spec", "benchmarksql"]),
    ("tpcc run --instance a --host b", &["--instance", "--host"]),
    ("tpcc run --instance a --user b", &["--instance", "--user"]),
    ("tpcc run --instance a --password-file b", &["--instance", "--password-file"]),
    ("tpcc run --instance ../a", &["../a"]),
    ("tpcc run --host a --socket b", &["--host", "--socket"]),
    ("tpcc run --host a:b", &["a:b", "port"]),
    ("tpcc run --port 70000", &["--port", "70000"]),
    ("tpcc run --tls-mode maybe", &["--tls-mode", "verify-identity"]),
    ("tpcc run --tls-cert a", &["--tls-key"]),
    ("tpcc run --password hunter2", &["--password"]),
    ("tpcc prepare --warehouses 0", &["--warehouses", "0"]),
    ("tpcc prepare --connections 0", &["--connections", "0"]),
    ("tpcc prepare --load-method magic", &["--load-method", "load-data"]),
    ("tpcc check --connections 0", &["--connections"]),
    ("server init", &["NAME"]),
    ("server init a/b", &["a/b"]),
    ("server init a --set =1", &["--set", "NAME=VALUE"]),
    ("server init a --mysqld b --basedir c", &["--mysqld", "--basedir"]),
    ("server start a --deadline forever", &["--deadline"]),
    ("runs list --limit many", &["--limit"]),
    ("runs export --format xml", &["--format", "summary-csv"]),
    ("demo --warehouses 0", &["--warehouses"]),
    ("demo --connections 0", &["--connections"]),
    ("demo --duration 0", &["workload.duration 0"]),
    ("completions tcsh", &["tcsh", "bash"]),
    ("man", &["DIR"]),
    ("runs list --color pink", &["--color", "auto"]),
];

#[test]
fn wrong_usage_ends_with_2_and_names_the_option() {
    let rig = Rig::new();
    for (line, words) in WRONG {
        let ended = rig.run(line).ends(2).says(words);
        assert!(ended.out.is_empty(), "{ended}");
    }
    assert!(!rig.home().exists(), "nothing was made");
}

#[test]
fn a_run_that_the_store_does_not_have_could_not_be_shown() {
    let rig = Rig::new();
    for line in ["runs show 2026", "runs export 2026", "runs remove 2026"] {
        rig.run(line).ends(3).says(&["no run \"2026\"", "runs list"]);
    }
    rig.run("runs show").ends(3).says(&["no run"]);
    let empty = rig.run("runs list").good();
    assert!(empty.out.contains("myrig demo"), "{empty}");
}

#[test]
fn an_error_is_json_where_json_was_asked_for() {
    let rig = Rig::new();
    let ended = rig.run("tpcc run --rate 0 --json").ends(2).says(&["myrig: --rate 0"]);
    let error = ended.json();
    assert_eq!((&error["schema"], &error["status"]), (&"myrig.error/1".into(), &2.into()));
    assert!(error["error"].as_str().unwrap().starts_with("--rate 0"), "{error}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    use std::process::Stdio;
    let rig = Rig::new();
    let mut command = rig.command("completions bash");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
}
