//! A trace looked through before it is read: whose sectors are, and how much memory it will take.

use super::{
    FileError,
    reader::{Reader, Step},
};
use crate::trace::names::Resolver;
use std::io::Read;

/// What a whole trace holds, as far as it is sound.
#[derive(Debug, Default)]
pub struct Survey {
    /// What it tells of files, for [`Reader::with_names`].
    pub names: Resolver,
    /// How many events it has.
    pub events: u64,
    /// Bytes of memory that the names take while the trace is read, about.
    pub names_bytes: u64,
}

/// Looks through a trace. When the names take more memory than `names_bytes_max`, no more of them
/// are kept, and only events are counted: the sum is then too low, but above the limit.
///
/// # Errors
/// It is no trace.
pub fn survey(from: impl Read, names_bytes_max: u64) -> Result<Survey, FileError> {
    let mut reader = Reader::new(from)?;
    let mut survey = Survey::default();
    let mut events = Vec::new();
    while reader.trailer().is_none() {
        events.clear();
        match reader.step(&mut events) {
            Ok(Step::File(file)) if survey.names_bytes <= names_bytes_max => {
                survey.names.foresee(&file);
                // What is foreseen is observed later, and kept once more.
                survey.names_bytes = survey.names.bytes().saturating_mul(2);
            }
            Ok(_) => {}
            // Whoever reads the events meets the damage, too, and tells of it.
            Err(_) => break,
        }
    }
    survey.events = reader.events();
    Ok(survey)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::trace::{
        Event, Kind,
        file::{Header, Writer},
        names::{Extent, FileId, FileMap},
    };

    fn trace(files: u32, events: u64) -> Vec<u8> {
        let header = Header {
            device: "d".into(),
            device_bytes: 1 << 30,
            started_unix_ns: 0,
            started_ns: 0,
            carries_hints: true,
        };
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, &header).unwrap();
        for file in 0..files {
            let extents = vec![Extent { sector: u64::from(file) * 8, sectors: 8 }];
            let path = format!("/{file}").into();
            writer.file(&FileMap { file: FileId(file), path, extents }).unwrap();
        }
        for at in 0..events {
            let write = Event { time_ns: at, sector: 0, sectors: 8, kind: Kind::Write, hint: 0 };
            writer.events(&[write]).unwrap();
        }
        writer.finish(0, events).unwrap();
        bytes
    }

    #[test]
    fn events_are_counted_as_far_as_a_trace_is_sound() {
        let bytes = trace(3, 100_000);
        let whole = survey(bytes.as_slice(), u64::MAX).unwrap();
        assert_eq!((whole.events, whole.names.files().count()), (100_000, 3));
        let cut = survey(&bytes[..bytes.len() / 2], u64::MAX).unwrap();
        assert!((1..100_000).contains(&cut.events), "{}", cut.events);
    }

    #[test]
    fn names_take_no_more_than_is_allowed() {
        let bytes = trace(1_000, 7);
        let whole = survey(bytes.as_slice(), u64::MAX).unwrap();
        let few = survey(bytes.as_slice(), 10_000).unwrap();
        assert!(few.names_bytes > 10_000 && few.names_bytes < whole.names_bytes / 2);
        assert_eq!(few.events, 7, "all are counted");
    }
}
