//! Whether the kernel takes a hint for a file, and keeps it.

use super::{
    layer::{Layer, Reach},
    measure::scratch,
};
use rustix::fs::OFlags;
use std::path::Path;
use streams::{HintError, Lifetime, hint};

/// The layer of the call, tried on a file that is made in the directory and deleted.
pub(super) fn layer(directory: &Path) -> Layer {
    let this = |hint, words: String| Layer::known("call", "fcntl", hint, words);
    let Ok(file) = scratch(directory, OFlags::empty()) else {
        return this(Reach::Unknown, "no file can be made here to try it with".to_owned())
            .but("try it as the owner of the directory, or as root");
    };
    let kept = hint::set(&file, Lifetime::Short).and_then(|()| hint::get(&file));
    match kept {
        Ok(Lifetime::Short) => {
            this(Reach::Passes, "the kernel takes a file's hint and keeps it".to_owned()).measured()
        }
        Ok(other) => this(Reach::Stops, format!("the hint was set and reads back as {other}"))
            .but("use another file system")
            .measured(),
        Err(error @ HintError::Unsupported) => {
            this(Reach::Stops, error.to_string()).but("use a later kernel").measured()
        }
        Err(error) => this(Reach::Stops, error.to_string()).but("try it as root").measured(),
    }
}
