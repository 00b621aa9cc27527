//! The summary of a run on a terminal.
#![allow(clippy::unwrap_used)]

mod fixture;

use fixture::{CLEAN, TROUBLED, record};
use lab::{
    record::RunStatus,
    store::{HeadlineSummary, RunSummary},
};
use report::{
    list,
    text::{self, Style},
};

const PLAIN: Style = Style { colour: false, width: 100 };

#[test]
fn a_clean_run_reads_like_this() {
    insta::assert_snapshot!(text::render(&record(CLEAN), PLAIN));
}

#[test]
fn a_troubled_run_reads_like_this() {
    let mut run = record(TROUBLED);
    run.status = RunStatus::Partial { reason: "interrupted".into() };
    let check = run.check.as_mut().unwrap();
    check.good = false;
    check.conditions[2].violations = 1;
    check.conditions[2].examples = vec!["district 4 of warehouse 2: 903 is not 902".into()];
    insta::assert_snapshot!(text::render(&run, Style { colour: false, width: 80 }));
}

#[test]
fn a_markdown_page_reads_like_this() {
    insta::assert_snapshot!(text::markdown(&record(TROUBLED)));
}

#[test]
fn no_line_is_wider_than_a_terminal_of_80() {
    for width in [80, 100, 132] {
        let text = text::render(&record(TROUBLED), Style { colour: false, width });
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn colours_are_the_only_difference_that_colour_makes() {
    let coloured = text::render(&record(TROUBLED), Style { colour: true, ..PLAIN });
    assert!(coloured.contains("\u{1b}[31m"));
    let mut stripped = coloured;
    for code in ["0", "1", "31", "32", "33"] {
        stripped = stripped.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(stripped, text::render(&record(TROUBLED), PLAIN));
}

#[test]
fn words_of_the_record_cannot_command_the_terminal() {
    let mut run = record(TROUBLED);
    let hostile = "a\u{1b}]0;title\u{7}\u{9b}31m\nb";
    (run.label, run.id) = (hostile.into(), hostile.into());
    (run.errors[0].message, run.warnings[0]) = (hostile.into(), hostile.into());
    (run.transactions[0].name, run.headline[0].name) = (hostile.into(), hostile.into());
    (run.workload.scale, run.headline[0].unit) = (hostile.into(), hostile.into());
    run.status = RunStatus::Partial { reason: hostile.into() };
    let text = text::render(&run, PLAIN);
    assert!(!text.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{text:?}");
}

#[test]
fn runs_are_listed_a_line_each() {
    let run = |id: &str, label: &str, value: Option<f64>| RunSummary {
        id: id.into(),
        label: label.into(),
        started_at: "2026-11-21T20:45:00Z".into(),
        workload: "tpcc".into(),
        profile: "spec/1".into(),
        server: "MariaDB 10.11.14-MariaDB-0+deb12u2".into(),
        status: if value.is_some() { "complete" } else { "partial" }.into(),
        headline: value.map(|value| HeadlineSummary {
            name: "tpmC".into(),
            value,
            unit: "1/min".into(),
        }),
        sweep: None,
        group: None,
        experiment: None,
    };
    let runs = [
        run("20261121T204500-1f3a9c", "redo 2G", Some(11_543.2)),
        run("20261121T201500-77aa01", "", None),
    ];
    let style = Style { colour: false, width: 120 };
    insta::assert_snapshot!(list::render(&runs, &[], &[], &[], style));
    for width in [60, 80, 100] {
        let text = list::render(&runs, &[], &[], &[], Style { width, ..style });
        assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
        assert!(text.contains("tpmC") && text.contains("partial"), "{width}:\n{text}");
    }
    assert!(list::render(&[], &[], &[], &[], style).contains("myrig demo"));
}
