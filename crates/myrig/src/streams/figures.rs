//! Which metrics the daemon has. docs/metrics.md lists them.

use super::report::{Figures, Files, Report};
use crate::metrics::{Family, Sample, Type};
use streams::Lifetime;

/// A sample with its labels.
type Labelled = (Vec<(&'static str, String)>, f64);

/// All of them, as they are now.
pub(super) fn families(report: &Report<Files<'_>>) -> Vec<Family> {
    gauges(report).into_iter().chain(counters(&report.figures)).collect()
}

fn gauges(report: &Report<Files<'_>>) -> Vec<Family> {
    let gauge = |name: &str, help: &str, value: usize| {
        family(name, help, Type::Gauge, vec![(Vec::new(), value as f64)])
    };
    let by_hint = "Files that a rule matches, by the hint that they should have.";
    let wrong = report.files.0.files().filter(|file| !file.is_right()).count();
    let missing = report.directories.iter().filter(|it| it.missing.is_some()).count();
    let unwatched = report.directories.iter().map(|it| it.unwatched).sum();
    let rejected = usize::from(report.rules_error.is_some());
    let uptime = vec![(Vec::new(), report.uptime_s)];
    vec![
        family("files", by_hint, Type::Gauge, files(report.files)),
        gauge("files_wrong", "Files that did not have their hint when last looked at.", wrong),
        gauge("directories_missing", "Directories to watch that are not there.", missing),
        gauge("directories_unwatched", "Directories that are read again and again.", unwatched),
        gauge("rules_rejected", "1 while rules that were read anew do not hold.", rejected),
        family("uptime_seconds", "How long the daemon has run.", Type::Gauge, uptime),
    ]
}

fn counters(figures: &Figures) -> Vec<Family> {
    let counter = |name: &str, help: &str, value: u64| {
        family(name, help, Type::Counter, vec![(Vec::new(), value as f64)])
    };
    let split = |name: &str, help: &str, label: &'static str, parts: &[(&str, u64)]| {
        let part = |(word, value): &(&str, u64)| (vec![(label, (*word).into())], *value as f64);
        family(name, help, Type::Counter, parts.iter().map(part).collect())
    };
    let hints =
        [("first", figures.set), ("again", figures.set_again), ("cleared", figures.cleared)];
    let set = "Hints that were set for the first time or again, or taken away.";
    let reloads = [("taken", figures.reloads), ("rejected", figures.reloads_failed)];
    vec![
        split("hints_total", set, "kind", &hints),
        counter("checks_total", "Looks at files.", figures.checks),
        counter("failures_total", "Looks at files that failed.", figures.failures),
        counter("scans_total", "Directories that were read.", figures.scans),
        counter("overflows_total", "Times that the kernel lost events.", figures.overflows),
        split("reloads_total", "Times that rules were read anew.", "outcome", &reloads),
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

fn files(files: Files<'_>) -> Vec<Labelled> {
    let count = |lifetime: &Lifetime| {
        let files = files.0.files().filter(|file| file.wanted == *lifetime).count();
        (vec![("hint", lifetime.name().to_owned())], files as f64)
    };
    Lifetime::ALL.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{exposition, faults};
    use streams::keeper::{FileStatus, Status, TargetStatus};

    #[test]
    fn prometheus_finds_no_fault_with_them() {
        let file = |real| FileStatus {
            path: "/a".into(),
            line: 1,
            wanted: Lifetime::Short,
            real,
            trouble: None,
            overruled: None,
        };
        let files = vec![file(Some(Lifetime::Short)), file(None)];
        let dir = "/".into();
        let target = TargetStatus { dir, missing: None, directories: 1, unwatched: vec![], files };
        let status = Status { targets: vec![target], ..Status::default() };
        let text = exposition(&families(&Report {
            schema: String::new(),
            running: true,
            version: String::new(),
            pid: 1,
            since: String::new(),
            uptime_s: 1.0,
            directories: Vec::new(),
            rules_error: None,
            figures: Figures::default(),
            files: Files(&status),
        }));
        assert_eq!(faults(&text), Vec::<String>::new());
        assert!(text.contains("myrig_streams_files{hint=\"short\"} 2\n"), "{text}");
        assert!(text.contains("myrig_streams_files_wrong 1\n"), "{text}");
    }
}
