//! A runtime for the few questions that a command asks outside of a load.

use crate::failure::Failure;

/// Runs `future` to its end on the calling thread.
///
/// # Errors
/// The system refuses a runtime.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(future))
}
