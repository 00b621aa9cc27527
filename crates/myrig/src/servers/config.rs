//! `myrig server config`: one configuration for every version; and its part in `server init`.

use super::{find, size, waiting};
use crate::{
    args::ConfigArgs,
    failure::{Failure, Status},
    output::Output,
};
use host::{Resources, Root};
use serde_json::{Value, json};
use server::{
    Home, Release, Settings,
    config::{
        ConfigError, Fate, FateKind, For, Given, OptionFile, PassedOver, Place, SettingValue,
        Target, Translation,
    },
    sizing::Fitted,
};
use std::{fs, path::PathBuf};

pub(super) fn run(args: &ConfigArgs, home: &Home, output: &Output) -> Result<Status, Failure> {
    if args.files.is_empty() && args.settings.is_empty() && args.from.is_none() {
        return Err(Failure::usage("give option files, or settings with --set NAME=VALUE"));
    }
    let target = match args.target {
        Some(target) => target,
        None => {
            let found = waiting("looking for a server", find(&args.installation, home), output)?;
            Target::of(found.release())
        }
    };
    let read = read(&args.files, &args.settings, args.from.unwrap_or(target))?;
    let mut translation =
        Translation::of(&read.given, target, args.from, For::AnyServer).map_err(refused)?;
    let fitted = if args.fit { fit(&mut translation, home, output) } else { Vec::new() };
    let text = translation.render(args.explain);
    if let Some(path) = &args.output {
        write(path, &args.files, &text)?;
    }
    let shown = if args.output.is_some() { "" } else { &text };
    let mut value = value(&translation, &read.passed_over, &text);
    let told =
        |it: &Fitted| json!({ "name": it.name, "from": it.from, "to": it.to, "why": it.why });
    value["fitted"] = fitted.iter().map(told).collect();
    output.result(&value, shown)?;
    summarise(&translation, &read.passed_over, args.explain, output);
    Ok(Status::Good)
}

/// Makes what this machine cannot hold smaller, and says what.
fn fit(translation: &mut Translation, home: &Home, output: &Output) -> Vec<Fitted> {
    let Target { flavour, version } = translation.target;
    let release = Release { flavour, version, full: version.to_string() };
    let mut settings = translation.instance_settings();
    let resources = Resources::of(&Root::real(), home.servers());
    let all = size::fit(&mut settings, &release, &resources, output);
    for fitted in &all {
        let found = translation.settings.iter_mut().find(|it| it.name == fitted.name);
        if let Some(setting) = found {
            setting.value = SettingValue::Text(fitted.to.clone());
        }
    }
    all
}

/// The settings of option files, and those of the command line over them, for an instance of a
/// release; what became of them is told beside the result.
pub(super) fn for_instance(
    files: &[PathBuf],
    settings: &[(String, String)],
    release: &Release,
    explain: bool,
    output: &Output,
) -> Result<Settings, Failure> {
    let target = Target::of(release);
    let read = read(files, settings, target)?;
    let translation = Translation::of(&read.given, target, None, For::Instance).map_err(refused)?;
    if explain {
        let told = translation.fates.iter().filter(|fate| fate.kind != FateKind::Kept);
        told.for_each(|fate| output.note(&fate.sentence()));
    }
    summarise(&translation, &read.passed_over, explain, output);
    Ok(translation.instance_settings())
}

/// Option files one after the other, then the settings of the command line. `from` says which
/// sections such as `[mysqld-8.4]` are for the server that they were written for.
fn read(
    files: &[PathBuf],
    settings: &[(String, String)],
    from: Target,
) -> Result<OptionFile, Failure> {
    let series = format!("{}.{}", from.version.major, from.version.minor);
    let mut all = OptionFile::default();
    for file in files {
        let read = OptionFile::read(file, &series)?;
        all.given.extend(read.given);
        all.passed_over.extend(read.passed_over);
    }
    let given = |(name, value): &(String, String)| Given::argument("--set", name, value);
    all.given.extend(settings.iter().map(given));
    Ok(all)
}

/// What is wrong on the command line is wrong usage; what is wrong in a file is not.
fn refused(error: ConfigError) -> Failure {
    match &error {
        ConfigError::Line { place: Place::Argument(_), .. }
        | ConfigError::Unknown { place: Place::Argument(_), .. }
        | ConfigError::Value { place: Place::Argument(_), .. } => Failure::usage(error),
        _ => error.into(),
    }
}

fn write(path: &PathBuf, files: &[PathBuf], text: &str) -> Result<(), Failure> {
    let same = |file: &&PathBuf| file.canonicalize().ok() == path.canonicalize().ok();
    if path.exists() && files.iter().any(|file| same(&file)) {
        let path = path.display();
        return Err(Failure::usage(format!("--output {path} would replace what is carried over")));
    }
    fs::write(path, text)
        .map_err(|error| anyhow::anyhow!("cannot write --output {}: {error}", path.display()))?;
    Ok(())
}

/// One line on what became of the settings, and one on what was not read at all.
fn summarise(
    translation: &Translation,
    passed_over: &[PassedOver],
    explain: bool,
    output: &Output,
) {
    let counts = translation.counts().into_iter();
    let mut words: Vec<_> =
        counts.map(|(kind, count)| format!("{count} {}", kind.word())).collect();
    if !translation.differing.is_empty() {
        words.push(format!("{} other defaults", translation.differing.len()));
    }
    if let Some(newest) = translation.target.newer_than() {
        let target = translation.target;
        output.note(&format!("{target} is newer than {newest}, the last that the table knows"));
    }
    let more = if explain { "" } else { "; --explain says why" };
    output.note(&format!("{}: {}{more}", translation.target, words.join(", ")));
    let sections = passed_over.iter().filter(|section| section.settings > 0);
    let sections: Vec<_> = sections.map(|it| format!("[{}]", it.section)).collect();
    if !sections.is_empty() {
        output.note(&format!("not for this server: {}", sections.join(", ")));
    }
}

/// `myrig.server-config/1`.
fn value(translation: &Translation, passed_over: &[PassedOver], text: &str) -> Value {
    let settings = translation.settings.iter().map(|setting| {
        let value = match &setting.value {
            SettingValue::Text(value) => Some(value.as_str()),
            SettingValue::Bare | SettingValue::Off => None,
        };
        json!({ "name": setting.name, "value": value, "line": setting.line() })
    });
    let passed_over = passed_over.iter().map(|section| {
        let (file, line) = place(&section.place);
        json!({
            "section": section.section, "file": file, "line": line, "settings": section.settings
        })
    });
    json!({
        "schema": "myrig.server-config/1",
        "target": server(&translation.target),
        "from": translation.from.as_ref().map(server),
        "settings": settings.collect::<Vec<_>>(),
        "fates": translation.fates.iter().map(fate).collect::<Vec<_>>(),
        "defaults": translation.differing,
        "passed_over": passed_over.collect::<Vec<_>>(),
        "text": text,
    })
}

fn server(target: &Target) -> Value {
    json!({ "flavour": target.flavour.to_string(), "version": target.version.to_string() })
}

fn fate(fate: &Fate) -> Value {
    let (file, line) = place(&fate.given.place);
    json!({
        "option": fate.option,
        "given": fate.given.text(),
        "file": file,
        "line": line,
        "fate": fate.kind,
        "carried_by": fate.carried_by,
        "why": fate.why,
        "source": fate.source,
    })
}

fn place(place: &Place) -> (Option<String>, Option<usize>) {
    match place {
        Place::File { path, line } => (Some(path.display().to_string()), Some(*line)),
        Place::Argument(_) => (None, None),
    }
}
