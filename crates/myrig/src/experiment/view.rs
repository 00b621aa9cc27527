//! A plan, and the experiments that there are, as a person and as a program sees them.

use super::{
    library::{EMBEDDED, Source},
    planning::{Planned, read},
};
use crate::failure::Failure;
use host::Bytes;
use lab::experiment::{
    PLAN_SCHEMA, data_sets, differs,
    file::scales,
    plan::{PlannedStep, StepKind},
    schedule,
    spec::{Experiment, Order},
};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Columns of what is printed.
const WIDTH: usize = 80;

/// Most variants whose order is written out.
const ORDER_MAX: usize = 16;

/// `myrig.plan/1`.
pub(super) fn value(planned: &Planned, origin: &str, overrides: &[String]) -> Value {
    let Planned { experiment, estimates, plan, findings } = planned;
    let arms = experiment.variants.iter().zip(differs(&experiment.variants));
    let variants = arms
        .map(|(arm, differs)| json!({ "name": arm.name, "note": arm.note, "differs": differs }));
    let sets = data_sets(experiment).into_iter().map(|set| {
        let data = estimates.data.get(&set.key).cloned().unwrap_or_default();
        json!({
            "key": set.key,
            "words": data.words,
            "bytes": data.bytes,
            "variants": set.variants,
        })
    });
    json!({
        "schema": PLAN_SCHEMA,
        "name": experiment.name,
        "title": experiment.title,
        "question": experiment.question,
        "scale": experiment.scale,
        "origin": origin,
        "overrides": overrides,
        "servers": findings.servers,
        "variants": variants.collect::<Vec<_>>(),
        "data_sets": sets.collect::<Vec<_>>(),
        "trials": plan.trials,
        "steps": plan.steps,
        "expected_s": plan.expected_s,
        "bytes_needed": plan.bytes_needed,
        "settings": findings.carried,
        "changes": findings.changes,
        "remarks": plan.remarks,
        "obstacles": findings.obstacles,
    })
}

/// The plan in lines of 80 columns.
pub(super) fn text(planned: &Planned) -> String {
    let Planned { experiment, plan, findings, .. } = planned;
    let mut text = head(experiment);
    if !findings.servers.is_empty() {
        paragraph(&mut text, "Server: ", &findings.servers.join("; "));
    }
    variants(&mut text, experiment);
    text.push('\n');
    steps(&mut text, planned);
    let total = about(plan.expected_s);
    line(&mut text, "", "all of it, about", &total);
    paragraph(
        &mut text,
        "",
        &format!(
            "It needs about {} on the disk at once. Times and sizes are rough.",
            Bytes(plan.bytes_needed)
        ),
    );
    list(&mut text, "Settings that this server has otherwise:", &findings.carried);
    list(&mut text, "Changed during each trial, and put back after it:", &findings.changes);
    list(&mut text, "To be considered:", &plan.remarks);
    list(&mut text, "It cannot be carried out here:", &findings.obstacles);
    text
}

fn head(experiment: &Experiment) -> String {
    let scale = match experiment.scale.as_str() {
        "" => String::new(),
        scale => format!(", scale {scale}"),
    };
    let mut text = String::new();
    paragraph(&mut text, "", &format!("{} ({}{scale})", experiment.title, experiment.name));
    if !experiment.question.is_empty() {
        paragraph(&mut text, "", experiment.question.trim());
    }
    if let Some(published) = &experiment.published {
        paragraph(&mut text, "After: ", &published.source);
    }
    text.push('\n');
    text
}

/// What is compared, and in which order.
fn variants(text: &mut String, experiment: &Experiment) {
    let arms = &experiment.variants;
    let runs = experiment.repeat.runs;
    if arms.len() > 1 {
        for (arm, differs) in arms.iter().zip(differs(arms)) {
            let told: Vec<String> =
                differs.iter().map(|(key, value)| format!("{key} = {value}")).collect();
            paragraph(text, &format!("Variant {}: ", arm.name), &told.join(", "));
        }
    }
    let order = match experiment.repeat.order {
        Order::Abba => "forth and back",
        Order::Random => "shuffled in each round",
        Order::InOrder => "one after the other",
        Order::Duet => "side by side, exchanging their processors",
    };
    let times = if runs == 1 { "once".to_owned() } else { format!("{runs} times") };
    let trials = schedule(experiment);
    let mut words = times;
    if arms.len() > 1 {
        words = format!("each variant {words}");
        let _ = write!(words, ", {order}");
        if trials.len() <= ORDER_MAX && experiment.repeat.order != Order::Duet {
            let names: Vec<&str> = trials.iter().map(|trial| trial.variant.as_str()).collect();
            let _ = write!(words, ": {}", names.join(" | "));
        }
    }
    paragraph(text, "Order: ", &words);
}

/// Every step with its time: what is done once a line each, and the trials in groups.
fn steps(text: &mut String, planned: &Planned) {
    let plan = &planned.plan;
    for group in plan.steps.chunk_by(|a, b| a.trial.is_some() && a.trial == b.trial) {
        let time = about(group.iter().map(|step| step.expected_s).sum());
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        match first.trial {
            None => line(text, &first.number.to_string(), &first.words, &time),
            Some(number) => {
                let numbers = match first.number == last.number {
                    true => first.number.to_string(),
                    false => format!("{}-{}", first.number, last.number),
                };
                line(text, &numbers, &title(planned, number, first), &time);
                let parts: Vec<String> = group.iter().map(part).collect();
                wrapped(text, "          ", &parts.join(", "));
            }
        }
    }
}

fn title(planned: &Planned, number: u32, first: &PlannedStep) -> String {
    let of = planned.plan.trials;
    match &first.variant {
        Some(variant) => format!("trial {number} of {of}: {variant}"),
        None => {
            let names: Vec<&str> =
                planned.experiment.variants.iter().map(|arm| arm.name.as_str()).collect();
            format!("trials {number} and {} of {of}: {}", number + 1, names.join(" beside "))
        }
    }
}

fn part(step: &PlannedStep) -> String {
    let words = match step.what {
        // The words of the others are theirs alone.
        StepKind::Measure | StepKind::Apply => step.words.as_str(),
        _ => step.words.trim(),
    };
    format!("{words} {}", about(step.expected_s))
}

/// The experiments that myrig brings along, in lines of 80 columns, and as
/// `myrig.experiments/1`.
///
/// # Errors
/// One of them cannot be read.
pub(super) fn library() -> Result<(Value, String), Failure> {
    let mut text = String::new();
    let mut all = Vec::new();
    for (name, file) in EMBEDDED {
        let source = Source { text: file.to_owned(), origin: name.to_owned() };
        let mut told = Vec::new();
        let mut of_scales = Vec::new();
        let mut title = String::new();
        for scale in scales(file, name)? {
            let (experiment, plan) = read(&source, Some(&scale))?;
            title = experiment.title;
            told.push(format!("{scale}, about {}", about(plan.expected_s)));
            of_scales.push(json!({
                "name": scale,
                "trials": plan.trials,
                "expected_s": plan.expected_s,
                "bytes_needed": plan.bytes_needed,
            }));
        }
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name}");
        wrapped(&mut text, "    ", &title);
        wrapped(&mut text, "    ", &format!("scales: {}", told.join("; ")));
        all.push(json!({ "name": name, "title": title, "scales": of_scales }));
    }
    text.push_str("\n`myrig run NAME --plan` says what one does, `myrig run NAME` does it.\n");
    Ok((json!({ "schema": "myrig.experiments/1", "experiments": all }), text))
}

/// `47 s`, `12 min`, `3 h 20 min`, `2 d 4 h`.
pub(super) fn about(seconds: f64) -> String {
    let whole = seconds.round().max(1.0) as u64;
    let (minutes, hours) = ((whole + 30) / 60, (whole + 1800) / 3600);
    match whole {
        0..100 => format!("{whole} s"),
        100..6000 => format!("{minutes} min"),
        6000..180_000 => format!("{} h {} min", minutes / 60, minutes % 60),
        _ => format!("{} d {} h", hours / 24, hours % 24),
    }
}

/// A step's line: number, words, time at the right.
fn line(text: &mut String, number: &str, words: &str, time: &str) {
    let room = WIDTH - 10 - 12;
    let shown: String = match words.chars().count() > room {
        true => words.chars().take(room - 1).chain(['…']).collect(),
        false => words.to_owned(),
    };
    let _ = writeln!(text, "{number:>8}  {shown:<room$}{time:>12}");
}

/// A headline and a sentence on each of the lines below it; nothing where there are none.
fn list(text: &mut String, headline: &str, sentences: &[String]) {
    if sentences.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{headline}");
    for sentence in sentences {
        paragraph(text, "- ", sentence);
    }
}

/// Words after `before`, the lines after the first indented by two.
fn paragraph(text: &mut String, before: &str, words: &str) {
    let indent = if before.is_empty() { "" } else { "  " };
    fill(text, before, indent, words);
}

/// Words, all lines indented.
fn wrapped(text: &mut String, indent: &str, words: &str) {
    fill(text, indent, indent, words);
}

/// Words in lines of [`WIDTH`] columns, `first` before the first and `rest` before the others.
fn fill(text: &mut String, first: &str, rest: &str, words: &str) {
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in words.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(text, "{}", line.trim_end());
            rest.clone_into(&mut line);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    let _ = writeln!(text, "{}", line.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_roughly_as_they_are_known() {
        let told = [0.0, 47.4, 99.0, 130.0, 5900.0, 12_000.0, 200_000.0].map(about);
        assert_eq!(told, ["1 s", "47 s", "99 s", "2 min", "98 min", "3 h 20 min", "2 d 8 h"]);
    }

    #[test]
    fn lines_end_at_the_eightieth_column() {
        let mut text = String::new();
        paragraph(&mut text, "- ", &"word ".repeat(60));
        wrapped(&mut text, "          ", &"part 1 s, ".repeat(40));
        line(&mut text, "12-18", &"long ".repeat(40), "3 h 20 min");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("  ")), "{text}");
        let long = "x".repeat(200);
        let mut text = String::new();
        paragraph(&mut text, "- ", &long);
        assert_eq!(text, format!("- {long}\n"), "what cannot be broken is not lost");
    }
}
