#![allow(clippy::unwrap_used)]

use super::*;
use crate::{
    ftl::{Geometry, Options},
    placement::Placement,
    trace::{
        Event, Kind,
        names::{Extent, FileId, FileMap, Look},
    },
};
use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

const GEOMETRY: Geometry =
    Geometry { page_bytes: 4096, block_pages: 16, blocks: 80, logical_pages: 1_000 };

/// Batches from a channel; the tracer's promise is kept that after the end comes an empty one.
struct Channel {
    batches: Receiver<Vec<Event>>,
    lost: u64,
    detached: bool,
}

impl Source for Channel {
    fn next_batch(&mut self, events: &mut Vec<Event>, timeout: Duration) -> Result<(), ReadError> {
        events.clear();
        let wait = if self.detached { Duration::ZERO } else { timeout };
        match self.batches.recv_timeout(wait) {
            Ok(batch) => events.extend(batch),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        match events.first() {
            Some(event) if event.sector == u64::MAX => Err(ReadError::Record(7)),
            _ => Ok(()),
        }
    }

    fn lost(&self) -> Result<u64, ReadError> {
        Ok(self.lost)
    }

    fn detach(&mut self) -> Result<(), ReadError> {
        self.detached = true;
        Ok(())
    }
}

fn write(page: u64, hint: u8) -> Event {
    Event { time_ns: 0, sector: page * 8, sectors: 8, kind: Kind::Write, hint }
}

fn setups() -> [Setup; 2] {
    let drive = Options { streams: 5, ..Options::new(GEOMETRY) };
    [Placement::Ignored, Placement::nvme()].map(|placement| Setup { drive, placement })
}

/// Waits until something holds of the drives.
fn until(drives: &LiveDrives, holds: impl Fn(&LiveDrives) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds(drives) {
        assert!(Instant::now() < deadline, "{:?}", drives.status());
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn drives_count_while_they_are_fed_and_end_with_all_that_waited() {
    let (send, batches) = channel();
    let source = Channel { batches, lost: 0, detached: false };
    let occupied = std::slice::from_ref(&(0..8 * 100));
    let drives = LiveDrives::start(source, &setups(), occupied, None).unwrap();
    let before = drives.readings();
    send.send((0..50).map(|page| write(page, 2)).collect()).unwrap();
    until(&drives, |drives| drives.status().events == 50);
    let interval = drives.readings()[0].since(before[0]).unwrap();
    assert_eq!((interval.host_bytes, interval.factor()), (50 * 4096, Some(1.0)));
    for at in 0..100 {
        send.send((0..50).map(|page| write(page * 7 % 1_000 + at, 0)).collect()).unwrap();
    }
    assert!(drives.is_running());
    let end = drives.stop().unwrap();
    assert_eq!((end.status.events, end.status.lost, end.status.remark()), (5_050, 0, None));
    assert_eq!(end.counters[0].host_pages, 5_050, "filling is not counted");
    assert_eq!(end.counters[1].host_pages, 5_050);
    assert!(end.wear.iter().all(|wear| wear.max > 0), "{end:?}");
}

#[test]
fn what_was_lost_or_lies_beyond_the_end_is_told() {
    let (send, batches) = channel();
    let source = Channel { batches, lost: 3, detached: false };
    let drives = LiveDrives::start(source, &setups(), &[], None).unwrap();
    send.send(vec![write(5_000, 0), write(1, 0)]).unwrap();
    let status = drives.stop().unwrap().status;
    assert_eq!((status.events, status.lost, status.beyond_end), (2, 3, 1));
    assert!(status.remark().unwrap().starts_with("3 of 5 events were lost"), "{status:?}");
    let only_beyond = LiveStatus { lost: 0, ..status };
    assert!(only_beyond.remark().unwrap().starts_with("1 events lay beyond"));
}

#[test]
fn a_tracer_that_fails_ends_the_feeding_and_is_told_at_the_end() {
    let (send, batches) = channel();
    let source = Channel { batches, lost: 0, detached: false };
    let drives = LiveDrives::start(source, &setups(), &[], None).unwrap();
    send.send(vec![Event { sector: u64::MAX, ..write(0, 0) }]).unwrap();
    until(&drives, |drives| !drives.is_running());
    let error = drives.stop().unwrap_err();
    assert!(matches!(error, LiveError::Read(ReadError::Record(7))), "{error}");
}

#[test]
fn drives_that_cannot_be_are_refused_at_once() {
    let (_send, batches) = channel();
    let source = Channel { batches, lost: 0, detached: false };
    let drive = Options { streams: 60, ..Options::new(GEOMETRY) };
    let setup = Setup { drive, placement: Placement::Ignored };
    let error = LiveDrives::start(source, &[setup], &[], None).unwrap_err();
    assert!(matches!(error, LiveError::Geometry(_)), "{error}");
}

/// Looks from a channel; the last is at all that there is.
struct Looks(Receiver<Look>);

impl Names for Looks {
    fn found(&mut self) -> Vec<Look> {
        self.0.try_iter().collect()
    }

    fn finish(&mut self) -> Vec<Look> {
        self.found()
    }
}

/// A look that finds a file on 50 pages.
fn look(began_ns: u64, file: u32, path: &str, page: u64) -> Look {
    let extents = vec![Extent { sector: page * 8, sectors: 50 * 8 }];
    Look { began_ns, files: vec![FileMap { file: FileId(file), path: path.into(), extents }] }
}

#[test]
fn placements_by_names_do_what_the_hints_of_these_files_would() {
    let (send, batches) = channel();
    let (found, looks) = channel();
    let source = Channel { batches, lost: 0, detached: false };
    let [_, hinted] = setups();
    let named = Setup { placement: Placement::Files(vec![0]), ..hinted.clone() };
    let of: StreamOf = Arc::new(|path| u8::from(path.ends_with("log")));
    let naming = Naming { names: Box::new(Looks(looks)), streams: vec![None, Some(of)] };
    let drives = LiveDrives::start(source, &[hinted, named], &[], Some(naming)).unwrap();
    let at = |time_ns, event: Event| Event { time_ns, ..event };
    for round in 0..400u64 {
        let log = at(2 * round, write(round % 50, 2));
        let row = at(2 * round + 1, write(50 + round * 7 % 50, 0));
        send.send(vec![log, row]).unwrap();
    }
    // A look that began at 400 has seen whose what came before is, but nothing later.
    found.send(look(400, 0, "/d/log", 0)).unwrap();
    until(&drives, |drives| drives.status().events == 400);
    found.send(look(500, 1, "/d/rows", 50)).unwrap();
    until(&drives, |drives| drives.status().events == 500);
    let end = drives.stop().unwrap();
    assert_eq!(end.status.events, 800, "what still waited is fed at the end");
    assert_eq!(end.counters[0], end.counters[1]);
    assert_eq!(end.wear[0], end.wear[1]);
}

#[test]
fn a_write_buffer_is_empty_at_the_end() {
    let (send, batches) = channel();
    let source = Channel { batches, lost: 0, detached: false };
    let [mut ignored, _] = setups();
    ignored.drive.buffer_pages = 20;
    let drives = LiveDrives::start(source, &[ignored], &[], None).unwrap();
    send.send((0..100).map(|at| write(at % 10, 0)).collect()).unwrap();
    until(&drives, |drives| drives.status().events == 100);
    assert_eq!(drives.counters()[0].programmed_pages, 0);
    let end = drives.stop().unwrap();
    assert_eq!((end.counters[0].host_pages, end.counters[0].programmed_pages), (100, 10));
}
