//! Which metrics the daemon has. docs/metrics.md lists them.

use super::report::{File, Report};
use crate::metrics::{Family, Sample, Type};
use streams::Lifetime;

/// A sample with its labels.
type Labelled = (Vec<(&'static str, String)>, f64);

/// All of them, as they are now.
pub(super) fn families(report: &Report) -> Vec<Family> {
    let one = |value: f64| vec![(Vec::new(), value)];
    let count = |value: u64| one(value as f64);
    let figures = &report.figures;
    let wrong = report.files.iter().filter(|file| file.is_wrong()).count();
    let missing = report.directories.iter().filter(|it| it.missing.is_some()).count();
    let unwatched: usize = report.directories.iter().map(|it| it.unwatched).sum();
    let rejected = if report.rules_error.is_some() { 1.0 } else { 0.0 };
    let hint = |name: &str, value: u64| (vec![("kind", name.to_owned())], value as f64);
    let outcome = |name: &str, value: u64| (vec![("outcome", name.to_owned())], value as f64);
    vec![
        family(
            "files",
            "Files that a rule matches, by the hint that they should have.",
            Type::Gauge,
            files(&report.files),
        ),
        family(
            "files_wrong",
            "Files that did not have their hint when last looked at.",
            Type::Gauge,
            one(wrong as f64),
        ),
        family(
            "directories_missing",
            "Directories to watch that are not there.",
            Type::Gauge,
            one(missing as f64),
        ),
        family(
            "directories_unwatched",
            "Directories that are read every few seconds, not watched.",
            Type::Gauge,
            one(unwatched as f64),
        ),
        family(
            "rules_rejected",
            "1 while rules that were read anew do not hold, else 0.",
            Type::Gauge,
            one(rejected),
        ),
        family(
            "hints_total",
            "Hints that were set: for the first time, again, or taken away.",
            Type::Counter,
            vec![
                hint("first", figures.set),
                hint("again", figures.set_again),
                hint("cleared", figures.cleared),
            ],
        ),
        family("checks_total", "Looks at files.", Type::Counter, count(figures.checks)),
        family(
            "failures_total",
            "Looks at files that failed.",
            Type::Counter,
            count(figures.failures),
        ),
        family("scans_total", "Directories that were read.", Type::Counter, count(figures.scans)),
        family(
            "overflows_total",
            "Times that the kernel lost events, after which all is looked at.",
            Type::Counter,
            count(figures.overflows),
        ),
        family(
            "reloads_total",
            "Times that rules were read anew, by how that ended.",
            Type::Counter,
            vec![outcome("taken", figures.reloads), outcome("rejected", figures.reloads_failed)],
        ),
        family("uptime_seconds", "How long the daemon has run.", Type::Gauge, one(report.uptime_s)),
    ]
}

fn family(name: &str, help: &str, kind: Type, samples: Vec<Labelled>) -> Family {
    let sample = |(labels, value)| Sample { suffix: "", labels, value };
    Family {
        name: format!("myrig_streams_{name}"),
        help: help.to_owned(),
        kind,
        samples: samples.into_iter().map(sample).collect(),
    }
}

fn files(files: &[File]) -> Vec<Labelled> {
    let count = |lifetime: &Lifetime| {
        let name = lifetime.name();
        let files = files.iter().filter(|file| file.wanted == name).count();
        (vec![("hint", name.to_owned())], files as f64)
    };
    Lifetime::ALL.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{exposition, faults};

    #[test]
    fn prometheus_finds_no_fault_with_them() {
        let file = |wanted: &str, real: Option<&str>| File {
            wanted: wanted.to_owned(),
            real: real.map(str::to_owned),
            ..File::default()
        };
        let files = vec![file("short", Some("short")), file("short", None)];
        let text = exposition(&families(&Report { files, ..Report::default() }));
        assert_eq!(faults(&text), Vec::<String>::new());
        assert!(text.contains("myrig_streams_files{hint=\"short\"} 2\n"), "{text}");
        assert!(text.contains("myrig_streams_files_wrong 1\n"), "{text}");
    }
}
