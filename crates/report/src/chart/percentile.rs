//! The distribution of response times, stretched so that the rare slow ones can be seen.

use super::{
    Chart, Key,
    axis::Axis,
    frame::Frame,
    svg::{Rectangle, Svg, path, unit},
    throughput::class,
};
use crate::format;
use lab::{histogram::LatencyHistogram, record::RunRecord};

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 340.0;
/// The named percentiles.
const MARKS: [f64; 6] = [0.0, 50.0, 90.0, 99.0, 99.9, 99.99];
/// Points of a curve for each nine.
const POINTS_A_NINE: i32 = 16;

/// A line of the chart.
#[derive(Clone, Debug)]
pub(crate) struct Distribution<'a> {
    pub(crate) name: String,
    pub(crate) class: String,
    pub(crate) response: &'a LatencyHistogram,
}

/// The chart of a run, a line a transaction type; none where no transaction ended in the measured
/// phase.
pub(crate) fn percentiles(record: &RunRecord) -> Option<Chart> {
    let lines: Vec<Distribution<'_>> = record
        .transactions
        .iter()
        .enumerate()
        .map(|(index, t)| Distribution {
            name: t.name.clone(),
            class: class(index),
            response: &t.response,
        })
        .collect();
    distributions("Distribution of response times", &lines)
}

/// A line for each that is not empty; none where all are.
pub(crate) fn distributions(title: &str, all: &[Distribution<'_>]) -> Option<Chart> {
    let lines: Vec<&Distribution<'_>> = all.iter().filter(|d| d.response.count() > 0).collect();
    let histograms = || lines.iter().map(|line| line.response);
    let low = histograms().map(|h| h.0.min() as f64 / 1e3).fold(f64::INFINITY, f64::min);
    let high = histograms().map(LatencyHistogram::max_ms).fold(0.0, f64::max);
    if high == 0.0 {
        return None;
    }
    let frame = Frame::of(WIDTH, HEIGHT);
    // How rare: one in 1, one in 2, one in 10, and so on.
    let rarity = Axis::logarithmic(1.0, 10_000.0, frame.left, frame.right - 80.0);
    let scale = Axis::logarithmic(low, high, frame.bottom, frame.top);
    let mut svg = Svg::new("percentiles", WIDTH, HEIGHT, title, &description(&lines));
    frame.value_axis(&mut svg, &scale, format::latency);
    marks(&mut svg, &frame, &rarity);
    let mut labels = Vec::new();
    for line in &lines {
        let points = curve(line.response, &rarity, &scale);
        labels.extend(points.last().map(|point| (*point, *line)));
        let d = path(points.into_iter().map(Some));
        svg.element("path", &[("class", &format!("line {}", line.class)), ("d", &d)]);
    }
    end_labels(&mut svg, labels);
    tips(&mut svg, &frame, &rarity, &lines);
    let caption = "Read: at 99%, one in a hundred transactions took longer than the line shows. \
                   Both scales are logarithmic; a line ends where a single transaction is left.";
    let key = |line: &Distribution<'_>| Key { class: line.class.clone(), name: line.name.clone() };
    Some(Chart {
        svg: svg.finish(),
        title: title.to_owned(),
        caption: caption.to_owned(),
        legend: all.iter().map(key).collect(),
    })
}

fn rarity_of(percent: f64) -> f64 {
    100.0 / (100.0 - percent)
}

fn marks(svg: &mut Svg, frame: &Frame, rarity: &Axis) {
    for percent in MARKS {
        let x = unit(rarity.place(rarity_of(percent)));
        svg.element(
            "line",
            &[
                ("class", &"grid"),
                ("x1", &x),
                ("x2", &x),
                ("y1", &unit(frame.top)),
                ("y2", &unit(frame.bottom)),
            ],
        );
        svg.text(
            &[("class", &"tick middle"), ("x", &x), ("y", &unit(frame.bottom + 16.0))],
            &format!("{percent}%"),
        );
    }
    svg.text(
        &[
            ("class", &"note middle"),
            ("x", &unit((frame.left + frame.right) / 2.0)),
            ("y", &unit(frame.bottom + 33.0)),
        ],
        "share of transactions that were at least as fast",
    );
}

/// From the fastest transaction to the slowest of which there is more than one beyond.
fn curve(histogram: &LatencyHistogram, rarity: &Axis, scale: &Axis) -> Vec<(f64, f64)> {
    let rarest = (histogram.count() as f64).min(10_000.0);
    let mut points = Vec::new();
    for step in 0..=4 * POINTS_A_NINE {
        let rare = 10_f64.powf(f64::from(step) / f64::from(POINTS_A_NINE)).min(rarest);
        let value = histogram.percentile_ms(100.0 - 100.0 / rare);
        points.push((rarity.place(rare), scale.place(value)));
        if rare >= rarest {
            break;
        }
    }
    points
}

/// Names at the ends of the lines, moved apart where they would cover each other.
fn end_labels(svg: &mut Svg, mut labels: Vec<((f64, f64), &Distribution<'_>)>) {
    labels.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
    let mut free_from = 0.0_f64;
    for ((x, y), line) in labels {
        let y = (y + 4.0).max(free_from);
        free_from = y + 14.0;
        let shown: String = line.name.chars().take(14).collect();
        svg.text(
            &[("class", &format!("label {}", line.class)), ("x", &unit(x + 6.0)), ("y", &unit(y))],
            &shown,
        );
    }
}

fn tips(svg: &mut Svg, frame: &Frame, rarity: &Axis, lines: &[&Distribution<'_>]) {
    let at = |step: i32| 10_f64.powf(f64::from(step) / 4.0);
    for step in 0..=16 {
        let percent = 100.0 - 100.0 / at(step);
        let half = (rarity.place(at(1)) - rarity.place(at(0))) / 2.0;
        let told = lines.iter().map(|line| {
            format!("{}: {} ms", line.name, format::ms(line.response.percentile_ms(percent)))
        });
        let shown = format!("{percent:.3}");
        let shown = shown.trim_end_matches('0').trim_end_matches('.');
        let tip = format!("{shown}%\n{}", told.collect::<Vec<_>>().join("\n"));
        let x = rarity.place(at(step)) - half;
        let (y, height) = (frame.top, frame.bottom - frame.top);
        svg.tip("hit", Rectangle { x, y, width: 2.0 * half, height }, &tip);
    }
}

fn description(lines: &[&Distribution<'_>]) -> String {
    let of = |line: &&Distribution<'_>| {
        let at = |percent| format::ms(line.response.percentile_ms(percent));
        let (median, rare, rarer) = (at(50.0), at(99.0), at(99.9));
        format!("{}: median {median} ms, 99% {rare} ms, 99.9% {rarer} ms.", line.name)
    };
    lines.iter().map(of).collect::<Vec<_>>().join(" ")
}
