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

/// The chart; none where no transaction ended in the measured phase.
pub(crate) fn percentiles(record: &RunRecord) -> Option<Chart> {
    let some = |h: &LatencyHistogram| h.count() > 0;
    let histograms = || record.transactions.iter().map(|t| &t.response).filter(|h| some(h));
    let low = histograms().map(|h| h.0.min() as f64 / 1e3).fold(f64::INFINITY, f64::min);
    let high = histograms().map(LatencyHistogram::max_ms).fold(0.0, f64::max);
    if high == 0.0 {
        return None;
    }
    let frame = Frame::of(WIDTH, HEIGHT);
    // How rare: one in 1, one in 2, one in 10, and so on.
    let rarity = Axis::logarithmic(1.0, 10_000.0, frame.left, frame.right - 80.0);
    let scale = Axis::logarithmic(low, high, frame.bottom, frame.top);
    let title = "Distribution of response times";
    let mut svg = Svg::new("percentiles", WIDTH, HEIGHT, title, &description(record));
    frame.value_axis(&mut svg, &scale, format::latency);
    marks(&mut svg, &frame, &rarity);
    let mut labels = Vec::new();
    for (index, transaction) in record.transactions.iter().enumerate() {
        if some(&transaction.response) {
            let points = curve(&transaction.response, &rarity, &scale);
            labels.extend(points.last().map(|point| (*point, index)));
            let line = path(points.into_iter().map(Some));
            svg.element("path", &[("class", &format!("line {}", class(index))), ("d", &line)]);
        }
    }
    end_labels(&mut svg, record, labels);
    tips(&mut svg, &frame, &rarity, record);
    let caption = "Read: at 99%, one in a hundred transactions took longer than the line shows. \
                   Both scales are logarithmic; a line ends where a single transaction is left.";
    let legend = record.transactions.iter().enumerate();
    let legend = legend.map(|(index, t)| Key { class: class(index), name: t.name.clone() });
    Some(Chart {
        svg: svg.finish(),
        title: title.to_owned(),
        caption: caption.to_owned(),
        legend: legend.collect(),
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
fn end_labels(svg: &mut Svg, record: &RunRecord, mut labels: Vec<((f64, f64), usize)>) {
    labels.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
    let mut free_from = 0.0_f64;
    for ((x, y), index) in labels {
        let y = (y + 4.0).max(free_from);
        free_from = y + 14.0;
        let name = record.transactions.get(index).map_or("", |t| t.name.as_str());
        let shown: String = name.chars().take(14).collect();
        svg.text(
            &[
                ("class", &format!("label {}", class(index))),
                ("x", &unit(x + 6.0)),
                ("y", &unit(y)),
            ],
            &shown,
        );
    }
}

fn tips(svg: &mut Svg, frame: &Frame, rarity: &Axis, record: &RunRecord) {
    let at = |step: i32| 10_f64.powf(f64::from(step) / 4.0);
    for step in 0..=16 {
        let percent = 100.0 - 100.0 / at(step);
        let half = (rarity.place(at(1)) - rarity.place(at(0))) / 2.0;
        let lines =
            record.transactions.iter().filter(|t| t.response.count() > 0).map(|t| {
                format!("{}: {} ms", t.name, format::ms(t.response.percentile_ms(percent)))
            });
        let shown = format!("{percent:.3}");
        let shown = shown.trim_end_matches('0').trim_end_matches('.');
        let tip = format!("{shown}%\n{}", lines.collect::<Vec<_>>().join("\n"));
        let x = rarity.place(at(step)) - half;
        let (y, height) = (frame.top, frame.bottom - frame.top);
        svg.tip("hit", Rectangle { x, y, width: 2.0 * half, height }, &tip);
    }
}

fn description(record: &RunRecord) -> String {
    let of = |t: &lab::record::TransactionRecord| {
        let at = |percent| format::ms(t.response.percentile_ms(percent));
        format!("{}: median {} ms, 99% {} ms, 99.9% {} ms.", t.name, at(50.0), at(99.0), at(99.9))
    };
    let some = record.transactions.iter().filter(|t| t.response.count() > 0);
    some.map(of).collect::<Vec<_>>().join(" ")
}
