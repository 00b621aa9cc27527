//! Stream rules, chosen by what a simulated drive makes of them.

use super::{Classes, Lifetimes, grouped};
use crate::{
    ftl,
    placement::{NVME_STREAMS, Placement},
    replay::{Outcome, PageTrace, ReplayError, Setup, Stopping, Watch, replay_all},
};

/// Classes that are grouped at most, those that write most; the others have no rule.
const CLASSES_MAX: usize = 1_000;

/// A class that writes less than this share of all pages is not worth a rule.
const SHARE_MIN: f64 = 0.001;

/// The first hint that is a stream of its own: "short".
const FIRST_HINT: u8 = 2;

/// A move of one class has to lower write amplification by so much, relatively.
const WORTH: f64 = 0.002;

/// How a proposal is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// The drive that judges.
    pub drive: ftl::Options,
    /// When a replay on it ends.
    pub stopping: Stopping,
    /// Streams at most, that of files without a rule included: 2 to 5.
    pub streams_max: u8,
    /// How many classes, those that write most, are tried in other streams one by one.
    pub moves: usize,
    /// Drives that are simulated at a time.
    pub threads: usize,
}

/// Which hint each class should have.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The hint of each class: 2 to 5, shorter lifetimes having lower ones, as far as single moves
    /// did not prove better; 0 for no rule.
    pub hints: Vec<u8>,
    /// What the drive that judged made of it.
    pub outcome: Outcome,
    /// How many assignments were simulated.
    pub tried: usize,
}

impl Proposal {
    /// The rules in astream's grammar: an extended regular expression, a space and the hint, a
    /// line each. Classes without a rule are left out.
    #[must_use]
    pub fn rules(&self, classes: &Classes) -> String {
        let mut ruled: Vec<(u8, &String)> =
            self.hints.iter().copied().zip(&classes.patterns).collect();
        ruled.retain(|(hint, pattern)| *hint > 0 && !pattern.is_empty());
        ruled.sort_by_key(|(hint, _)| *hint);
        ruled.iter().map(|(hint, pattern)| format!("{pattern} {hint}\n")).collect()
    }
}

/// Proposes hints: classes are parted into 2, 3, … groups of like lifetimes, a drive judges which
/// parting is best, and then whether a class that writes much is better off elsewhere. What
/// belongs to no known file can have no rule, and its group has none either; without such, the
/// group that writes most has none.
///
/// # Errors
/// As [`crate::replay::replay`].
pub fn propose(
    trace: &PageTrace,
    classes: &Classes,
    lifetimes: &Lifetimes,
    search: &Search,
    watch: &Watch,
) -> Result<Proposal, ReplayError> {
    let judge = Judge { trace, classes, search, watch };
    let mut partings: Vec<Vec<u8>> =
        (2..=search.streams_max.clamp(2, 5)).map(|groups| parted(lifetimes, groups)).collect();
    partings.dedup();
    let mut tried = partings.len();
    let mut best = judge.best(partings)?;
    let mut heavy = by_weight(lifetimes);
    heavy.retain(|class| *class > 0);
    for class in heavy.into_iter().take(search.moves) {
        let others = moved(&best.0, class, search.streams_max);
        tried += others.len();
        let other = judge.best(others)?;
        if factor(&other.1) < factor(&best.1) * (1.0 - WORTH) {
            best = other;
        }
    }
    Ok(Proposal { hints: best.0, outcome: best.1, tried })
}

/// The same hints with one class elsewhere, everywhere that it could be.
fn moved(hints: &[u8], class: usize, streams_max: u8) -> Vec<Vec<u8>> {
    let places = [0].into_iter().chain(FIRST_HINT..FIRST_HINT + streams_max.clamp(2, 5) - 1);
    places
        .filter(|place| hints[class] != *place)
        .map(|place| {
            let mut hints = hints.to_vec();
            hints[class] = place;
            hints
        })
        .collect()
}

struct Judge<'a> {
    trace: &'a PageTrace,
    classes: &'a Classes,
    search: &'a Search,
    watch: &'a Watch,
}

impl Judge<'_> {
    /// The best of several assignments, the first of equal ones.
    fn best(&self, hints: Vec<Vec<u8>>) -> Result<(Vec<u8>, Outcome), ReplayError> {
        let setup = |hints: &Vec<u8>| Setup {
            drive: self.search.drive,
            placement: placement(self.classes, hints),
        };
        let setups: Vec<Setup> = hints.iter().map(setup).collect();
        let Search { stopping, threads, .. } = *self.search;
        let outcomes = replay_all(self.trace, &setups, stopping, threads, self.watch);
        let outcomes = outcomes.into_iter().collect::<Result<Vec<Outcome>, _>>()?;
        let judged = hints.into_iter().zip(outcomes);
        let best = judged.min_by(|a, b| factor(&a.1).total_cmp(&factor(&b.1)));
        best.ok_or(ReplayError::NoWrites)
    }
}

fn factor(outcome: &Outcome) -> f64 {
    outcome.factor().unwrap_or(1.0)
}

/// Streams of files whose classes have these hints.
fn placement(classes: &Classes, hints: &[u8]) -> Placement {
    let stream = |class: &u32| {
        let hint = hints.get(*class as usize).copied().unwrap_or(0);
        NVME_STREAMS.get(usize::from(hint)).copied().unwrap_or(0)
    };
    Placement::Files(classes.of_file.iter().map(stream).collect())
}

/// Classes that wrote something, those that wrote most first.
fn by_weight(lifetimes: &Lifetimes) -> Vec<usize> {
    let classes = &lifetimes.classes;
    let mut heavy: Vec<usize> =
        (0..classes.len()).filter(|&class| classes[class].written_pages > 0).collect();
    heavy.sort_by_key(|&class| std::cmp::Reverse(classes[class].written_pages));
    heavy
}

/// Hints of classes in so many groups of like lifetimes.
fn parted(lifetimes: &Lifetimes, groups: u8) -> Vec<u8> {
    let mut heavy = by_weight(lifetimes);
    heavy.truncate(CLASSES_MAX);
    let weight = |class: usize| lifetimes.classes[class].written_pages as f64;
    heavy.retain(|&class| weight(class) >= SHARE_MIN * lifetimes.written_pages as f64);
    let items: Vec<(f64, f64)> = heavy
        .iter()
        .map(|&class| ((lifetimes.typical_pages(class) + 1.0).ln(), weight(class)))
        .collect();
    let group_of = grouped(&items, usize::from(groups));
    let written = |group: usize| -> f64 {
        heavy.iter().zip(&group_of).filter(|(_, g)| **g == group).map(|(c, _)| weight(*c)).sum()
    };
    let heaviest = (0..usize::from(groups)).max_by(|&a, &b| written(a).total_cmp(&written(b)));
    let unknown = heavy.iter().position(|&class| class == 0).map(|at| group_of[at]);
    let unruled = unknown.or(heaviest).unwrap_or(0);
    let mut hints = vec![0; lifetimes.classes.len()];
    for (&class, &group) in heavy.iter().zip(&group_of) {
        // Group numbers are below 5, and one of them has no hint.
        let rank = group - usize::from(group > unruled);
        hints[class] = if group == unruled { 0 } else { FIRST_HINT + rank as u8 };
    }
    hints
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::{
        ftl::{Geometry, Options},
        replay::replay,
        trace::{Event, Kind},
        tune::lifetimes,
    };
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    const GEOMETRY: Geometry =
        Geometry { page_bytes: 4096, block_pages: 16, blocks: 560, logical_pages: 8_000 };

    /// Two logs that live alike, hot rows, cold rows.
    fn trace() -> PageTrace {
        let mut random = Pcg64::seed_from_u64(3);
        let mut trace = PageTrace::new(&GEOMETRY);
        let mut write = |page: u64, file| {
            let event =
                Event { time_ns: 0, sector: page * 8, sectors: 8, kind: Kind::Write, hint: 0 };
            trace.push(&event, file).unwrap();
        };
        for at in 0..12_000 {
            write(at % 100, 1);
            write(100 + at % 100, 2);
            write(random.random_range(200..1_000), 3);
            write(random.random_range(1_000..8_000), 4);
        }
        trace
    }

    fn search() -> Search {
        Search {
            drive: Options { streams: 5, ..Options::new(GEOMETRY) },
            stopping: Stopping::default(),
            streams_max: 4,
            moves: 2,
            threads: 2,
        }
    }

    #[test]
    fn files_that_live_alike_are_put_together_and_write_amplification_falls() {
        let trace = trace();
        let names = ["", "/d/log0", "/d/log1", "/d/hot.ibd", "/d/cold.ibd"];
        let classes = Classes::new(names);
        let lives = lifetimes(&trace, &classes);
        let search = search();
        let proposal = propose(&trace, &classes, &lives, &search, &Watch::default()).unwrap();
        // What writes most goes without a rule where all files are known. With three groups the hot
        // rows would have hint 2 and the cold ones 3; the drive judges that two are better.
        assert_eq!(parted(&lives, 3), [0, 0, 2, 3]);
        assert_eq!(proposal.hints, [0, 0, 0, 2]);
        assert_eq!(proposal.rules(&classes), "^/d/cold\\.ibd$ 2\n");
        let setup = Setup { drive: search.drive, placement: Placement::Ignored };
        let before = replay(&trace, &setup, search.stopping, &Watch::default()).unwrap();
        let gain = 1.0 - proposal.outcome.factor().unwrap() / before.factor().unwrap();
        assert!(gain > 0.1, "{gain}");
        assert_eq!(proposal.tried, 2 + 2 * 3, "two partings, two classes in three places");
    }

    #[test]
    fn what_belongs_to_no_file_has_no_rule_nor_has_its_group() {
        let trace = trace();
        // The hot rows and the first log are of no known file.
        let classes = Classes {
            patterns: vec![String::new(), "^/log$".into(), "^/cold$".into()],
            of_file: vec![0, 0, 1, 0, 2],
        };
        let lives = lifetimes(&trace, &classes);
        for groups in 2..=5 {
            let hints = parted(&lives, groups);
            assert_eq!(hints[0], 0);
            assert!(hints.iter().all(|hint| *hint != 1 && *hint <= 5), "{hints:?}");
        }
        let search = Search { moves: 0, ..search() };
        let proposal = propose(&trace, &classes, &lives, &search, &Watch::default()).unwrap();
        assert!(proposal.hints[2] >= 2, "{:?}", proposal.hints);
    }
}
