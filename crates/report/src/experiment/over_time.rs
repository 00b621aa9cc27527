//! Every trial on one axis of time: throughput, latency, and whatever was watched.

use super::{
    bins::{self, BINS_MAX},
    digest::Digest,
    trials::Trials,
};
use crate::{
    chart::{Chart, Curve, Key, Mark, Overlay, class, known_group, overlay},
    format,
};
use lab::experiment::{ExperimentRecord, TrialRecord};

/// Points of all lines of a chart together.
const POINTS_MAX: usize = 12_000;
/// Points of all lines of all charts of what was watched.
const WATCHED_POINTS_MAX: usize = 30_000;
/// Series of a group that are shown, the largest.
const SERIES_MAX: usize = 8;

/// Trials on a common axis.
pub(super) struct OverTime<'a> {
    experiment: &'a ExperimentRecord,
    /// Each with the index of its variant.
    runs: Vec<(usize, &'a TrialRecord, &'a Digest)>,
}

/// Charts of a group of watched series, a chart a series.
pub(super) struct Group {
    /// As the series name it.
    pub(super) name: String,
    pub(super) title: String,
    pub(super) charts: Vec<Chart>,
    /// Seen at once.
    pub(super) first: bool,
}

/// A value for each bin of a run.
type Values = Vec<Option<f64>>;

impl<'a> OverTime<'a> {
    pub(super) fn of(experiment: &'a ExperimentRecord, trials: &'a Trials) -> Self {
        let place = |name: &str| experiment.variants.iter().position(|it| it.name == name);
        let runs = trials.runs(experiment).filter_map(|(trial, digest)| {
            Some((place(&trial.variant)?, trial, digest)).filter(|(.., it)| it.end_s > 0.0)
        });
        Self { experiment, runs: runs.collect() }
    }

    /// The variants that have runs here, each with its place.
    pub(super) fn variants(&self) -> Vec<(usize, Key)> {
        let variants = self.experiment.variants.iter().enumerate();
        let some = variants.filter(|(index, _)| self.runs.iter().any(|(at, ..)| at == index));
        some.map(|(index, it)| (index, Key { class: class(index), name: it.name.clone() }))
            .collect()
    }

    fn legend(&self) -> Vec<Key> {
        self.variants().into_iter().map(|(_, key)| key).collect()
    }

    /// Committed transactions a second of every trial, and each variant's mean.
    pub(super) fn throughput(&self) -> Option<Chart> {
        let width_s = self.width_s(POINTS_MAX / self.runs.len().max(1));
        // A bin of a sliver of a second says nothing.
        let of = |digest: &Digest, times: usize| -> Values {
            bins::coarser(&digest.committed, times).iter().map(|bin| bin.mean(0.5)).collect()
        };
        let steady = self.runs.iter().filter_map(|(variant, trial, _)| {
            let at_s = trial.steady_from_s.filter(|at_s| at_s.is_finite())?;
            let at = format::instant(at_s);
            let words = format!("{}, trial {}: steady from {at}", trial.variant, trial.number);
            let (class, trial) = (class(*variant), trial.number);
            Some(Mark { at_s, class, variant: *variant, trial, words })
        });
        let marks: Vec<Mark> = steady.collect();
        let steady = match marks.is_empty() {
            true => "",
            false => " Short lines at the top: where a trial's throughput had become steady.",
        };
        overlay(Overlay {
            id: "throughput".to_owned(),
            title: "Committed transactions a second".to_owned(),
            caption: format!("{}{}{steady}", self.said(), joined(width_s)),
            unit: "1/s".to_owned(),
            marks,
            ..self.drawn(width_s, of)
        })
    }

    /// The 95th percentile of the first transaction type in every trial, and each variant's mean.
    pub(super) fn latency(&self) -> Option<Chart> {
        let width_s = self.width_s(POINTS_MAX / self.runs.len().max(1));
        let of = |digest: &Digest, times: usize| bins::worst(&digest.p95_ms, times);
        let first = &self.runs.first()?.2.first_type;
        let worst = if width_s > 1.0 { " The worst of these seconds is shown." } else { "" };
        overlay(Overlay {
            id: "latency".to_owned(),
            title: format!("Response time of {first}, p95"),
            caption: format!("{}{}{worst}", self.said(), joined(width_s)),
            unit: "ms".to_owned(),
            logarithmic: true,
            ..self.drawn(width_s, of)
        })
    }

    /// What was watched, a chart a series, each variant's mean; what is zero throughout is left
    /// out.
    pub(super) fn watched(&self) -> Vec<Group> {
        let mut names: Vec<(&str, &str)> = Vec::new();
        for watched in self.runs.iter().flat_map(|(.., digest)| &digest.watched) {
            if !names.contains(&(watched.group.as_str(), watched.name.as_str())) {
                names.push((&watched.group, &watched.name));
            }
        }
        let lines = names.len() * self.legend().len();
        let width_s = self.width_s((WATCHED_POINTS_MAX / lines.max(1)).clamp(40, 120));
        let mut groups: Vec<&str> = names.iter().map(|(group, _)| *group).collect();
        groups.sort_by_key(|group| known_group(group).map_or(0, |known| known.place + 1));
        groups.dedup();
        let shown = groups.into_iter().map(|group| {
            let of_group = names.iter().filter(|(of, _)| *of == group).map(|(_, name)| *name);
            self.group(group, &of_group.collect::<Vec<_>>(), width_s)
        });
        shown.filter(|group| !group.charts.is_empty()).collect()
    }

    fn group(&self, name: &str, series: &[&str], width_s: f64) -> Group {
        let known = known_group(name);
        let charts = series.iter().filter_map(|series| self.series(series, width_s));
        Group {
            name: name.to_owned(),
            title: known.map_or(name, |known| known.title).to_owned(),
            charts: charts.take(SERIES_MAX).collect(),
            // What this version has no words for was asked for by the experiment.
            first: known.is_none_or(|known| known.first),
        }
    }

    fn series(&self, name: &str, width_s: f64) -> Option<Chart> {
        let found = |digest: &'a Digest| digest.watched.iter().find(|it| it.name == name);
        let first = self.runs.iter().find_map(|(.., digest)| found(digest))?;
        let mut drawn = self.drawn(width_s, |digest, times| {
            let bins = found_in(digest, name).map_or(&[][..], |it| &it.bins);
            bins::coarser(bins, times).iter().map(|bin| bin.mean(0.0)).collect()
        });
        // Where a variant has a single trial there is no mean; the trial stands for it.
        let single = |index: usize| self.runs.iter().filter(|(at, ..)| *at == index).count() == 1;
        drawn.curves.retain(|curve| curve.trial.is_none() || single(curve.variant));
        for curve in &mut drawn.curves {
            curve.trial = None;
            curve.name.clone_from(&self.experiment.variants[curve.variant].name);
        }
        let id: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        overlay(Overlay {
            id: format!("watched-{id}"),
            title: first.label.clone(),
            unit: first.unit.clone(),
            wide: false,
            legend: Vec::new(),
            ..drawn
        })
    }

    /// The narrowest bins with which no run has more than `limit` of them.
    fn width_s(&self, limit: usize) -> f64 {
        let longest_s = self.runs.iter().map(|(.., digest)| digest.end_s).fold(0.0, f64::max);
        let widest_s = self.runs.iter().map(|(.., digest)| digest.width_s).fold(1.0, f64::max);
        bins::width_s(longest_s, limit.clamp(40, BINS_MAX)).max(widest_s)
    }

    /// A line a trial and, where there are several of a variant, one for their mean.
    fn drawn(&self, width_s: f64, of: impl Fn(&Digest, usize) -> Values) -> Overlay<'a> {
        let mut curves = Vec::new();
        let mut means = Vec::new();
        for (index, variant) in self.experiment.variants.iter().enumerate() {
            let runs = self.runs.iter().filter(|(at, ..)| *at == index);
            let all: Vec<(u32, Values)> = runs
                .map(|(_, trial, digest)| {
                    // Both widths are powers of two.
                    (trial.number, of(digest, (width_s / digest.width_s) as usize))
                })
                .collect();
            if all.len() > 1 {
                let values = mean(&all);
                let name = format!("{}, mean of {}", variant.name, all.len());
                means.push(Curve {
                    name,
                    class: class(index),
                    variant: index,
                    trial: None,
                    values,
                });
            }
            curves.extend(all.into_iter().map(|(number, values)| Curve {
                name: format!("{}, trial {number}", variant.name),
                class: class(index),
                variant: index,
                trial: Some(number),
                values,
            }));
        }
        curves.extend(means);
        Overlay {
            width_s,
            phases: self.runs.first().map_or(&[], |(.., digest)| &digest.phases),
            wide: true,
            curves,
            legend: self.legend(),
            ..Overlay::default()
        }
    }

    fn said(&self) -> String {
        let several = self.runs.len() > self.variants().len();
        let means = if several { " Thin: the trials. Thick: each variant's mean." } else { "" };
        format!("Every trial from the start of its ramp-up.{means}")
    }
}

fn found_in<'a>(digest: &'a Digest, name: &str) -> Option<&'a super::digest::Watched> {
    digest.watched.iter().find(|watched| watched.name == name)
}

fn joined(width_s: f64) -> String {
    match width_s {
        width_s if width_s <= 1.0 => String::new(),
        width_s => format!(" Each point stands for {}.", format::duration(width_s)),
    }
}

/// The mean of the runs in each bin, of those that have one.
fn mean(all: &[(u32, Values)]) -> Values {
    let longest = all.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    let at = |index: usize| {
        let values: Vec<f64> =
            all.iter().filter_map(|(_, values)| values.get(index).copied().flatten()).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    (0..longest).map(at).collect()
}
