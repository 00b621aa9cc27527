//! Speeds of several variants, a bar each, with the disk's limit as a line and what was published
//! beside them.

use super::{
    Chart,
    axis::{Axis, round_up},
    frame::Frame,
    svg::{Rectangle, Svg, path, unit},
    throughput::class,
};
use crate::format;

const WIDTH: f64 = 1000.0;
const ROW: f64 = 40.0;
/// Longest name that is written whole, characters.
const NAME_CHARS: usize = 30;

/// How fast a variant is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Speed {
    pub(crate) name: String,
    /// The variant's place, from 0.
    pub(crate) variant: usize,
    /// MB/s.
    pub(crate) value: f64,
    pub(crate) ci95: Option<(f64, f64)>,
    /// What was published of it, MB/s.
    pub(crate) published: Option<f64>,
}

/// The chart; none where nothing is above zero.
pub(crate) fn beside_limit(all: &[Speed], limit: Option<f64>) -> Option<Chart> {
    let high = |speed: &Speed| {
        let ends = [speed.ci95.map(|(_, high)| high), speed.published, Some(speed.value)];
        ends.into_iter().flatten().filter(|it| it.is_finite()).fold(0.0, f64::max)
    };
    let most = all.iter().map(high).chain(limit).fold(0.0, f64::max);
    if !(most > 0.0 && most.is_finite()) {
        return None;
    }
    let longest = all.iter().map(|speed| speed.name.chars().count()).max().unwrap_or(0);
    let frame = Frame {
        left: 26.0 + 7.4 * longest.min(NAME_CHARS) as f64,
        right: WIDTH - 110.0,
        top: 26.0,
        bottom: 26.0 + ROW * all.len() as f64,
    };
    let across = Axis::linear(0.0, round_up(most), frame.left, frame.right);
    let title = "Speed beside the disk's limit, MB/s";
    let mut svg = Svg::new("limit", WIDTH, frame.bottom + 24.0, title, &description(all, limit));
    for tick in across.ticks(6) {
        let (x, y) = (unit(across.place(tick)), unit(frame.bottom + 16.0));
        upright(&mut svg, "grid", &frame, &x);
        svg.text(&[("class", &"tick middle"), ("x", &x), ("y", &y)], &format::short(tick));
    }
    for (index, speed) in all.iter().enumerate() {
        bar(&mut svg, &frame, &across, speed, limit, frame.top + ROW * index as f64);
    }
    if let Some(limit) = limit {
        let x = unit(across.place(limit));
        upright(&mut svg, "mark", &frame, &x);
        let words = format!("the disk's limit, {}", format::figure(limit));
        let y = unit(frame.top - 8.0);
        svg.text(&[("class", &"strong middle"), ("x", &x), ("y", &y)], &words);
    }
    Some(Chart {
        svg: svg.finish(),
        title: title.to_owned(),
        caption: "Bar: the mean of the trials. Whisker: its 95% interval. Hollow bar: what was \
                  published of it, on another machine. Dashed line: the disk's limit here."
            .to_owned(),
        legend: Vec::new(),
    })
}

/// The chart in words.
fn description(all: &[Speed], limit: Option<f64>) -> String {
    let told = all.iter().map(|speed| {
        let published = speed.published.map(|it| format!(", published {}", format::figure(it)));
        let published = published.unwrap_or_default();
        format!("{}: {}{published}.", speed.name, format::figure(speed.value))
    });
    let limit = limit.map(|limit| format!("The disk's limit: {}.", format::figure(limit)));
    told.chain(limit).collect::<Vec<_>>().join(" ")
}

fn upright(svg: &mut Svg, class: &str, frame: &Frame, x: &str) {
    let (y1, y2) = (unit(frame.top), unit(frame.bottom));
    svg.element("line", &[("class", &class), ("x1", &x), ("x2", &x), ("y1", &y1), ("y2", &y2)]);
}

fn bar(svg: &mut Svg, frame: &Frame, across: &Axis, speed: &Speed, limit: Option<f64>, top: f64) {
    let middle = top + 15.0;
    let name: String = speed.name.chars().take(NAME_CHARS).collect();
    let (x, y) = (unit(frame.left - 10.0), unit(middle + 4.0));
    svg.text(&[("class", &"end strong"), ("x", &x), ("y", &y)], &name);
    let mut end = across.place(speed.value.max(0.0));
    let mut rectangle = |class: &str, end: f64, top: f64, height: f64| {
        let (x, y) = (unit(frame.left), unit(top));
        let (width, height) = (unit((end - frame.left).max(0.0)), unit(height));
        svg.element(
            "rect",
            &[("class", &class), ("x", &x), ("y", &y), ("width", &width), ("height", &height)],
        );
    };
    let colour = class(speed.variant);
    rectangle(&format!("area {colour}"), end, top + 6.0, 18.0);
    if let Some(published) = speed.published {
        rectangle(&format!("hollow {colour}"), across.place(published.max(0.0)), top + 26.0, 8.0);
    }
    if let Some((low, high)) = speed.ci95.filter(|(low, high)| (low + high).is_finite()) {
        let (from, until) = (across.place(low.max(0.0)), across.place(high));
        let d = path([Some((from, middle)), Some((until, middle))]);
        svg.element("path", &[("class", &"whisker ink"), ("d", &d)]);
        end = end.max(until);
    }
    let (x, y) = (unit(end + 8.0), unit(middle + 4.0));
    let shown = format::figure(speed.value);
    svg.text(&[("class", &"strong"), ("x", &x), ("y", &y)], &shown);
    let share = limit
        .map(|limit| format!("\n{} of the disk's limit", format::percent(speed.value / limit)));
    let published = speed.published.map(|it| format!("\npublished: {} MB/s", format::figure(it)));
    let more = share.unwrap_or_default() + &published.unwrap_or_default();
    let tip = format!("{}\n{shown} MB/s{more}", speed.name);
    svg.tip("hit", Rectangle { x: 0.0, y: top, width: WIDTH, height: ROW }, &tip);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn speed(name: &str, value: f64, published: Option<f64>) -> Speed {
        Speed {
            name: name.into(),
            variant: 0,
            value,
            ci95: Some((value - 9.0, value + 9.0)),
            published,
        }
    }

    #[test]
    fn every_variant_has_a_bar_and_the_limit_a_line() {
        let all = [speed("stock", 640.0, Some(642.0)), speed("ours <b>", 1500.0, None)];
        let chart = beside_limit(&all, Some(1600.0)).unwrap();
        assert_eq!(chart.svg.matches("class=\"area").count(), 2);
        assert_eq!(chart.svg.matches("class=\"hollow").count(), 1);
        assert_eq!(chart.svg.matches("class=\"mark").count(), 1);
        assert!(chart.svg.contains("the disk&#39;s limit, 1,600"), "{}", chart.svg);
        assert!(chart.svg.contains("40.0% of the disk") && !chart.svg.contains("<b>"));
    }

    #[test]
    fn without_a_speed_there_is_no_chart() {
        assert!(beside_limit(&[], None).is_none());
        assert!(beside_limit(&[speed("a", f64::NAN, None)], None).is_none());
    }
}
