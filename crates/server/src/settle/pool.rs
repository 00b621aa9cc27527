//! Waiting until a server that has just been started has filled its buffer pool.
//!
//! By default it reads, in the background, the pages that it held when it was shut down: reads that
//! a load would share the disk with.

use client::{Connection, Error, Target};
use std::time::{Duration, Instant};

/// Between two questions.
const POLL: Duration = Duration::from_millis(200);
const STATUS: &str = "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_load_status'";
const WANTED: &str = "SHOW GLOBAL VARIABLES LIKE 'innodb_buffer_pool_load_at_startup'";

/// How filling the buffer pool went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolFilled {
    /// How long it was waited for.
    pub length: Duration,
    /// Whether it is over; true where the server fills nothing.
    pub is_over: bool,
    /// What the server said of it last; empty where it says nothing.
    pub words: String,
}

impl PoolFilled {
    /// Asks until the buffer pool is filled, `deadline` has passed or `stopped` says so.
    ///
    /// # Errors
    /// The server cannot be reached, or went away.
    pub async fn wait(
        target: &Target,
        deadline: Duration,
        stopped: impl Fn() -> bool,
    ) -> Result<Self, Error> {
        let begun = Instant::now();
        let mut connection = Connection::connect(target).await?;
        let is_wanted = second(&mut connection, WANTED).await?.eq_ignore_ascii_case("ON");
        let filled = loop {
            let words = second(&mut connection, STATUS).await?;
            let is_over = !is_wanted || is_over(&words);
            let left = deadline.saturating_sub(begun.elapsed());
            if is_over || left.is_zero() || stopped() {
                break Self { length: begun.elapsed(), is_over, words };
            }
            tokio::time::sleep(POLL.min(left)).await;
        };
        connection.close().await;
        Ok(filled)
    }
}

/// The second column of the only row; empty where there is none.
async fn second(connection: &mut Connection, sql: &str) -> Result<String, Error> {
    let row = connection.query_one(sql).await?;
    Ok(row.and_then(|row| row.text(1)).unwrap_or_default())
}

/// Whether the server's words on loading its buffer pool say that nothing more comes: it is
/// completed, was given up, found no file to load, or is not spoken of at all.
fn is_over(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    let begins = ["loaded ", "loading ", "buffer pool(s) load started"];
    !begins.iter().any(|begin| words.starts_with(begin)) || words.contains("complete")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_both_flavours_are_understood() {
        for going_on in [
            "Loading of buffer pool not started",
            "Loading buffer pool(s) from /data/ib_buffer_pool",
            "Loaded 129/4096 pages",
        ] {
            assert!(!is_over(going_on), "{going_on}");
        }
        for over in [
            "",
            "Buffer pool(s) load completed at 261122  7:00:15",
            "Buffer pool load is incomplete: aborted",
            "Cannot open '/data/ib_buffer_pool' for reading: No such file or directory",
        ] {
            assert!(is_over(over), "{over}");
        }
    }
}
