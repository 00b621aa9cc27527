//! Traces come back as they were written, and damage is told where it is.

use super::*;
use crate::trace::{
    Kind,
    file::{Writer, events::tests::any_events},
    names::{Extent, FileId},
};
use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn header() -> Header {
    Header {
        device: "loop7".into(),
        device_bytes: 3 << 30,
        started_unix_ns: 1_700_000_000_000_000_000,
        started_ns: 77,
        carries_hints: true,
    }
}

fn lies(file: u32, extents: &[(u64, u64)]) -> FileMap {
    let path = format!("/mnt/file-{file}").into();
    let extents = extents.iter().map(|&(sector, sectors)| Extent { sector, sectors });
    FileMap { file: FileId(file), path, extents: extents.collect() }
}

fn event(at: u64) -> Event {
    let sector = (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) % (6 << 20)) & !7;
    let hint = (at % 6) as u8;
    Event { time_ns: 1000 + at * 50_000, sector, sectors: 32, kind: Kind::Write, hint }
}

/// A trace of `count` events with a file before each tenth.
fn written(count: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &header()).unwrap();
    for at in 0..count {
        if at % (count / 10).max(1) == 0 {
            writer.file(&lies(at as u32, &[(at * 64, 64), (at * 64 + 6400, 8)])).unwrap();
        }
        writer.events(&[event(at)]).unwrap();
    }
    let length = writer.finish(3, 99).unwrap();
    assert_eq!(length, bytes.len() as u64);
    bytes
}

fn read(bytes: &[u8]) -> (Vec<Event>, Result<Option<Trailer>, FileError>) {
    let mut all = Vec::new();
    let mut reader = match Reader::new(bytes) {
        Ok(reader) => reader,
        Err(error) => return (all, Err(error)),
    };
    let mut events = Vec::new();
    loop {
        match reader.next_events(&mut events) {
            Ok(()) if events.is_empty() => return (all, Ok(reader.trailer().copied())),
            Ok(()) => all.append(&mut events),
            Err(error) => return (all, Err(error)),
        }
    }
}

proptest! {
    #[test]
    fn traces_come_back(events in any_events(), lost: u64, ended_ns: u64) {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, &header()).unwrap();
        writer.events(&events).unwrap();
        writer.flush().unwrap();
        writer.finish(lost, ended_ns).unwrap();
        let (read, end) = read(&bytes);
        let trailer = Trailer { events: events.len() as u64, lost, ended_ns };
        prop_assert_eq!(read, events);
        prop_assert_eq!(end.unwrap(), Some(trailer));
    }

    #[test]
    fn any_bytes_after_the_magic_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = [MAGIC.as_slice(), &bytes].concat();
        let (events, end) = read(&bytes);
        prop_assert!(events.is_empty());
        prop_assert!(end.is_err());
    }
}

#[test]
fn random_pages_take_under_eight_bytes_an_event() {
    let bytes = written(100_000);
    let per_event = bytes.len() as f64 / 100_000.0;
    assert!(per_event < 8.0, "{per_event} bytes an event");
}

#[test]
fn a_trace_that_is_cut_off_anywhere_gives_what_is_whole_and_says_where() {
    let bytes = written(5000);
    let whole: Vec<Event> = (0..5000).map(event).collect();
    for length in (0..bytes.len()).step_by(61) {
        let (events, end) = read(&bytes[..length]);
        assert_eq!(events, whole[..events.len()], "cut at {length}");
        match end.unwrap_err() {
            FileError::Cut { offset, events: counted } => {
                assert!(offset <= length as u64, "cut at {length}: {offset}");
                assert_eq!(counted, events.len() as u64);
            }
            error => assert!(length < 8 && matches!(error, FileError::NotATrace), "{error}"),
        }
    }
}

#[test]
fn every_flipped_bit_is_found_and_what_comes_before_is_sound() {
    let bytes = written(2000);
    let whole: Vec<Event> = (0..2000).map(event).collect();
    let mut random = Pcg64::seed_from_u64(7);
    for _ in 0..3000 {
        let mut damaged = bytes.clone();
        let (at, bit) = (random.random_range(0..bytes.len()), random.random_range(0..8));
        damaged[at] ^= 1 << bit;
        let (events, end) = read(&damaged);
        assert_eq!(events, whole[..events.len()], "bit {bit} of byte {at}");
        match end.unwrap_err() {
            FileError::Damaged { offset, .. } | FileError::Cut { offset, .. } => {
                assert!(offset <= at as u64, "bit {bit} of byte {at}: said to be at {offset}");
            }
            error => assert!(at < 8, "bit {bit} of byte {at}: {error}"),
        }
    }
}

#[test]
fn bytes_of_an_enemy_with_right_checksums_are_read_or_refused() {
    let mut random = Pcg64::seed_from_u64(11);
    for _ in 0..5000 {
        let mut bytes = MAGIC.to_vec();
        frame::write(&mut bytes, Tag::Header, &names::header(&header())).unwrap();
        for _ in 0..3 {
            let mut payload = vec![0; random.random_range(0..60)];
            random.fill_bytes(&mut payload);
            // Small numbers get further than large ones.
            payload.iter_mut().for_each(|byte| *byte &= 0x8f);
            let tag = [Tag::Events, Tag::File, Tag::Trailer][random.random_range(0..3)];
            frame::write(&mut bytes, tag, &payload).unwrap();
        }
        let (events, _) = read(&bytes);
        assert!(events.len() < bytes.len());
        assert!(read_names(bytes.as_slice()).is_ok());
    }
}

#[test]
fn a_frame_that_claims_gigabytes_is_refused_before_memory_is_taken() {
    let mut bytes = written(1)[..8].to_vec();
    bytes.extend([b'H', 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    let error = Reader::new(bytes.as_slice()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "damaged at byte 8: a frame longer than any is; 0 events come before"
    );
}

#[test]
fn other_files_and_later_formats_are_told_apart() {
    assert!(matches!(Reader::new(&b"PK"[..]).unwrap_err(), FileError::NotATrace));
    assert!(matches!(Reader::new(&b"#!/bin/sh\n"[..]).unwrap_err(), FileError::NotATrace));
    let later = Reader::new(&b"myrigBT2........"[..]).unwrap_err().to_string();
    assert_eq!(later, "a trace in format 2, which this version of myrig does not know");
}

#[test]
fn names_are_known_as_of_the_events_that_were_read() {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &header()).unwrap();
    let at = |time_ns, sector| Event { time_ns, sector, ..event(0) };
    writer.events(&[at(1, 100)]).unwrap();
    writer.file(&lies(1, &[(100, 10)])).unwrap();
    writer.events(&[at(2, 100), at(3, 200)]).unwrap();
    writer.finish(0, 4).unwrap();

    let owners = |mut reader: Reader<&[u8]>| {
        let (mut owners, mut events) = (Vec::new(), Vec::new());
        while reader.next_events(&mut events).is_ok() && !events.is_empty() {
            owners.extend(events.iter().map(|event| reader.names().file(event)));
        }
        owners
    };
    let file = Some(FileId(1));
    assert_eq!(owners(Reader::new(bytes.as_slice()).unwrap()), [None, file, None]);
    let names = read_names(bytes.as_slice()).unwrap();
    let reader = Reader::new(bytes.as_slice()).unwrap().with_names(names);
    assert_eq!(owners(reader), [file, file, None]);
}

#[test]
fn a_file_in_very_many_places_comes_back_in_parts() {
    let extents: Vec<(u64, u64)> = (0..120_000).map(|at| (at << 40, 1 << 30)).collect();
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &header()).unwrap();
    writer.file(&lies(1, &extents)).unwrap();
    writer.finish(0, 0).unwrap();
    let names = read_names(bytes.as_slice()).unwrap();
    for at in [0, 60_000, 119_999_u64] {
        let event = Event { sector: (at << 40) + 5, ..event(0) };
        assert_eq!(names.file(&event), Some(FileId(1)), "extent {at}");
    }
}
