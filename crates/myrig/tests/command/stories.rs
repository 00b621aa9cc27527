//! A benchmark from the first row to the last report, on each flavour and in each profile.

use crate::{
    on_both,
    support::{Ended, Rig, Running, Server, arguments, committed, transactions, until},
};
use serde_json::Value;
use std::{fs, io, path::Path};

on_both!(
    a_benchmark_of_profile_spec_is_loaded_run_checked_and_dropped,
    a_benchmark_of_profile_benchmarksql_is_loaded_run_checked_and_dropped,
);

fn a_benchmark_of_profile_spec_is_loaded_run_checked_and_dropped(server: &Server) {
    story(server, "spec", "district");
}

fn a_benchmark_of_profile_benchmarksql_is_loaded_run_checked_and_dropped(server: &Server) {
    story(server, "benchmarksql", "bmsql_district");
}

fn story(server: &Server, profile: &str, district: &str) {
    let database = format!("story_{profile}");
    let on = format!("--instance s -D {database}");

    let prepared = server.rig.run(&format!("tpcc prepare -w 1 -c 2 --profile {profile} {on}"));
    let prepared = prepared.good();
    assert!(prepared.out.contains("1 warehouse"), "{prepared}");
    holds(&server.rig.run(&format!("tpcc check {on} --json")), 12);

    let taken = format!("SELECT CAST(SUM(d_next_o_id) AS CHAR) FROM {database}.{district}");
    let before = server.number(&taken);
    let report = server.rig.dir().join(format!("{profile}.html"));
    let running = server.rig.start(&format!(
        "tpcc run {on} -c 4 --ramp-up 1s --duration 2s --label story --json --report {}",
        report.display()
    ));
    let line = while_it_runs(&running);
    let ran = running.wait().good();
    let record = ran.json();
    assert_eq!(record["status"]["state"], "complete");
    assert_eq!(record["workload"]["profile"], format!("{profile}/1"));
    assert_eq!(record["settings"]["database"], database);
    assert_eq!(record["settings"]["duration"], "2s");
    assert_eq!(record["server"]["endpoints"][0], format!("127.0.0.1:{}", server.fact("port")));
    assert_eq!(record["label"], "story");

    let counted = committed(&record, "New-Order");
    assert!(counted > 10, "{counted} New-Orders in three seconds");
    assert_eq!(server.number(&taken) - before, i64::try_from(counted).unwrap());
    let conditions = record["check"]["conditions"].as_array().unwrap();
    assert_eq!((conditions.len(), &conditions[12]["id"]), (13, &"client".into()));
    assert_eq!(conditions[12]["violations"], 0);

    kept(&server.rig, &record);
    same_figure_in_the_report(&record, &report, &server.rig);
    let ended = [line, ran.out, ran.err];
    nowhere(&server.password(), &ended, server.rig.dir());

    let dropped = server.rig.run(&format!("tpcc cleanup {on} --json")).good().json();
    assert_eq!(dropped["dropped"], true);
    let again = server.rig.run(&format!("tpcc cleanup {on}")).good();
    assert!(again.out.contains("holds no TPC-C tables"), "{again}");
    server.rig.run(&format!("tpcc run {on}")).ends(3).says(&["tpcc prepare --database"]);
}

/// What anybody can read of the command's arguments while it measures.
fn while_it_runs(running: &Running) -> String {
    let mut line = String::new();
    until("the arguments can be read", || {
        line = arguments(running.pid());
        line.contains("tpcc run")
    });
    line
}

fn holds(check: &Ended, conditions: usize) {
    let value = check.json();
    assert_eq!(check.status, Some(0), "{check}");
    let all = value["conditions"].as_array().unwrap();
    assert_eq!(all.len(), conditions);
    assert!(all.iter().all(|condition| condition["violations"] == 0), "{value}");
    assert!(all.iter().all(|condition| condition["examined"] != 0), "nothing examined: {value}");
}

/// The store has the run, and shows it in every form.
fn kept(rig: &Rig, record: &Value) {
    let id = record["id"].as_str().unwrap();
    let list = rig.run("runs list --json").good().json();
    let listed = list["runs"].as_array().unwrap().iter().find(|run| run["id"] == id).unwrap();
    assert_eq!((&listed["status"], &listed["label"]), (&"complete".into(), &"story".into()));
    assert_eq!(listed["headline"]["value"], record["headline"][0]["value"]);

    assert_eq!(&rig.run(&format!("runs export {id}")).good().json(), record);
    assert_eq!(&rig.run(&format!("runs show {id} --json")).good().json(), record);
    let seconds = record["intervals"].as_array().unwrap().len();
    let csv = rig.run(&format!("runs export {id} --format csv")).good().out;
    assert_eq!(csv.lines().count(), 1 + seconds * 5, "{csv}");
    let summary = rig.run(&format!("runs export {id} --format summary-csv")).good().out;
    assert_eq!(summary.lines().count(), 2, "{summary}");
    assert!(summary.lines().nth(1).unwrap().starts_with(id), "{summary}");

    let file = rig.dir().join(format!("{id}.json"));
    rig.run(&format!("runs export {id} -o {}", file.display())).good();
    let exported: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(&exported, record);
}

/// Report, terminal and Markdown say the same tpmC.
fn same_figure_in_the_report(record: &Value, report: &Path, rig: &Rig) {
    let id = record["id"].as_str().unwrap();
    let shown = rig.run(&format!("runs show {id}")).good().out;
    let line = shown.lines().find(|line| line.contains("tpmC")).unwrap();
    let figure = line.split_whitespace().next().unwrap();
    let tpmc = record["headline"][0]["value"].as_f64().unwrap();
    let per_minute = transactions(record, "New-Order")["measured"]["committed"].as_f64().unwrap();
    assert!(
        (tpmc / 30.0 - per_minute).abs() < per_minute * 0.05,
        "{tpmc} from {per_minute} in 2 s"
    );

    let html = fs::read_to_string(report).unwrap();
    assert!(html.contains("</html>") && html.contains(figure), "{figure} is not in the report");
    let again = report.with_extension("again.html");
    let shown = format!("runs show {id} --markdown --report {}", again.display());
    let markdown = rig.run(&shown).good().out;
    assert!(markdown.starts_with("# ") && markdown.contains(figure), "{markdown}");
    assert_eq!(fs::read_to_string(again).unwrap(), html);
}

/// The password is in no output, and in no file but its own.
fn nowhere(password: &str, texts: &[String], home: &Path) {
    for text in texts {
        assert!(!text.contains(password), "the password is in: {text}");
    }
    let mut seen = 0;
    let mut open = vec![home.to_owned()];
    while let Some(dir) = open.pop() {
        let Some(entries) = there(fs::read_dir(dir)) else { continue };
        for entry in entries.flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            // What the server keeps of its data is its own affair.
            if kind.is_dir() && path.file_name().unwrap() != "data" {
                open.push(path);
            } else if kind.is_file() && path.file_name().unwrap() != "root.password" {
                // Other tests share the home, and what they had there may be gone by now.
                let Some(bytes) = there(fs::read(&path)) else { continue };
                let found = bytes.windows(password.len()).any(|part| part == password.as_bytes());
                assert!(!found, "the password is in {}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 5, "only {seen} files were looked at");
}

/// What was read; none where it is gone.
fn there<T>(read: io::Result<T>) -> Option<T> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        read => Some(read.unwrap()),
    }
}
