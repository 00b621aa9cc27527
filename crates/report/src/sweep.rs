//! A sweep: as one HTML file, as text for a terminal, as a Markdown page.

mod page;
mod section;
mod text;
pub(crate) mod words;

pub use page::html;
pub use text::{markdown, text};
