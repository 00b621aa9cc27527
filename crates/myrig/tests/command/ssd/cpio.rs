//! An archive that Linux unpacks as its first file system: cpio in its "newc" form.

/// An archive in memory.
#[derive(Default)]
pub(super) struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

impl Archive {
    pub(super) fn dir(&mut self, name: &str) {
        self.entry(name, 0o040_755, b"");
    }

    pub(super) fn program(&mut self, name: &str, content: &[u8]) {
        self.entry(name, 0o100_755, content);
    }

    /// The whole of it, with the entry that ends it.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, b"");
        self.bytes
    }

    fn entry(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        let size = u32::try_from(content.len()).unwrap();
        let name_size = u32::try_from(name.len()).unwrap() + 1;
        let fields = [self.entries, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name_size, 0];
        self.bytes.extend(b"070701");
        for field in fields {
            self.bytes.extend(format!("{field:08X}").bytes());
        }
        self.bytes.extend(name.bytes().chain([0]));
        self.pad();
        self.bytes.extend(content);
        self.pad();
    }

    /// Names and contents begin at multiples of four.
    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}
