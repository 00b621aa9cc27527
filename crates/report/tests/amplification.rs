//! Write amplification in an experiment's page, Markdown and text.
#![allow(clippy::unwrap_used)]

mod fixture;

use fixture::amplification::{HELPED, drives};
use report::{
    experiment::{self as show, Trials},
    text::Style,
};

/// The section of the page, without its drawings.
fn section(page: &str) -> String {
    let from = page.find("<h2>Write amplification</h2>").unwrap();
    let mut text = page[from..from + page[from..].find("</section>").unwrap()].to_owned();
    while let Some(start) = text.find("<svg") {
        let end = start + text[start..].find("</svg>").unwrap() + "</svg>".len();
        text.replace_range(start..end, "…");
    }
    text
}

/// From one heading to another.
fn between<'a>(text: &'a str, from: &str, until: &str) -> &'a str {
    let start = text.find(from).unwrap();
    let length = text[start..].find(until).unwrap_or(text.len() - start);
    &text[start..start + length]
}

#[test]
fn write_amplification_reads_like_this() {
    let (record, runs) = drives();
    let trials = Trials::of(&runs, &[]);
    insta::assert_snapshot!("a_page", section(&show::html(&record, &trials).unwrap()));
    let markdown = show::markdown(&record, &trials);
    let markdown = between(&markdown, "## Write amplification", "<details>");
    insta::assert_snapshot!("a_markdown_page", markdown);
    for (name, width) in [("a_narrow_terminal", 80), ("a_wide_terminal", 140)] {
        let text = show::text(&record, &trials, Style { colour: false, width });
        insta::assert_snapshot!(name, between(&text, "Write amplification in the", "no such end"));
    }
}

#[test]
fn names_of_drives_command_nothing() {
    let (record, runs) = drives();
    let trials = Trials::of(&runs, &[]);
    let page = show::html(&record, &trials).unwrap();
    assert!(!page.contains("<script>alert") && page.contains("alert("), "it is escaped");
    let markdown = show::markdown(&record, &trials);
    assert!(!markdown.contains("<script>") && markdown.contains("alert("), "{markdown}");
    let text = show::text(&record, &trials, Style { colour: false, width: 200 });
    assert!(!text.contains('\u{1b}') && text.contains("alert("), "{text}");
}

#[test]
fn a_run_without_data_is_left_out_and_pairs_stay_pairs() {
    let (record, mut runs) = drives();
    // The honoured half of one trial is missing: its other half must not be another's pair.
    runs[1].amplification.retain(|it| it.drive != HELPED || it.honours_hints == Some(false));
    let wide = Style { colour: false, width: 200 };
    let text = show::text(&record, &Trials::of(&runs, &[]), wide);
    let line = |line: &&str| line.starts_with(HELPED) && line.contains("streams");
    let row = text.lines().find(line).unwrap();
    let alone = show::text(&record, &Trials::of(&runs[2..3], &[]), wide);
    let alone = alone.lines().find(line).unwrap();
    assert!(row.split_whitespace().eq(alone.split_whitespace()), "{row}\n{alone}");
    runs.iter_mut().for_each(|run| run.amplification.clear());
    let page = show::html(&record, &Trials::of(&runs, &[])).unwrap();
    assert!(!page.contains("Write amplification</h2>"), "nothing was looked at");
}
