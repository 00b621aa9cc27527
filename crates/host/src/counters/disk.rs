//! What a block device has done, from `/proc/diskstats`.

use super::ms;
use crate::Root;

/// Bytes of a sector, whatever the device: the kernel's unit.
const SECTOR_BYTES: u64 = 512;

/// Totals of a block device since it appeared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Disk {
    /// Reads that completed.
    pub reads: u64,
    /// What they brought, bytes.
    pub read_bytes: u64,
    /// Time that they took, queueing included, seconds, added up over requests.
    pub read_s: f64,
    /// Writes that completed.
    pub writes: u64,
    /// What they took away, bytes.
    pub written_bytes: u64,
    /// Time that they took, seconds.
    pub write_s: f64,
    /// Requests under way now.
    pub in_flight: u64,
    /// Time with at least one request under way, seconds.
    pub busy_s: f64,
    /// Time of all requests, seconds: its growth a second is the mean number under way.
    pub queue_s: f64,
    /// Discards that completed; 0 before Linux 4.18.
    pub discards: u64,
    /// What they freed, bytes.
    pub discarded_bytes: u64,
    /// Flushes of the device's cache; 0 before Linux 5.5.
    pub flushes: u64,
    /// Time that they took, seconds.
    pub flush_s: f64,
}

impl Disk {
    /// The device with this number (as `st_dev` of a file on it tells it), and its name. None
    /// where there is none: a file system in memory or on a network, or one that spans devices.
    pub fn of(root: &Root, (major, minor): (u32, u32)) -> Option<(String, Self)> {
        let stats = root.text("proc/diskstats")?;
        let all = stats.lines().filter_map(Self::parse);
        let mut ours = all.filter(|(number, ..)| *number == (major, minor));
        ours.next().map(|(_, name, disk)| (name, disk))
    }

    /// A line: number, name, totals. Kernels have added columns at the end.
    fn parse(line: &str) -> Option<((u32, u32), String, Self)> {
        let mut words = line.split_whitespace();
        let number = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let name = words.next()?.to_owned();
        let totals: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        if totals.len() < 11 {
            return None;
        }
        let of = |column: usize| totals.get(column).copied().unwrap_or(0);
        let bytes = |column: usize| of(column).saturating_mul(SECTOR_BYTES);
        let disk = Self {
            reads: of(0),
            read_bytes: bytes(2),
            read_s: ms(of(3)),
            writes: of(4),
            written_bytes: bytes(6),
            write_s: ms(of(7)),
            in_flight: of(8),
            busy_s: ms(of(9)),
            queue_s: ms(of(10)),
            discards: of(11),
            discarded_bytes: bytes(13),
            flushes: of(15),
            flush_s: ms(of(16)),
        };
        Some((number, name, disk))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_of_a_new_kernel_tells_of_flushes() {
        let line = " 259 1 nvme0n1p1 10 1 80 500 20 2 160 1500 3 700 2000 4 0 32 9 5 250";
        let (number, name, disk) = Disk::parse(line).unwrap();
        assert_eq!((number, name.as_str()), ((259, 1), "nvme0n1p1"));
        assert_eq!((disk.reads, disk.read_bytes, disk.read_s), (10, 40_960, 0.5));
        assert_eq!((disk.writes, disk.written_bytes, disk.write_s), (20, 81_920, 1.5));
        assert_eq!((disk.in_flight, disk.busy_s, disk.queue_s), (3, 0.7, 2.0));
        assert_eq!((disk.discards, disk.discarded_bytes), (4, 16_384));
        assert_eq!((disk.flushes, disk.flush_s), (5, 0.25));
    }

    #[test]
    fn an_old_kernel_tells_of_reads_and_writes() {
        let (_, _, disk) = Disk::parse("8 0 sda 1 2 3 4 5 6 7 8 9 10 11").unwrap();
        assert_eq!((disk.reads, disk.writes, disk.flushes), (1, 5, 0));
        assert_eq!(Disk::parse("8 0 sda 1 2 3 4"), None);
    }

    #[test]
    fn the_device_is_found_by_its_number() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("proc")).unwrap();
        let text = "8 0 sda 1 0 0 0 0 0 0 0 0 0 0\n8 1 sda1 2 0 0 0 0 0 0 0 0 0 0\n";
        std::fs::write(dir.path().join("proc/diskstats"), text).unwrap();
        let root = Root::at(dir.path());
        let (name, disk) = Disk::of(&root, (8, 1)).unwrap();
        assert_eq!((name.as_str(), disk.reads), ("sda1", 2));
        assert_eq!(Disk::of(&root, (0, 42)), None);
    }

    proptest! {
        #[test]
        fn any_line_is_a_device_or_none(
            line in "[0-9]{0,3} [0-9]{0,3} [a-z]{0,4}( [0-9]{1,20}){0,20}",
        ) {
            if let Some((_, _, disk)) = Disk::parse(&line) {
                prop_assert!(disk.read_s.is_finite() && disk.queue_s.is_finite());
            }
        }
    }
}
