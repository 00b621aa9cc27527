//! What a device holds, by the marks that file systems and others leave on it.
//!
//! The places and marks are those that libblkid looks for; a device with none of them that is not
//! all zeros where one looks holds data of an unknown kind.

use std::{fs::File, io, os::unix::fs::FileExt, path::Path};

/// A mark: where, what, of whom.
type Mark = (u64, &'static [u8], &'static str);

/// Marks counted from the beginning of a device.
const MARKS: [Mark; 28] = [
    (0, b"XFSB", "an XFS file system"),
    (1080, &[0x53, 0xEF], "an ext file system"),
    (0x1_0040, b"_BHRfS_M", "a btrfs file system"),
    (1024, &[0x10, 0x20, 0xF5, 0xF2], "an F2FS file system"),
    (0x1000, &[0x10, 0x20, 0xF5, 0xF2], "an F2FS file system"),
    (3, b"NTFS    ", "an NTFS file system"),
    (3, b"EXFAT   ", "an exFAT file system"),
    (54, b"FAT", "a FAT file system"),
    (82, b"FAT32", "a FAT file system"),
    (0x8001, b"CD001", "an ISO 9660 file system"),
    (0, b"hsqs", "a squashfs file system"),
    (1024, &[0xE2, 0xE1, 0xF5, 0xE0], "an EROFS file system"),
    (0, b"LUKS\xba\xbe", "an encrypted volume (LUKS)"),
    (512, b"LABELONE", "an LVM physical volume"),
    (0, b"LABELONE", "an LVM physical volume"),
    (1024, b"LABELONE", "an LVM physical volume"),
    (1536, b"LABELONE", "an LVM physical volume"),
    (0, &[0xFC, 0x4E, 0x2B, 0xA9], "a member of an md array"),
    (4096, &[0xFC, 0x4E, 0x2B, 0xA9], "a member of an md array"),
    (4086, b"SWAPSPACE2", "swap space"),
    (8182, b"SWAPSPACE2", "swap space"),
    (16374, b"SWAPSPACE2", "swap space"),
    (65526, b"SWAPSPACE2", "swap space"),
    (512, b"EFI PART", "a partition table (GPT)"),
    (4096, b"EFI PART", "a partition table (GPT)"),
    (510, &[0x55, 0xAA], "a partition table or boot sector"),
    (4096 + 24, &[0xC6, 0x85, 0x73, 0xF6], "a bcache device"),
    (0, b"bluestore block device", "a Ceph device"),
];

/// Marks counted back from the end of a device.
const MARKS_AT_END: [Mark; 3] = [
    (512, b"EFI PART", "a partition table (GPT)"),
    (4096, b"EFI PART", "a partition table (GPT)"),
    (8192, &[0xFC, 0x4E, 0x2B, 0xA9], "a member of an md array"),
];

/// How much is looked at from the beginning, bytes; every mark lies within.
const HEAD_BYTES: usize = 1 << 20;
/// How many places further on are looked at for anything but zeros.
const SAMPLES: u64 = 64;
/// How much at each of them, bytes.
const SAMPLE_BYTES: usize = 4096;

/// What a device of `size_bytes` holds: in words, each once; nothing when it is blank.
///
/// # Errors
/// The device cannot be read.
pub(crate) fn probe(path: &Path, size_bytes: u64) -> io::Result<Vec<&'static str>> {
    let file = File::open(path)?;
    let head = read(&file, 0, size_bytes, HEAD_BYTES)?;
    let mut found: Vec<&'static str> = Vec::new();
    let mut add = |what| {
        if !found.contains(&what) {
            found.push(what);
        }
    };
    for (place, mark, what) in MARKS {
        // Places are all within the head.
        let rest = head.get(place as usize..).unwrap_or_default();
        if rest.starts_with(mark) {
            add(what);
        }
    }
    for (back, mark, what) in MARKS_AT_END {
        let Some(place) = size_bytes.checked_sub(back) else { continue };
        if read(&file, place, size_bytes, mark.len())? == mark {
            add(what);
        }
    }
    if found.is_empty() && (!is_blank(&head) || has_more(&file, size_bytes)?) {
        found.push("data of an unknown kind");
    }
    Ok(found)
}

fn has_more(file: &File, size_bytes: u64) -> io::Result<bool> {
    let step = (size_bytes / SAMPLES).max(SAMPLE_BYTES as u64);
    for sample in 0..SAMPLES {
        if !is_blank(&read(file, sample * step, size_bytes, SAMPLE_BYTES)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// At most `length` bytes from `place`, fewer at the end.
fn read(file: &File, place: u64, size_bytes: u64, length: usize) -> io::Result<Vec<u8>> {
    let there = usize::try_from(size_bytes.saturating_sub(place)).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length.min(there)];
    file.read_exact_at(&mut bytes, place)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const SIZE: u64 = 4 << 20;

    fn probed(place: u64, bytes: &[u8]) -> Vec<&'static str> {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(SIZE).unwrap();
        file.as_file().write_all_at(bytes, place).unwrap();
        probe(file.path(), SIZE).unwrap()
    }

    #[test]
    fn a_blank_device_holds_nothing() {
        assert_eq!(probed(0, &[]), [""; 0]);
    }

    #[test]
    fn every_mark_is_found_in_its_place() {
        for (place, mark, what) in MARKS {
            assert_eq!(probed(place, mark), [what], "at {place}");
        }
        for (back, mark, what) in MARKS_AT_END {
            assert_eq!(probed(SIZE - back, mark), [what], "{back} before the end");
        }
    }

    #[test]
    fn a_device_smaller_than_the_places_is_read_as_far_as_it_goes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(probe(file.path(), 0).unwrap(), [""; 0]);
        file.as_file().set_len(600).unwrap();
        assert_eq!(probe(file.path(), 600).unwrap(), [""; 0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn anything_in_the_first_mebibyte_is_something(
            place in 0..1_u64 << 20,
            byte in 1..=255_u8,
        ) {
            prop_assert!(!probed(place, &[byte]).is_empty());
        }
    }
}
