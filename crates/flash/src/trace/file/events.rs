//! Events in a frame: each a tag, the time since the one before, the way from where the one before
//! with the same hint ended, and what the tag does not say of its length and hint.

use super::varint::{put, take, unzigzag, zigzag};
use crate::trace::{Event, Kind};

/// At most so many events are in a frame.
pub(super) const EVENTS_MAX: usize = 4096;

// Of the tag.
const DISCARD: u8 = 1;
const HINT_SHIFT: u8 = 1;
const HINT_FOLLOWS: u8 = 7;
const LENGTH_SHIFT: u8 = 4;
const LENGTH_FOLLOWS: u8 = 7;
/// The way is a multiple of so many sectors, and written as such.
const ALIGNED: u8 = 0x80;
const ALIGNMENT: i64 = 8;

/// Lengths that the tag tells: from half a kilobyte to a large request.
const LENGTHS: [u32; 7] = [1, 8, 16, 32, 64, 128, 256];

/// Where the event before ended, for each hint.
struct Ends([u64; 8]);

impl Ends {
    fn of(&mut self, hint: u8) -> &mut u64 {
        &mut self.0[usize::from(hint & 7)]
    }
}

/// Writes events into the payload of a frame. Their times must not go back.
pub(super) fn encode(events: &[Event], out: &mut Vec<u8>) {
    put(out, events.len() as u64);
    let mut time_ns = 0;
    let mut ends = Ends([0; 8]);
    for event in events {
        let end = ends.of(event.hint);
        let way = event.sector.wrapping_sub(*end) as i64;
        *end = event.sector.wrapping_add(event.sectors.into());
        let hint = event.hint.min(HINT_FOLLOWS);
        let length = LENGTHS.iter().position(|length| *length == event.sectors);
        let length = length.map_or(LENGTH_FOLLOWS, |length| length as u8);
        let aligned = way % ALIGNMENT == 0;
        let kind = if event.kind == Kind::Discard { DISCARD } else { 0 };
        let alignment = if aligned { ALIGNED } else { 0 };
        out.push(kind | hint << HINT_SHIFT | length << LENGTH_SHIFT | alignment);
        put(out, event.time_ns.wrapping_sub(time_ns));
        time_ns = event.time_ns;
        put(out, zigzag(if aligned { way / ALIGNMENT } else { way }));
        if hint == HINT_FOLLOWS {
            out.push(event.hint);
        }
        if length == LENGTH_FOLLOWS {
            put(out, event.sectors.into());
        }
    }
}

/// Reads the payload of a frame; none if it is not what [`encode`] writes.
pub(super) fn decode(mut from: &[u8], events: &mut Vec<Event>) -> Option<()> {
    let count = usize::try_from(take(&mut from)?).ok().filter(|count| *count <= EVENTS_MAX)?;
    let mut time_ns = 0_u64;
    let mut ends = Ends([0; 8]);
    for _ in 0..count {
        let tag = byte(&mut from)?;
        time_ns = time_ns.checked_add(take(&mut from)?)?;
        let way = unzigzag(take(&mut from)?);
        let way = if tag & ALIGNED == 0 { way } else { way.checked_mul(ALIGNMENT)? };
        let hint = match tag >> HINT_SHIFT & 7 {
            HINT_FOLLOWS => byte(&mut from)?,
            hint => hint,
        };
        let sectors = match tag >> LENGTH_SHIFT & 7 {
            LENGTH_FOLLOWS => u32::try_from(take(&mut from)?).ok().filter(|length| *length > 0)?,
            length => LENGTHS[usize::from(length)],
        };
        let end = ends.of(hint);
        let sector = end.wrapping_add_signed(way);
        *end = sector.wrapping_add(sectors.into());
        let kind = if tag & DISCARD == 0 { Kind::Write } else { Kind::Discard };
        events.push(Event { time_ns, sector, sectors, kind, hint });
    }
    from.is_empty().then_some(())
}

fn byte(from: &mut &[u8]) -> Option<u8> {
    let (byte, rest) = from.split_first()?;
    *from = rest;
    Some(*byte)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Any events at all, in the order of time.
    pub(in crate::trace::file) fn any_events() -> impl Strategy<Value = Vec<Event>> {
        let event = (any::<u64>(), any::<u64>(), 1..=u32::MAX, any::<bool>(), any::<u8>());
        prop::collection::vec(event, 0..50).prop_map(|events| {
            let mut events: Vec<Event> = events
                .into_iter()
                .map(|(time_ns, sector, sectors, discard, hint)| {
                    let kind = if discard { Kind::Discard } else { Kind::Write };
                    Event { time_ns, sector, sectors, kind, hint }
                })
                .collect();
            events.sort_by_key(|event| event.time_ns);
            events
        })
    }

    proptest! {
        #[test]
        fn events_come_back(events in any_events()) {
            let mut bytes = Vec::new();
            encode(&events, &mut bytes);
            let mut read = Vec::new();
            prop_assert_eq!(decode(&bytes, &mut read), Some(()));
            prop_assert_eq!(read, events);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut read = Vec::new();
            decode(&bytes, &mut read);
            prop_assert!(read.len() <= bytes.len());
        }
    }

    #[test]
    fn pages_one_after_the_other_take_five_bytes_each() {
        let events: Vec<Event> = (0..4000)
            .map(|at| Event {
                time_ns: 1_000_000 + at * 20_000,
                sector: 4096 + at * 32,
                sectors: 32,
                kind: Kind::Write,
                hint: 3,
            })
            .collect();
        let mut bytes = Vec::new();
        encode(&events, &mut bytes);
        assert!(bytes.len() < 5 * 4001, "{}", bytes.len());
    }
}
