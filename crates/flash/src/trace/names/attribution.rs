//! Events counted for their files while both come in.

use super::{FileMap, Resolver};
use crate::trace::{Event, totals::Totals};
use std::collections::VecDeque;

/// At most so many events wait for their file to be seen.
const WAITING_MAX: usize = 1 << 20;

/// Counts events by their files. A file can only be looked at after its first writes, so an event
/// whose file is not known waits for the next look; what is nobody's then is the file system's own.
#[derive(Clone, Debug, Default)]
pub struct Attribution {
    names: Resolver,
    totals: Totals,
    waiting: VecDeque<Event>,
}

impl Attribution {
    /// Takes events in the order of their times.
    pub fn events(&mut self, events: &[Event]) {
        for event in events {
            match self.names.file(event) {
                Some(file) => self.totals.add(event, Some(file)),
                None => self.waiting.push_back(*event),
            }
        }
        while self.waiting.len() > WAITING_MAX {
            self.waiting.pop_front().iter().for_each(|event| self.totals.add(event, None));
        }
    }

    /// Takes what was found by a look at the files that began at a time of the events' clock.
    pub fn looked(&mut self, began_ns: u64, files: &[FileMap]) {
        files.iter().for_each(|file| self.names.observe(file));
        let (names, totals) = (&self.names, &mut self.totals);
        self.waiting.retain(|event| {
            let file = names.file(event);
            let settled = file.is_some() || event.time_ns < began_ns;
            if settled {
                totals.add(event, file);
            }
            !settled
        });
    }

    /// The counts, when nothing more is looked at: what still waits is nobody's.
    #[must_use]
    pub fn finish(mut self) -> (Totals, Resolver) {
        self.waiting.iter().for_each(|event| self.totals.add(event, None));
        (self.totals, self.names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{
        Kind,
        names::{Extent, FileId},
        totals::{Class, Sum},
    };

    #[test]
    fn an_event_waits_for_the_look_that_can_have_seen_its_file() {
        let event =
            |time_ns, sector| Event { time_ns, sector, sectors: 8, kind: Kind::Write, hint: 0 };
        let lies = |file, sector| FileMap {
            file: FileId(file),
            path: format!("/{file}").into(),
            extents: vec![Extent { sector, sectors: 8 }],
        };
        let mut attribution = Attribution::default();
        attribution.events(&[event(10, 0), event(20, 100), event(30, 200), event(40, 300)]);
        // A look that began at 25 cannot have seen the files of what was written later.
        attribution.looked(25, &[lies(1, 0)]);
        attribution.looked(50, &[lies(2, 100), lies(3, 200)]);
        attribution.events(&[event(60, 400)]);
        let (totals, names) = attribution.finish();
        let counted: Vec<_> =
            totals.classes().map(|(class, sum)| (class.file, sum.events)).collect();
        let (first, third) = (Some(FileId(1)), Some(FileId(3)));
        assert_eq!(counted, [(None, 3), (first, 1), (third, 1)], "20, 40 and 60 are nobody's");
        assert_eq!(names.files().count(), 3);
        let class = Class { kind: Kind::Write, hint: 0, file: None };
        assert!(totals.classes().any(|of| of == (class, Sum { events: 3, bytes: 3 * 4096 })));
    }
}
