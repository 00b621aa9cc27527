//! What is watched during a run: in its record, its report and its exports, or not at all.

use crate::{
    on_both,
    support::{Server, until},
};
use serde_json::Value;

on_both!(a_run_is_watched_and_says_what_its_sessions_waited_for,);

fn series<'a>(record: &'a Value, name: &str) -> &'a Vec<Value> {
    let all = record["watch"]["series"].as_array().unwrap();
    let found = all.iter().find(|series| series["name"] == name);
    found.unwrap_or_else(|| panic!("no {name}"))["values"].as_array().unwrap()
}

fn a_run_is_watched_and_says_what_its_sessions_waited_for(server: &Server) {
    let size = "-D watched --tables 1 --table-size 1000";
    server.run(&format!("oltp prepare {size}")).good();
    let report = tempfile::NamedTempFile::new().unwrap();
    let line = format!(
        "oltp run -D watched -c 4 --ramp-up 1s --duration 3s --json --report {}",
        report.path().display()
    );
    let record = server.run(&line).good().json();
    what_was_seen_is_on_record(&record);

    let page = std::fs::read_to_string(report.path()).unwrap();
    for words in ["What the server waited for", "watched-waits", "watched-rows", "Watching cost"] {
        assert!(page.contains(words), "{words}");
    }
    let id = record["id"].as_str().unwrap();
    let kept = server.rig.run(&format!("runs export {id}")).good().json();
    assert_eq!(kept["watch"], record["watch"], "nothing is lost in the store");
    let text = server.rig.run(&format!("runs show {id}")).good();
    assert!(text.out.contains("What the sessions were at"), "{text}");
    let csv = server.rig.run(&format!("runs export {id} --format watch-csv")).good().out;
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 1 + series(&record, "rows.read").len());
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{csv}");
    assert_eq!(lines[0][..3], ["run", "at_s", "phase"]);
    assert!(lines.iter().any(|line| line[2] == "measure"), "{csv}");

    let blind = server.run(&format!("{line} --no-watch")).good().json();
    assert_eq!((&blind["watch"], &blind["settings"]["no-watch"]), (&Value::Null, &true.into()));
    assert!(!std::fs::read_to_string(report.path()).unwrap().contains("watched-"));
    server.run("oltp cleanup -D watched").good();
}

fn what_was_seen_is_on_record(record: &Value) {
    let watch = &record["watch"];
    let axis = watch["at_s"].as_array().unwrap();
    // A sample a second, and one at each end; a busy machine may skip some.
    assert!((3..=7).contains(&axis.len()), "{axis:?}");
    for name in ["rows.read", "cpu.user", "server.user", "server.threads_connected"] {
        let values = series(record, name);
        assert_eq!(values.len(), axis.len(), "{name}");
        assert!(values.iter().any(|value| value.as_f64() > Some(0.0)), "{name}: {values:?}");
    }
    let committed: f64 = series(record, "server.commits").iter().filter_map(Value::as_f64).sum();
    assert!(committed > 0.0, "{watch}");

    let classes = watch["waits"]["classes"].as_array().unwrap();
    let names: Vec<&str> = classes.iter().map(|class| class["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"processor") && names.last() == Some(&"idle"), "{names:?}");
    let shares: f64 = classes.iter().filter_map(|class| class["share"].as_f64()).sum();
    assert!((shares - 1.0).abs() < 1e-6, "{shares}");
    let sessions: f64 = classes.iter().map(|class| class["sessions"].as_f64().unwrap()).sum();
    // The load's four, and those of other tests.
    assert!(sessions > 3.0, "{classes:?}");
    assert!(watch["cost"]["cpus"].as_f64().unwrap() < 0.3, "{}", watch["cost"]);
}

#[test]
fn a_server_without_room_for_one_more_is_not_watched() {
    let server = Server::own("--set max-connections=13");
    server.run("oltp prepare -D full --tables 1 --table-size 100 -c 1").good();
    let room: i64 = server.number("SELECT @@max_connections");
    let line = |connections: i64| {
        format!("oltp run -D full -c {connections} --ramp-up 0 --duration 1s --json")
    };
    // The server takes a moment to let go of the connections of the command before, and counts
    // them until then: a run may find less room than there is, or none.
    let first = |what: &str, connections: &[i64], wanted: fn(&Value) -> bool| {
        let mut found = Value::Null;
        until(what, || {
            let tried = connections.iter().map(|connections| server.run(&line(*connections)));
            let good = tried.filter(|ended| ended.status == Some(0)).map(|ended| ended.json());
            found = good.into_iter().find(wanted).unwrap_or_default();
            !found.is_null()
        });
        found
    };
    first("one with room is watched", &[room - 3], |run| !run["watch"].is_null());
    let just_enough = [room - 1, room];
    let blind = first("one with just enough is not", &just_enough, |run| run["watch"].is_null());
    assert!(blind["warnings"].to_string().contains("no room"), "{}", blind["warnings"]);
}
