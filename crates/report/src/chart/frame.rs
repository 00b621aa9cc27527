//! What all charts over time share: the axis of time, phases, outages, and places to point at.

use super::{
    axis::Axis,
    bucket::Bucket,
    svg::{Rectangle, Svg, unit},
};
use crate::{format, summary};
use lab::record::{Phase, RunRecord};

/// The inside of a chart, in units of the drawing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Frame {
    /// The inside of a drawing of that size, with room for the axes' numbers.
    pub(super) fn of(width: f64, height: f64) -> Self {
        Self { left: 52.0, right: width - 14.0, top: 24.0, bottom: height - 40.0 }
    }

    /// The axis of time over all buckets.
    pub(super) fn time(&self, buckets: &[Bucket]) -> Axis {
        let from_s = buckets.first().map_or(0.0, |first| first.from_s.min(0.0));
        let until_s = buckets.last().map_or(1.0, |last| last.until_s);
        Axis::linear(from_s, until_s, self.left, self.right)
    }

    /// Ramps shaded, boundaries of phases dashed and named. Drawn below the data.
    pub(super) fn phases(&self, svg: &mut Svg, time: &Axis, phases: &[Phase]) {
        for phase in phases {
            let (from, until) = (time.place(phase.from_s), time.place(phase.until_s));
            if phase.name != "measure" {
                let at = self.stretch(from, until);
                svg.tip("ramp", at, &phase.name);
            }
            svg.element(
                "line",
                &[
                    ("class", &"phase"),
                    ("x1", &unit(from)),
                    ("x2", &unit(from)),
                    ("y1", &unit(self.top - 6.0)),
                    ("y2", &unit(self.bottom)),
                ],
            );
            // A letter takes up to seven units.
            if until - from > 7.0 * phase.name.chars().count() as f64 + 6.0 {
                let at: [(&str, &dyn std::fmt::Display); 3] =
                    [("class", &"note"), ("x", &unit(from + 4.0)), ("y", &unit(self.top - 10.0))];
                svg.text(&at, &phase.name);
            }
        }
    }

    /// A short upright line where throughput had become steady.
    pub(super) fn steady(&self, svg: &mut Svg, time: &Axis, at_s: f64) {
        let x = unit(time.place(at_s));
        let (y1, y2) = (unit(self.top), unit(self.top + 18.0));
        let at: [(&str, &dyn std::fmt::Display); 5] =
            [("class", &"steady ink"), ("x1", &x), ("x2", &x), ("y1", &y1), ("y2", &y2)];
        svg.titled("line", &at, &format!("steady from {}", format::instant(at_s)));
    }

    /// Times with lost connections, shaded. Drawn above the data.
    pub(super) fn outages(&self, svg: &mut Svg, time: &Axis, record: &RunRecord, end_s: f64) {
        for outage in &record.outages {
            let until = time.place(outage.until_s.unwrap_or(end_s));
            let from = time.place(outage.from_s).min(until - 2.0);
            svg.tip("outage", self.stretch(from, until), &summary::outage(outage));
        }
    }

    /// Numbers and lines of the axis of time.
    pub(super) fn time_axis(&self, svg: &mut Svg, time: &Axis) {
        let wide = ((self.right - self.left) / 80.0) as usize;
        let ticks = time.time_ticks(wide.clamp(3, 12));
        let last = ticks.last().copied().unwrap_or(0.0);
        for tick in ticks {
            svg.text(
                &[
                    ("class", &"tick middle"),
                    ("x", &unit(time.place(tick))),
                    ("y", &unit(self.bottom + 16.0)),
                ],
                &tick_text(tick, last),
            );
        }
        let unit_name = match last {
            _ if last < 180.0 => "seconds from the start",
            _ if last < 10_800.0 => "minutes from the start",
            _ => "hours from the start",
        };
        let middle = (self.left + self.right) / 2.0;
        svg.text(
            &[("class", &"note middle"), ("x", &unit(middle)), ("y", &unit(self.bottom + 33.0))],
            unit_name,
        );
    }

    /// Numbers and lines of the upright axis.
    pub(super) fn value_axis(&self, svg: &mut Svg, axis: &Axis, text: fn(f64) -> String) {
        for tick in axis.ticks(5) {
            let y = axis.place(tick);
            svg.element(
                "line",
                &[
                    ("class", &"grid"),
                    ("x1", &unit(self.left)),
                    ("x2", &unit(self.right)),
                    ("y1", &unit(y)),
                    ("y2", &unit(y)),
                ],
            );
            svg.text(
                &[("class", &"tick end"), ("x", &unit(self.left - 6.0)), ("y", &unit(y + 4.0))],
                &text(tick),
            );
        }
    }

    /// The columns that show a bucket's values where they are pointed at.
    pub(super) fn tips(
        &self,
        svg: &mut Svg,
        time: &Axis,
        buckets: &[Bucket],
        tip: impl Fn(&Bucket) -> String,
    ) {
        for bucket in buckets {
            self.column(svg, time, (bucket.from_s, bucket.until_s), &tip(bucket));
        }
    }

    /// A column that shows its time and `words` where it is pointed at.
    pub(super) fn column(&self, svg: &mut Svg, time: &Axis, span_s: (f64, f64), words: &str) {
        let at = self.stretch(time.place(span_s.0), time.place(span_s.1));
        svg.tip("hit", at, &format!("{}\n{words}", span(span_s)));
    }

    fn stretch(&self, from: f64, until: f64) -> Rectangle {
        Rectangle {
            x: from,
            y: self.top,
            width: (until - from).max(0.0),
            height: self.bottom - self.top,
        }
    }
}

fn span((from_s, until_s): (f64, f64)) -> String {
    format!("{} to {}", format::instant(from_s), format::instant(until_s))
}

fn tick_text(seconds: f64, last: f64) -> String {
    let whole = seconds.round() as i64;
    match last {
        _ if last < 180.0 => whole.to_string(),
        _ if last < 10_800.0 => format!("{}:{:02}", whole / 60, whole % 60),
        _ => format!("{}:{:02}", whole / 3600, whole / 60 % 60),
    }
}

/// What joining seconds did, for a caption; empty where each second has its own place.
pub(super) fn joined(buckets: &[Bucket], seconds: usize) -> String {
    let each = seconds.div_ceil(buckets.len().max(1));
    if each <= 1 { String::new() } else { format!(" Each point stands for {each} seconds.") }
}
