//! Opening a store: what is there is looked at before anything is written.

use super::{
    StoreError,
    schema::{APPLICATION_ID, MIGRATIONS, current},
};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::{
    fs::{self, File},
    io::{ErrorKind, Read as _},
    path::Path,
    time::Duration,
};

/// Length of an SQLite file's header, bytes.
const HEADER_BYTES: usize = 100;

/// Opens or makes the store at `path`, at the present format.
pub(super) fn open(path: &Path, wait: Duration) -> Result<Connection, StoreError> {
    recognise(path)?;
    let sort = |error| StoreError::sort(path, wait.as_secs_f64(), error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(sort)?;
    connection.busy_timeout(wait).map_err(sort)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(sort)?;
    migrate(&mut connection, path, wait)?;
    // Readers and a writer get along in this mode. Where the file system cannot have it (no shared
    // memory) SQLite keeps the mode it had; where another process is just reading, the next opening
    // will do it.
    match connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())) {
        Ok(()) => {}
        Err(error) if is_busy(&error) => {}
        Err(error) => return Err(sort(error)),
    }
    // A saved run survives a power failure: saves are rare, so each may wait for the disk.
    connection.pragma_update(None, "synchronous", "FULL").map_err(sort)?;
    Ok(connection)
}

/// Refuses a file that is no store or a newer one, by its header and without opening it for
/// writing. A missing or empty file will become a store; its directory is made.
fn recognise(path: &Path) -> Result<(), StoreError> {
    let unwritable = |error: std::io::Error| StoreError::Unwritable {
        path: path.to_owned(),
        detail: error.to_string(),
    };
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(unwritable)?;
    }
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unwritable(error)),
    };
    if !file.metadata().map_err(unwritable)?.is_file() {
        return Err(StoreError::NotAStore { path: path.to_owned(), found: "not a regular file" });
    }
    let mut header = Vec::with_capacity(HEADER_BYTES);
    file.take(HEADER_BYTES as u64).read_to_end(&mut header).map_err(unwritable)?;
    if header.is_empty() {
        return Ok(());
    }
    let not_a_store = |found| Err(StoreError::NotAStore { path: path.to_owned(), found });
    if header.len() < HEADER_BYTES || !header.starts_with(b"SQLite format 3\0") {
        return not_a_store("not an SQLite file");
    }
    // Offsets 60 and 68: https://sqlite.org/fileformat.html#the_database_header
    let word = |at: usize| {
        i32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    if word(68) != APPLICATION_ID {
        return not_a_store("an SQLite file of another program");
    }
    refuse_newer(path, i64::from(word(60)))
}

fn refuse_newer(path: &Path, found: i64) -> Result<(), StoreError> {
    if found > current() {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: current() });
    }
    Ok(())
}

/// Takes the file through the steps that it has not seen, all or none of them.
fn migrate(connection: &mut Connection, path: &Path, wait: Duration) -> Result<(), StoreError> {
    let sort = |error| StoreError::sort(path, wait.as_secs_f64(), error);
    let version = |connection: &Connection| {
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
    };
    let found = version(connection).map_err(sort)?;
    refuse_newer(path, found)?;
    if found == current() {
        return Ok(());
    }
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sort)?;
    // Another process may have done it while this one waited for the lock.
    let found = version(&transaction).map_err(sort)?;
    refuse_newer(path, found)?;
    for step in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(step).map_err(sort)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(sort)?;
    transaction.pragma_update(None, "user_version", current()).map_err(sort)?;
    transaction.commit().map_err(sort)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked))
}
