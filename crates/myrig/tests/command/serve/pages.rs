//! The pages of what is stored, as a person uses them.

use super::{Served, pictures, run_file};
use crate::{browser::Browser, support::Rig};
use serde_json::json;

/// A name that would like to be an element.
const HOSTILE: &str = "</title><script>document.body.innerHTML=''</script><img src=x onerror=a()>";

#[test]
fn stored_runs_are_found_compared_and_brought_in_with_a_browser() {
    let rig = Rig::new();
    let Some(mut browser) = Browser::start(rig.dir()) else { return };
    let served = Served::start(&rig);
    let client = served.client();
    for (number, label) in ["redo 512M", "redo 2G", HOSTILE].iter().enumerate() {
        let run = run_file(&format!("2026112{number}T000000-00000a"), label);
        assert_eq!(client.post("/api/runs", run.as_bytes()).status, 201);
    }
    let mut page = browser.page(1200, 900);
    page.prefers("light");
    page.go(&served.link());
    assert_eq!(page.value("location.search"), "", "the token is gone from the address");
    assert_eq!(page.text("#count"), "3 of 3");
    assert!(page.text("#history").contains("<script>"), "a hostile name is text");

    // Typing filters without a reload, and the address keeps it.
    page.value("window.stays = true");
    page.click("input[name=text]");
    page.types("2G");
    page.sees("document.querySelector('#count').textContent === '1 of 3'");
    assert_eq!(page.value("[window.stays, location.search]"), json!([true, "?text=2G"]));
    page.click(".clear");
    page.sees(
        "window.stays !== true && document.querySelector('#count')?.textContent === '3 of 3'",
    );
    page.click("thead th:nth-child(2) a");
    page.sees("document.querySelector('[aria-sort=descending]')?.textContent === 'What'");

    // A file is brought in; one that is no run is refused in words.
    let file = rig.dir().join("run.json");
    std::fs::write(&file, run_file("20261129T000000-00000d", "brought")).unwrap();
    page.chooses("#file", &file);
    page.sees("document.querySelector('#drop-status').textContent.startsWith('Brought in')");
    page.sees("document.querySelector('#count').textContent === '4 of 4'");
    let wrong = rig.dir().join("wrong.json");
    std::fs::write(&wrong, "{}").unwrap();
    page.chooses("#file", &wrong);
    page.sees("document.querySelector('#drop-status').textContent.includes('not a run')");
    // The refusal is in the console as what it is; nothing else may be.
    let complaints = page.complaints(&served.origin());
    assert!(complaints.iter().all(|it| it.contains("422")), "{complaints:?}");
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    assert_eq!(page.flaws()["overflow"], 0);
    drop(browser);
    served.end();
}

#[test]
fn two_runs_are_chosen_by_keyboard_and_compared_in_any_colours() {
    let rig = Rig::new();
    let Some(mut browser) = Browser::start(rig.dir()) else { return };
    let served = Served::start(&rig);
    for (number, label) in ["redo 512M", HOSTILE].iter().enumerate() {
        let run = run_file(&format!("2026112{number}T000000-00000a"), label);
        assert_eq!(served.client().post("/api/runs", run.as_bytes()).status, 201);
    }
    let mut page = browser.page(1200, 900);
    page.go(&served.link());
    page.sees("document.getElementById('compare').disabled");
    page.value("document.querySelectorAll('input[name=run]')[0].focus()");
    page.press(" ");
    page.press("Tab");
    page.press("Tab");
    page.press(" ");
    page.sees("document.getElementById('chosen').textContent === 'Two runs are chosen.'");
    let ring = "getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(page.value(ring), "solid", "the focus is seen");
    page.click("#compare");
    page.sees("document.querySelector('.sides')");
    assert!(page.text("main").contains("What differs"));
    assert_eq!(page.text(".sides img"), "", "a hostile name is text");

    // The button goes from the browser's wish to light to dark, and is remembered.
    let paper = "getComputedStyle(document.body).backgroundColor";
    page.prefers("dark");
    let dark = page.value(paper);
    page.click("#theme");
    assert_ne!(page.value(paper), dark, "light, whatever the browser wishes");
    page.click("#theme");
    assert_eq!(page.value(paper), dark);
    page.prefers("light");
    page.go(&served.origin());
    assert_eq!(page.value(paper), dark, "it is remembered");
    for (width, path) in [(1200, "/"), (400, "/"), (400, "/compare?run=20261120&run=20261121")] {
        page.resize(width, 900);
        page.go(&format!("{}{path}", served.origin()));
        let none = json!({ "overflow": 0, "twice": [], "unplaced": 0, "nameless": 0 });
        assert_eq!(page.flaws(), none, "{path} at {width}");
        if let Some(dir) = pictures() {
            let name = if path.len() > 1 { "compare" } else { "history" };
            page.picture(&dir.join(format!("{name}-dark-{width}.png")));
        }
    }
    // A report is shown as it is, with a way back.
    page.resize(1200, 900);
    page.go(&format!("{}/runs/20261120T000000-00000a", served.origin()));
    page.value("document.querySelector('.hit').dispatchEvent(new PointerEvent('pointerenter'))");
    assert_ne!(page.text(".tip"), "", "its own script runs");
    page.click("nav.mark a");
    page.sees("document.querySelector('#history')");
    assert_eq!(page.complaints(&served.origin()), Vec::<String>::new());
    drop(browser);
    served.end();
}
