//! Reading along while a feed is written.

use super::Event;
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

/// A line longer than this is nobody's; it is passed over.
const LINE_MAX_BYTES: usize = 1 << 20;
/// What is read at once at most, so that a long feed is taken in pieces.
const READ_MAX_BYTES: u64 = 8 << 20;

/// A place in a feed.
#[derive(Debug)]
pub(crate) struct Tail {
    file: File,
    /// The beginning of a line whose end is not there yet.
    begun: Vec<u8>,
    /// The line that is begun is too long.
    is_skipping: bool,
}

impl Tail {
    /// At the beginning of a feed.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, begun: Vec::new(), is_skipping: false })
    }

    /// Goes to the last `bytes` bytes, and to the beginning of a line there.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn skip_to_last(&mut self, bytes: u64) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        if length > bytes {
            self.file.seek(SeekFrom::Start(length - bytes))?;
            self.is_skipping = true;
        }
        Ok(())
    }

    /// Events that have been told since the last call; lines that are none are passed over. An
    /// empty answer means that there is nothing new.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn events(&mut self) -> io::Result<Vec<Event>> {
        loop {
            let mut read = Vec::new();
            let count = (&mut self.file).take(READ_MAX_BYTES).read_to_end(&mut read)?;
            let events = self.take(&read);
            if !events.is_empty() || count == 0 {
                return Ok(events);
            }
        }
    }

    /// The first event of a feed that was just opened; none where there is none yet.
    pub(crate) fn first(mut self) -> Option<Event> {
        let mut read = Vec::new();
        (&mut self.file).take(LINE_MAX_BYTES as u64).read_to_end(&mut read).ok()?;
        self.take(&read).into_iter().next()
    }

    fn take(&mut self, read: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for piece in read.split_inclusive(|byte| *byte == b'\n') {
            if !self.is_skipping {
                self.begun.extend_from_slice(piece);
                self.is_skipping = self.begun.len() > LINE_MAX_BYTES;
            }
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.begun);
                if !std::mem::take(&mut self.is_skipping) {
                    events.extend(serde_json::from_slice::<Event>(&line).ok());
                }
            } else if self.is_skipping {
                self.begun.clear();
            }
        }
        events
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    const NOTE: &[u8] = b"{\"kind\":\"note\",\"text\":\"x\"}\n";

    fn file() -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f.jsonl");
        std::fs::write(&path, b"").unwrap();
        (directory, path)
    }

    #[test]
    fn a_line_is_read_when_its_end_is_there() {
        let (_directory, path) = file();
        let mut writer = File::options().append(true).open(&path).unwrap();
        let mut tail = Tail::open(&path).unwrap();
        assert_eq!(tail.events().unwrap(), []);
        writer.write_all(&NOTE[..9]).unwrap();
        assert_eq!(tail.events().unwrap(), []);
        writer.write_all(&NOTE[9..]).unwrap();
        assert_eq!(tail.events().unwrap().len(), 1);
        assert_eq!(tail.events().unwrap(), []);
    }

    #[test]
    fn lines_that_are_torn_foreign_or_endless_are_passed_over() {
        let (_directory, path) = file();
        let mut bytes = b"{\"kind\":\"note\",\"te\n\xff\xfe\n{\"kind\":\"other\"}\n".to_vec();
        bytes.extend(vec![b'x'; 3 * LINE_MAX_BYTES]);
        bytes.push(b'\n');
        bytes.extend(NOTE);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(Tail::open(&path).unwrap().events().unwrap().len(), 1);
    }

    #[test]
    fn the_last_lines_are_found_from_the_middle_of_one() {
        let (_directory, path) = file();
        std::fs::write(&path, NOTE.repeat(10)).unwrap();
        let mut tail = Tail::open(&path).unwrap();
        tail.skip_to_last(NOTE.len() as u64 * 2 + 3).unwrap();
        assert_eq!(tail.events().unwrap().len(), 2);
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_pieces_end_in_an_answer(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8),
        ) {
            let (_directory, path) = file();
            let mut writer = File::options().append(true).open(&path).unwrap();
            let mut tail = Tail::open(&path).unwrap();
            for piece in pieces {
                writer.write_all(&piece).unwrap();
                let _any = tail.events().unwrap();
            }
            writer.write_all(b"\n").unwrap();
            writer.write_all(NOTE).unwrap();
            prop_assert!(!tail.events().unwrap().is_empty());
        }
    }
}
