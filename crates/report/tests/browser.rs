//! The page in a real browser: no error, no request, and values shown where they are pointed at.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod fixture;

use report::experiment::Trials;
use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A name that would like to be an element.
const HOSTILE: &str = "</title></script><script>document.body.innerHTML=''</script><img src=x>";

/// Put before everything else: collects what goes wrong.
const WATCH: &str = "<script>window.wrong = [];
    addEventListener('error', e => wrong.push('error ' + e.message));
    addEventListener('securitypolicyviolation', e => wrong.push('policy ' + e.blockedURI));
    for (const level of ['error', 'warn'])
        console[level] = (...words) => wrong.push(level + ' ' + words.join(' '));
</script>";

/// Put after everything else: points at a column, then writes down what was seen.
const LOOK: &str = "<script>addEventListener('load', () => {
    const place = document.querySelector('#throughput .hit');
    place.dispatchEvent(new PointerEvent('pointerenter'));
    const seen = {
        wrong,
        requests: performance.getEntriesByType('resource').map(entry => entry.name),
        tip: document.querySelector('.tip').innerText,
        pictures: document.images.length,
        drawings: document.querySelectorAll('svg').length,
        unplaced: [...document.querySelectorAll('svg *')]
            .filter(e => /NaN|Infinity/.test(e.outerHTML)).length,
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ids: [...document.querySelectorAll('[id]')].length
            - new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size,
    };
    document.title = JSON.stringify(seen);
});</script>";

#[test]
fn the_page_works_in_a_browser_without_error_or_request() {
    let Some(browser) = BROWSERS.into_iter().find(found) else {
        eprintln!("SKIPPED: the_page_works_in_a_browser_without_error_or_request needs chromium");
        return;
    };
    let mut run = fixture::record(fixture::TROUBLED);
    (run.label, run.errors[0].message) = (HOSTILE.into(), HOSTILE.into());
    (run.workload.scale, run.phases[0].name) = (HOSTILE.into(), HOSTILE.into());
    run.transactions[4].name = HOSTILE.into();
    for width in [1200, 500] {
        let seen = look(browser, width, &report::html::render(&run).unwrap());
        assert_eq!(seen["wrong"], serde_json::json!([]), "{seen}");
        assert_eq!(seen["pictures"], 0, "an element came from the record: {seen}");
        assert_eq!(seen["requests"], serde_json::json!([]), "{seen}");
        assert_eq!((&seen["drawings"], &seen["unplaced"]), (&7.into(), &0.into()), "{seen}");
        assert_eq!((&seen["overflow"], &seen["ids"]), (&0.into(), &0.into()), "{seen}");
        let tip = seen["tip"].as_str().unwrap();
        assert!(tip.starts_with("0 s to 1 s\nall: ") && tip.contains("\nPayment: "), "{tip}");
    }
}

#[test]
fn the_page_of_a_watched_run_works_in_a_browser_without_error_or_request() {
    let Some(browser) = BROWSERS.into_iter().find(found) else {
        eprintln!("SKIPPED: the page of a watched run needs chromium");
        return;
    };
    let mut run = fixture::record(fixture::CLEAN);
    run.watch = Some(fixture::watch::watch(run.intervals.len() as u32));
    for width in [1200, 500] {
        let seen = look(browser, width, &report::html::render(&run).unwrap());
        assert_eq!(seen["wrong"], serde_json::json!([]), "{seen}");
        assert_eq!((&seen["drawings"], &seen["unplaced"]), (&14.into(), &0.into()), "{seen}");
        assert_eq!((&seen["overflow"], &seen["ids"]), (&0.into(), &0.into()), "{seen}");
    }
}

fn found(browser: &&str) -> bool {
    let mut command = Command::new(browser);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[test]
fn the_page_of_a_sweep_works_in_a_browser_without_error_or_request() {
    let Some(browser) = BROWSERS.into_iter().find(found) else {
        eprintln!("SKIPPED: the page of a sweep needs chromium");
        return;
    };
    let mut sweep = fixture::sweep::sweep();
    (sweep.label, sweep.ended) = (HOSTILE.into(), HOSTILE.into());
    sweep.warnings.push(HOSTILE.into());
    for step in &mut sweep.steps {
        step.transactions[2].name = HOSTILE.into();
    }
    for width in [1200, 500] {
        let seen = look(browser, width, &report::sweep::html(&sweep).unwrap());
        assert_eq!(seen["wrong"], serde_json::json!([]), "{seen}");
        assert_eq!((&seen["pictures"], &seen["drawings"]), (&0.into(), &4.into()), "{seen}");
        assert_eq!(seen["requests"], serde_json::json!([]), "{seen}");
        assert_eq!((&seen["unplaced"], &seen["overflow"]), (&0.into(), &0.into()), "{seen}");
        assert_eq!(seen["ids"], 0, "{seen}");
        let tip = seen["tip"].as_str().unwrap();
        assert!(tip.starts_with("1 connection\ntpmC: "), "{tip}");
    }
}

/// Put after a page of an experiment: moves the cursor by pointer and by key, and hides a variant.
const MOVE: &str = "<script>addEventListener('load', () => {
    const plane = document.querySelector('#throughput .plane');
    const tip = () => document.querySelector('.tip').innerText;
    const box = plane.getBoundingClientRect();
    plane.dispatchEvent(new PointerEvent('pointermove',
        { clientX: box.left + box.width / 2, clientY: box.top + 9 }));
    const pointed = tip();
    const cursors = document.querySelectorAll('.cursor').length;
    const press = (key) => plane.closest('.plot')
        .dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    ['Home', 'ArrowRight', 'ArrowRight'].forEach(press);
    const pressed = tip();
    const read = document.querySelector('.sr').innerText;
    press('Escape');
    document.querySelector('[data-pick-variant=\"1\"]').click();
    document.querySelector('[data-pick-trial=\"1\"]').click();
    const off = document.querySelectorAll('#throughput path.off').length;
    const left = document.querySelectorAll('.cursor').length;
    document.title = JSON.stringify({
        wrong, pointed, cursors, pressed, read, off, left,
        planes: document.querySelectorAll('.plane').length,
        requests: performance.getEntriesByType('resource').map(entry => entry.name),
        pictures: document.images.length,
        unplaced: [...document.querySelectorAll('svg *')]
            .filter(e => /NaN|Infinity/.test(e.outerHTML)).length,
        nameless: [...document.querySelectorAll('svg')].filter(e => !e.querySelector('desc')
            || !e.querySelector('title').textContent).length,
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ids: [...document.querySelectorAll('[id]')].length
            - new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size,
    });
});</script>";

#[test]
fn the_page_of_an_experiment_works_in_a_browser_without_error_or_request() {
    let Some(browser) = BROWSERS.into_iter().find(found) else {
        eprintln!("SKIPPED: the page of an experiment needs chromium");
        return;
    };
    let (mut record, mut runs) = fixture::experiment::compared();
    for words in [&mut record.label, &mut record.experiment.title, &mut record.file] {
        *words = HOSTILE.into();
    }
    record.caveats.push(HOSTILE.into());
    record.trials[2].remarks.push(HOSTILE.into());
    runs[0].watch.as_mut().unwrap().series[4].label = HOSTILE.into();
    let page = report::experiment::html(&record, &Trials::of(&runs, &[])).unwrap();
    for width in [1200, 500] {
        let seen = look_with(MOVE, browser, width, &page);
        assert_eq!(seen["wrong"], serde_json::json!([]), "{seen}");
        assert_eq!(seen["requests"], serde_json::json!([]), "{seen}");
        assert_eq!((&seen["pictures"], &seen["unplaced"]), (&0.into(), &0.into()), "{seen}");
        assert_eq!((&seen["overflow"], &seen["ids"]), (&0.into(), &0.into()), "{seen}");
        assert_eq!((&seen["cursors"], &seen["left"]), (&seen["planes"], &0.into()), "{seen}");
        assert_eq!(seen["nameless"], 0, "{seen}");
        // A mean and four trials of the one variant, a trial of the other.
        assert_eq!(seen["off"], 6, "{seen}");
        let pointed = seen["pointed"].as_str().unwrap();
        assert!(pointed.starts_with("26 s\ndurable, mean of 4: "), "{pointed}");
        assert!(seen["pressed"].as_str().unwrap().starts_with("3 s\ndurable, mean of 4: "));
        assert!(seen["read"].as_str().unwrap().starts_with("3 s; durable, mean of 4: "), "{seen}");
    }
}

fn look(browser: &str, width: u32, page: &str) -> serde_json::Value {
    look_with(LOOK, browser, width, page)
}

fn look_with(script: &str, browser: &str, width: u32, page: &str) -> serde_json::Value {
    let page = page.replacen("<head>", &format!("<head>{WATCH}"), 1);
    let page = page.replacen("</body>", &format!("{script}</body>"), 1);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("report.html");
    std::fs::write(&file, page).unwrap();
    let dom = dump_dom(browser, width, directory.path(), &file);
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    let title = title.unwrap_or_else(|| panic!("no title in {dom:?}"));
    let json = title.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn dump_dom(browser: &str, width: u32, profile: &Path, file: &Path) -> String {
    let output = profile.join("dom.html");
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.join("profile").display()))
        .arg(format!("--window-size={width},2000"))
        .arg("--dump-dom")
        .arg(format!("file://{}", file.display()))
        .stdout(std::fs::File::create(&output).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the browser did not end within two minutes");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    std::fs::read_to_string(output).unwrap()
}
