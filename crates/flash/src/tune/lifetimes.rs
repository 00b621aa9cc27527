//! How long what was written was wanted.

use super::{Classes, histogram::Histogram};
use crate::{replay::PageTrace, trace::Kind};
use serde::Serialize;

/// No write was seen of a page.
const UNSEEN: u32 = u32::MAX;

/// What a class of files wrote and how long it lived. Lifetimes are in pages that the whole device
/// was given between a write and the next write or discard of the same page: that is the clock of
/// a drive that collects garbage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassLife {
    /// The pattern of its files; empty for what belongs to no known file.
    pub pattern: String,
    /// Pages that were written.
    pub written_pages: u64,
    /// Those of them that were neither overwritten nor discarded when the trace ended.
    pub lasting_pages: u64,
    /// The lifetime that a tenth does not exceed; none if fewer were seen to end.
    pub p10_pages: Option<f64>,
    /// The lifetime that half does not exceed.
    pub median_pages: Option<f64>,
    /// The lifetime that nine tenths do not exceed.
    pub p90_pages: Option<f64>,
}

/// Lifetimes of all classes of a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lifetimes {
    /// Each class by its number; that of no file first.
    pub classes: Vec<ClassLife>,
    /// Pages that the trace writes: no lifetime could be seen to be longer.
    pub written_pages: u64,
}

/// Finds the lifetimes of classes in one pass of a trace.
#[must_use]
pub fn lifetimes(trace: &PageTrace, classes: &Classes) -> Lifetimes {
    // When each page was written last, and by which class.
    let mut last = vec![(0u64, UNSEEN); trace.logical_pages() as usize];
    let mut histograms = vec![Histogram::default(); classes.patterns.len()];
    let mut written = vec![0u64; classes.patterns.len()];
    let mut now = 0;
    for op in trace.ops() {
        let class = classes.of(op.file);
        for page in op.page..op.page + op.pages {
            let (when, whose) = &mut last[page as usize];
            if let Some(histogram) = histograms.get_mut(*whose as usize) {
                histogram.ended(now - *when);
            }
            (*when, *whose) = match op.kind {
                Kind::Write => (now, class),
                Kind::Discard => (now, UNSEEN),
            };
            if op.kind == Kind::Write {
                written[class as usize] += 1;
                now += 1;
            }
        }
    }
    for (when, whose) in last {
        if let Some(histogram) = histograms.get_mut(whose as usize) {
            histogram.lasting(now - when);
        }
    }
    let parts = classes.patterns.iter().zip(histograms).zip(written);
    let life = |((pattern, histogram), written_pages): ((&String, Histogram), u64)| ClassLife {
        pattern: pattern.clone(),
        written_pages,
        lasting_pages: histogram.lasting_count(),
        p10_pages: histogram.quantile(0.1),
        median_pages: histogram.quantile(0.5),
        p90_pages: histogram.quantile(0.9),
    };
    Lifetimes { classes: parts.map(life).collect(), written_pages: now }
}

impl Lifetimes {
    /// The lifetime by which a class is grouped: its median; if that was not seen, twice what the
    /// trace could show.
    #[must_use]
    pub fn typical_pages(&self, class: usize) -> f64 {
        let longest = 2.0 * self.written_pages.max(1) as f64;
        self.classes.get(class).and_then(|life| life.median_pages).unwrap_or(longest)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::{ftl::Geometry, trace::Event};

    #[test]
    fn lifetimes_are_counted_in_pages_of_the_whole_device() {
        let geometry =
            Geometry { page_bytes: 4096, block_pages: 4, blocks: 400, logical_pages: 1_000 };
        let mut trace = PageTrace::new(&geometry);
        let event =
            |page: u64, kind| Event { time_ns: 0, sector: page * 8, sectors: 8, kind, hint: 0 };
        // A log of 10 pages, round and round, with as many pages of rows between; then a discard.
        for at in 0..400u64 {
            trace.push(&event(at % 10, Kind::Write), 1).unwrap();
            trace.push(&event(100 + at, Kind::Write), 2).unwrap();
        }
        let all = Event { sectors: 8 * 200, ..event(100, Kind::Discard) };
        trace.push(&all, 0).unwrap();
        let classes = Classes::new(["", "/log", "/rows"]);
        let lifetimes = lifetimes(&trace, &classes);
        let [none, log, rows] = lifetimes.classes.as_slice() else { panic!("{lifetimes:?}") };
        assert_eq!((none.written_pages, none.median_pages), (0, None));
        assert_eq!((log.written_pages, log.lasting_pages), (400, 10));
        let median = log.median_pages.unwrap();
        assert!((17.0..23.0).contains(&median), "{median}");
        assert_eq!((rows.written_pages, rows.lasting_pages), (400, 200));
        assert!(rows.p10_pages.unwrap() > 300.0, "{rows:?}");
        assert!((lifetimes.typical_pages(0) - 1_600.0).abs() < 1e-9);
    }
}
