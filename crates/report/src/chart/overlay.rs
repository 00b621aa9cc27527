//! Several runs on one axis of time: a line each, and what they have in common. A script shows all
//! lines' values at one instant in every such chart; the values are in the drawing for it.

use super::{
    Chart, Key,
    axis::{Axis, round_up},
    frame::Frame,
    svg::{Svg, path, unit},
};
use crate::format;
use lab::record::Phase;
use std::fmt::Write as _;

/// A line.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    /// What it is called where it is pointed at.
    pub(crate) name: String,
    /// The colour.
    pub(crate) class: String,
    /// The variant that it belongs to, from 0.
    pub(crate) variant: usize,
    /// The trial that it is; none for a mean of several.
    pub(crate) trial: Option<u32>,
    /// A value for each bin; none for a gap.
    pub(crate) values: Vec<Option<f64>>,
}

/// An instant of one trial that is marked at the top.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) at_s: f64,
    pub(crate) class: String,
    pub(crate) variant: usize,
    pub(crate) trial: u32,
    pub(crate) words: String,
}

/// What is drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay<'a> {
    /// Unique in the page.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) caption: String,
    /// What the values count, `1/s`.
    pub(crate) unit: String,
    /// Width of a bin, seconds.
    pub(crate) width_s: f64,
    pub(crate) phases: &'a [Phase],
    /// Over the whole width of the page.
    pub(crate) wide: bool,
    /// On a logarithmic scale, in milliseconds.
    pub(crate) logarithmic: bool,
    pub(crate) curves: Vec<Curve>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) legend: Vec<Key>,
}

/// The chart; none where no line has a value above zero.
pub(crate) fn overlay(given: Overlay<'_>) -> Option<Chart> {
    let values = || given.curves.iter().flat_map(|curve| &curve.values).flatten().copied();
    let positive = || values().filter(|value| *value > 0.0 && value.is_finite());
    let most = positive().reduce(f64::max)?;
    let (width, height) = if given.wide { (1000.0, 320.0) } else { (500.0, 200.0) };
    let frame = Frame::of(width, height);
    let bins = given.curves.iter().map(|curve| curve.values.len()).max().unwrap_or(0);
    let until_s = bins as f64 * given.width_s;
    let time = Axis::linear(0.0, until_s, frame.left, frame.right);
    let scale = match given.logarithmic {
        true => {
            let least = positive().fold(f64::INFINITY, f64::min);
            Axis::logarithmic(least, most, frame.bottom, frame.top)
        }
        false => Axis::linear(0.0, round_up(most), frame.bottom, frame.top),
    };
    let mut svg = Svg::new(&given.id, width, height, &given.title, &description(&given));
    let text = if given.logarithmic { format::latency } else { format::short };
    frame.value_axis(&mut svg, &scale, text);
    frame.phases(&mut svg, &time, given.phases);
    for curve in &given.curves {
        line(&mut svg, &given, curve, &time, &scale);
    }
    marks(&mut svg, &given, &frame, &time);
    frame.time_axis(&mut svg, &time);
    plane(&mut svg, &given, &frame, until_s);
    let Overlay { title, caption, legend, .. } = given;
    Some(Chart { svg: svg.finish(), title, caption, legend })
}

fn line(svg: &mut Svg, given: &Overlay<'_>, curve: &Curve, time: &Axis, scale: &Axis) {
    let middle_s = |index: usize| (index as f64 + 0.5) * given.width_s;
    let drawable = |value: &f64| value.is_finite() && (!given.logarithmic || *value > 0.0);
    let points = curve.values.iter().enumerate().map(|(index, value)| {
        let value = value.filter(drawable)?;
        Some((time.place(middle_s(index)), scale.place(value)))
    });
    let d = path(points);
    let trial = curve.trial.map(|trial| trial.to_string()).unwrap_or_default();
    // A single trial has no mean that it could stand behind.
    let mut means = given.curves.iter().filter(|other| other.trial.is_none());
    let behind = curve.trial.is_some() && means.any(|mean| mean.variant == curve.variant);
    let kind = if behind { "trial " } else { "" };
    svg.element(
        "path",
        &[
            ("class", &format!("line {kind}{}", curve.class)),
            ("d", &d),
            ("data-name", &curve.name),
            ("data-variant", &curve.variant),
            ("data-trial", &trial),
            ("data-values", &packed(&curve.values)),
        ],
    );
}

/// The values for the script, four digits each; a gap is empty.
fn packed(values: &[Option<f64>]) -> String {
    let mut text = String::new();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        if let Some(value) = value.filter(|value| value.is_finite()) {
            let whole = (value.abs().log10().floor() as i32 + 1).clamp(-4, 4);
            let decimals = if value == 0.0 { 0 } else { (4 - whole) as usize };
            let _ = write!(text, "{value:.decimals$}");
        }
    }
    text
}

/// A short upright line at the top for each mark.
fn marks(svg: &mut Svg, given: &Overlay<'_>, frame: &Frame, time: &Axis) {
    for mark in &given.marks {
        let x = unit(time.place(mark.at_s));
        svg.titled(
            "line",
            &[
                ("class", &format!("steady {}", mark.class)),
                ("x1", &x),
                ("x2", &x),
                ("y1", &unit(frame.top)),
                ("y2", &unit(frame.top + 18.0)),
                ("data-variant", &mark.variant),
                ("data-trial", &mark.trial),
            ],
            &mark.words,
        );
    }
}

/// Where the script looks for the pointer, and what it needs to know of the axis.
fn plane(svg: &mut Svg, given: &Overlay<'_>, frame: &Frame, until_s: f64) {
    let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
    svg.element(
        "rect",
        &[
            ("class", &"plane"),
            ("x", &unit(frame.left)),
            ("y", &unit(frame.top)),
            ("width", &unit(width)),
            ("height", &unit(height)),
            ("data-until", &until_s),
            ("data-width", &given.width_s),
            ("data-unit", &given.unit),
        ],
    );
}

/// Mean and range of every line that stands for several trials, or of all where there is none.
fn description(given: &Overlay<'_>) -> String {
    let means = given.curves.iter().any(|curve| curve.trial.is_none());
    let told = given.curves.iter().filter(|curve| !means || curve.trial.is_none());
    let words = told.filter_map(|curve| {
        let values: Vec<f64> =
            curve.values.iter().flatten().copied().filter(|value| value.is_finite()).collect();
        let most = values.iter().copied().reduce(f64::max)?;
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let amount = |value| format::amount(value, &given.unit);
        let (mean, least, most) = (amount(mean), amount(least), amount(most));
        Some(format!("{}: {mean} on average, {least} to {most}.", curve.name))
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_four_digits_and_gaps_are_empty() {
        let values =
            [Some(12_345.678), None, Some(0.0), Some(0.012_345), Some(f64::NAN), Some(9.5)];
        assert_eq!(packed(&values), "12346,,0,0.01235,,9.500");
    }

    #[test]
    fn what_is_zero_throughout_is_not_drawn() {
        let curve = Curve {
            name: "a".into(),
            class: "c1".into(),
            variant: 0,
            trial: None,
            values: vec![Some(0.0), None, Some(f64::INFINITY)],
        };
        let given = |curve| Overlay { width_s: 1.0, curves: vec![curve], ..Overlay::default() };
        assert!(overlay(given(curve.clone())).is_none());
        let drawn = overlay(given(Curve { values: vec![Some(1.0), None, Some(3.0)], ..curve }));
        let svg = drawn.map(|chart| chart.svg).unwrap_or_default();
        assert!(svg.contains("data-values=\"1.000,,3.000\""), "{svg}");
        assert!(svg.contains("a: 2.000 on average, 1.000 to 3.000."), "{svg}");
    }
}
