//! What was watched, in the page and in the text of a run.
#![allow(clippy::unwrap_used)]

mod fixture;

use fixture::{CLEAN, record, watch::watch};
use lab::record::RunRecord;
use report::{
    html,
    text::{self, Style},
};

fn watched() -> RunRecord {
    let mut run = record(CLEAN);
    run.watch = Some(watch(run.intervals.len() as u32));
    run
}

/// From one line of the page's source to another.
fn between<'a>(page: &'a str, from: &str, until: &str) -> &'a str {
    let start = page.find(from).unwrap_or_else(|| panic!("no {from}"));
    &page[start..start + page[start..].find(until).unwrap()]
}

#[test]
fn what_the_sessions_were_at_is_told_in_short() {
    let style = Style { colour: false, width: 80 };
    let text = text::render(&watched(), style);
    let start = text.find("What the sessions were at").unwrap();
    insta::assert_snapshot!(text[start..].split("\n\n").next().unwrap());
    assert!(text::markdown(&watched()).contains("| commit | 5.100 | 63.7% | Committing"));
    assert!(!text::render(&record(CLEAN), style).contains("sessions were"), "nobody watched");
}

#[test]
fn the_page_has_a_chart_for_each_group_with_something_to_show() {
    let page = html::render(&watched()).unwrap();
    for id in ["waits", "processor", "rows", "disk-bytes", "disk-latency", "file-time"] {
        assert_eq!(page.matches(&format!("id=\"watched-{id}\"")).count(), 1, "{id}");
    }
    assert!(!page.contains("watched-temporary"), "its series is zero throughout");
    assert!(page.contains("watched-of-a-later-version"), "what has no words has a chart, too");
    let first = between(&page, "<h2>Server and machine</h2>", "<details>");
    assert!(first.contains("watched-rows") && !first.contains("watched-disk-latency"));
    let waits = between(&page, "<h2>What the server waited for</h2>", "</section>");
    for words in ["performance_schema is off", "waiting for the client", "redo log, sync", "63.7%"]
    {
        assert!(waits.contains(words), "{words}");
    }
    assert!(page.contains("Watching cost 0.410% of a processor here and 0.230% of one there."));
    let nobody = html::render(&record(CLEAN)).unwrap();
    assert!(!nobody.contains("watched-") && !nobody.contains("What the server waited for"));
}

#[test]
fn charts_share_the_axis_of_the_throughput() {
    let page = html::render(&watched()).unwrap();
    let ticks = |id: &str| -> Vec<String> {
        let svg = between(&page, &format!("<svg id=\"{id}\""), "</svg>");
        let ticks = svg.split("<text class=\"tick middle\"").skip(1);
        ticks.map(|tick| tick.split(" y=").next().unwrap().to_owned()).collect()
    };
    assert!(!ticks("throughput").is_empty());
    assert_eq!(ticks("throughput"), ticks("watched-waits"));
}

#[test]
fn what_is_least_of_many_is_drawn_as_one() {
    let page = html::render(&watched()).unwrap();
    let figure = between(&page, "Threads in calls on files", "</figure>");
    assert_eq!(figure.matches("class=\"area ").count(), 2 * 8, "eight layers around a gap");
    assert!(figure.contains("the rest") && !figure.contains("</i>file 1<"));
}

#[test]
fn twelve_hours_of_everything_fit_into_a_small_file() {
    let mut run = watched();
    let seconds = 43_200;
    run.phases[1].until_s = f64::from(seconds);
    let pattern = run.intervals[15..65].to_vec();
    run.intervals = pattern.into_iter().cycle().take(seconds as usize).collect();
    for (second, interval) in (1..=seconds).zip(&mut run.intervals) {
        interval.at_s = f64::from(second);
    }
    run.watch = Some(watch(seconds));
    let page = html::render(&run).unwrap();
    assert!(page.len() < 900_000, "{} bytes", page.len());
    assert!(page.contains("Each point is the mean of 180 samples."));
}

#[test]
fn hostile_and_absurd_series_still_make_a_page() {
    let hostile = "\"'><script>alert(1)</script><img src=x>\u{1b}[31m";
    for number in [f64::MAX, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE] {
        let mut run = watched();
        let watch = run.watch.as_mut().unwrap();
        for series in &mut watch.series {
            for word in [&mut series.name, &mut series.label, &mut series.group, &mut series.unit] {
                word.push_str(hostile);
            }
            series.values = vec![Some(number), None, Some(number)];
        }
        watch.at_s[3] = number;
        let waits = watch.waits.as_mut().unwrap();
        (waits.classes[0].label, waits.classes[0].sessions) = (hostile.into(), number);
        waits.states[0].label = hostile.into();
        watch.remarks.push(hostile.into());
        let page = html::render(&run).unwrap();
        assert_eq!(page.matches("<script").count(), 1, "the page's own");
        assert!(!page.contains("<img") && !page.contains("NaN"), "{number}");
        assert!(page.ends_with("</html>"));
    }
}
