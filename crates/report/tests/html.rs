//! The page of a run.
#![allow(clippy::unwrap_used)]

mod fixture;

use fixture::{CLEAN, Plan, TROUBLED, record};
use lab::record::{RunRecord, RunStatus};
use report::html;

/// The page without style, script and drawings: what a change of words would change.
fn reduced(page: &str) -> String {
    let mut text = page.to_owned();
    for (from, until) in [("<style>", "</style>"), ("<script>", "</script>"), ("<svg", "</svg>")] {
        while let Some(start) = text.find(from) {
            let end = start + text[start..].find(until).unwrap() + until.len();
            text.replace_range(start..end, "…");
        }
    }
    text
}

#[test]
fn a_clean_run_reads_like_this() {
    insta::assert_snapshot!(reduced(&html::render(&record(CLEAN)).unwrap()));
}

#[test]
fn a_troubled_run_reads_like_this() {
    let mut run = record(TROUBLED);
    run.status = RunStatus::Partial { reason: "the server went away and did not come back".into() };
    let check = run.check.as_mut().unwrap();
    check.good = false;
    check.conditions[2].violations = 1;
    check.conditions[2].examples = vec!["district 4 of warehouse 2: 903 is not 902".into()];
    insta::assert_snapshot!(reduced(&html::render(&run).unwrap()));
}

const HOSTILE: &str =
    "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&lt;\u{0}\u{1b}[31m";

fn make_hostile(run: &mut RunRecord) {
    let words = [
        &mut run.id,
        &mut run.label,
        &mut run.started_at,
        &mut run.schema,
        &mut run.workload.name,
        &mut run.workload.profile,
        &mut run.workload.scale,
        &mut run.workload.deviations[0],
        &mut run.server.flavour,
        &mut run.server.version,
        &mut run.server.endpoints[0],
        &mut run.server.tls,
        &mut run.host.os,
        &mut run.host.cpu_model,
        &mut run.client.version,
        &mut run.phases[0].name,
        &mut run.headline[0].name,
        &mut run.transactions[0].name,
        &mut run.errors[0].message,
        &mut run.warnings[0],
        &mut run.arrivals.as_mut().unwrap().distribution,
    ];
    for word in words {
        HOSTILE.clone_into(word);
    }
    (run.headline[0].unit, run.errors[0].transaction) = (HOSTILE.into(), HOSTILE.into());
    run.status = RunStatus::Partial { reason: HOSTILE.into() };
    run.settings.insert(HOSTILE.into(), HOSTILE.into());
    run.server.variables.insert(HOSTILE.into(), HOSTILE.into());
    let condition = &mut run.check.as_mut().unwrap().conditions[0];
    (condition.id, condition.text) = (HOSTILE.into(), HOSTILE.into());
    (condition.violations, condition.examples) = (1, vec![HOSTILE.into()]);
}

#[test]
fn hostile_words_are_shown_and_never_obeyed() {
    let mut run = record(TROUBLED);
    make_hostile(&mut run);
    let page = html::render(&run).unwrap();
    assert_eq!(page.matches("<script").count(), 1, "the page's own");
    assert!(!page.contains("<img"), "an element came from the record");
    assert!(!page.contains("\"'>"), "an attribute can be left");
    assert!(!page.contains(['\u{0}', '\u{1b}']), "a control character is no HTML");
}

#[test]
fn the_page_names_no_address_that_a_browser_would_fetch() {
    let page = html::render(&record(TROUBLED)).unwrap();
    for word in ["http:", "https:", "src=", "url(", "@import"] {
        assert!(!page.contains(word), "{word}");
    }
    assert_eq!(page.matches("href=").count(), 1, "the empty icon");
}

#[test]
fn a_password_among_the_settings_is_not_shown() {
    let mut run = record(CLEAN);
    run.settings.insert("password".into(), "hunter2".into());
    assert!(!html::render(&run).unwrap().contains("hunter2"));
}

#[test]
fn twelve_hours_fit_into_a_small_file() {
    let mut run = record(CLEAN);
    let seconds = 43_200;
    run.phases[1].until_s = f64::from(seconds);
    let pattern = run.intervals[15..65].to_vec();
    run.intervals = pattern.into_iter().cycle().take(seconds as usize).collect();
    for (second, interval) in (1..=seconds).zip(&mut run.intervals) {
        interval.at_s = f64::from(second);
    }
    let page = html::render(&run).unwrap();
    assert!(page.len() < 600_000, "{} bytes", page.len());
    assert!(page.contains("Each point stands for 90 seconds."));
}

#[test]
fn a_short_lull_in_a_long_run_stays_visible() {
    let mut run = record(Plan { measure_s: 3000, ..CLEAN });
    let before = html::render(&run).unwrap();
    for counts in &mut run.intervals[1777].transactions {
        counts.committed = 0;
    }
    let after = html::render(&run).unwrap();
    let desc = "between 0 and";
    assert!(after.contains(desc) && !before.contains(desc));
    let lines = |page: &str| page.matches("class=\"extreme\"").count();
    assert_eq!((lines(&before), lines(&after)), (2, 2));
}

#[test]
fn a_run_of_one_second_and_a_run_of_nothing_have_a_page() {
    let mut run = record(Plan { ramp_s: 0, measure_s: 1, ..CLEAN });
    let page = html::render(&run).unwrap();
    assert!(page.contains("id=\"throughput\"") && page.contains("too few independent seconds"));
    assert!(!page.contains("NaN") && !page.contains("inf"), "a broken number");

    (run.intervals, run.transactions, run.headline) = Default::default();
    (run.phases, run.errors, run.check) = Default::default();
    (run.settings, run.server, run.host) = Default::default();
    run.workload.deviations.clear();
    let page = html::render(&run).unwrap();
    for words in ["no figure", "no series", "No transaction ended", "None: ", "not checked"] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn transactions_that_never_ended_leave_gaps_and_no_broken_numbers() {
    let mut run = record(CLEAN);
    run.transactions[3].response = lab::histogram::LatencyHistogram::empty();
    for interval in &mut run.intervals {
        interval.transactions[3] = Default::default();
    }
    run.intervals[4].at_s = f64::NAN;
    run.intervals[5].transactions.clear();
    let page = html::render(&run).unwrap();
    assert!(!page.contains("NaN"), "a broken number");
    assert!(page.contains("nothing ended"));
}

#[test]
fn absurd_numbers_still_make_a_page() {
    let absurd = [f64::MAX, f64::MIN_POSITIVE, -1.0, 0.0, f64::INFINITY, f64::NAN];
    for number in absurd {
        let mut run = record(CLEAN);
        for interval in &mut run.intervals {
            (interval.at_s, interval.length_s) = (number, number);
            for counts in &mut interval.transactions {
                (counts.committed, counts.failed) = (u64::MAX, u64::MAX);
                (counts.p50_ms, counts.p95_ms, counts.p99_ms) = (number, -number, number);
            }
        }
        for transaction in &mut run.transactions {
            transaction.measured.committed = u64::MAX;
            transaction.measured.rolled_back = u64::MAX;
        }
        (run.phases[1].from_s, run.phases[1].until_s) = (-number, number);
        (run.headline[0].value, run.headline[0].ci95) = (number, Some((number, -number)));
        assert!(html::render(&run).unwrap().ends_with("</html>"), "{number}");
    }
}
