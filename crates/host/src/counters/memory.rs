//! Memory of the machine, from `/proc/meminfo`.

use crate::{Root, meminfo::field_bytes};

/// Memory now, bytes; 0 for what the kernel does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// What programs could have without swapping.
    pub available_bytes: u64,
    /// Files kept in memory.
    pub cached_bytes: u64,
    /// Of those, what is yet to be written.
    pub dirty_bytes: u64,
    /// What is on its way to a disk.
    pub writeback_bytes: u64,
}

impl Memory {
    /// Asks the machine; none where it does not tell.
    pub fn of(root: &Root) -> Option<Self> {
        root.text("proc/meminfo").map(|text| Self::parse(&text))
    }

    fn parse(text: &str) -> Self {
        let of = |name| field_bytes(text, name).unwrap_or(0);
        Self {
            available_bytes: of("MemAvailable"),
            cached_bytes: of("Cached"),
            dirty_bytes: of("Dirty"),
            writeback_bytes: of("Writeback"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_taken_whole() {
        let text = "MemAvailable:  8 kB\nSwapCached:  1 kB\nCached:  4 kB\nDirty:  2 kB\n\
                    WritebackTmp:  9 kB\nWriteback:  3 kB\n";
        let memory = Memory::parse(text);
        assert_eq!((memory.available_bytes, memory.cached_bytes), (8192, 4096));
        assert_eq!((memory.dirty_bytes, memory.writeback_bytes), (2048, 3072));
    }

    proptest! {
        #[test]
        fn any_text_gives_an_answer(text in "(Cached|Dirty)?:? [0-9]{0,30}[a-zB\n ]{0,20}") {
            let _answer = Memory::parse(&text);
        }
    }
}
