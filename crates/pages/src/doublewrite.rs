//! Copies of pages: the doublewrite area of `ibdata1`, doublewrite files, and what they are worth.

pub mod area;
pub mod batch;
pub mod copies;
pub mod judge;

pub use area::Area;
pub use copies::PageCopy;
pub use judge::Judge;
