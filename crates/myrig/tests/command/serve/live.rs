//! Live runs, as they come and go.

use super::{Served, described, pictures};
use crate::{
    browser::Browser,
    support::{Server, until},
};
use rustix::process::Signal;
use serde_json::json;

#[test]
fn a_live_run_appears_grows_and_becomes_a_report() {
    let server = Server::mariadb();
    server.run("oltp prepare -D live --tables 1 --table-size 1000").good();
    let Some(mut browser) = Browser::start(&server.rig.dir().join(".")) else { return };
    let served = Served::start(&server.rig);
    let mut page = browser.page(1100, 1300);
    page.prefers("light");
    page.go(&served.link());
    page.value("window.stays = true");
    assert_eq!(page.value("document.getElementById('live').hidden"), true);

    let line = "oltp run -D live -c 4 --ramp-up 3s --duration 12s --label watched-live --check";
    let running = server.begin(line);
    page.sees("document.querySelector('.live-list li')?.textContent.includes('watched-live')");
    page.sees(
        "/[1-9].* transactions/.test(document.querySelector('.live-list .now')?.textContent)",
    );
    assert_eq!(page.value("window.stays"), true, "without a reload");
    if let Some(dir) = pictures() {
        page.picture(&dir.join("history.png"));
    }
    let list = described(&served.client(), "/api/live", "/api/live");
    let entry =
        list["live"].as_array().unwrap().iter().find(|it| it["state"] == "running").unwrap();
    let id = entry["begin"]["id"].as_str().unwrap().to_owned();
    assert_eq!(entry["begin"]["types"].as_array().unwrap().len(), 1, "{entry}");

    page.click(".live-list a");
    page.sees("document.querySelectorAll('#throughput polygon').length > 0");
    let points = "document.querySelector('#throughput polygon').getAttribute('points').length";
    let before = page.value(points).as_u64().unwrap();
    page.sees(&format!("{points} > {before}"));
    page.sees("document.getElementById('status').textContent.startsWith('measure')");
    page.sees("document.querySelectorAll('#latency polyline').length === 3");
    page.sees("Number(document.getElementById('track').getAttribute('aria-valuenow')) > 30");
    let none = json!({ "overflow": 0, "twice": [], "unplaced": 0, "nameless": 0 });
    assert_eq!(page.flaws(), none);
    if let Some(dir) = pictures() {
        page.sees("Number(document.getElementById('track').getAttribute('aria-valuenow')) > 60");
        page.picture(&dir.join("live.png"));
        page.prefers("dark");
        page.picture(&dir.join("live-dark.png"));
        page.resize(400, 1600);
        page.picture(&dir.join("live-400.png"));
        page.resize(1100, 1300);
        page.prefers("light");
    }
    page.resize(400, 900);
    assert_eq!(page.flaws()["overflow"], 0);
    page.resize(1100, 900);

    let ended = running.wait().good();
    ended.says(&[&format!("live: {}/live/{id}", served.origin())]);
    page.sees("document.getElementById('status').textContent.startsWith('Complete')");
    assert!(page.text("#status").contains("TPS"), "{}", page.text("#status"));
    page.click("#status a");
    page.sees(&format!("location.pathname === '/runs/{id}' && document.querySelector('svg')"));
    page.click("nav.mark a");
    page.sees("document.querySelector('#history')?.textContent.includes('watched-live')");
    page.sees("document.getElementById('live').hidden");
    assert_eq!(page.complaints(&served.origin()), Vec::<String>::new());

    let (names, end) = served.client().events_until(&format!("/api/live/{id}/events"), "end");
    assert_eq!(
        (names.first().map(String::as_str), &end["state"]),
        (Some("begin"), &"complete".into())
    );
    let seconds = names.iter().filter(|name| *name == "second").count();
    assert!((14..=18).contains(&seconds), "{names:?}");
    assert!(names.contains(&"phase".to_owned()), "the check is told: {names:?}");
    let feed = described(&served.client(), &format!("/api/live/{id}"), "/api/live/{id}");
    assert_eq!(feed["events"].as_array().unwrap().len(), names.len());
    drop(browser);
    served.end();
}

#[test]
fn a_run_that_is_killed_is_told_as_such() {
    let server = Server::own("");
    server.run("oltp prepare -D live --tables 1 --table-size 100").good();
    let served = Served::start(&server.rig);
    let client = served.client();
    let running = server.begin("oltp run -D live -c 1 --ramp-up 0s --duration 1h");
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
    let rig = crate::support::Rig::new();
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
