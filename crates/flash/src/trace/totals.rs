//! Counts of events by what they were, how they were hinted and whose they were.

use super::{Event, Kind, SECTOR_BYTES, names::FileId};
use std::collections::BTreeMap;

/// What is counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// Writes or discards.
    pub kind: Kind,
    /// The write hint.
    pub hint: u8,
    /// The file; none is the file system itself, or not known.
    pub file: Option<FileId>,
}

/// How much there was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Events.
    pub events: u64,
    /// Bytes that they cover.
    pub bytes: u64,
}

impl Sum {
    /// Adds another sum.
    pub fn add(&mut self, other: Self) {
        self.events += other.events;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// Counts of a trace.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    classes: BTreeMap<Class, Sum>,
    span_ns: Option<(u64, u64)>,
}

impl Totals {
    /// Counts an event of a file.
    pub fn add(&mut self, event: &Event, file: Option<FileId>) {
        let class = Class { kind: event.kind, hint: event.hint, file };
        let bytes = u64::from(event.sectors) * SECTOR_BYTES;
        self.classes.entry(class).or_default().add(Sum { events: 1, bytes });
        let (first, last) = self.span_ns.unwrap_or((event.time_ns, event.time_ns));
        self.span_ns = Some((first.min(event.time_ns), last.max(event.time_ns)));
    }

    /// All counts, in the order of their classes.
    pub fn classes(&self) -> impl Iterator<Item = (Class, Sum)> {
        self.classes.iter().map(|(class, sum)| (*class, *sum))
    }

    /// Everything of a kind.
    #[must_use]
    pub fn of(&self, kind: Kind) -> Sum {
        let mut total = Sum::default();
        self.classes().filter(|(class, _)| class.kind == kind).for_each(|(_, sum)| total.add(sum));
        total
    }

    /// From the first event to the last, nanoseconds; 0 without events.
    #[must_use]
    pub fn span_ns(&self) -> u64 {
        self.span_ns.map_or(0, |(first, last)| last - first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_counted_by_kind_hint_and_file() {
        let mut totals = Totals::default();
        let write = Event { time_ns: 5, sector: 0, sectors: 8, kind: Kind::Write, hint: 2 };
        let discard = Event { time_ns: 3, kind: Kind::Discard, hint: 0, sectors: 16, ..write };
        let file = Some(FileId(7));
        totals.add(&write, file);
        totals.add(&write, file);
        totals.add(&write, None);
        totals.add(&discard, None);
        assert_eq!(totals.of(Kind::Write), Sum { events: 3, bytes: 3 * 4096 });
        assert_eq!(totals.of(Kind::Discard), Sum { events: 1, bytes: 8192 });
        assert_eq!(totals.span_ns(), 2);
        let class = Class { kind: Kind::Write, hint: 2, file };
        let found = totals.classes().find(|(found, _)| *found == class).unwrap();
        assert_eq!(found.1, Sum { events: 2, bytes: 8192 });
    }
}
