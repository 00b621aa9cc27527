//! From an experiment's text to its plan, without touching anything.

use super::{
    capability::{self, storage},
    estimate::{estimates, kind_words, workload_words},
    library::Source,
    obstacle::{Findings, Site, findings},
};
use crate::{failure::Failure, output::Output, paths::Paths};
use lab::experiment::{
    Experiment, Plan,
    file::{FileError, Vocabulary, parse},
    plan,
    plan::Estimates,
    spec::Arm,
};
use std::path::Path;

/// An experiment that has been read and planned.
pub(super) struct Planned {
    /// What it means.
    pub(super) experiment: Experiment,
    /// Sizes and times that the plan goes by.
    pub(super) estimates: Estimates,
    /// Its steps.
    pub(super) plan: Plan,
    /// What this machine has to say to it.
    pub(super) findings: Findings,
}

/// Reads an experiment and plans it.
///
/// # Errors
/// The file, or what was typed over it, is at fault.
pub(super) fn planned(
    source: &Source,
    scale: Option<&str>,
    overrides: &[String],
    paths: &Paths,
    output: &Output,
) -> Result<Planned, Failure> {
    let variants = capability::variants(paths, Path::new(""), output);
    let experiment =
        parse(&source.text, &source.origin, scale, overrides, &vocabulary()).map_err(of_file)?;
    refuse_written(&experiment, overrides).map_err(|failure| failure.at(&source.origin))?;
    let estimates = estimates(&experiment).map_err(|failure| failure.at(&source.origin))?;
    let site = Site { paths, output, variants: &variants };
    Ok(Planned {
        plan: plan(&experiment, &estimates),
        findings: findings(&experiment, &estimates, &site),
        experiment,
        estimates,
    })
}

/// Which device may be destroyed is typed each time: a file could be anybody's.
fn refuse_written(experiment: &Experiment, overrides: &[String]) -> Result<(), Failure> {
    let is_typed = overrides.iter().any(|it| it.trim_start().starts_with(storage::KEY));
    let names = |arm: &Arm| {
        storage::Storage::of(arm).ok().flatten().is_some_and(|it| !it.destroy_data.is_empty())
    };
    match !is_typed && experiment.variants.iter().any(names) {
        false => Ok(()),
        true => {
            let (section, key) = (storage::KEY, storage::DESTROY);
            let words = "is said on the command line, --destroy-data DEVICE, and in no file";
            Err(anyhow::anyhow!("{section}.{key}: it {words}").into())
        }
    }
}

/// The experiment of a source at a scale, without a look at the machine.
///
/// # Errors
/// As for [`planned`].
pub(super) fn read(source: &Source, scale: Option<&str>) -> Result<(Experiment, Plan), Failure> {
    let words = vocabulary();
    let experiment = parse(&source.text, &source.origin, scale, &[], &words).map_err(of_file)?;
    let plan = plan(&experiment, &estimates(&experiment)?);
    Ok((experiment, plan))
}

fn vocabulary() -> Vocabulary {
    Vocabulary {
        workloads: workload_words(),
        kinds: kind_words(),
        sections: capability::sections(),
        measures: capability::measures(),
    }
}

/// What is wrong on the command line is wrong usage; what is wrong in a file is not.
fn of_file(error: FileError) -> Failure {
    if error.was_typed { Failure::usage(error) } else { error.into() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{
        super::{library::EMBEDDED, view},
        *,
    };
    use lab::experiment::file::scales;

    #[test]
    fn plans_look_as_they_did() {
        for (name, _) in EMBEDDED {
            for scale in ["laptop", "paper"] {
                let source = Source::embedded(name).unwrap();
                let (experiment, plan) = read(&source, Some(scale)).unwrap();
                let estimates = estimates(&experiment).unwrap();
                let findings = Findings::default();
                let text = view::text(&Planned { experiment, estimates, plan, findings });
                assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
                insta::assert_snapshot!(format!("{name}-{scale}"), text);
            }
        }
    }

    #[test]
    fn every_experiment_that_myrig_brings_along_can_be_planned_at_every_scale() {
        for (name, text) in EMBEDDED {
            let source = Source::embedded(name).unwrap();
            assert_eq!(scales(text, name).unwrap(), ["laptop", "paper"], "{name}");
            for scale in ["laptop", "paper"] {
                let (experiment, plan) = read(&source, Some(scale)).unwrap();
                assert_eq!((experiment.name.as_str(), experiment.scale.as_str()), (name, scale));
                assert!(!experiment.question.is_empty(), "{name} asks nothing");
                assert!(plan.trials > 0 && plan.expected_s > 0.0, "{name}");
            }
            let (_, laptop) = read(&source, None).unwrap();
            assert!(laptop.expected_s < 900.0, "{name} takes {} s on a laptop", laptop.expected_s);
        }
    }
}
