//! One figure of several variants, a bar each.

use super::{
    Chart,
    axis::{Axis, round_up},
    frame::Frame,
    svg::{Rectangle, Svg, path, unit},
    throughput::class,
};
use crate::format;

const WIDTH: f64 = 1000.0;
const ROW: f64 = 30.0;

/// A bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) name: String,
    /// The variant's place, from 0.
    pub(crate) variant: usize,
    pub(crate) value: f64,
    pub(crate) ci95: Option<(f64, f64)>,
    /// The value of every trial.
    pub(crate) trials: Vec<f64>,
}

/// The chart; none where there is no bar above zero.
pub(crate) fn bars(id: &str, title: &str, unit_name: &str, all: &[Bar]) -> Option<Chart> {
    let highest = |bar: &Bar| bar.ci95.map_or(bar.value, |(_, high)| high.max(bar.value));
    let all: Vec<&Bar> = all.iter().filter(|bar| bar.value.is_finite()).collect();
    let most = all.iter().map(|bar| highest(bar)).filter(|it| it.is_finite()).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let longest = all.iter().map(|bar| bar.name.chars().count()).max().unwrap_or(0).min(30);
    let frame = Frame {
        left: 20.0 + 7.0 * longest as f64,
        right: WIDTH - 150.0,
        top: 12.0,
        bottom: 12.0 + ROW * all.len() as f64,
    };
    let across = Axis::linear(0.0, round_up(most), frame.left, frame.right);
    let amount = |value: f64| format::amount(value, unit_name);
    let told = all.iter().map(|bar| format!("{}: {}.", bar.name, amount(bar.value)));
    let description = told.collect::<Vec<_>>().join(" ");
    let mut svg = Svg::new(id, WIDTH, frame.bottom + 24.0, title, &description);
    for tick in across.ticks(6) {
        let x = unit(across.place(tick));
        let (y1, y2) = (unit(frame.top), unit(frame.bottom));
        svg.element(
            "line",
            &[("class", &"grid"), ("x1", &x), ("x2", &x), ("y1", &y1), ("y2", &y2)],
        );
        let y = unit(frame.bottom + 16.0);
        svg.text(&[("class", &"tick middle"), ("x", &x), ("y", &y)], &format::short(tick));
    }
    for (index, bar) in all.iter().enumerate() {
        draw(&mut svg, &frame, &across, bar, frame.top + ROW * index as f64);
    }
    Some(Chart {
        svg: svg.finish(),
        title: title.to_owned(),
        caption: "Bar: the mean of the trials. Whisker: its 95% interval. Dots: the trials."
            .to_owned(),
        legend: Vec::new(),
    })
}

fn draw(svg: &mut Svg, frame: &Frame, across: &Axis, bar: &Bar, top: f64) {
    let middle = top + ROW / 2.0;
    let name: String = bar.name.chars().take(30).collect();
    let (x, y) = (unit(frame.left - 10.0), unit(middle + 4.0));
    svg.text(&[("class", &"end strong"), ("x", &x), ("y", &y)], &name);
    let end = across.place(bar.value.max(0.0));
    svg.element(
        "rect",
        &[
            ("class", &format!("area {}", class(bar.variant))),
            ("x", &unit(frame.left)),
            ("y", &unit(top + 6.0)),
            ("width", &unit((end - frame.left).max(0.0))),
            ("height", &unit(ROW - 12.0)),
            ("data-variant", &bar.variant),
        ],
    );
    let trials = bar.trials.iter().filter(|value| value.is_finite() && bar.trials.len() > 1);
    for value in trials {
        let (cx, cy) = (unit(across.place(*value)), unit(middle));
        svg.element("circle", &[("class", &"run base"), ("cx", &cx), ("cy", &cy), ("r", &"3")]);
    }
    let mut beside = end;
    if let Some((low, high)) = bar.ci95.filter(|(low, high)| (low + high).is_finite()) {
        let (from, until) = (across.place(low), across.place(high));
        let d = path([Some((from, middle)), Some((until, middle))])
            + &path(
                [from, until]
                    .into_iter()
                    .flat_map(|x| [Some((x, middle - 4.0)), Some((x, middle + 4.0)), None]),
            );
        svg.element("path", &[("class", &"whisker ink"), ("d", &d)]);
        beside = beside.max(until);
    }
    let (x, y) = (unit(beside + 8.0), unit(middle + 4.0));
    let shown = format::figure(bar.value);
    svg.text(&[("class", &"strong"), ("x", &x), ("y", &y)], &shown);
    let interval = bar.ci95.map(|(low, high)| {
        format!("\n95% interval {} to {}", format::figure(low), format::figure(high))
    });
    let tip = format!("{}\n{shown}{}", bar.name, interval.unwrap_or_default());
    svg.tip("hit", Rectangle { x: 0.0, y: top, width: WIDTH, height: ROW }, &tip);
}
