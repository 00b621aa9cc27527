//! Response time over time, a chart a transaction type, all on one scale.

use super::{
    Chart, Key,
    axis::Axis,
    bucket::{Bucket, buckets},
    frame::{Frame, joined},
    svg::{Svg, path},
};
use crate::format;
use lab::record::RunRecord;

const NAMES: [&str; 3] = ["p50", "p95", "p99"];

/// One chart a transaction type: the first, which the headline counts, wide; the others small.
pub(crate) fn latency_over_time(record: &RunRecord) -> Vec<Chart> {
    let wide = buckets(record, 480);
    let small = buckets(record, 160);
    if wide.is_empty() {
        return Vec::new();
    }
    let positive = |value: &f64| *value > 0.0 && value.is_finite();
    let values = || wide.iter().flat_map(|b| &b.types).flat_map(|t| t.worst_ms).filter(positive);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let charts = record.transactions.iter().enumerate().map(|(index, transaction)| {
        let (buckets, width, height) = match index {
            0 => (&wide, 1000.0, 300.0),
            _ => (&small, 500.0, 220.0),
        };
        let frame = Frame::of(width, height);
        let scale = Axis::logarithmic(low, high, frame.bottom, frame.top);
        let svg = draw(record, index, buckets, width, height, &frame, &scale);
        let caption = match (index, joined(buckets, record.intervals.len())) {
            (0, each) if each.is_empty() => "Percentiles of each second.".to_owned(),
            (_, each) if each.is_empty() => String::new(),
            (_, each) => format!("Percentiles of the worst second.{each}"),
        };
        Chart {
            svg,
            title: format!("Response time of {}", transaction.name),
            caption,
            legend: legend(),
        }
    });
    charts.collect()
}

fn legend() -> Vec<Key> {
    let key = |(index, name): (usize, &&str)| Key { class: class(index), name: (*name).to_owned() };
    NAMES.iter().enumerate().map(key).collect()
}

fn class(index: usize) -> String {
    format!("q{}", index + 1)
}

fn draw(
    record: &RunRecord,
    index: usize,
    buckets: &[Bucket],
    width: f64,
    height: f64,
    frame: &Frame,
    scale: &Axis,
) -> String {
    let name = record.transactions.get(index).map_or("", |t| t.name.as_str());
    let time = frame.time(buckets);
    let end_s = buckets.last().map_or(0.0, |last| last.until_s);
    let title = format!("Response time of {name} over time");
    let mut svg =
        Svg::new(&format!("latency-{index}"), width, height, &title, &description(buckets, index));
    frame.value_axis(&mut svg, scale, format::latency);
    frame.phases(&mut svg, &time, &record.phases);
    for percentile in 0..NAMES.len() {
        let point = |bucket: &Bucket| {
            let value = bucket.types.get(index)?.worst_ms[percentile];
            (value > 0.0).then(|| (time.place(bucket.middle_s()), scale.place(value)))
        };
        let line = with_dots(buckets.iter().map(point).collect());
        svg.element("path", &[("class", &format!("line {}", class(percentile))), ("d", &line)]);
    }
    frame.outages(&mut svg, &time, record, end_s);
    frame.time_axis(&mut svg, &time);
    frame.tips(&mut svg, &time, buckets, |bucket| tip(bucket, index));
    svg.finish()
}

/// The path through the points; one that stands alone is drawn as a short stroke.
fn with_dots(points: Vec<Option<(f64, f64)>>) -> String {
    let alone = |index: usize| {
        let missing =
            |at: Option<usize>| at.and_then(|at| points.get(at)).is_none_or(Option::is_none);
        missing(index.checked_sub(1)) && missing(Some(index + 1))
    };
    let mut whole = Vec::with_capacity(points.len());
    for (index, point) in points.iter().enumerate() {
        whole.push(*point);
        if let Some((x, y)) = point.filter(|_| alone(index)) {
            whole.push(Some((x + 1.5, y)));
        }
    }
    path(whole)
}

fn description(buckets: &[Bucket], index: usize) -> String {
    let of_type = || buckets.iter().filter_map(|bucket| bucket.types.get(index));
    let worst = of_type().map(|t| t.worst_ms[2]).fold(0.0, f64::max);
    let mut medians: Vec<f64> = of_type().map(|t| t.worst_ms[0]).filter(|ms| *ms > 0.0).collect();
    medians.sort_by(f64::total_cmp);
    let median = medians.get(medians.len() / 2).copied().unwrap_or(0.0);
    format!(
        "Typical median {} ms; the highest 99th percentile of a second is {} ms.",
        format::ms(median),
        format::ms(worst)
    )
}

fn tip(bucket: &Bucket, index: usize) -> String {
    match bucket.types.get(index).filter(|t| t.worst_ms[0] > 0.0) {
        Some(t) => (0..NAMES.len())
            .map(|at| format!("{}: {} ms", NAMES[at], format::ms(t.worst_ms[at])))
            .collect::<Vec<_>>()
            .join("\n"),
        None => "nothing ended".to_owned(),
    }
}
