//! From measured values to verdicts.

use super::{
    Better, COMPARISON_SCHEMA, Comparison, Design, Effect, Measured, Method, Metric, Options, Side,
    Verdict,
    caveats::drift,
    estimate::{ALPHA, Estimate, percent, quantile},
    evidence::{Evidence, logs},
    multiplicity::holm,
    outlier::outliers,
    sentence,
};

/// The level where there is no second opinion: a few values do not tell how far the noise is from
/// the normal distribution that Student's t takes for granted.
const ALPHA_ALONE: f64 = 0.04;
/// The level for a single run beside several of the other side. Its own noise is one draw from who
/// knows what tails: at 5%, skewed noise raised 7 false alarms in 100 in simulation.
const ALPHA_SINGLE: f64 = 0.01;

/// Compares a variant with a baseline, `names` in this order, in each of the metrics in `measured`.
/// Values must be positive. Caveats that only the runs' records can tell are added by
/// [`compare_runs`](super::compare_runs).
///
/// A difference is shown when the test's corrected p-value is small enough and the bootstrap's
/// interval leaves zero out too. The simulation in this module's tests has that raise a false alarm
/// in at most 5 cases of 100, whatever the design and the noise.
pub fn compare(
    names: (&str, &str),
    measured: &[Measured],
    design: Design,
    options: &Options,
) -> Comparison {
    let order = ordered(measured, options);
    let primary = order.first().map_or_else(String::new, |&(one, _)| one.metric.name.clone());
    let mut effects: Vec<(Effect, Evidence)> = order
        .iter()
        .map(|&(one, _)| {
            let evidence = Evidence::of(one, design);
            (effect(one, &evidence, options), evidence)
        })
        .collect();
    let judged: Vec<usize> = (0..order.len()).filter(|&place| order[place].1).collect();
    let tested: Vec<usize> =
        judged.iter().copied().filter(|&place| effects[place].0.p_value.is_some()).collect();
    let p_values: Vec<f64> = tested.iter().filter_map(|&place| effects[place].0.p_value).collect();
    for (&place, p_adjusted) in tested.iter().zip(holm(&p_values)) {
        effects[place].0.p_adjusted = Some(p_adjusted);
    }
    for (place, (effect, evidence)) in effects.iter_mut().enumerate() {
        effect.verdict = match judged.contains(&place) {
            true => verdict(effect),
            false => Verdict::NotJudged,
        };
        effect.runs_to_decide = runs_to_decide(effect, evidence, options);
        effect.sentence = sentence::of_effect(effect, design, tested.len(), options);
    }
    let effects: Vec<Effect> = effects.into_iter().map(|(effect, _)| effect).collect();
    let mut comparison = Comparison {
        schema: COMPARISON_SCHEMA.to_owned(),
        baseline: names.0.to_owned(),
        variant: names.1.to_owned(),
        design,
        regressions: regressions(&effects, options),
        primary,
        differences: Vec::new(),
        threshold_percent: options.threshold_percent,
        caveats: own_caveats(&effects, design),
        effects,
        sentence: String::new(),
    };
    comparison.mark();
    comparison
}

/// The metrics, the primary one first, and whether each is judged.
fn ordered<'a>(measured: &'a [Measured], options: &Options) -> Vec<(&'a Measured, bool)> {
    let is_judged = |metric: &Metric| match options.judged.is_empty() {
        true => metric.judged || Some(&metric.name) == options.primary.as_ref(),
        false => options.judged.contains(&metric.name),
    };
    let named = |name: &String| measured.iter().position(|one| one.metric.name == *name);
    let primary = options
        .primary
        .as_ref()
        .or(options.judged.first())
        .and_then(named)
        .or_else(|| measured.iter().position(|one| is_judged(&one.metric)))
        .unwrap_or_default();
    let mut order: Vec<(&Measured, bool)> =
        measured.iter().map(|one| (one, is_judged(&one.metric))).collect();
    if primary < order.len() {
        order[..=primary].rotate_right(1);
        order[0].1 = true;
    }
    order
}

fn effect(measured: &Measured, evidence: &Evidence, options: &Options) -> Effect {
    let (baseline, variant) = (side(&measured.baseline), side(&measured.variant));
    let estimate = evidence.estimate;
    let difference = match estimate {
        Some(estimate) => percent(estimate.log_ratio),
        None if baseline.mean > 0.0 => (variant.mean / baseline.mean - 1.0) * 100.0,
        None => 0.0,
    };
    let bootstrap = evidence
        .contrast
        .as_ref()
        .and_then(|contrast| contrast.bootstrap(options.resamples, options.seed));
    let bootstrap_ci95_percent = bootstrap.map(|(low, high)| (percent(low), percent(high)));
    let ci95_percent = estimate.map(|estimate| estimate.ci95_percent()).filter(is_finite);
    let agree = match (ci95_percent, bootstrap_ci95_percent) {
        (Some(one), Some(other)) => holds_zero(one) == holds_zero(other),
        _ => true,
    };
    let mut outliers_of_both = outliers(&measured.baseline);
    outliers_of_both.extend(outliers(&measured.variant));
    Effect {
        metric: measured.metric.clone(),
        baseline,
        variant,
        difference_percent: difference,
        ci95_percent,
        p_value: estimate.map(|estimate| estimate.p_value()),
        p_adjusted: None,
        method: evidence.method,
        bootstrap_ci95_percent,
        agree,
        smallest_detectable_percent: estimate
            .map(|estimate| estimate.smallest_detectable_percent())
            .filter(|percent| percent.is_finite()),
        runs_to_decide: None,
        outliers: outliers_of_both,
        verdict: Verdict::TooFew,
        sentence: String::new(),
    }
}

/// Number, geometric mean and its interval.
fn side(samples: &[super::Sample]) -> Side {
    let n = u32::try_from(samples.len()).unwrap_or(u32::MAX);
    let logs = logs(samples);
    if logs.is_empty() {
        return Side::default();
    }
    let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    let within = || {
        let sample = samples.first()?;
        let half_width = quantile(0.975, sample.effective_n - 1.0) * sample.std_err?;
        Some((sample.value - half_width, sample.value + half_width))
    };
    let ci95 = match super::contrast::Contrast::paired(logs).estimate() {
        Some(Estimate { log_ratio, std_err, freedom }) => {
            let half_width = quantile(0.975, freedom) * std_err;
            Some(((log_ratio - half_width).exp(), (log_ratio + half_width).exp()))
        }
        None => within(),
    };
    Side { n, mean, ci95: ci95.filter(is_finite), samples: samples.to_vec() }
}

fn verdict(effect: &Effect) -> Verdict {
    let Some(p_adjusted) = effect.p_adjusted else { return Verdict::TooFew };
    let single = (effect.baseline.n == 1) != (effect.variant.n == 1);
    let alpha = match (effect.bootstrap_ci95_percent, effect.method) {
        (Some(_), _) | (_, Some(Method::Seconds)) => ALPHA,
        _ if single => ALPHA_SINGLE,
        _ => ALPHA_ALONE,
    };
    let refused = effect.bootstrap_ci95_percent.is_some_and(holds_zero);
    if p_adjusted > alpha || refused {
        return Verdict::NoDifferenceShown;
    }
    match (effect.metric.better, effect.difference_percent > 0.0) {
        (Better::Higher, true) | (Better::Lower, false) => Verdict::Better,
        _ => Verdict::Worse,
    }
}

/// See [`Effect::runs_to_decide`].
fn runs_to_decide(effect: &Effect, evidence: &Evidence, options: &Options) -> Option<u32> {
    if effect.verdict != Verdict::NoDifferenceShown {
        return None;
    }
    let wanted = options.threshold_percent.unwrap_or(effect.difference_percent);
    if options.threshold_percent.is_some_and(|threshold| within(effect, threshold)) {
        return None;
    }
    let more = evidence.contrast.as_ref()?.more_needed((wanted / 100.0).ln_1p())?;
    // Where the power would do already, luck was against it, and one more is the least to ask.
    Some(more.max(1).saturating_mul(evidence.runs_a_value))
}

/// Whether the interval leaves no difference as large as `threshold` percent.
pub(super) fn within(effect: &Effect, threshold: f64) -> bool {
    effect.ci95_percent.is_some_and(|(low, high)| -threshold < low && high < threshold)
}

fn regressions(effects: &[Effect], options: &Options) -> Vec<String> {
    let threshold = options.threshold_percent.unwrap_or(0.0);
    let worse = |effect: &&Effect| {
        effect.verdict == Verdict::Worse && effect.difference_percent.abs() >= threshold
    };
    effects.iter().filter(worse).map(|effect| effect.metric.name.clone()).collect()
}

/// What the values themselves say against a clean verdict.
fn own_caveats(effects: &[Effect], design: Design) -> Vec<String> {
    let Some(primary) = effects.first() else {
        return vec!["The runs have no metric in common.".to_owned()];
    };
    let mut caveats = Vec::new();
    if primary.method == Some(Method::Seconds) {
        caveats.push(
            match design {
                Design::Duet => {
                    "Too few pairs to see how pairs differ from each other: the interval \
                             is of their seconds only."
                }
                _ => {
                    "One run a side: the noise between runs is not seen, and the interval, of \
                  seconds within them, is too narrow for a conclusion about more than these two."
                }
            }
            .to_owned(),
        );
    }
    if (primary.baseline.n == 1) != (primary.variant.n == 1) && design != Design::Duet {
        caveats.push("One side is a single run: the other side's spread stands for both.".into());
    }
    if design == Design::Blocks && primary.method != Some(Method::Paired) {
        caveats.push("Fewer than two whole blocks: the runs are taken as independent.".into());
    }
    if !matches!(design, Design::Duet) {
        caveats.extend(drift(&primary.baseline.samples));
    }
    caveats
}

fn holds_zero((low, high): (f64, f64)) -> bool {
    low <= 0.0 && 0.0 <= high
}

fn is_finite(interval: &(f64, f64)) -> bool {
    interval.0.is_finite() && interval.1.is_finite()
}
