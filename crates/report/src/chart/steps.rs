//! Charts over the steps of a sweep: throughput with its intervals, latencies, processors.

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
const HEIGHT: f64 = 340.0;
/// Room between the outermost steps and the edges of the frame.
const INSET: f64 = 26.0;
/// Steps that are so many times apart in all stand at equal ratios.
const RATIO_MIN: f64 = 6.0;
/// Room that the number below a step takes.
const TICK_ROOM: f64 = 34.0;

/// The value of a step; none where it has none.
type Value<'a> = Box<dyn Fn(&SweepStep) -> Option<f64> + 'a>;

/// What a line of a chart shows.
struct Line<'a> {
    name: String,
    class: String,
    of: Value<'a>,
}

/// A chart in the making: the axis of steps and the frame around it.
struct Steps<'a> {
    sweep: &'a SweepRecord,
    frame: Frame,
    across: Axis,
}

impl<'a> Steps<'a> {
    fn new(sweep: &'a SweepRecord) -> Self {
        let frame = Frame::of(WIDTH, HEIGHT);
        let values = || sweep.steps.iter().map(|step| sweep.value(step));
        let (low, high) = values().fold((f64::INFINITY, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
        let (from, until) = (frame.left + INSET, frame.right - INSET);
        let across = match high >= low * RATIO_MIN {
            true => Axis::ratio(low, high, from, until),
            false => Axis::linear(low, high, from, until),
        };
        Self { sweep, frame, across }
    }

    fn x(&self, step: &SweepStep) -> f64 {
        self.across.place(self.sweep.value(step))
    }

    /// Numbers below the steps, as many as have room, and what they count.
    fn axis(&self, svg: &mut Svg) {
        let mut free_from = f64::NEG_INFINITY;
        for step in &self.sweep.steps {
            let x = self.x(step);
            if x >= free_from {
                free_from = x + TICK_ROOM;
                svg.text(
                    &[
                        ("class", &"tick middle"),
                        ("x", &unit(x)),
                        ("y", &unit(self.frame.bottom + 16.0)),
                    ],
                    &format::short(self.sweep.value(step)),
                );
            }
        }
        let middle = (self.frame.left + self.frame.right) / 2.0;
        svg.text(
            &[
                ("class", &"note middle"),
                ("x", &unit(middle)),
                ("y", &unit(self.frame.bottom + 33.0)),
            ],
            self.sweep.varied.unit(),
        );
    }

    /// Upright lines where peak and knee are, named above the frame.
    fn marks(&self, svg: &mut Svg) {
        let peak = self.sweep.peak.as_ref().map(|peak| peak.step);
        let knee = self.sweep.knee.as_ref().map(|knee| knee.step);
        let marks = match (peak, knee) {
            (Some(peak), Some(knee)) if peak == knee => vec![(peak, "peak and knee")],
            (peak, knee) => [peak.map(|at| (at, "peak")), knee.map(|at| (at, "knee"))]
                .into_iter()
                .flatten()
                .collect(),
        };
        for (at, name) in marks {
            let Some(step) = self.sweep.steps.get(at) else { continue };
            let x = unit(self.x(step));
            let (y1, y2) = (unit(self.frame.top - 4.0), unit(self.frame.bottom));
            svg.element(
                "line",
                &[("class", &"mark"), ("x1", &x), ("x2", &x), ("y1", &y1), ("y2", &y2)],
            );
            let y = unit(self.frame.top - 9.0);
            svg.text(&[("class", &"note middle strong"), ("x", &x), ("y", &y)], name);
        }
    }

    fn lines(&self, svg: &mut Svg, scale: &Axis, lines: &[Line<'_>]) {
        for line in lines {
            let point =
                |step: &SweepStep| Some((self.x(step), scale.place(finite((line.of)(step)?)?)));
            let points: Vec<_> = self.sweep.steps.iter().map(point).collect();
            let d = path(points.iter().copied());
            svg.element("path", &[("class", &format!("line {}", line.class)), ("d", &d)]);
            for (x, y) in points.into_iter().flatten() {
                let class = format!("dot {}", line.class);
                svg.element(
                    "circle",
                    &[("class", &class), ("cx", &unit(x)), ("cy", &unit(y)), ("r", &"3.5")],
                );
            }
        }
    }

    /// Columns, from half-way to half-way, that tell a step's values where they are pointed at.
    fn tips(&self, svg: &mut Svg, tip: impl Fn(&SweepStep) -> String) {
        let places: Vec<f64> = self.sweep.steps.iter().map(|step| self.x(step)).collect();
        for (index, step) in self.sweep.steps.iter().enumerate() {
            let half_way = |other: Option<&f64>, edge| {
                other.map_or(edge, |other| (other + places[index]) / 2.0)
            };
            let before = index.checked_sub(1).and_then(|before| places.get(before));
            let from = half_way(before, self.frame.left);
            let until = half_way(places.get(index + 1), self.frame.right);
            let (y, height) = (self.frame.top, self.frame.bottom - self.frame.top);
            let at = Rectangle { x: from, y, width: (until - from).max(0.0), height };
            svg.tip("hit", at, &format!("{}\n{}", words::at(self.sweep, step), tip(step)));
        }
    }

    fn whisker(&self, svg: &mut Svg, step: &SweepStep, low: f64, high: f64) {
        let x = self.x(step);
        let d = path([Some((x, low)), Some((x, high))])
            + &path(
                [low, high]
                    .into_iter()
                    .flat_map(|y| [Some((x - 5.0, y)), Some((x + 5.0, y)), None]),
            );
        svg.element("path", &[("class", &"whisker c1"), ("d", &d)]);
    }
}

/// The headline figure of each step with its interval; none where no step has one.
pub(crate) fn throughput_over_steps(sweep: &SweepRecord) -> Option<Chart> {
    let figure = sweep.steps.iter().find_map(SweepStep::figure)?;
    let high = |step: &SweepStep| {
        step.interval().map(|(_, high)| high).or_else(|| step.figure().map(|figure| figure.value))
    };
    let most = sweep.steps.iter().filter_map(high).fold(0.0, f64::max);
    let steps = Steps::new(sweep);
    let scale = Axis::linear(0.0, round_up(most), steps.frame.bottom, steps.frame.top);
    let title = format!("Throughput, {}", figure.name);
    let mut svg = Svg::new("throughput", WIDTH, HEIGHT, &title, &words::peak(sweep));
    steps.frame.value_axis(&mut svg, &scale, format::short);
    steps.marks(&mut svg);
    let value = |step: &SweepStep| step.figure().map(|figure| figure.value);
    let line = Line { name: figure.name.clone(), class: class(0), of: Box::new(value) };
    steps.lines(&mut svg, &scale, &[line]);
    for step in &sweep.steps {
        let interval = step.interval().filter(|(low, high)| (low + high).is_finite());
        if let Some((low, high)) = interval {
            steps.whisker(&mut svg, step, scale.place(low), scale.place(high));
        }
    }
    steps.axis(&mut svg);
    steps.tips(&mut svg, |step| words::figures(step).join("\n"));
    let caption = "Each point is a run of its own; whiskers are 95% intervals of the mean over \
                   its measured seconds. Noise between runs is not in them.";
    Some(Chart {
        svg: svg.finish(),
        title,
        caption: caption.to_owned(),
        legend: vec![Key { class: class(0), name: figure.name.clone() }],
    })
}

/// Percentiles of the response time of all types together; none where nothing ended.
pub(crate) fn percentiles_over_steps(sweep: &SweepRecord) -> Option<Chart> {
    let line = |index: usize, name: &str, of: fn(&SweepStep) -> f64| Line {
        name: name.to_owned(),
        class: format!("q{}", index + 1),
        of: Box::new(move |step| Some(of(step)).filter(|ms| *ms > 0.0)),
    };
    let lines = [
        line(0, "p50", |step| step.response.p50_ms),
        line(1, "p95", |step| step.response.p95_ms),
        line(2, "p99", |step| step.response.p99_ms),
    ];
    let title = "Response time, all transactions";
    let caption = "Percentiles of each run's measured phase, on a logarithmic scale.";
    latencies(sweep, "percentiles", title, caption, &lines)
}

/// The 95th percentile of each transaction type; none for fewer than two types.
pub(crate) fn types_over_steps(sweep: &SweepRecord) -> Option<Chart> {
    let types = &sweep.steps.first()?.transactions;
    if types.len() < 2 {
        return None;
    }
    let line = |(index, kind): (usize, &lab::sweep::TransactionLatency)| Line {
        name: kind.name.clone(),
        class: class(index),
        of: Box::new(move |step: &SweepStep| {
            let ms = step.transactions.get(index)?.response.p95_ms;
            (ms > 0.0).then_some(ms)
        }),
    };
    let lines: Vec<Line<'_>> = types.iter().enumerate().map(line).collect();
    let title = "Response time of each transaction, p95";
    let caption = "The 95th percentile of each run's measured phase, on a logarithmic scale.";
    latencies(sweep, "types", title, caption, &lines)
}

fn latencies(
    sweep: &SweepRecord,
    id: &str,
    title: &str,
    caption: &str,
    lines: &[Line<'_>],
) -> Option<Chart> {
    let values =
        || lines.iter().flat_map(|line| sweep.steps.iter().filter_map(&line.of).filter_map(finite));
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    if high <= 0.0 {
        return None;
    }
    let steps = Steps::new(sweep);
    let scale = Axis::logarithmic(low, high, steps.frame.bottom, steps.frame.top);
    let description = format!("From {} ms to {} ms.", format::ms(low), format::ms(high));
    let mut svg = Svg::new(id, WIDTH, HEIGHT, title, &description);
    steps.frame.value_axis(&mut svg, &scale, format::latency);
    steps.marks(&mut svg);
    steps.lines(&mut svg, &scale, lines);
    steps.axis(&mut svg);
    steps.tips(&mut svg, |step| {
        let told = |line: &Line<'_>| {
            let value =
                (line.of)(step).map_or("–".to_owned(), |ms| format!("{} ms", format::ms(ms)));
            format!("{}: {value}", line.name)
        };
        lines.iter().map(told).collect::<Vec<_>>().join("\n")
    });
    Some(finished(svg, title, caption, lines))
}

/// Processors that client and server kept busy; none where the server's are not known.
pub(crate) fn processors_over_steps(sweep: &SweepRecord) -> Option<Chart> {
    let server = sweep.steps.iter().filter_map(|step| finite(step.server_cpus?));
    let most = server.reduce(f64::max)?;
    let client = sweep.steps.iter().map(|step| step.client_cpus).fold(0.0, f64::max);
    let lines = [
        Line { name: "server".to_owned(), class: class(0), of: Box::new(|step| step.server_cpus) },
        Line {
            name: "client".to_owned(),
            class: class(1),
            of: Box::new(|step| Some(step.client_cpus)),
        },
    ];
    let steps = Steps::new(sweep);
    let scale = Axis::linear(0.0, round_up(most.max(client)), steps.frame.bottom, steps.frame.top);
    let title = "Processors kept busy";
    let description = format!("The server kept up to {} processors busy.", format::figure(most));
    let mut svg = Svg::new("processors", WIDTH, HEIGHT, title, &description);
    steps.frame.value_axis(&mut svg, &scale, format::short);
    steps.marks(&mut svg);
    steps.lines(&mut svg, &scale, &lines);
    steps.axis(&mut svg);
    steps.tips(&mut svg, |step| {
        let server = step.server_cpus.map_or("–".to_owned(), format::figure);
        format!("server: {server}\nclient: {}", format::figure(step.client_cpus))
    });
    let caption = format!(
        "User and system time over the length of the measured phase. The machine has {}.",
        format::counted(u64::from(sweep.host.cpus), "processor")
    );
    Some(finished(svg, title, &caption, &lines))
}

/// The value, unless it is none that could be drawn.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn finished(svg: Svg, title: &str, caption: &str, lines: &[Line<'_>]) -> Chart {
    let key = |line: &Line<'_>| Key { class: line.class.clone(), name: line.name.clone() };
    Chart {
        svg: svg.finish(),
        title: title.to_owned(),
        caption: caption.to_owned(),
        legend: lines.iter().map(key).collect(),
    }
}
