//! An experiment: as one HTML file, as text for a terminal, as a Markdown page.

mod text;

pub use text::{markdown, text};
