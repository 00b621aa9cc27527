//! An experiment as text, Markdown and page.
#![allow(clippy::unwrap_used)]

mod fixture;

use fixture::experiment::{compared, sizes, swept};
use lab::{
    experiment::ExperimentRecord,
    record::{Interval, RunRecord, RunStatus},
};
use report::{
    experiment::{self as show, Trials},
    text::Style,
};

const PLAIN: Style = Style { colour: false, width: 80 };

/// Two variants compared, a table of sizes, two sweeps.
fn all() -> [(ExperimentRecord, Trials); 3] {
    let ((one, runs), (two, sizes), (three, sweeps)) = (compared(), sizes(), swept());
    let of = |runs: &[RunRecord]| Trials::of(runs, &[]);
    [(one, of(&runs)), (two, of(&sizes)), (three, Trials::of(&[], &sweeps))]
}

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
fn experiments_read_like_this() {
    let [one, two, three] = all().map(|(record, trials)| show::text(&record, &trials, PLAIN));
    insta::assert_snapshot!("a_comparison_reads_like_this", one);
    insta::assert_snapshot!("a_table_of_sizes_reads_like_this", two);
    insta::assert_snapshot!("sweeps_of_two_variants_read_like_this", three);
}

#[test]
fn a_markdown_page_of_an_experiment_reads_like_this() {
    let [(record, trials), ..] = all();
    insta::assert_snapshot!(show::markdown(&record, &trials));
}

#[test]
fn a_page_of_a_comparison_reads_like_this() {
    let [(record, trials), ..] = all();
    insta::assert_snapshot!(reduced(&show::html(&record, &trials).unwrap()));
}

#[test]
fn no_line_of_an_experiment_is_wider_than_its_terminal() {
    for (record, trials) in all() {
        for width in [80, 100, 132, 200] {
            let text = show::text(&record, &trials, Style { colour: false, width });
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn a_page_has_a_chart_for_each_question() {
    let pages = all().map(|(record, trials)| show::html(&record, &trials).unwrap());
    let has = |page: &str, id: &str| page.contains(&format!("<svg id=\"{id}\""));
    for id in ["effects-0", "throughput", "latency", "percentiles", "watched-waf-device"] {
        assert!(has(&pages[0], id), "{id}");
    }
    assert!(has(&pages[1], "bars-0") && has(&pages[1], "bars-1") && !has(&pages[1], "effects-0"));
    assert!(has(&pages[2], "scaling") && !has(&pages[2], "throughput"));
    // Eight trials, two means, and a mark for each trial.
    let drawing = pages[0].split("<svg id=\"throughput\"").nth(1).unwrap();
    let drawing = drawing.split("</svg>").next().unwrap();
    assert_eq!(drawing.matches("class=\"line trial ").count(), 8);
    assert_eq!(drawing.matches("data-trial=\"\"").count(), 2);
    assert_eq!(drawing.matches("class=\"steady ").count(), 8);
    // Every run of both sides is a dot of every judged metric.
    assert_eq!(pages[0].matches("<circle class=\"run ").count(), 5 * 8);
}

#[test]
fn caveats_stand_below_the_verdict_and_before_everything_else() {
    let [(record, trials), ..] = all();
    let page = show::html(&record, &trials).unwrap();
    let at = |words: &str| page.find(words).unwrap_or_else(|| panic!("{words}"));
    let verdict = at("<p class=\"verdict");
    let caveat = at("Trial 8 lost its connections");
    assert!(verdict < caveat && caveat < at("<h2>"), "{verdict} {caveat}");
}

#[test]
fn published_figures_stand_beside_the_measured_ones() {
    let [_, (record, trials), _] = all();
    let page = show::html(&record, &trials).unwrap();
    assert!(page.contains("Their client was another machine"), "how the set-ups differ");
    assert!(page.contains("1,757") && page.contains("2-core, 4 GB, 76 GB of data"));
    let mut away = record.clone();
    away.trials.clear();
    let page = show::html(&away, &Trials::default()).unwrap();
    assert!(page.contains("1,757"), "what was published is told before anything is measured");
}

#[test]
fn a_published_figure_of_a_step_has_the_step_beside_it() {
    let (mut record, sweeps) = swept();
    record.experiment.published = Some(lab::experiment::spec::Published {
        figures: vec![lab::experiment::spec::PublishedFigure {
            variant: "10.11".into(),
            connections: Some(8),
            metric: "TPS".into(),
            value: 571.0,
            ..Default::default()
        }],
        ..Default::default()
    });
    let text = show::text(&record, &Trials::of(&[], &sweeps), PLAIN);
    // 571 by the curve, and one sweep of the two is 3% faster.
    assert!(text.contains("TPS at 8 connections") && text.contains("579.6"), "{text}");
}

#[test]
fn secrets_of_the_file_are_not_shown() {
    let [(mut record, trials), ..] = all();
    record.overrides.push("workload.password=hunter2".into());
    record.variants[0].differs.push(("workload.options.password".into(), "hunter2".into()));
    for shown in [
        show::html(&record, &trials).unwrap(),
        show::markdown(&record, &trials),
        show::text(&record, &trials, PLAIN),
    ] {
        assert!(!shown.contains("hunter2"), "a password is shown");
    }
}

#[test]
fn an_experiment_that_was_broken_off_says_so() {
    let [(mut record, _), ..] = all();
    record.status = RunStatus::Partial { reason: "interrupted".into() };
    record.trials.truncate(1);
    record.comparisons.clear();
    record.verdict.clear();
    let text = show::text(&record, &Trials::default(), PLAIN);
    assert!(text.contains("No verdict: 1 of 8 trials were taken (interrupted)."), "{text}");
    let mut nothing = record.clone();
    nothing.trials.clear();
    nothing.variants.clear();
    let page = show::html(&nothing, &Trials::default()).unwrap();
    assert!(!page.contains("<svg "), "nothing was measured and something is drawn");
}

#[test]
fn figures_that_are_no_numbers_draw_nothing_odd() {
    let (mut record, mut runs) = compared();
    let effect = &mut record.comparisons[0].effects[0];
    (effect.difference_percent, effect.bootstrap_ci95_percent) = (f64::NAN, None);
    record.comparisons[0].effects[1].ci95_percent = Some((f64::NEG_INFINITY, f64::NAN));
    record.comparisons[0].effects[2].variant.samples[0].value = f64::INFINITY;
    record.trials[0].figures[0].value = f64::NAN;
    record.trials[1].steady_from_s = Some(f64::NAN);
    runs[2].intervals[3].at_s = f64::INFINITY;
    runs[3].intervals[4].length_s = f64::NAN;
    runs[3].intervals[5].transactions[0].p95_ms = f64::NAN;
    let watch = runs[4].watch.as_mut().unwrap();
    (watch.at_s[3], watch.series[0].values[4]) = (f64::NAN, Some(f64::INFINITY));
    let page = show::html(&record, &Trials::of(&runs, &[])).unwrap();
    assert!(!page.contains("NaN") && !page.contains("\"inf"), "a place that is none");
}

/// Twenty-five runs of more than two hours: a million values of a second and type.
#[test]
fn a_page_of_a_million_values_is_small() {
    let (mut record, runs) = compared();
    let seconds = 8_000_usize;
    let mut trials = Trials::default();
    record.trials = (0..25_u32)
        .map(|number| {
            let mut run = runs[number as usize % runs.len()].clone();
            run.id = format!("20261122T100000-{number:06}");
            let pattern = run.intervals.clone();
            let second =
                |at: usize| Interval { at_s: (at + 1) as f64, ..pattern[10 + at % 30].clone() };
            run.intervals = (0..seconds).map(second).collect();
            run.watch = Some(fixture::watch::watch(seconds as u32));
            trials.add_run(&run);
            fixture::experiment::trial(
                1,
                record.variants[number as usize % 2].name.as_str(),
                &[run],
            )
        })
        .collect();
    let page = show::html(&record, &trials).unwrap();
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert_eq!(page.matches("class=\"line trial ").count(), 2 * 25);
}
