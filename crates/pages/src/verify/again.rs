//! Suspicious pages are read again: a running server may be writing them.

use crate::{Checker, Place, Verdict, file::reader::Source};
use std::{io, time::Duration};

/// How often a suspicious page is read again before it is called bad.
pub const TRIES: u32 = 10;

/// How long to wait before reading again for the `attempt`-th time, from 0 on: 1 ms, doubled each
/// time, 100 ms at most; 427 ms in all.
pub fn wait(attempt: u32) -> Duration {
    Duration::from_millis(1_u64.checked_shl(attempt).unwrap_or(u64::MAX).min(100))
}

/// A page that is not sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Its number in its space.
    pub page: u32,
    /// What is wrong with it.
    pub verdict: Verdict,
}

/// What became of suspects.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Those that stayed so.
    pub bad: Vec<Suspect>,
    /// What the others turned out to be.
    pub mended: Vec<Verdict>,
    /// How many are no longer in the file, which became shorter.
    pub gone: u64,
}

/// Where pages are in a file, and how they are checked.
#[derive(Clone, Copy, Debug)]
pub struct Pages<'a> {
    /// The check.
    pub checker: &'a Checker,
    /// The id that their space should have.
    pub space: Option<u32>,
    /// The number of the file's first page.
    pub first_page: u32,
}

/// Reads `suspects` again, all of them in each round, until every one is sound or has been read
/// [`TRIES`] times. A page that is sound once is sound: what the server writes is whole in the end.
pub fn again(
    pages: Pages<'_>,
    suspects: Vec<Suspect>,
    source: &mut dyn Source,
    pause: &dyn Fn(Duration),
) -> Outcome {
    let mut outcome = Outcome { bad: suspects, ..Outcome::default() };
    for attempt in 0..TRIES {
        if outcome.bad.is_empty() {
            break;
        }
        pause(wait(attempt));
        for suspect in std::mem::take(&mut outcome.bad) {
            match read(pages, suspect.page, source) {
                Ok(None) => outcome.gone += 1,
                Ok(Some(verdict)) if verdict.is_bad() => {
                    outcome.bad.push(Suspect { verdict, ..suspect });
                }
                Ok(Some(verdict)) => outcome.mended.push(verdict),
                Err(_unreadable) => outcome.bad.push(suspect),
            }
        }
    }
    outcome
}

/// Reads a page; none if the file ends before it.
fn read(pages: Pages<'_>, page: u32, source: &mut dyn Source) -> io::Result<Option<Verdict>> {
    let page_bytes = pages.checker.space.physical_bytes;
    let offset = u64::from(page.saturating_sub(pages.first_page)) * u64::from(page_bytes);
    let bytes = source.read(offset, page_bytes as usize)?;
    let place = Place { page, space: pages.space };
    Ok((!bytes.is_empty()).then(|| pages.checker.page(place, bytes)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::{Damage, Space};
    use std::cell::{Cell, RefCell};

    /// A file of one page that is sound from the `sound_from`-th reading on.
    struct Changing {
        readings: u32,
        sound_from: u32,
        page: Vec<u8>,
    }

    impl Source for Changing {
        fn read(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
            self.readings += 1;
            // Zero is sound; anything else is not.
            self.page.fill(u8::from(self.readings < self.sound_from));
            let length = if offset == 0 { length } else { 0 };
            Ok(&self.page[..length])
        }
    }

    fn tried(sound_from: u32, page: u32) -> (Outcome, Vec<u64>, u32) {
        let checker = Checker { space: Space::from_flags(0x15, 7).unwrap() };
        let pages = Pages { checker: &checker, space: Some(7), first_page: 0 };
        let damage = Damage::Header;
        let suspect = Suspect { page, verdict: Verdict::Bad { damage } };
        let mut source = Changing { readings: 0, sound_from, page: vec![0; 16_384] };
        let waits = RefCell::new(Vec::new());
        let asked = Cell::new(0);
        let outcome = again(pages, vec![suspect], &mut source, &|time| {
            asked.set(asked.get() + 1);
            waits.borrow_mut().push(time.as_millis() as u64);
        });
        (outcome, waits.into_inner(), source.readings)
    }

    #[test]
    fn a_page_that_is_sound_in_one_of_ten_readings_is_sound() {
        for sound_from in 1..=10 {
            let (outcome, waits, readings) = tried(sound_from, 0);
            assert_eq!((outcome.bad.len(), outcome.mended), (0, vec![Verdict::Empty]));
            assert_eq!((readings, waits.len()), (sound_from, sound_from as usize));
        }
    }

    #[test]
    fn a_page_that_stays_bad_is_bad_after_ten_readings_and_427_ms() {
        let (outcome, waits, readings) = tried(11, 0);
        assert_eq!((outcome.bad.len(), readings), (1, 10));
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 100, 100, 100]);
        assert_eq!(waits.iter().sum::<u64>(), 427);
    }

    #[test]
    fn a_page_that_was_cut_off_is_gone() {
        let (outcome, ..) = tried(11, 3);
        assert_eq!((outcome.gone, outcome.bad.len()), (1, 0));
    }
}
