//! A sweep as text, Markdown and page.
#![allow(clippy::unwrap_used)]

mod fixture;

use fixture::sweep::sweep;
use lab::{
    record::RunStatus,
    store::SweepSummary,
    sweep::{SweepRecord, Varied},
};
use report::{list, sweep as show, text::Style};

const PLAIN: Style = Style { colour: false, width: 100 };

/// What is left of a sweep that was interrupted in its second step.
fn broken_off() -> SweepRecord {
    let mut sweep = sweep();
    sweep.steps.truncate(2);
    let interrupted = || RunStatus::Partial { reason: "interrupted".into() };
    (sweep.steps[1].status, sweep.status) = (interrupted(), interrupted());
    sweep.steps[1].headline.clear();
    sweep.ended = "It was interrupted at 2 connections.".into();
    sweep.analyse();
    sweep
}

#[test]
fn a_sweep_reads_like_this() {
    insta::assert_snapshot!(show::text(&sweep(), PLAIN));
}

#[test]
fn a_sweep_that_was_broken_off_reads_like_this() {
    insta::assert_snapshot!(show::text(&broken_off(), PLAIN));
}

#[test]
fn a_markdown_page_of_a_sweep_reads_like_this() {
    insta::assert_snapshot!(show::markdown(&sweep()));
}

#[test]
fn no_line_of_a_sweep_is_wider_than_its_terminal() {
    for width in [60, 80, 100, 132] {
        for sweep in [sweep(), broken_off()] {
            let text = show::text(&sweep, Style { colour: false, width });
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn a_page_has_a_chart_for_each_question() {
    let page = show::html(&sweep()).unwrap();
    for id in ["throughput", "percentiles", "types", "processors"] {
        assert!(page.contains(&format!("<svg id=\"{id}\"")), "{id}");
    }
    assert_eq!(page.matches(">peak</text>").count(), 4);
    assert_eq!(page.matches(">knee</text>").count(), 4);
    // Whiskers are only where intervals are.
    assert_eq!(page.matches("class=\"whisker").count(), 7);
    assert!(page.contains("--connections 1,2,4,8,16,32,64"), "the command");
}

#[test]
fn what_is_not_known_is_not_drawn() {
    let mut bare = sweep();
    for step in &mut bare.steps {
        step.server_cpus = None;
        step.headline.clear();
        step.transactions.truncate(1);
    }
    bare.analyse();
    let page = show::html(&bare).unwrap();
    assert_eq!(page.matches("<svg ").count(), 1, "only the percentiles are left");
    let mut empty = sweep();
    empty.steps.clear();
    empty.analyse();
    assert_eq!(show::html(&empty).unwrap().matches("<svg ").count(), 0);
    assert!(show::text(&empty, PLAIN).contains("No step has a figure."));
}

#[test]
fn a_sweep_of_rates_says_so() {
    let mut rates = sweep();
    rates.varied = Varied::Rate;
    for (step, rate) in rates.steps.iter_mut().zip([100.0, 200.0, 300.0]) {
        step.rate_per_s = Some(rate);
    }
    rates.steps.truncate(3);
    rates.analyse();
    let text = show::text(&rates, PLAIN);
    assert!(text.contains("300 transactions/s due"), "{text}");
}

#[test]
fn figures_that_are_no_numbers_draw_nothing_odd() {
    let mut odd = sweep();
    odd.steps[1].headline[0].value = f64::NAN;
    odd.steps[2].response.p99_ms = f64::INFINITY;
    odd.steps[3].server_cpus = Some(f64::NAN);
    odd.analyse();
    let page = show::html(&odd).unwrap();
    assert!(!page.contains("NaN") && !page.contains("inf "), "a place that is none");
}

#[test]
fn sweeps_are_listed_before_runs() {
    let summary = SweepSummary {
        id: "sweep-20261121T204500-abcdef".into(),
        label: "redo 2G".into(),
        started_at: "2026-11-21T20:45:00Z".into(),
        workload: "tpcc".into(),
        profile: "spec/1".into(),
        server: "MariaDB 10.11.14-MariaDB-0+deb12u2".into(),
        status: "complete".into(),
        steps: 7,
        range: "1 to 64 connections".into(),
        peak_name: Some("tpmC".into()),
        peak_value: Some(15_606.0),
        peak_at: Some(16.0),
    };
    let style = Style { colour: false, width: 120 };
    insta::assert_snapshot!(list::render(&[], &[summary], &[], &[], style));
}
