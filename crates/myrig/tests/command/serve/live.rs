//! Live runs, as they come and go.

use super::{Served, described, pictures, run_file};
use crate::{
    browser::{Browser, Page},
    support::{Rig, Server, until},
};
use rustix::process::Signal;
use serde_json::json;
use std::io::Write;

/// How the shared server is reached from another home, where nobody else's runs are live.
fn elsewhere(server: &Server) -> String {
    let (port, file) = (server.fact("port"), server.fact("password_file"));
    format!("--host 127.0.0.1 --port {port} --user root --password-file {file}")
}

/// Three runs to have something in the list.
fn fill(served: &Served) {
    for (hour, label) in [(6, "redo 512 MB"), (7, "redo 2 GB"), (8, "redo 2 GB, flushed late")] {
        let run = run_file(&format!("20261121T0{hour}0000-1f3a9c"), label);
        assert_eq!(served.client().post("/api/runs", run.as_bytes()).status, 201);
    }
}

#[test]
fn a_live_run_appears_grows_and_becomes_a_report() {
    let data = Server::mariadb().two_warehouses();
    let rig = Rig::new();
    let Some(mut browser) = Browser::start(rig.dir()) else { return };
    let served = Served::start(&rig);
    fill(&served);
    let mut page = browser.page(1100, 1300);
    page.prefers("light");
    page.go(&served.link());
    page.value("window.stays = true");
    assert_eq!(page.value("document.getElementById('live').hidden"), true);

    let line = "tpcc run -D two -c 4 --ramp-up 3s --duration 12s --label watched-live";
    let running = rig.start(&format!("{line} {}", elsewhere(data.server)));
    page.sees("document.querySelector('.live-list li')?.textContent.includes('watched-live')");
    let rate = "document.querySelector('.live-list .now')?.textContent";
    page.sees(&format!("/[1-9].* transactions/.test({rate})"));
    page.sees("document.querySelector('#history .live')?.textContent === 'live'");
    assert_eq!(page.value("window.stays"), true, "without a reload");
    if let Some(dir) = pictures() {
        page.resize(1100, 720);
        page.picture(&dir.join("history.png"));
        page.resize(1100, 1300);
    }
    let list = described(&served.client(), "/api/live", "/api/live");
    let id = list["live"][0]["begin"]["id"].as_str().unwrap().to_owned();
    assert_eq!(list["live"][0]["begin"]["types"][0], "New-Order", "{list}");
    let history = described(&served.client(), "/api/history?status=live", "/api/history");
    assert_eq!(history["entries"][0]["id"], id.as_str());

    page.click(".live-list a");
    grows(&mut page);
    running.wait().good().says(&[&format!("live: {}/live/{id}", served.origin())]);
    page.sees("document.getElementById('status').textContent.startsWith('Complete')");
    assert!(page.text("#status").contains("tpmC"), "{}", page.text("#status"));
    page.click("#status a");
    page.sees(&format!("location.pathname === '/runs/{id}' && document.querySelector('svg')"));
    page.click("nav.mark a");
    page.sees("document.querySelector('#history')?.textContent.includes('watched-live')");
    page.sees("document.getElementById('live').hidden");
    assert_eq!(page.complaints(&served.origin()), Vec::<String>::new());
    is_told_late(&served, &id);
    drop(browser);
    served.end();
}

/// The live page shows each second as it comes, at any width and in any colours.
fn grows(page: &mut Page<'_>) {
    page.sees("document.querySelectorAll('#throughput polygon').length === 5");
    let points = "document.querySelector('#throughput polygon').getAttribute('points').length";
    let before = page.value(points).as_u64().unwrap();
    page.sees(&format!("{points} > {before}"));
    page.sees("document.getElementById('status').textContent.startsWith('measure')");
    page.sees("document.querySelectorAll('#latency polyline').length === 3");
    let over = "Number(document.getElementById('track').getAttribute('aria-valuenow'))";
    page.sees(&format!("{over} > 30"));
    let none = json!({ "overflow": 0, "twice": [], "unplaced": 0, "nameless": 0 });
    assert_eq!(page.flaws(), none);
    if let Some(dir) = pictures() {
        page.sees(&format!("{over} > 60"));
        page.picture(&dir.join("live.png"));
        page.prefers("dark");
        page.picture(&dir.join("live-dark.png"));
        page.resize(400, 1600);
        page.picture(&dir.join("live-400.png"));
        page.prefers("light");
    }
    page.resize(400, 900);
    assert_eq!(page.flaws()["overflow"], 0);
    page.resize(1100, 900);
}

/// Whoever looks on when all is over is told all of it.
fn is_told_late(served: &Served, id: &str) {
    let (names, end) = served.client().events_until(&format!("/api/live/{id}/events"), "end");
    assert_eq!(names.first().map(String::as_str), Some("begin"));
    assert_eq!(end["state"], "complete");
    let seconds = names.iter().filter(|name| *name == "second").count();
    assert!((14..=18).contains(&seconds), "{names:?}");
    assert!(names.contains(&"phase".to_owned()), "the check is told: {names:?}");
    let feed = described(&served.client(), &format!("/api/live/{id}"), "/api/live/{id}");
    assert_eq!(feed["events"].as_array().unwrap().len(), names.len());
}

#[test]
fn a_run_that_is_killed_is_told_as_such() {
    let server = Server::mariadb();
    server.run("oltp prepare -D killed-live --tables 1 --table-size 100").good();
    let rig = Rig::new();
    let served = Served::start(&rig);
    let client = served.client();
    let line = "oltp run -D killed-live -c 1 --ramp-up 0s --duration 1h";
    let running = rig.start(&format!("{line} {}", elsewhere(server)));
    let mut id = String::new();
    until("the run is live", || {
        let list = client.get("/api/live").json();
        let entry = &list["live"][0];
        id = entry["begin"]["id"].as_str().unwrap_or_default().to_owned();
        entry["at_s"].as_f64() > Some(1.5)
    });
    running.signal(Signal::KILL);
    running.wait();
    let (names, _) = client.events_until(&format!("/api/live/{id}/events"), "died");
    assert!(names.contains(&"second".to_owned()), "{names:?}");
    let list = described(&client, "/api/live", "/api/live");
    assert_eq!(list["live"][0]["state"], "dead");
    served.end();
}

#[test]
fn a_server_that_is_ended_lets_go_of_those_who_look_on() {
    let rig = Rig::new();
    let served = Served::start(&rig);
    let client = served.client();
    let listening = std::thread::spawn(move || {
        // The list comes at once; the connection then stays open until the server ends.
        client.events_until("/api/live/events", "list").0
    });
    assert_eq!(listening.join().unwrap(), ["list"]);
    let begun = std::time::Instant::now();
    served.end();
    assert!(begun.elapsed().as_secs() < 10);
}

/// When this process started, as `/proc` tells it.
fn own_start() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1;
    fields.split_whitespace().nth(19).unwrap().parse().unwrap()
}

#[test]
fn an_experiment_is_told_step_by_step() {
    let rig = Rig::new();
    let Some(mut browser) = Browser::start(rig.dir()) else { return };
    let served = Served::start(&rig);
    let feed = rig.home().join("live/experiment-1.jsonl");
    std::fs::create_dir_all(feed.parent().unwrap()).unwrap();
    let tell = |event: serde_json::Value| {
        let mut file = std::fs::File::options().create(true).append(true).open(&feed).unwrap();
        writeln!(file, "{event}").unwrap();
    };
    tell(json!({
        "kind": "begin", "schema": "myrig.live/1", "id": "experiment-1", "what": "experiment",
        "title": "Does the redo log's size matter?", "label": "", "workload": "tpcc",
        "server": "", "started_at": "2026-11-22T06:00:00Z",
        "pid": std::process::id(), "pid_start": own_start()
    }));
    let step = |number: u32, name: &str| {
        let left_s = 600.0;
        json!({ "kind": "progress", "step": number, "of": 4, "name": name, "left_s": left_s })
    };
    tell(step(1, "load the data"));
    let mut page = browser.page(1100, 900);
    page.go(&served.link());
    page.sees("document.querySelector('.live-list')?.textContent.includes('step 1 of 4')");
    page.click(".live-list a");
    page.sees("document.querySelectorAll('#step-list li').length === 1");
    tell(step(2, "large, round 1"));
    page.sees(
        "document.querySelector('#step-list [aria-current]')?.textContent === 'large, round 1'",
    );
    assert!(page.text("#status").contains("about 10 min left"), "{}", page.text("#status"));
    assert_eq!(page.value("document.getElementById('charts').hidden"), true);
    if let Some(dir) = pictures() {
        page.picture(&dir.join("experiment.png"));
    }
    tell(json!({ "kind": "end", "state": "complete", "reason": "", "figures": ["faster by 4%"] }));
    page.sees("document.getElementById('status').textContent.includes('faster by 4%')");
    let none = json!({ "overflow": 0, "twice": [], "unplaced": 0, "nameless": 0 });
    assert_eq!(page.flaws(), none);
    assert_eq!(page.complaints(&served.origin()), Vec::<String>::new());
    let list = described(&served.client(), "/api/live", "/api/live");
    assert_eq!(list["live"][0]["state"], "ended");
    drop(browser);
    served.end();
}
