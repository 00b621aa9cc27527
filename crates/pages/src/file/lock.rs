//! Whether a server has a file open.

use rustix::process::{Flock, FlockType, fcntl_getlk};
use std::{fs::File, path::Path};

/// Whether somebody holds a write lock on the file at `path`, as every server does on its data
/// files while it runs. A file that cannot be opened is not locked.
pub fn held(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    // Opening and closing the file would end locks of this process on it; it has none.
    let asked = Flock::from(FlockType::WriteLock);
    matches!(fcntl_getlk(&file, &asked), Ok(Some(_)))
}
