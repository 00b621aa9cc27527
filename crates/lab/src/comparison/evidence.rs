//! What the runs of one metric say, by the way in which they were made.

use super::{Design, Measured, Method, Sample, contrast::Contrast, duet, estimate::Estimate};
use std::collections::BTreeMap;

/// The estimate of one metric's difference and what more can be asked of its data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Evidence {
    pub(super) estimate: Option<Estimate>,
    /// What the estimate was made of; none where there is nothing to resample.
    pub(super) contrast: Option<Contrast>,
    pub(super) method: Option<Method>,
    /// How many runs on each side (pairs in a duet) one more value of each group stands for.
    pub(super) runs_a_value: u32,
}

impl Evidence {
    pub(super) fn of(measured: &Measured, design: Design) -> Self {
        match design {
            Design::Duet => duet::evidence(&measured.pairs),
            Design::Blocks => paired(measured).unwrap_or_else(|| independent(measured)),
            Design::Independent => independent(measured),
        }
    }

    pub(super) fn of_contrast(contrast: Contrast, method: Method, runs_a_value: u32) -> Self {
        let estimate = contrast.estimate();
        Self { estimate, contrast: Some(contrast), method: Some(method), runs_a_value }
    }

    pub(super) fn of_estimate(estimate: Option<Estimate>, method: Method) -> Self {
        let method = estimate.is_some().then_some(method);
        Self { estimate, contrast: None, method, runs_a_value: 1 }
    }
}

/// Blocks with runs of both sides; none with fewer than two of them.
fn paired(measured: &Measured) -> Option<Evidence> {
    let mut blocks: BTreeMap<u32, [Vec<f64>; 2]> = BTreeMap::new();
    for (side, samples) in [&measured.baseline, &measured.variant].into_iter().enumerate() {
        for sample in samples {
            if let Some(block) = sample.block {
                blocks.entry(block).or_default()[side].push(sample.value.ln());
            }
        }
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let whole = || blocks.values().filter(|block| block.iter().all(|side| !side.is_empty()));
    let ratios: Vec<f64> = whole().map(|[from, to]| mean(to) - mean(from)).collect();
    let runs: usize = whole().map(|[from, to]| from.len() + to.len()).sum();
    if ratios.len() < 2 {
        return None;
    }
    let runs_a_value = u32::try_from(runs.div_ceil(2 * ratios.len())).unwrap_or(u32::MAX);
    Some(Evidence::of_contrast(Contrast::paired(ratios), Method::Paired, runs_a_value))
}

fn independent(measured: &Measured) -> Evidence {
    let (from, to) = (logs(&measured.baseline), logs(&measured.variant));
    match (from.len(), to.len()) {
        (0, _) | (_, 0) => Evidence::default(),
        (1, 1) => within_runs(&measured.baseline[0], &measured.variant[0]),
        (1, _) => {
            let estimate = Estimate::one_against(from[0], &to);
            let turned = estimate.map(|it| Estimate { log_ratio: -it.log_ratio, ..it });
            Evidence::of_estimate(turned, Method::Welch)
        }
        (_, 1) => Evidence::of_estimate(Estimate::one_against(to[0], &from), Method::Welch),
        _ => Evidence::of_contrast(Contrast::welch(from, to), Method::Welch, 1),
    }
}

/// One run a side: what their seconds say.
fn within_runs(from: &Sample, to: &Sample) -> Evidence {
    let error = |sample: &Sample| {
        let relative = sample.std_err? / sample.value;
        (sample.effective_n >= 2.0).then_some((relative * relative, sample.effective_n - 1.0))
    };
    let log_ratio = (to.value / from.value).ln();
    let errors = error(from).zip(error(to));
    let estimate = errors.map(|(one, other)| Estimate::of_errors(log_ratio, &[one, other]));
    Evidence::of_estimate(estimate, Method::Seconds)
}

pub(super) fn logs(samples: &[Sample]) -> Vec<f64> {
    samples.iter().map(|sample| sample.value.ln()).collect()
}
