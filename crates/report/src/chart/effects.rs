//! What became of each metric: a row each, with its intervals and every run.

use super::{
    Chart, Key,
    axis::Axis,
    frame::Frame,
    svg::{Rectangle, Svg, path, unit},
};
use crate::format;
use lab::comparison::{Comparison, Effect, Verdict};

const WIDTH: f64 = 1000.0;
/// Of a row.
const ROW: f64 = 46.0;
/// Room for the metric's name and for what it came to.
const SIDE: f64 = 190.0;
/// Judged metrics that are drawn; the table has all.
const ROWS_MAX: usize = 12;

/// The chart; none where nothing was compared. `number` tells it from others of the page.
pub(crate) fn effects(comparison: &Comparison, number: usize) -> Option<Chart> {
    let drawable = |effect: &&Effect| {
        effect.verdict != Verdict::NotJudged && effect.difference_percent.is_finite()
    };
    let rows: Vec<&Effect> = comparison.effects.iter().filter(drawable).take(ROWS_MAX).collect();
    if rows.is_empty() {
        return None;
    }
    let frame = Frame {
        left: SIDE,
        right: WIDTH - SIDE,
        top: 24.0,
        bottom: 24.0 + ROW * rows.len() as f64,
    };
    let (low, high) = bounds(comparison, &rows);
    let across = Axis::linear(low, high, frame.left, frame.right);
    let title = format!("{} against {}", comparison.variant, comparison.baseline);
    let sentences: Vec<&str> = rows.iter().map(|effect| effect.sentence.as_str()).collect();
    let id = format!("effects-{number}");
    let mut svg = Svg::new(&id, WIDTH, frame.bottom + 44.0, &title, &sentences.join(" "));
    grid(&mut svg, &frame, &across, comparison.threshold_percent);
    for (index, effect) in rows.iter().enumerate() {
        row(&mut svg, &frame, &across, effect, frame.top + ROW * (index as f64 + 0.5));
    }
    let band = match comparison.threshold_percent {
        Some(percent) => {
            format!(" Shaded: less than {}%, which was said not to matter.", format::short(percent))
        }
        None => String::new(),
    };
    let bootstrap = match rows.iter().any(|effect| effect.bootstrap_ci95_percent.is_some()) {
        true => "; thin line below it: the bootstrap's",
        false => "",
    };
    let caption = format!(
        "Difference to the mean of {}. Point and thick line: the estimate and its 95% interval\
         {bootstrap}. Hollow dots are the runs of {0}, full ones those of \
         {}; none is left out.{band}",
        comparison.baseline, comparison.variant
    );
    let key = |class: &str, name: &str| Key { class: class.to_owned(), name: name.to_owned() };
    Some(Chart {
        svg: svg.finish(),
        title: "Difference to the baseline, by metric".to_owned(),
        caption,
        legend: vec![
            key("better", "better"),
            key("worse", "worse"),
            key("undecided", "no difference shown"),
        ],
    })
}

/// From the least to the most of whatever is drawn, zero and the threshold among it.
fn bounds(comparison: &Comparison, rows: &[&Effect]) -> (f64, f64) {
    let mut values = vec![0.0];
    values.extend(comparison.threshold_percent.into_iter().flat_map(|it| [it, -it]));
    for effect in rows {
        values.push(effect.difference_percent);
        let intervals = [effect.ci95_percent, effect.bootstrap_ci95_percent];
        values.extend(intervals.into_iter().flatten().flat_map(|(low, high)| [low, high]));
        values.extend(runs(effect).map(|(percent, _, _)| percent));
    }
    values.retain(|value| value.is_finite());
    let low = values.iter().copied().fold(0.0, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    let room = (high - low).max(1.0) * 0.04;
    (low - room, high + room)
}

/// Every run's difference to the baseline's mean, percent, its id, and whether it is the variant's.
fn runs(effect: &Effect) -> impl Iterator<Item = (f64, &str, bool)> {
    let mean = effect.baseline.mean;
    let sides = [(&effect.baseline, false), (&effect.variant, true)];
    sides.into_iter().flat_map(move |(side, is_variant)| {
        let percent = move |value: f64| (value / mean - 1.0) * 100.0;
        side.samples.iter().map(move |it| (percent(it.value), it.run.as_str(), is_variant))
    })
}

fn grid(svg: &mut Svg, frame: &Frame, across: &Axis, threshold: Option<f64>) {
    if let Some(percent) = threshold.filter(|percent| percent.is_finite() && *percent > 0.0) {
        let (from, until) = (across.place(-percent), across.place(percent));
        let (y, height) = (frame.top, frame.bottom - frame.top);
        let at = Rectangle { x: from, y, width: until - from, height };
        svg.tip("ramp", at, &format!("less than {}%", format::short(percent)));
    }
    for tick in across.ticks(6) {
        let x = unit(across.place(tick));
        let class = if tick.abs() < 1e-9 { "zero" } else { "grid" };
        let (y1, y2) = (unit(frame.top), unit(frame.bottom));
        svg.element("line", &[("class", &class), ("x1", &x), ("x2", &x), ("y1", &y1), ("y2", &y2)]);
        let text = if tick.abs() < 1e-9 { "0".to_owned() } else { format!("{tick:+}%") };
        let y = unit(frame.bottom + 16.0);
        svg.text(&[("class", &"tick middle"), ("x", &x), ("y", &y)], &text);
    }
    let (x, y) = (unit((frame.left + frame.right) / 2.0), unit(frame.bottom + 34.0));
    svg.text(&[("class", &"note middle"), ("x", &x), ("y", &y)], "difference to the baseline");
}

fn row(svg: &mut Svg, frame: &Frame, across: &Axis, effect: &Effect, y: f64) {
    let class = match effect.verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::NoDifferenceShown | Verdict::TooFew | Verdict::NotJudged => "undecided",
    };
    let shown: String = effect.metric.name.chars().take(26).collect();
    let (name_y, name_x) = (unit(y + 4.0), unit(frame.left - 14.0));
    svg.text(&[("class", &"end strong"), ("x", &name_x), ("y", &name_y)], &shown);
    for (percent, run, is_variant) in runs(effect).filter(|(percent, ..)| percent.is_finite()) {
        let kind = if is_variant { format!("run {class}") } else { "run base".to_owned() };
        let outlier = effect.outliers.iter().find(|outlier| outlier.run == run);
        let why = outlier.map(|it| format!(", an outlier: {}", it.why)).unwrap_or_default();
        let (cx, cy) = (unit(across.place(percent)), unit(y - 13.0));
        let r = if outlier.is_some() { "4.5" } else { "3" };
        let at: [(&str, &dyn std::fmt::Display); 4] =
            [("class", &kind), ("cx", &cx), ("cy", &cy), ("r", &r)];
        svg.titled("circle", &at, &format!("{run}: {percent:+.1}%{why}"));
    }
    if let Some(interval) = finite(effect.bootstrap_ci95_percent) {
        span(svg, &format!("span thin {class}"), across, interval, y + 9.0);
    }
    if let Some(interval) = finite(effect.ci95_percent) {
        span(svg, &format!("span {class}"), across, interval, y);
    }
    let (cx, cy) = (unit(across.place(effect.difference_percent)), unit(y));
    let point = format!("point {class}");
    svg.element("circle", &[("class", &point), ("cx", &cx), ("cy", &cy), ("r", &"5.5")]);
    words(svg, frame, effect, y);
    let (x, width) = (0.0, WIDTH);
    svg.tip("hit", Rectangle { x, y: y - ROW / 2.0, width, height: ROW }, &tip(effect));
}

/// The estimate and its interval at the right.
fn words(svg: &mut Svg, frame: &Frame, effect: &Effect, y: f64) {
    let x = unit(frame.right + 14.0);
    let interval = finite(effect.ci95_percent)
        .map(|(low, high)| format!("{low:+.1}% to {high:+.1}%"))
        .unwrap_or_else(|| "too few runs".to_owned());
    let value = format!("{:+.1}%", effect.difference_percent);
    svg.text(&[("class", &"strong"), ("x", &x), ("y", &unit(y - 3.0))], &value);
    svg.text(&[("class", &"note"), ("x", &x), ("y", &unit(y + 13.0))], &interval);
}

fn tip(effect: &Effect) -> String {
    let mut lines = vec![effect.metric.name.clone()];
    let mean = |side: &lab::comparison::Side| {
        let runs = format::counted(u64::from(side.n), "run");
        format!("{} {} ({runs})", format::figure(side.mean), effect.metric.unit)
    };
    lines.push(format!("baseline: {}", mean(&effect.baseline)));
    lines.push(format!("variant: {}", mean(&effect.variant)));
    if let Some(percent) = effect.smallest_detectable_percent {
        lines.push(format!("smallest that could have been seen: {percent:.1}%"));
    }
    for outlier in &effect.outliers {
        lines.push(format!("outlier {}: {}", outlier.run, outlier.why));
    }
    lines.join("\n")
}

fn span(svg: &mut Svg, class: &str, across: &Axis, (low, high): (f64, f64), y: f64) {
    let (from, until) = (across.place(low), across.place(high));
    let d = path([Some((from, y)), Some((until, y))])
        + &path(
            [from, until].into_iter().flat_map(|x| [Some((x, y - 4.0)), Some((x, y + 4.0)), None]),
        );
    svg.element("path", &[("class", &class), ("d", &d)]);
}

fn finite(interval: Option<(f64, f64)>) -> Option<(f64, f64)> {
    interval.filter(|(low, high)| low.is_finite() && high.is_finite())
}
