//! What is mounted where, and that it has changed, by `/proc/self/mountinfo` (proc(5)).

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Read, Seek},
    mem,
    os::fd::{AsFd, BorrowedFd},
    time::Duration,
};

use crate::wait;

/// The kernel's file; of a process in a mount namespace of its own, what is mounted there.
const FILE: &str = "/proc/self/mountinfo";

/// A mount.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Mount {
    /// Its number, its parent's, its device and what of it is mounted. The kernel gives a number
    /// again as soon as it is free.
    identity: Vec<u8>,
    point: Vec<u8>,
}

/// All mounts, as they were when they were last looked at.
#[derive(Default)]
pub(crate) struct Mounts {
    /// None without `/proc`: then nothing is ever told.
    file: Option<File>,
    known: HashSet<Mount>,
    /// The kernel has told of a change that was not looked at yet. It tells once.
    is_told: bool,
}

impl Mounts {
    /// As they are now.
    pub(crate) fn now() -> Self {
        let mut mounts = Self { file: File::open(FILE).ok(), ..Self::default() };
        mounts.known = mounts.read().unwrap_or_default();
        mounts
    }

    /// What the kernel tells of changes by, with [`wait::CHANGES`]; to be handed to
    /// [`Self::heard`].
    pub(crate) fn file(&self) -> Option<BorrowedFd<'_>> {
        self.file.as_ref().map(AsFd::as_fd)
    }

    /// Whether the kernel has told of a change while somebody waited for it.
    pub(crate) fn heard(&mut self, is_told: bool) {
        self.is_told |= is_told;
    }

    /// Where something was mounted or unmounted since it was last asked; in their order.
    pub(crate) fn changes(&mut self) -> Vec<Vec<u8>> {
        let [is_told] = wait::ready([(self.file(), wait::CHANGES)], Duration::ZERO);
        if !(mem::take(&mut self.is_told) | is_told) {
            return Vec::new();
        }
        let Ok(now) = self.read() else { return Vec::new() };
        let changed = now.symmetric_difference(&self.known);
        let mut points: Vec<Vec<u8>> = changed.map(|mount| mount.point.clone()).collect();
        points.sort_unstable();
        points.dedup();
        self.known = now;
        points
    }

    fn read(&self) -> io::Result<HashSet<Mount>> {
        let mut text = Vec::new();
        if let Some(mut file) = self.file.as_ref() {
            file.rewind()?;
            file.read_to_end(&mut text)?;
        }
        Ok(text.split(|byte| *byte == b'\n').filter_map(parse).collect())
    }
}

/// A line: `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`.
fn parse(line: &[u8]) -> Option<Mount> {
    let mut end = 0;
    let mut fields = line.split(|byte| *byte == b' ');
    for _ in 0..4 {
        end += fields.next()?.len() + 1;
    }
    let point = plain(fields.next().filter(|point| point.starts_with(b"/"))?);
    Some(Mount { identity: line[..end].to_vec(), point })
}

/// A name without the kernel's octal escapes: `\040` for a blank.
fn plain(name: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.first_chunk::<3>().filter(|_| first == b'\\');
        let value = digits.and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 8).ok()
        });
        plain.push(value.unwrap_or(first));
        rest = if value.is_some() { &after[3..] } else { after };
    }
    plain
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_is_read_whatever_its_directory_is_called() {
        let line =
            br"36 35 98:0 /mnt1 /a\040b\134c\011\012 rw,noatime master:1 - ext3 /dev/root rw";
        let mount = parse(line).unwrap();
        assert_eq!(mount.point, b"/a b\\c\t\n");
        assert_eq!(mount.identity, b"36 35 98:0 /mnt1 ");
        for cut in [&b""[..], b"36", b"36 35 98:0 /mnt1", b"36 35 98:0 / none"] {
            assert_eq!(parse(cut), None);
        }
        assert_eq!(plain(br"/a\04"), br"/a\04");
        assert_eq!(plain(br"/a\999\777"), br"/a\999\777");
    }

    #[test]
    fn the_root_of_this_process_is_mounted_and_nothing_has_changed_by_itself() {
        let mounts = Mounts::now();
        assert!(mounts.known.iter().any(|mount| mount.point == b"/"), "{:?}", mounts.known);
        let nowhere = &mut Mounts::default();
        nowhere.heard(true);
        assert_eq!(nowhere.changes(), Vec::<Vec<u8>>::new());
    }

    proptest! {
        #[test]
        fn nothing_makes_it_fail(line in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _any = parse(&line);
        }

        #[test]
        fn what_the_kernel_escapes_comes_back(name in "[a-z \t\n\\\\]{0,20}") {
            let escaped: String = name
                .chars()
                .map(|c| match c {
                    ' ' | '\t' | '\n' | '\\' => format!("\\{:03o}", u32::from(c)),
                    c => c.to_string(),
                })
                .collect();
            prop_assert_eq!(plain(escaped.as_bytes()), name.as_bytes());
        }
    }
}
