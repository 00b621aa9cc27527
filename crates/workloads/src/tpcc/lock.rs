//! One load or cleanup of a database at a time.

use super::error::Error;
use client::{Connection, Target};
use std::time::Duration;

/// How long a load waits for its lock: one that was just killed holds it until the server
/// notices, which takes as long as the statement that it was in.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The same for a cleanup, which is refused while a load is really at work.
pub(crate) const PATIENCE_OF_CLEANUP: Duration = Duration::from_secs(5);

/// Takes the lock, which `connection` then holds to its end. `stopped` is asked about once a
/// second whether to give up.
///
/// # Errors
/// [`Error::Busy`] when another holds it for longer than `patience`, what `stopped` returns, a
/// refusal of the server.
pub(crate) async fn take(
    connection: &mut Connection,
    target: &Target,
    patience: Duration,
    stopped: impl Fn() -> Result<(), Error>,
) -> Result<(), Error> {
    let database = target.database.as_deref().ok_or(Error::NoDatabaseNamed)?;
    // Names of locks are limited to 64 characters; those of databases are as well.
    let name: String = format!("myrig:{database}").chars().take(64).collect();
    let name = name.replace(['\'', '\\'], "_");
    let mut left_s = patience.as_secs();
    loop {
        let sql = format!("SELECT GET_LOCK('{name}', {})", left_s.min(1));
        let row = connection.query_one(&sql).await.map_err(Error::database("taking the lock"))?;
        if row.is_some_and(|row| row.int(0) == Ok(1)) {
            return Ok(());
        }
        stopped()?;
        if left_s == 0 {
            return Err(Error::Busy { database: database.to_owned() });
        }
        left_s -= 1;
    }
}
