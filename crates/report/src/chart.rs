//! Charts as inline SVG: no script is needed to read them, colours come from the page's style
//! sheet, and every value can be pointed at.
//!
//! [`bucket`] joins seconds so that a long run fits; [`axis`] places values; [`frame`] draws what
//! all charts over time share; [`watched`] draws whatever was watched; the others are a chart each.

mod axis;
mod bucket;
mod frame;
mod latency;
mod percentile;
mod steps;
mod svg;
mod throughput;
mod watched;

pub(crate) use latency::latency_over_time;
pub(crate) use percentile::percentiles;
pub(crate) use steps::{
    percentiles_over_steps, processors_over_steps, throughput_over_steps, types_over_steps,
};
pub(crate) use throughput::throughput_over_time;
pub(crate) use watched::{WatchCharts, watched};

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
