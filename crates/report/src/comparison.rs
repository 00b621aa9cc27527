//! A comparison as plain text, for a terminal, a log or a Markdown page. The verdict comes first.

use crate::{
    format,
    table::{Row, Table, Tone, plain_markdown, printable, wrapped},
    text::{BOLD, GREEN, RED, Style, YELLOW, fitted, paint, said, table_text},
};
use lab::comparison::{Comparison, Design, Effect, Method, Verdict};
use std::fmt::Write as _;

/// Columns that make room on a narrow terminal: the baseline's mean, the variant's.
const DISPENSABLE: [usize; 2] = [1, 1];

/// The verdict, why it is not clean, how it was reached, and a table of the metrics that were
/// judged, or with `all` of the others too. Ends with a line feed.
pub fn text(comparison: &Comparison, all: bool, style: Style) -> String {
    let mut text = String::new();
    let title = format!("{} against {}", comparison.variant, comparison.baseline);
    for line in wrapped(&printable(&title), style.width) {
        let _ = writeln!(text, "{}", paint(&line, BOLD, style));
    }
    let code = match tone(comparison) {
        Tone::Good => GREEN,
        Tone::Bad => RED,
        Tone::Plain => BOLD,
    };
    for line in wrapped(&printable(&comparison.sentence), style.width) {
        let _ = writeln!(text, "{}", paint(&line, code, style));
    }
    for caveat in &comparison.caveats {
        said(&mut text, "!", caveat, YELLOW, style);
    }
    text.push('\n');
    for sentence in how(comparison) {
        for line in wrapped(&printable(&sentence), style.width) {
            let _ = writeln!(text, "{line}");
        }
    }
    text += &table_text(&fitted(effects(comparison, all), &DISPENSABLE, style.width), style);
    let hidden = hidden(comparison);
    if !all && hidden > 0 {
        let metrics = format::counted(hidden as u64, "more metric");
        let _ = writeln!(text, "{metrics} not judged: --all shows them, --metric NAME judges one.");
    }
    if !comparison.differences.is_empty() {
        text += &table_text(&differences(comparison), style);
    }
    text
}

/// The same as Markdown, for a pull request: the metrics that are not judged are folded away.
pub fn markdown(comparison: &Comparison) -> String {
    let mark = match tone(comparison) {
        Tone::Good => "✅ ",
        Tone::Bad => "❌ ",
        Tone::Plain => "",
    };
    let plain = |words: &str| plain_markdown(&printable(words));
    let mut text = format!(
        "## {} against {}\n\n{mark}**{}**\n",
        plain(&comparison.variant),
        plain(&comparison.baseline),
        plain(&comparison.sentence)
    );
    for caveat in &comparison.caveats {
        let _ = write!(text, "\n> ⚠ {}\n", plain(caveat));
    }
    let _ = write!(text, "\n{}\n\n", plain(&how(comparison).join(" ")));
    text += &effects(comparison, false).markdown();
    let mut fold = |summary: &str, table: Table| {
        let table = table.markdown();
        let _ = write!(text, "\n<details><summary>{summary}</summary>\n\n{table}\n</details>\n");
    };
    if hidden(comparison) > 0 {
        fold("All metrics", effects(comparison, true));
    }
    if !comparison.differences.is_empty() {
        fold("Settings that differ", differences(comparison));
    }
    text
}

fn tone(comparison: &Comparison) -> Tone {
    let better = comparison.effects.first().is_some_and(|it| it.verdict == Verdict::Better);
    match (comparison.regressions.is_empty(), better && comparison.caveats.is_empty()) {
        (false, _) => Tone::Bad,
        (true, true) => Tone::Good,
        (true, false) => Tone::Plain,
    }
}

/// How the verdict on the primary metric was reached, and runs to look at.
fn how(comparison: &Comparison) -> Vec<String> {
    let Some(effect) = comparison.effects.first() else { return Vec::new() };
    let method = match (effect.method, comparison.design) {
        (Some(Method::Welch), _) => "Welch's test on the means of runs",
        (Some(Method::Paired), _) => "Student's test on the blocks' ratios",
        (Some(Method::Duet), _) => "Student's test on the ratios of pairs that changed places",
        (Some(Method::Seconds), Design::Duet) => "The seconds of each pair",
        (Some(Method::Seconds), _) => "The seconds within each run",
        (None, _) => return outliers(comparison),
    };
    let second = match (effect.bootstrap_ci95_percent, effect.agree) {
        (Some(interval), true) => format!("; the bootstrap agrees ({})", range(interval)),
        (Some(interval), false) => format!("; the bootstrap does not agree ({})", range(interval)),
        (None, _) => String::new(),
    };
    let p = effect.p_value.map_or_else(String::new, |p| format!(", p {}", p_words(p)));
    let smallest = effect.smallest_detectable_percent.map_or_else(String::new, |percent| {
        format!(" A difference of {percent:.1}% would have been found in four cases of five.")
    });
    let mut sentences = vec![format!("{method}{p}{second}.{smallest}")];
    sentences.extend(outliers(comparison));
    sentences
}

fn outliers(comparison: &Comparison) -> Vec<String> {
    let primary = comparison.effects.first();
    let outliers = primary.iter().flat_map(|effect| &effect.outliers);
    outliers.map(|outlier| format!("Look at run {}: {}.", outlier.run, outlier.why)).collect()
}

/// Metrics that are not judged.
fn hidden(comparison: &Comparison) -> usize {
    comparison.effects.iter().filter(|effect| effect.verdict == Verdict::NotJudged).count()
}

fn effects(comparison: &Comparison, all: bool) -> Table {
    let titles = ["Metric", "#A", "#B", "#B against A", "95% interval", "Verdict"];
    let mut table = Table::new("A is the baseline, B the variant", &titles);
    let shown =
        comparison.effects.iter().filter(|effect| all || effect.verdict != Verdict::NotJudged);
    table.rows = shown.map(|effect| row(effect, comparison)).collect();
    table
}

fn row(effect: &Effect, comparison: &Comparison) -> Row {
    let verdict = match effect.verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::NoDifferenceShown => "no difference shown",
        Verdict::TooFew => "too few runs",
        Verdict::NotJudged => "not judged",
    };
    let regressed = comparison.regressions.contains(&effect.metric.name);
    let (verdict, tone) = match effect.verdict {
        _ if regressed => (format!("{verdict}: a regression"), Tone::Bad),
        Verdict::Worse => (format!("{verdict}, below the threshold"), Tone::Plain),
        Verdict::Better => (verdict.to_owned(), Tone::Good),
        _ => (verdict.to_owned(), Tone::Plain),
    };
    let unit = match effect.metric.unit.as_str() {
        "1/s" | "1/min" => String::new(),
        unit => format!(", {unit}"),
    };
    let cells = vec![
        format!("{}{unit}", effect.metric.name),
        format::figure(effect.baseline.mean),
        format::figure(effect.variant.mean),
        signed(effect.difference_percent),
        effect.ci95_percent.map_or_else(|| "–".to_owned(), range),
        verdict,
    ];
    Row::new(cells).toned(tone, 5)
}

fn differences(comparison: &Comparison) -> Table {
    let mut table = Table::new("Settings that differ", &["Setting", "A", "B"]);
    let row = |difference: &lab::comparison::Difference| {
        Row::new(vec![
            difference.name.clone(),
            difference.baseline.clone(),
            difference.variant.clone(),
        ])
    };
    table.rows = comparison.differences.iter().map(row).collect();
    table
}

fn signed(percent: f64) -> String {
    format!("{percent:+.1}%")
}

fn range((low, high): (f64, f64)) -> String {
    format!("{} to {}", signed(low), signed(high))
}

pub(crate) fn p_words(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

#[cfg(test)]
mod tests;
