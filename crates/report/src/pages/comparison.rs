//! Two runs beside each other.

use crate::{
    brief, format,
    html::{RenderError, filled},
    table::{Row, Table, Tone},
};
use askama::Template;
use lab::{
    comparison::{Comparison, Effect, Side, Verdict},
    record::RunRecord,
};

#[derive(Template)]
#[template(path = "serve/comparison.html")]
struct Page<'a> {
    title: &'static str,
    comparison: &'a Comparison,
    sides: [Shown<'a>; 2],
    figures: Table,
    differences: Table,
}

/// A run as the page names it.
struct Shown<'a> {
    letter: char,
    record: &'a RunRecord,
    title: String,
    started: String,
}

/// The page of a comparison of these two runs.
///
/// # Errors
/// The template cannot be filled.
pub fn comparison(
    comparison: &Comparison,
    baseline: &RunRecord,
    variant: &RunRecord,
) -> Result<String, RenderError> {
    let shown = |letter, record| Shown {
        letter,
        record,
        title: brief::title(record),
        started: crate::summary::started(&record.started_at),
    };
    let page = Page {
        title: "myrig: two runs",
        comparison,
        sides: [shown('A', baseline), shown('B', variant)],
        figures: figures(comparison),
        differences: differences(comparison),
    };
    filled(&page, &baseline.id)
}

fn figures(comparison: &Comparison) -> Table {
    let titles = ["Figure", "#A", "#B", "#B against A", "95% interval", "Verdict"];
    let mut table = Table::new("Every figure that both runs have", &titles);
    table.rows = comparison.effects.iter().map(row).collect();
    table
}

fn row(effect: &Effect) -> Row {
    let interval = effect.ci95_percent.map_or_else(
        || "–".to_owned(),
        |(low, high)| format!("{} to {}", signed(low), signed(high)),
    );
    let (verdict, tone) = match effect.verdict {
        Verdict::Better => ("better", Tone::Good),
        Verdict::Worse => ("worse", Tone::Bad),
        Verdict::NoDifferenceShown => ("no difference shown", Tone::Plain),
        Verdict::TooFew => ("too little to tell", Tone::Plain),
        Verdict::NotJudged => ("not judged", Tone::Plain),
    };
    let unit = match effect.metric.unit.as_str() {
        "" | "1/s" | "1/min" => String::new(),
        unit => format!(", {unit}"),
    };
    let cells = vec![
        format!("{}{unit}", effect.metric.name),
        value(&effect.baseline),
        value(&effect.variant),
        signed(effect.difference_percent),
        interval,
        verdict.to_owned(),
    ];
    Row::new(cells).toned(tone, 5)
}

fn value(side: &Side) -> String {
    format::figure(side.mean)
}

/// `+1.2%`.
fn signed(percent: f64) -> String {
    if percent.is_finite() { format!("{percent:+.1}%") } else { "–".to_owned() }
}

fn differences(comparison: &Comparison) -> Table {
    let mut table = Table::new("Settings and server variables that differ", &["Name", "A", "B"]);
    for it in &comparison.differences {
        table.rows.push(Row::new(vec![it.name.clone(), it.baseline.clone(), it.variant.clone()]));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_their_sign() {
        assert_eq!([12.34, -0.04, 0.0].map(signed), ["+12.3%", "-0.0%", "+0.0%"]);
        assert_eq!(signed(f64::NAN), "–");
    }
}
