//! A group as text, Markdown and page.
#![allow(clippy::unwrap_used)]

mod fixture;

use fixture::group::group;
use lab::record::{RunStatus, Series, Watch};
use report::{group as show, text::Style};

const PLAIN: Style = Style { colour: false, width: 100 };

#[test]
fn a_group_reads_like_this() {
    insta::assert_snapshot!(show::text(&group().0, PLAIN));
}

#[test]
fn a_markdown_page_of_a_group_reads_like_this() {
    insta::assert_snapshot!(show::markdown(&group().0));
}

#[test]
fn no_line_of_a_group_is_wider_than_its_terminal() {
    for width in [60, 80, 100, 132] {
        let text = show::text(&group().0, Style { colour: false, width });
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn a_page_shows_the_servers_over_time_on_top_of_each_other() {
    let (group, runs) = group();
    let page = show::html(&group, &runs).unwrap();
    for words in ["<svg id=\"throughput\"", "mysql-1", "mysql-2", "processors 4-7", "268435456"] {
        assert!(page.contains(words), "{words}");
    }
    // Runs that were removed leave the tables.
    let page = show::html(&group, &[]).unwrap();
    assert!(!page.contains("<svg id=\"throughput\"") && page.contains("mysql-2"));
}

#[test]
fn what_the_machine_did_is_shown_once_and_no_server_with_it() {
    let (group, mut runs) = group();
    let series = |name: &str, source: &str| Series {
        name: name.into(),
        label: "x".into(),
        group: name.into(),
        unit: "processors".into(),
        source: source.into(),
        values: vec![Some(1.0); 60],
    };
    runs[0].watch = Some(Watch {
        at_s: (1..=60).map(f64::from).collect(),
        series: vec![
            series("processor", "/proc/stat"),
            series("server-processor", "/proc/PID/stat"),
            series("rows", "SHOW GLOBAL STATUS"),
        ],
        ..Watch::default()
    });
    let page = show::html(&group, &runs).unwrap();
    let shown = |name: &str| page.matches(&format!("<svg id=\"watched-{name}\"")).count();
    assert_eq!([shown("processor"), shown("server-processor"), shown("rows")], [1, 0, 0]);
}

#[test]
fn a_member_that_failed_is_told_first() {
    let (mut group, mut runs) = group();
    runs[1].status = RunStatus::Partial { reason: "interrupted".into() };
    runs[1].check = None;
    group.take(&runs);
    assert_eq!(group.status, RunStatus::Partial { reason: "mysql-2: interrupted".into() });
    let page = show::html(&group, &runs).unwrap();
    assert!(page.contains("mysql-2: partial: interrupted"), "no alert");
}
