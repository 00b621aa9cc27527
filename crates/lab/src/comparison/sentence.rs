//! Verdicts in words.

use super::{Better, Comparison, Design, Effect, Method, Options, Verdict, judge::within};

impl Comparison {
    /// The effect of the primary metric; none where the runs have no metric in common.
    pub fn primary_effect(&self) -> Option<&Effect> {
        self.effects.iter().find(|effect| effect.metric.name == self.primary)
    }

    /// Writes the sentence anew, after caveats were added.
    pub(super) fn mark(&mut self) {
        let mut sentence = match self.primary_effect() {
            Some(effect) => effect.sentence.clone(),
            None => "The runs have no metric in common.".to_owned(),
        };
        let others: Vec<&str> = self.others_worse().collect();
        if !others.is_empty() {
            sentence += &format!(" Worse: {}.", others.join(", "));
        }
        match self.caveats.len() {
            0 => {}
            1 => sentence += " Not a clean verdict: there is a caveat.",
            n => sentence += &format!(" Not a clean verdict: there are {n} caveats."),
        }
        self.sentence = sentence;
    }

    /// Metrics beside the primary one that became worse.
    fn others_worse(&self) -> impl Iterator<Item = &str> {
        let worse = |effect: &&Effect| {
            effect.verdict == Verdict::Worse && effect.metric.name != self.primary
        };
        self.effects.iter().filter(worse).map(|effect| effect.metric.name.as_str())
    }
}

/// The answer to one metric in words; `judged` is the number of metrics judged together.
pub(super) fn of_effect(
    effect: &Effect,
    design: Design,
    judged: usize,
    options: &Options,
) -> String {
    let name = &effect.metric.name;
    let runs = runs(effect, design);
    let difference = signed(effect.difference_percent);
    let Some(interval) = effect.ci95_percent.map(interval) else {
        return format!("{name}: {difference}, from too few runs to say anything ({runs}).");
    };
    match effect.verdict {
        Verdict::Better | Verdict::Worse => {
            let size = number(effect.difference_percent.abs());
            let sentence = format!("{name}: {} by {size}% ({interval}), {runs}", way(effect));
            match options.threshold_percent {
                Some(least) if effect.difference_percent.abs() < least => {
                    format!("{sentence}; that is below the threshold of {}%.", number(least))
                }
                _ => sentence + ".",
            }
        }
        Verdict::NoDifferenceShown => {
            let because = because(effect, judged);
            let decide = decide(effect, design, options);
            format!(
                "{name}: no difference shown: {difference} ({interval}), {runs}{because}{decide}"
            )
        }
        Verdict::NotJudged | Verdict::TooFew => {
            format!("{name}: {difference} ({interval}), {runs}; not judged.")
        }
    }
}

/// Faster or slower, shorter or longer, higher or lower.
fn way(effect: &Effect) -> &'static str {
    let up = effect.difference_percent > 0.0;
    let rate = matches!(effect.metric.unit.as_str(), "1/min" | "1/s");
    match (rate && effect.metric.better == Better::Higher, effect.metric.unit.as_str(), up) {
        (true, _, true) => "faster",
        (true, _, false) => "slower",
        (false, "ms", true) => "longer, which is worse,",
        (false, "ms", false) => "shorter, which is better,",
        (false, _, true) => "higher",
        (false, _, false) => "lower",
    }
}

fn runs(effect: &Effect, design: Design) -> String {
    let (from, to) = (effect.baseline.n, effect.variant.n);
    match (design, effect.method) {
        (Design::Duet, _) => format!("{to} {}", plural(to, "pair")),
        (_, Some(Method::Seconds)) => "one run a side".to_owned(),
        _ => format!("{to} {} against {from}", plural(to, "run")),
    }
}

/// Why a difference is not shown although its interval leaves zero out.
fn because(effect: &Effect, judged: usize) -> String {
    let zero_inside = effect.ci95_percent.is_none_or(|(low, high)| low <= 0.0 && 0.0 <= high);
    match (zero_inside, effect.agree, effect.bootstrap_ci95_percent) {
        (_, false, Some(bootstrap)) => {
            format!("; the bootstrap does not agree ({})", interval(bootstrap))
        }
        (true, ..) => String::new(),
        (false, ..) if judged > 1 => {
            format!("; by itself it would, but not among {judged} metrics")
        }
        (false, ..) => "; so few runs must leave less room for chance".to_owned(),
    }
}

/// What these runs could have seen, and how many more would decide.
fn decide(effect: &Effect, design: Design, options: &Options) -> String {
    let Some(smallest) = effect.smallest_detectable_percent else { return ".".to_owned() };
    let mut words = format!(". These would have found {}%", number(smallest));
    if let Some(threshold) = options.threshold_percent.filter(|least| within(effect, *least)) {
        words += &format!("; a difference of {}% can be ruled out", number(threshold));
    } else if let Some(more) = effect.runs_to_decide {
        let wanted = options.threshold_percent.unwrap_or(effect.difference_percent.abs());
        let what = match design {
            Design::Duet => format!("{more} more {}", plural(more, "pair")),
            _ => format!("{more} more {} a side", plural(more, "run")),
        };
        words += &format!("; {what} would decide about {}%", number(wanted));
    } else if effect.method != Some(Method::Seconds) {
        words += "; a difference as small as this would take more than a thousand runs";
    }
    words + "."
}

fn plural(count: u32, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// `-1.2% to 3.4%`.
pub(super) fn interval((low, high): (f64, f64)) -> String {
    format!("{} to {}", signed(low), signed(high))
}

/// `+3.21%`; a real minus is for the printed page, a hyphen for a terminal and a search.
pub(super) fn signed(percent: f64) -> String {
    let sign = if percent > 0.0 { "+" } else { "" };
    format!("{sign}{}%", number(percent))
}

/// Three digits or so.
fn number(percent: f64) -> String {
    match percent.abs() {
        size if size >= 99.95 => format!("{percent:.0}"),
        size if size >= 9.995 => format!("{percent:.1}"),
        size if size >= 0.0995 => format!("{percent:.2}"),
        _ => format!("{percent:.3}"),
    }
}
