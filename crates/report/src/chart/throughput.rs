//! Committed transactions a second over time, types on top of each other.

use super::{
    Chart, Key,
    axis::{Axis, round_up},
    bucket::{Bucket, buckets},
    frame::{Frame, joined},
    svg::{Svg, path, unit},
};
use crate::format;
use lab::{record::RunRecord, statistics::warmup::WarmUp};

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 320.0;

/// The chart; none where nothing was counted.
pub(crate) fn throughput_over_time(record: &RunRecord) -> Option<Chart> {
    let buckets = buckets(record, 480);
    if buckets.is_empty() || record.transactions.is_empty() {
        return None;
    }
    let joins = buckets.len() < record.intervals.len();
    let top = |bucket: &Bucket| {
        if joins { bucket.extremes_per_s.1 } else { bucket.total_per_s() }
    };
    // A last sliver of a second must not set the scale for the rest.
    let whole = buckets.iter().filter(|b| b.until_s - b.from_s >= 0.5 || buckets.len() == 1);
    let most = whole.map(top).fold(0.0, f64::max);
    let frame = Frame::of(WIDTH, HEIGHT);
    let time = frame.time(&buckets);
    let rate = Axis::linear(0.0, round_up(most), frame.bottom, frame.top);
    let end_s = buckets.last().map_or(0.0, |last| last.until_s);

    let title = "Committed transactions a second";
    let mut svg = Svg::new("throughput", WIDTH, HEIGHT, title, &description(&buckets));
    frame.value_axis(&mut svg, &rate, format::short);
    frame.phases(&mut svg, &time, &record.phases);
    areas(&mut svg, &buckets, record.transactions.len(), &time, &rate);
    if joins {
        extremes(&mut svg, &buckets, &time, &rate);
    }
    // What was steady from the start has nothing to mark.
    let steady_from_s = WarmUp::of(record).and_then(|it| it.steady_from_s).filter(|it| *it > 0.0);
    if let Some(at_s) = steady_from_s {
        frame.steady(&mut svg, &time, at_s);
    }
    frame.outages(&mut svg, &time, record, end_s);
    frame.time_axis(&mut svg, &time);
    frame.tips(&mut svg, &time, &buckets, |bucket| tip(record, bucket));

    let band =
        if joins { " Thin lines: the slowest and the fastest of these seconds." } else { "" };
    let outages = if record.outages.is_empty() { "" } else { " Shaded in red: connections lost." };
    let steady = steady_from_s.map(|at_s| {
        format!(" Short line at the top: throughput was steady from {} on.", format::instant(at_s))
    });
    let caption = format!(
        "Types on top of each other, over the whole run.{}{band}{}{outages}",
        joined(&buckets, record.intervals.len()),
        steady.unwrap_or_default()
    );
    let legend = record.transactions.iter().enumerate();
    let legend = legend.map(|(index, t)| Key { class: class(index), name: t.name.clone() });
    Some(Chart { svg: svg.finish(), title: title.to_owned(), caption, legend: legend.collect() })
}

/// The colour of the transaction type at `index`: eight, then again.
pub(crate) fn class(index: usize) -> String {
    format!("c{}", index % 8 + 1)
}

fn description(buckets: &[Bucket]) -> String {
    let (least, most) = buckets
        .iter()
        .map(|bucket| bucket.extremes_per_s)
        .fold((f64::INFINITY, 0.0_f64), |(least, most), (low, high)| {
            (least.min(low), most.max(high))
        });
    format!(
        "All types together: between {} and {} committed transactions a second.",
        format::figure(least),
        format::figure(most)
    )
}

fn areas(svg: &mut Svg, buckets: &[Bucket], types: usize, time: &Axis, rate: &Axis) {
    let mut below = vec![0.0; buckets.len()];
    for index in 0..types {
        let above: Vec<f64> = buckets
            .iter()
            .zip(&below)
            .map(|(bucket, below)| below + bucket.types.get(index).map_or(0.0, |t| t.rate_per_s))
            .collect();
        let upper = edge(buckets, &above, time, rate);
        let lower = edge(buckets, &below, time, rate).into_iter().rev();
        let outline = path(upper.iter().copied().chain(lower).map(Some));
        svg.element(
            "path",
            &[("class", &format!("area {}", class(index))), ("d", &(outline + "Z"))],
        );
        below = above;
    }
}

/// The line over the buckets' middles, drawn out to the first's start and the last's end.
fn edge(buckets: &[Bucket], values: &[f64], time: &Axis, rate: &Axis) -> Vec<(f64, f64)> {
    let mut points = Vec::with_capacity(buckets.len() + 2);
    for (bucket, value) in buckets.iter().zip(values) {
        let y = rate.place(*value);
        if points.is_empty() {
            points.push((time.place(bucket.from_s), y));
        }
        points.push((time.place(bucket.middle_s()), y));
    }
    if let (Some(bucket), Some((_, y))) = (buckets.last(), points.last().copied()) {
        points.push((time.place(bucket.until_s), y));
    }
    points
}

fn extremes(svg: &mut Svg, buckets: &[Bucket], time: &Axis, rate: &Axis) {
    for of in [|b: &Bucket| b.extremes_per_s.0, |b: &Bucket| b.extremes_per_s.1] {
        let values: Vec<f64> = buckets.iter().map(of).collect();
        let line = path(edge(buckets, &values, time, rate).into_iter().map(Some));
        svg.element("path", &[("class", &"extreme"), ("d", &line), ("stroke-width", &unit(1.0))]);
    }
}

fn tip(record: &RunRecord, bucket: &Bucket) -> String {
    let mut lines = vec![format!("all: {}/s", format::figure(bucket.total_per_s()))];
    for (transaction, counts) in record.transactions.iter().zip(&bucket.types) {
        lines.push(format!("{}: {}/s", transaction.name, format::figure(counts.rate_per_s)));
    }
    if bucket.failed > 0 {
        lines.push(format!("failed: {}", format::count(bucket.failed)));
    }
    lines.join("\n")
}
