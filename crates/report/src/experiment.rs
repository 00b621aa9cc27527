//! An experiment: as one HTML file, as text for a terminal, as a Markdown page.
//!
//! Figures and verdicts come from the record alone; what was second for second comes from the
//! [`Trials`], which hold each run in brief.

mod amplification;
mod bins;
mod differences;
mod digest;
mod facts;
mod figures;
mod limits;
mod over_time;
mod page;
mod section;
mod sweeps;
mod text;
mod trials;
mod words;

pub use page::html;
pub use text::{markdown, text};
pub use trials::Trials;
