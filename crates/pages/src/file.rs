//! Files: what kind each is, where they are, and whether a server has them open.

pub mod kind;
pub mod lock;
pub mod reader;
pub(crate) mod system;
pub mod walk;

pub use kind::{Kind, Named};
pub use system::Member;
pub use walk::{Failed, Found, Skipped, Target, walk};
