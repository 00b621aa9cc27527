//! What write hints are worth to drives: the same writes with hints honoured and ignored.
//!
//! Both drives of a pair are given the very same writes, so that no noise between runs is in their
//! ratio; what varies is what the server happened to write in each run.

use crate::{
    record::{Amplification, RunRecord},
    statistics::Mean,
};

/// By how much write amplification is other with hints than without.
#[derive(Clone, Debug, PartialEq)]
pub struct HintEffect {
    /// What the drive is called.
    pub drive: String,
    /// The runs that it was seen in.
    pub runs: usize,
    /// Change of the factor, percent: the geometric mean over the runs. Less is better.
    pub percent: f64,
    /// 95% interval over the runs, percent; none of a single one.
    pub ci95_percent: Option<(f64, f64)>,
}

impl HintEffect {
    /// Of a drive's factors in each run, with hints honoured and ignored. None where no run has
    /// both.
    pub fn of(drive: &str, factors: impl IntoIterator<Item = [f64; 2]>) -> Option<Self> {
        let logs = factors.into_iter().map(|[with, without]| (with / without).ln());
        let logs: Vec<f64> = logs.filter(|log| log.is_finite()).collect();
        let mean = Mean::of_independent(&logs)?;
        let percent = |log: f64| log.exp_m1() * 100.0;
        Some(Self {
            drive: drive.to_owned(),
            runs: logs.len(),
            percent: percent(mean.value),
            ci95_percent: mean.ci95().map(|(low, high)| (percent(low), percent(high))),
        })
    }

    /// Whether the interval leaves out that hints are worth nothing.
    pub fn is_shown(&self) -> bool {
        self.ci95_percent.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }

    /// `-4.5% (95% interval -12.4% to +4.2%: not shown) on 7% spare, 1 MiB blocks`.
    fn words(&self) -> String {
        let interval = match self.ci95_percent {
            None => "one run: no interval".to_owned(),
            Some((low, high)) => {
                let shown = if self.is_shown() { "" } else { ": not shown" };
                format!("95% interval {low:+.1}% to {high:+.1}%{shown}")
            }
        };
        format!("{:+.1}% ({interval}) on {}", self.percent, self.drive)
    }
}

/// What hints are worth to each simulated drive, in these runs, in the order of the drives.
pub fn effects(runs: &[&RunRecord]) -> Vec<HintEffect> {
    let mut names: Vec<&str> = Vec::new();
    for drive in runs.iter().flat_map(|run| &run.amplification) {
        if drive.honours_hints == Some(true) && !names.contains(&drive.drive.as_str()) {
            names.push(&drive.drive);
        }
    }
    let of = |name: &str| HintEffect::of(name, runs.iter().filter_map(|run| factors(run, name)));
    names.into_iter().filter_map(of).collect()
}

/// The factors of a run's drive with hints honoured and ignored.
fn factors(run: &RunRecord, name: &str) -> Option<[f64; 2]> {
    let factor = |honours| {
        let is = |it: &&Amplification| it.drive == name && it.honours_hints == Some(honours);
        run.amplification.iter().find(is)?.measured(run).factor()
    };
    Some([factor(true)?, factor(false)?])
}

/// What hints are worth, in a sentence; none where no drive was simulated.
pub fn sentence(effects: &[HintEffect]) -> Option<String> {
    let all: Vec<String> = effects.iter().map(HintEffect::words).collect();
    (!all.is_empty())
        .then(|| format!("WAF of the same writes with hints against without: {}.", all.join("; ")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::record::{AmplificationRow, example};

    /// A run whose drives `a` and `b` wrote so much for 1000 bytes, with hints and without.
    fn run(media_bytes: [[u64; 2]; 2]) -> RunRecord {
        let mut run = example::record();
        let phase = run.phases.iter().find(|it| it.name == "measure").unwrap();
        let (from_s, until_s) = (phase.from_s, phase.until_s);
        let drive = |name: &str, honours: bool, media_bytes| Amplification {
            drive: name.to_owned(),
            honours_hints: Some(honours),
            rows: vec![AmplificationRow { from_s, until_s, host_bytes: 1000, media_bytes }],
            ..Amplification::default()
        };
        let pair = |(name, [with, without]): (&str, [u64; 2])| {
            [drive(name, true, with), drive(name, false, without)]
        };
        run.amplification = ["a", "b"].into_iter().zip(media_bytes).flat_map(pair).collect();
        run
    }

    #[test]
    fn what_hints_are_worth_is_paired_within_each_run() {
        let runs = [run([[1100, 1250], [1000, 2000]]), run([[2200, 2500], [1500, 1500]])];
        let found = effects(&runs.each_ref());
        let [a, b] = found.as_slice() else { panic!("{found:?}") };
        assert!((a.percent + 12.0).abs() < 1e-9 && a.is_shown() && a.runs == 2, "{a:?}");
        let (low, high) = a.ci95_percent.unwrap();
        assert!(low < -11.9 && high > -12.1 && high - low < 0.2, "whatever their levels are");
        assert!(!b.is_shown() && b.ci95_percent.unwrap().1 > 0.0, "{b:?}");
        let words = sentence(&found).unwrap();
        assert!(words.contains("-12.0% (95% interval -12.0% to -12.0%) on a; "), "{words}");
        assert!(words.contains(": not shown) on b."), "{words}");
    }

    #[test]
    fn a_run_without_data_has_no_part_in_it() {
        let mut idle = run([[1100, 1250], [1000, 2000]]);
        let good = idle.clone();
        idle.amplification[0].rows.clear();
        idle.amplification[3].rows[0].media_bytes = 0;
        let found = effects(&[&idle, &good]);
        assert_eq!([found[0].runs, found[1].runs], [1, 1], "{found:?}");
        assert_eq!((found[0].ci95_percent, found[0].is_shown()), (None, false));
        assert!(sentence(&found).unwrap().contains("-12.0% (one run: no interval) on a"));
        idle.amplification.clear();
        assert_eq!((effects(&[&idle]), sentence(&[])), (Vec::new(), None));
    }
}
