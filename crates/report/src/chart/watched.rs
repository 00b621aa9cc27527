//! What server and machine did, group by group, on the axis of the throughput.

mod groups;
mod layers;

use super::{
    Chart, Key,
    axis::{Axis, round_up},
    bucket::buckets,
    frame::Frame,
    svg::{Svg, path},
    throughput::class,
};
use crate::format;
use groups::{Form, GROUPS, Group};
use lab::record::{RunRecord, Series, Watch};
use layers::{Layer, Spans, layers, spans};

/// Charts of what was watched.
#[derive(Clone, Debug, Default)]
pub(crate) struct WatchCharts {
    /// What the sessions were at, wide.
    pub(crate) waits: Option<Chart>,
    /// What is seen at once.
    pub(crate) first: Vec<Chart>,
    /// What is there for whoever opens it.
    pub(crate) more: Vec<Chart>,
}

/// Charts of all groups that have something to show; a series that is zero throughout has not.
pub(crate) fn watched(record: &RunRecord) -> WatchCharts {
    let mut charts = WatchCharts::default();
    let Some(watch) = &record.watch else { return charts };
    let drawn = |group: &Group| draw(record, watch, group, watch.group(group.name));
    for group in GROUPS {
        match (drawn(group), group.form) {
            (chart, Form::Wide) => charts.waits = chart,
            (Some(chart), _) if group.first => charts.first.push(chart),
            (Some(chart), _) => charts.more.push(chart),
            (None, _) => {}
        }
    }
    // A later version may have watched what this one has no words for.
    let known = |series: &&Series| GROUPS.iter().any(|group| group.name == series.group);
    let mut unknown: Vec<&Series> = watch.series.iter().filter(|series| !known(series)).collect();
    while let Some(name) = unknown.first().map(|series| series.group.clone()) {
        let (these, others): (Vec<_>, Vec<_>) =
            unknown.into_iter().partition(|series| series.group == name);
        let group = Group::unknown(&name);
        charts.more.extend(draw(record, watch, &group, these.into_iter()));
        unknown = others;
    }
    charts
}

/// How a group is shown on any page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// Its place among the groups, from 0.
    pub(crate) place: usize,
    pub(crate) title: &'static str,
    /// Seen at once.
    pub(crate) first: bool,
}

/// The group called `name`; none where a later version watched what this one has no words for.
pub(crate) fn known_group(name: &str) -> Option<Known> {
    let place = GROUPS.iter().position(|group| group.name == name)?;
    let first = GROUPS[place].first || GROUPS[place].form == Form::Wide;
    Some(Known { place, title: GROUPS[place].title, first })
}

/// The chart of a group; none where its series are zero throughout.
fn draw<'a>(
    record: &RunRecord,
    watch: &Watch,
    group: &Group<'_>,
    series: impl Iterator<Item = &'a Series>,
) -> Option<Chart> {
    let (width, height, points) = match group.form {
        Form::Wide => (1000.0, 300.0, 240),
        Form::Stacked | Form::Lines => (500.0, 220.0, 120),
    };
    let spans = spans(&watch.at_s, points);
    let series: Vec<&Series> = series.collect();
    let unit = series.first()?.unit.clone();
    let layers = layers(&series, &spans, group.is_stacked());
    let top = top(&layers, spans.len(), group.is_stacked())?;

    let frame = Frame::of(width, height);
    let time = time_axis(record, &frame, &spans);
    let scale = Axis::linear(0.0, round_up(top), frame.bottom, frame.top);
    let id = format!("watched-{}", group.id());
    let mut svg = Svg::new(&id, width, height, group.title, &description(&layers, &unit));
    frame.value_axis(&mut svg, &scale, format::short);
    frame.phases(&mut svg, &time, &record.phases);
    match group.is_stacked() {
        true => areas(&mut svg, &layers, &spans, &time, &scale),
        false => lines(&mut svg, &layers, &spans, &time, &scale),
    }
    let end_s = spans.last().map_or(0.0, |span| span.until_s);
    frame.outages(&mut svg, &time, record, end_s);
    frame.time_axis(&mut svg, &time);
    for (index, span) in spans.iter().enumerate() {
        let words = tip(&layers, index, &unit);
        frame.column(&mut svg, &time, (span.from_s, span.until_s), &words);
    }
    let samples = watch.at_s.len().saturating_sub(1);
    let joined = samples.div_ceil(spans.len().max(1));
    let each = match joined {
        0 | 1 => String::new(),
        joined => format!(" Each point is the mean of {joined} samples."),
    };
    let key = |(index, layer): (usize, &Layer)| Key { class: class(index), name: layer.name() };
    Some(Chart {
        svg: svg.finish(),
        title: group.title.to_string(),
        caption: format!("{}{each}", group.caption).trim().to_owned(),
        legend: layers.iter().enumerate().map(key).collect(),
    })
}

/// The axis of the throughput, so that what stands above each other happened together.
fn time_axis(record: &RunRecord, frame: &Frame, spans: &Spans) -> Axis {
    let seconds = buckets(record, usize::MAX);
    match seconds.is_empty() {
        false => frame.time(&seconds),
        true => {
            let until_s = spans.last().map_or(1.0, |span| span.until_s);
            Axis::linear(0.0, until_s, frame.left, frame.right)
        }
    }
}

/// The highest point; none where everything is zero.
fn top(layers: &[Layer], spans: usize, stacked: bool) -> Option<f64> {
    let of_span = |index: usize| {
        let values = layers.iter().filter_map(|layer| layer.values.get(index).copied().flatten());
        if stacked { values.sum() } else { values.fold(0.0, f64::max) }
    };
    let top: f64 = (0..spans).map(of_span).filter(|top| top.is_finite()).fold(0.0, f64::max);
    (top > 0.0).then_some(top)
}

/// The layers on top of each other; where none of them has a value there is a gap.
fn areas(svg: &mut Svg, layers: &[Layer], spans: &Spans, time: &Axis, scale: &Axis) {
    let is_told = |index: &usize| layers.iter().any(|layer| layer.at(*index).is_some());
    let indices: Vec<usize> = (0..spans.len()).collect();
    for stretch in indices.split(|index| !is_told(index)).filter(|it| !it.is_empty()) {
        let mut below = vec![0.0; stretch.len()];
        for (number, layer) in layers.iter().enumerate() {
            let above: Vec<f64> = stretch
                .iter()
                .zip(&below)
                .map(|(index, below)| below + layer.at(*index).unwrap_or(0.0))
                .collect();
            let edge = |values: &[f64]| -> Vec<(f64, f64)> {
                let steps = stretch.iter().zip(values).flat_map(|(index, value)| {
                    let (span, y) = (&spans[*index], scale.place(*value));
                    [(time.place(span.from_s), y), (time.place(span.until_s), y)]
                });
                steps.collect()
            };
            let lower = edge(&below).into_iter().rev();
            let outline = path(edge(&above).into_iter().chain(lower).map(Some)) + "Z";
            svg.element("path", &[("class", &format!("area {}", class(number))), ("d", &outline)]);
            below = above;
        }
    }
}

fn lines(svg: &mut Svg, layers: &[Layer], spans: &Spans, time: &Axis, scale: &Axis) {
    for (number, layer) in layers.iter().enumerate() {
        let points = spans.iter().enumerate().flat_map(|(index, span)| match layer.at(index) {
            Some(value) => {
                let y = scale.place(value);
                [Some((time.place(span.from_s), y)), Some((time.place(span.until_s), y))]
            }
            None => [None, None],
        });
        let line = path(points);
        svg.element("path", &[("class", &format!("line {}", class(number))), ("d", &line)]);
    }
}

fn tip(layers: &[Layer], index: usize, unit: &str) -> String {
    let line = |layer: &Layer| {
        let value = layer.at(index).map_or("–".to_owned(), |value| format::amount(value, unit));
        format!("{}: {value}", layer.label)
    };
    layers.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn description(layers: &[Layer], unit: &str) -> String {
    let mean = |layer: &Layer| format!("{} {}", layer.label, format::amount(layer.mean, unit));
    let means: Vec<String> = layers.iter().map(mean).collect();
    format!("On average: {}.", means.join(", "))
}
