//! The experiments that myrig brings along, and those in files.

use crate::failure::Failure;
use lab::experiment::file::FILE_BYTES_MAX;
use std::{fs::File, io::Read, path::Path};

/// Those that it brings along: names and texts.
pub(crate) const EMBEDDED: [(&str, &str); 5] = [
    ("demo", include_str!("../../../../experiments/demo.toml")),
    ("cloud-instances", include_str!("../../../../experiments/cloud-instances.toml")),
    ("hammerdb-scaling", include_str!("../../../../experiments/hammerdb-scaling.toml")),
    ("innochecksum-nvme", include_str!("../../../../experiments/innochecksum-nvme.toml")),
    ("astream-waf", include_str!("../../../../experiments/astream-waf.toml")),
];

/// The text of an experiment.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The file, word for word.
    pub(crate) text: String,
    /// Where it is: its path, or the name of one that myrig brings along.
    pub(crate) origin: String,
}

impl Source {
    /// Reads the file of that path, or else takes the experiment of that name.
    ///
    /// # Errors
    /// There is neither, or the file cannot be read.
    pub(crate) fn of(named: &str) -> Result<Self, Failure> {
        let path = Path::new(named);
        if !path.is_file() {
            return Self::embedded(named).ok_or_else(|| {
                let names: Vec<&str> = EMBEDDED.iter().map(|(name, _)| *name).collect();
                Failure::usage(format!(
                    "there is no file `{named}`, and no experiment of that name; myrig brings {} \
                     along",
                    names.join(", ")
                ))
            });
        }
        let mut bytes = Vec::new();
        // A byte more tells a file that is too long from one that just is not.
        let read = File::open(path)
            .and_then(|file| file.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes));
        read.map_err(|error| anyhow::anyhow!("{named}: {error}"))?;
        let text = String::from_utf8(bytes);
        let text = text.map_err(|_| anyhow::anyhow!("{named}: it is no text (UTF-8)"))?;
        Ok(Self { text, origin: named.to_owned() })
    }

    /// The experiment of that name among those that myrig brings along.
    pub(crate) fn embedded(name: &str) -> Option<Self> {
        let (origin, text) = EMBEDDED.iter().find(|(known, _)| *known == name)?;
        Some(Self { text: (*text).to_owned(), origin: (*origin).to_owned() })
    }
}
