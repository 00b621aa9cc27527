//! What an experiment says, in sentences.

use crate::{format, reproduce::is_secret, summary, table::Tone};
use lab::{
    comparison::Verdict,
    experiment::{ExperimentRecord, VariantRecord, spec::Order},
    record::RunStatus,
};

/// What it is called.
pub(super) fn title(experiment: &ExperimentRecord) -> &str {
    let spec = &experiment.experiment;
    if spec.title.is_empty() { &spec.name } else { &spec.title }
}

/// The answer, or why there is none yet.
pub(super) fn verdict(experiment: &ExperimentRecord) -> String {
    if !experiment.verdict.is_empty() {
        return experiment.verdict.clone();
    }
    match (&experiment.experiment.compare, &experiment.status) {
        (_, RunStatus::Partial { reason }) => format!(
            "No verdict: {} of {} trials were taken ({reason}).",
            experiment.trials.len(),
            experiment.planned
        ),
        (Some(_), _) => "No verdict: the runs are too few to compare.".to_owned(),
        (None, _) => {
            let variants = format::counted(experiment.variants.len() as u64, "variant");
            format!("{variants} side by side.")
        }
    }
}

/// How a reader should feel at the verdict.
pub(super) fn tone(experiment: &ExperimentRecord) -> Tone {
    if experiment.comparisons.iter().any(|comparison| !comparison.regressions.is_empty()) {
        return Tone::Bad;
    }
    let primary = experiment.comparisons.iter().filter_map(|comparison| comparison.effects.first());
    let mut verdicts = primary.map(|effect| effect.verdict).peekable();
    let some = verdicts.peek().is_some();
    match some && verdicts.all(|verdict| verdict == Verdict::Better) {
        true if experiment.caveats.is_empty() => Tone::Good,
        _ => Tone::Plain,
    }
}

/// Label, name, scale, time and id.
pub(super) fn lead(experiment: &ExperimentRecord) -> String {
    let scale = match experiment.experiment.scale.as_str() {
        "" => String::new(),
        scale => format!(", scale {scale}"),
    };
    let started = summary::started(&experiment.started_at);
    let label = &experiment.label;
    let label = if label.is_empty() { String::new() } else { format!("{label}, ") };
    format!("{label}{}{scale}, {started}, {}", experiment.experiment.name, experiment.id)
}

/// How the trials followed each other.
pub(super) fn order(experiment: &ExperimentRecord) -> String {
    let repeat = &experiment.experiment.repeat;
    match repeat.order {
        Order::Abba => "forth and back (ABBA)".to_owned(),
        Order::Random => format!("random, seed {}", repeat.seed),
        Order::InOrder => "one after the other".to_owned(),
        Order::Duet => "duet".to_owned(),
    }
}

/// What a variant differs in, the names without the sections that they are in.
pub(super) fn differs(variant: &VariantRecord) -> String {
    let short = |name: &str| {
        let prefixes = ["server.settings.", "workload.options.", "data.options.", "server."];
        let stripped = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
        stripped.unwrap_or(name).to_owned()
    };
    let words = variant.differs.iter().map(|(name, value)| match is_secret(name) {
        true => format!("{} (not kept)", short(name)),
        false => format!("{} = {value}", short(name)),
    });
    match (variant.note.as_str(), words.collect::<Vec<_>>().join("; ")) {
        ("", words) if words.is_empty() => "–".to_owned(),
        ("", words) => words,
        (note, words) if words.is_empty() => note.to_owned(),
        (note, words) => format!("{note} ({words})"),
    }
}

/// Everything that the verdict does not rest on as it should: the caveats, then those of the
/// comparisons that they do not repeat.
pub(super) fn caveats(experiment: &ExperimentRecord) -> Vec<&str> {
    let mut caveats: Vec<&str> = experiment.caveats.iter().map(String::as_str).collect();
    for caveat in experiment.comparisons.iter().flat_map(|comparison| &comparison.caveats) {
        let told = caveats.iter().any(|other| other.contains(caveat.as_str()));
        if !told {
            caveats.push(caveat);
        }
    }
    caveats
}

/// The command that does it again.
pub(super) fn command(experiment: &ExperimentRecord) -> String {
    let mut words = vec!["myrig run".to_owned(), crate::reproduce::quoted(&experiment.origin)];
    if !experiment.experiment.scale.is_empty() {
        words.push(format!("--scale {}", crate::reproduce::quoted(&experiment.experiment.scale)));
    }
    for change in &experiment.overrides {
        let name = change.split('=').next().unwrap_or_default();
        if !is_secret(name) {
            words.push(format!("--set {}", crate::reproduce::quoted(change)));
        }
    }
    words.join(" ")
}

/// The experiment file, with what no report may show left out.
pub(super) fn file(experiment: &ExperimentRecord) -> String {
    let line = |line: &str| match line.split_once('=') {
        Some((name, _)) if is_secret(name.trim().trim_matches('"')) => {
            format!("{}= \"(not kept)\"", name)
        }
        _ => line.to_owned(),
    };
    experiment.file.lines().map(line).collect::<Vec<_>>().join("\n")
}
