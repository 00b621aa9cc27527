//! Load generation.
pub mod session;
pub use session::{Completion, Draw, Failure, FailureClass, Session, TransactionType, Workload};
