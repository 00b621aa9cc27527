//! Which stream of a drive a write goes to.

/// Streams by hint as the kernel's NVMe driver chose them from Linux 4.13 to 5.17: the hint less
/// one, where "not set" and "none" are writes without a stream, which are stream 0 here.
pub const NVME_STREAMS: [u8; 6] = [0, 0, 1, 2, 3, 4];

/// A file of a trace by its number; 0 is no file that is known.
pub type FileNumber = u32;

/// How a drive, or what is in front of it, chooses the stream of a write. A stream that the drive
/// does not have is stream 0 to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Hints are ignored: everything goes to stream 0.
    Ignored,
    /// By the write hint; the stream of each of the kernel's six.
    Hints([u8; 6]),
    /// By the file, as if a daemon had set a hint on it: the stream of each file's number. What
    /// belongs to no known file has the first, and files beyond the end have stream 0.
    Files(Vec<u8>),
}

impl Placement {
    /// Hints honoured as the kernel's NVMe driver did.
    #[must_use]
    pub fn nvme() -> Self {
        Self::Hints(NVME_STREAMS)
    }

    /// The stream of a write with this hint to this file.
    #[must_use]
    #[inline]
    pub fn stream(&self, hint: u8, file: FileNumber) -> u8 {
        match self {
            Self::Ignored => 0,
            Self::Hints(streams) => streams.get(usize::from(hint)).copied().unwrap_or(0),
            Self::Files(streams) => streams.get(file as usize).copied().unwrap_or(0),
        }
    }

    /// How many streams a drive needs for it, stream 0 included.
    #[must_use]
    pub fn streams(&self) -> u8 {
        let largest = match self {
            Self::Ignored => None,
            Self::Hints(streams) => streams.iter().max(),
            Self::Files(streams) => streams.iter().max(),
        };
        largest.copied().unwrap_or(0).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_honoured_as_the_kernel_did() {
        let nvme = Placement::nvme();
        let streams: Vec<u8> = (0..=6).map(|hint| nvme.stream(hint, 9)).collect();
        assert_eq!(streams, [0, 0, 1, 2, 3, 4, 0], "6 is no hint");
        assert_eq!(nvme.streams(), 5);
    }

    #[test]
    fn hints_that_are_ignored_do_nothing() {
        assert!((0..=5).all(|hint| Placement::Ignored.stream(hint, 1) == 0));
        assert_eq!(Placement::Ignored.streams(), 1);
    }

    #[test]
    fn files_have_streams_whatever_their_hint() {
        let files = Placement::Files(vec![0, 3, 1]);
        assert_eq!([0, 1, 2, 3].map(|file| files.stream(5, file)), [0, 3, 1, 0]);
        assert_eq!(files.streams(), 4);
    }
}
