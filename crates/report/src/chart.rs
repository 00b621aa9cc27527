//! Charts as inline SVG: no script is needed to read them, colours come from the page's style
//! sheet, and every value can be pointed at.
//!
//! [`bucket`] joins seconds so that a long run fits; [`axis`] places values; [`frame`] draws what
//! all charts over time share; [`watched`](mod@watched) draws whatever was watched;
//! [`overlay`](mod@overlay) puts several runs on one axis of time; the others are a chart each.

mod axis;
mod bars;
mod bucket;
mod effects;
mod frame;
mod latency;
mod limit;
mod overlay;
mod percentile;
mod scaling;
mod steps;
mod svg;
mod throughput;
mod watched;

pub(crate) use bars::{Bar, bars};
pub(crate) use effects::effects;
pub(crate) use latency::latency_over_time;
pub(crate) use limit::{Speed, beside_limit};
pub(crate) use overlay::{Curve, Mark, Overlay, overlay};
pub(crate) use percentile::{Distribution, distributions, percentiles};
pub(crate) use scaling::{Scaling, scaling};
pub(crate) use steps::{
    percentiles_over_steps, processors_over_steps, throughput_over_steps, types_over_steps,
};
pub(crate) use throughput::{class, throughput_over_time};
pub(crate) use watched::{WatchCharts, known_group, watched};

/// A drawing and what is said below it.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    /// A whole `svg` element, escaped.
    pub(crate) svg: String,
    pub(crate) title: String,
    pub(crate) caption: String,
    /// Names of the colours, in order.
    pub(crate) legend: Vec<Key>,
}

/// One colour's name.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// The class that the style sheet gives a colour to.
    pub(crate) class: String,
    pub(crate) name: String,
}
