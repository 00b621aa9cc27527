//! Sweeps of several variants in one chart, with the peak and the knee of each.

use super::{
    Chart, Key,
    axis::{Axis, round_up},
    frame::Frame,
    svg::{Rectangle, Svg, path, unit},
    throughput::class,
};
use crate::{format, sweep::words};
use lab::sweep::{SweepRecord, SweepStep};

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 360.0;
/// Room between the outermost steps and the edges of the frame.
const INSET: f64 = 26.0;

/// A variant's sweep; of several, their mean.
#[derive(Clone, Debug)]
pub(crate) struct Scaling {
    pub(crate) name: String,
    /// The variant's place, from 0.
    pub(crate) variant: usize,
    pub(crate) sweep: SweepRecord,
}

/// The chart; none where no step has a figure.
pub(crate) fn scaling(all: &[Scaling]) -> Option<Chart> {
    let steps = || all.iter().flat_map(|one| one.sweep.steps.iter().map(move |step| (one, step)));
    let figure = steps().find_map(|(_, step)| step.figure())?.name.clone();
    let unit_name = all.first()?.sweep.varied.unit();
    let top = |step: &SweepStep| {
        let value = step.figure().map(|figure| figure.value)?;
        Some(step.interval().map_or(value, |(_, high)| high.max(value))).filter(|it| it.is_finite())
    };
    let most = steps().filter_map(|(_, step)| top(step)).reduce(f64::max)?;
    let mut at: Vec<f64> = steps().map(|(one, step)| one.sweep.value(step)).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    let frame = Frame::of(WIDTH, HEIGHT);
    let (from, until) = (frame.left + INSET, frame.right - INSET);
    let (low, high) = (*at.first()?, *at.last()?);
    let across = match high >= low * 6.0 {
        true => Axis::ratio(low, high, from, until),
        false => Axis::linear(low, high, from, until),
    };
    let scale = Axis::linear(0.0, round_up(most), frame.bottom, frame.top);
    let title = format!("Throughput against {unit_name}, {figure}");
    let told = |one: &Scaling| format!("{}: {}", one.name, words::peak(&one.sweep));
    let description = all.iter().map(told).collect::<Vec<_>>().join(" ");
    let mut svg = Svg::new("scaling", WIDTH, HEIGHT, &title, &description);
    frame.value_axis(&mut svg, &scale, format::short);
    for one in all {
        line(&mut svg, one, &across, &scale);
    }
    numbers(&mut svg, &frame, &across, &at, unit_name);
    tips(&mut svg, &frame, &across, &at, all);
    let key = |one: &Scaling| Key { class: class(one.variant), name: one.name.clone() };
    Some(Chart {
        svg: svg.finish(),
        title,
        caption: "Large dot: the peak. Square: the knee, where throughput over response time is \
                  greatest. Whiskers: 95% intervals, between sweeps where there are several, \
                  otherwise within the run."
            .to_owned(),
        legend: all.iter().map(key).collect(),
    })
}

fn line(svg: &mut Svg, one: &Scaling, across: &Axis, scale: &Axis) {
    let colour = class(one.variant);
    let place = |step: &SweepStep| {
        let value = step.figure().map(|figure| figure.value).filter(|value| value.is_finite())?;
        Some((across.place(one.sweep.value(step)), scale.place(value)))
    };
    let d = path(one.sweep.steps.iter().map(place));
    let owner: (&str, &dyn std::fmt::Display) = ("data-variant", &one.variant);
    svg.element("path", &[("class", &format!("line {colour}")), ("d", &d), owner]);
    let peak = one.sweep.peak.as_ref().map(|peak| peak.step);
    let knee = one.sweep.knee.as_ref().map(|knee| knee.step);
    for (index, step) in one.sweep.steps.iter().enumerate() {
        let Some((x, y)) = place(step) else { continue };
        let interval = step.interval().filter(|(low, high)| (low + high).is_finite());
        if let Some((low, high)) = interval {
            let d = path([Some((x, scale.place(low))), Some((x, scale.place(high)))]);
            svg.element("path", &[("class", &format!("whisker {colour}")), ("d", &d), owner]);
        }
        let (cx, cy) = (unit(x), unit(y));
        let r = if peak == Some(index) { "7" } else { "3.5" };
        let dot = format!("dot {colour}");
        svg.element("circle", &[("class", &dot), ("cx", &cx), ("cy", &cy), ("r", &r), owner]);
        if knee == Some(index) {
            let (x, y) = (unit(x - 6.0), unit(y - 6.0));
            let square = format!("knee {colour}");
            svg.element(
                "rect",
                &[("class", &square), ("x", &x), ("y", &y), ("width", &12), ("height", &12), owner],
            );
        }
    }
}

fn numbers(svg: &mut Svg, frame: &Frame, across: &Axis, at: &[f64], unit_name: &str) {
    let mut free_from = f64::NEG_INFINITY;
    for value in at {
        let x = across.place(*value);
        if x >= free_from {
            free_from = x + 34.0;
            let y = unit(frame.bottom + 16.0);
            let text = format::short(*value);
            svg.text(&[("class", &"tick middle"), ("x", &unit(x)), ("y", &y)], &text);
        }
    }
    let (x, y) = (unit((frame.left + frame.right) / 2.0), unit(frame.bottom + 33.0));
    svg.text(&[("class", &"note middle"), ("x", &x), ("y", &y)], unit_name);
}

/// Columns from half-way to half-way that tell all variants' values.
fn tips(svg: &mut Svg, frame: &Frame, across: &Axis, at: &[f64], all: &[Scaling]) {
    let places: Vec<f64> = at.iter().map(|value| across.place(*value)).collect();
    for (index, value) in at.iter().enumerate() {
        let half_way = |other: Option<&f64>, edge: f64| {
            other.map_or(edge, |other| (other + places[index]) / 2.0)
        };
        let before = index.checked_sub(1).and_then(|before| places.get(before));
        let from = half_way(before, frame.left);
        let width = (half_way(places.get(index + 1), frame.right) - from).max(0.0);
        let told = all.iter().filter_map(|one| {
            let step = one.sweep.steps.iter().find(|step| one.sweep.value(step) == *value)?;
            let figure = step.figure()?;
            let p95 = format::ms(step.response.p95_ms);
            let value = format::figure(figure.value);
            Some(format!("{}: {value} {}, p95 {p95} ms", one.name, figure.name))
        });
        let words = told.collect::<Vec<_>>().join("\n");
        let (y, height) = (frame.top, frame.bottom - frame.top);
        let unit_name = all.first().map_or("", |one| one.sweep.varied.unit());
        let tip = format!("{} {unit_name}\n{words}", format::short(*value));
        svg.tip("hit", Rectangle { x: from, y, width, height }, &tip);
    }
}
