//! An event as the program in the kernel writes it (`struct event` of bpf/block_trace.bpf.c).

use crate::trace::{Event, Kind};

/// Bytes of a record.
pub(super) const RECORD_BYTES: usize = 24;

// Of the kernel's `enum req_op`. Writes that are appended to a zone do not come here: their sector
// is not known yet when they are watched.
const WRITE: u8 = 1;
const DISCARD: u8 = 3;
const SECURE_ERASE: u8 = 5;
const WRITE_SAME: u8 = 7;
const WRITE_ZEROES: u8 = 9;

/// Reads a record; none if it is not one. Sectors are then counted from `start_sector` of the disk.
pub(super) fn event(record: &[u8], start_sector: u64) -> Option<Event> {
    let record: &[u8; RECORD_BYTES] = record.try_into().ok()?;
    let number = |at: usize| record[at..at + 8].try_into().map(u64::from_ne_bytes).ok();
    let kind = match (record[20], record[22] != 0) {
        (WRITE | WRITE_SAME | WRITE_ZEROES, false) => Kind::Write,
        (WRITE | WRITE_SAME, true) => Kind::Write,
        // Zeroes that may be had by unmapping are had so where the drive can.
        (DISCARD | SECURE_ERASE, _) | (WRITE_ZEROES, true) => Kind::Discard,
        _ => return None,
    };
    Some(Event {
        time_ns: number(0)?,
        sector: number(8)?.checked_sub(start_sector)?,
        sectors: record[16..20].try_into().map(u32::from_ne_bytes).ok().filter(|n| *n > 0)?,
        kind,
        hint: record[21],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(operation: u8, may_unmap: u8) -> Vec<u8> {
        let mut record = 77_u64.to_ne_bytes().to_vec();
        record.extend(2050_u64.to_ne_bytes());
        record.extend(32_u32.to_ne_bytes());
        record.extend([operation, 4, may_unmap, 0]);
        record
    }

    #[test]
    fn a_record_becomes_an_event_of_the_device_that_was_asked_for() {
        let event = event(&record(WRITE, 1), 2048).unwrap();
        let kind = Kind::Write;
        assert_eq!(event, Event { time_ns: 77, sector: 2, sectors: 32, kind, hint: 4 });
    }

    #[test]
    fn zeroes_are_a_discard_where_they_may_be_had_by_unmapping() {
        for (operation, may_unmap, kind) in [
            (WRITE, 1, Kind::Write),
            (WRITE_SAME, 1, Kind::Write),
            (WRITE_ZEROES, 0, Kind::Write),
            (WRITE_ZEROES, 1, Kind::Discard),
            (DISCARD, 0, Kind::Discard),
            (SECURE_ERASE, 0, Kind::Discard),
        ] {
            assert_eq!(event(&record(operation, may_unmap), 0).unwrap().kind, kind);
        }
    }

    #[test]
    fn what_is_no_record_is_none() {
        assert_eq!(event(&record(WRITE, 1)[..23], 0), None);
        assert_eq!(event(&record(0, 1), 0), None, "a read");
        assert_eq!(event(&record(WRITE, 1), 2051), None, "before the partition");
        let mut empty = record(WRITE, 1);
        empty[16..20].fill(0);
        assert_eq!(event(&empty, 0), None);
    }
}
