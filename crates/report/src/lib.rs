//! Reports: one HTML file with inline SVG charts, and text for a terminal or a Markdown page.
//!
//! Everything is made from a [`lab::record::RunRecord`], or of a [`sweep`] from its
//! [`lab::sweep::SweepRecord`], of a [`group`] from its [`lab::group::GroupRecord`], of an
//! [`experiment`] from its [`lab::experiment::ExperimentRecord`], and nothing else: the same
//! sections (`summary`, `section`) are shown as HTML ([`html`]) and as text ([`text`]), so that the
//! two cannot disagree. [`list`] shows many runs, a line each. Nothing here prints, asks the
//! terminal or uses a network.

pub mod brief;
mod chart;
pub mod comparison;
pub mod experiment;
mod format;
pub mod group;
pub mod html;
pub mod list;
pub mod pages;
mod reproduce;
mod section;
mod summary;
pub mod sweep;
mod table;
pub mod text;
pub mod trend;
