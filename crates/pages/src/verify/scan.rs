//! The scan: heads become plans, blocks become counts, files become reports.

use super::{
    Options, Watch,
    plan::{self, NoPages, PagesPlan, Subject},
    redo_log::{self, LogPlan},
    report::{BadRange, FileReport, FileState},
    settle::PagesTally,
    slots::{SlotsPlan, slots},
};
use crate::{
    Checker, Damage, Verdict,
    file::{Failed, Kind, Member, Skipped, Target},
    redo::block::BlockTally,
};
use disk::{Block, Head, Input, Scan, Step};
use std::{collections::HashMap, fs, io, os::unix::fs::MetadataExt, path::PathBuf, sync::Mutex};

/// What a file is looked at by.
pub(super) enum Plan {
    /// Pages of a space.
    Pages(Box<PagesPlan>),
    /// Slots of a doublewrite file.
    Slots(Box<SlotsPlan>),
    /// Blocks of a redo log.
    Log(Box<LogPlan>),
}

/// What was found in a file.
#[derive(Default)]
pub(super) struct Tally {
    pages: PagesTally,
    log: BlockTally,
}

/// What was found in all of them.
#[derive(Default)]
pub(super) struct Found {
    pub(super) files: Vec<(usize, FileReport)>,
    pub(super) failed: Vec<Failed>,
    pub(super) skipped: Vec<Skipped>,
    /// How the pages of damaged files are checked, to know good copies of them.
    pub(super) checkers: HashMap<usize, (Checker, u32)>,
}

/// The scan of all files.
pub(super) struct Files<'a> {
    pub(super) targets: &'a [Target],
    pub(super) systems: &'a HashMap<PathBuf, Vec<Member>>,
    pub(super) options: &'a Options,
    pub(super) watch: &'a dyn Watch,
    pub(super) found: Mutex<Found>,
}

impl Scan for Files<'_> {
    type Plan = Plan;
    type Tally = Tally;

    fn plan(&self, head: &Head<'_>) -> Step<Plan> {
        let Some(target) = self.targets.get(head.input.id) else { return Step::Skip };
        let step = match (head.file_bytes, self.kind(target, head)) {
            (0, kind) => self.nothing(target, head, kind.unwrap_or(Kind::Table)),
            (_, Some(Kind::Redo)) => self.log(target, head),
            (_, Some(kind @ (Kind::Doublewrite | Kind::DoublewriteBatch))) => {
                slots(target, head, kind)
            }
            (_, kind) => self.pages(target, head, kind),
        };
        if matches!(step, Step::Skip) {
            self.watch.advanced(head.file_bytes);
        }
        step
    }

    fn granule_bytes(&self, plan: &Plan) -> usize {
        match plan {
            Plan::Pages(plan) => plan.checker.space.physical_bytes as usize,
            Plan::Slots(plan) => plan.page_bytes as usize,
            Plan::Log(_) => 4096,
        }
    }

    fn block(&self, plan: &Plan, block: Block<'_>, tally: &mut Tally) {
        match plan {
            Plan::Pages(plan) => self.look(plan, block, &mut tally.pages),
            Plan::Slots(plan) => plan.look(block, &mut tally.pages),
            Plan::Log(plan) => plan.log.look(block.offset, block.bytes, &mut tally.log),
        }
    }

    fn unreadable(
        &self,
        plan: &Plan,
        offset: u64,
        bytes: u64,
        error: &io::Error,
        tally: &mut Tally,
    ) {
        let page_bytes = match plan {
            Plan::Pages(plan) => u64::from(plan.checker.space.physical_bytes),
            Plan::Slots(plan) => u64::from(plan.page_bytes),
            Plan::Log(_) => return tally.log.unreadable(offset, bytes),
        };
        if error.kind() == io::ErrorKind::UnexpectedEof {
            let ended_at = tally.pages.ended_at.map_or(offset, |known| known.min(offset));
            tally.pages.ended_at = Some(ended_at);
            return;
        }
        let first_page = if let Plan::Pages(plan) = plan { u64::from(plan.first_page) } else { 0 };
        let pages = bytes.div_ceil(page_bytes);
        let verdict = Verdict::Bad { damage: Damage::Unreadable };
        tally.pages.counts.add(&verdict, pages);
        let first_page = first_page + offset / page_bytes;
        let range = BadRange { first_page, pages, offset, verdict, copies: Vec::new() };
        tally.pages.ranges.add(range);
        tally.pages.ranges.bound(self.options.ranges_max);
    }

    fn join(&self, into: &mut Tally, other: Tally) {
        into.pages.join(other.pages, self.options.ranges_max);
        into.log.join(other.log);
    }

    fn done(&self, input: &Input, plan: Plan, tally: Tally) {
        let report = match plan {
            Plan::Pages(plan) => self.pages_done(input, *plan, tally.pages),
            Plan::Slots(plan) => plan.done(input, tally.pages),
            Plan::Log(plan) => redo_log::done(input, *plan, tally.log, self.options),
        };
        self.keep(input.id, report);
    }

    fn refused(&self, input: &Input, error: io::Error) {
        // A table that was dropped since its directory was read is no failure of ours.
        if self.options.online && error.kind() == io::ErrorKind::NotFound {
            if let Some(target) = self.targets.get(input.id) {
                let kind = target.kind.unwrap_or(Kind::Table);
                let mut report = FileReport::blank(input.path.clone(), kind, 0);
                report.state = FileState::Dropped;
                self.keep(input.id, report);
            }
            return;
        }
        self.fail(input, error.to_string());
    }

    fn advanced(&self, bytes: u64) {
        self.watch.advanced(bytes);
    }

    fn stopped(&self) -> bool {
        self.watch.stopped()
    }
}

impl Files<'_> {
    /// Lends what was found in all files.
    pub(super) fn with<T>(&self, then: impl FnOnce(&mut Found) -> T) -> T {
        // A thread that panicked has the whole scan end; what it left is still a list.
        let mut found = self.found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        then(&mut found)
    }

    fn keep(&self, id: usize, report: FileReport) {
        self.with(|found| found.files.push((id, report)));
    }

    fn fail(&self, input: &Input, error: String) {
        self.with(|found| found.failed.push(Failed { path: input.path.clone(), error }));
    }

    /// What a file is, by its name, or by its content where the name says nothing.
    fn kind(&self, target: &Target, head: &Head<'_>) -> Option<Kind> {
        target.kind.or_else(|| redo_log::is_log(head.bytes).then_some(Kind::Redo))
    }

    fn nothing(&self, target: &Target, head: &Head<'_>, kind: Kind) -> Step<Plan> {
        if target.kind.is_none() {
            self.foreign(target, head, "it is empty".to_owned());
            return Step::Skip;
        }
        let mut report = FileReport::blank(head.input.path.clone(), kind, 0);
        report.remarks.push("The file is empty.".to_owned());
        let whole = matches!(kind, Kind::Table | Kind::General | Kind::System | Kind::Undo);
        if whole && !self.options.online {
            report.lose(0, 1, 0);
        }
        self.keep(head.input.id, report);
        Step::Skip
    }

    fn foreign(&self, target: &Target, head: &Head<'_>, why: String) {
        match target.named {
            true => self.fail(head.input, format!("not a file of InnoDB's: {why}")),
            false => self.with(|found| {
                let known = found.skipped.iter_mut().find(|group| group.what == "unknown");
                match known {
                    Some(group) => group.files += 1,
                    None => found.skipped.push(Skipped {
                        what: "unknown".to_owned(),
                        files: 1,
                        example: target.path.clone(),
                    }),
                }
            }),
        }
    }

    fn log(&self, target: &Target, head: &Head<'_>) -> Step<Plan> {
        match redo_log::plan(target, head, self.options) {
            redo_log::Planned::Blocks(plan) => Step::Read(Plan::Log(Box::new(plan))),
            redo_log::Planned::Done(report) => {
                self.keep(head.input.id, *report);
                Step::Skip
            }
            redo_log::Planned::Unreadable(error) => {
                self.fail(head.input, error.to_string());
                Step::Skip
            }
        }
    }

    fn pages(&self, target: &Target, head: &Head<'_>, kind: Option<Kind>) -> Step<Plan> {
        let directory = target.path.parent().unwrap_or(std::path::Path::new(""));
        let members = match kind {
            Some(Kind::System) => self.systems.get(directory).map_or(&[][..], Vec::as_slice),
            _ => &[],
        };
        let subject = Subject {
            id: head.input.id,
            path: &target.path,
            kind,
            bytes: head.file_bytes,
            head: head.bytes,
            members,
        };
        match plan::plan(subject, self.options) {
            Ok(mut plan) => {
                if self.options.online {
                    let meta = fs::metadata(&target.path).ok();
                    plan.identity = meta.map(|meta| (meta.dev(), meta.ino()));
                }
                Step::Read(Plan::Pages(Box::new(plan)))
            }
            Err(NoPages::Foreign(why)) => {
                self.foreign(target, head, why);
                Step::Skip
            }
            Err(NoPages::Unreadable(error)) => {
                self.fail(head.input, error.to_string());
                Step::Skip
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::{
        file::walk,
        verify::{Report, verify},
    };
    use disk::ScanOptions;
    use std::{num::NonZeroUsize, path::Path, time::Duration};
    use tempfile::{TempDir, tempdir};

    const FILE_BYTES: usize = 2 << 20;

    /// A file of `bytes`, called as a table is.
    fn table(bytes: &[u8]) -> (TempDir, PathBuf) {
        let directory = tempdir().unwrap();
        let path = directory.path().join("t.ibd");
        fs::write(&path, bytes).unwrap();
        (directory, path)
    }

    fn online(pause: impl Fn(Duration) + Send + Sync + 'static) -> Options {
        Options { online: true, pause: Box::new(pause), ..Options::default() }
    }

    /// Verifies a file of garbage, to which `meanwhile` happens before it is read again.
    fn garbage(meanwhile: impl Fn(&Path) + Send + Sync + 'static) -> Report {
        let (_directory, path) = table(&[0x5a; 8 * 16_384]);
        let found = walk(std::slice::from_ref(&path));
        let options = online(move |_| meanwhile(&path));
        let scan = ScanOptions::new(NonZeroUsize::new(1).unwrap());
        verify(found, &options, &scan, &()).unwrap()
    }

    /// What becomes of a file that is zero when its head is read, and has been written to in
    /// `then` when it is read on.
    fn begun(is_online: bool, then: &[u8]) -> FileReport {
        let (_directory, path) = table(&vec![0; FILE_BYTES]);
        let found = walk(std::slice::from_ref(&path));
        let options = Options { online: is_online, ..online(|_| {}) };
        let (systems, watch) = (HashMap::new(), ());
        let files = Files {
            targets: &found.targets,
            systems: &systems,
            options: &options,
            watch: &watch,
            found: Mutex::default(),
        };
        let input = Input { path, id: 0 };
        let file_bytes = FILE_BYTES as u64;
        let bytes = &[0; 65_536];
        let head = Head { input: &input, file_bytes, bytes, unreadable_bytes: 0 };
        let Step::Read(plan) = files.plan(&head) else { panic!("a table is read") };
        let mut tally = Tally::default();
        files.block(&plan, Block { offset: 0, bytes }, &mut tally);
        files.block(&plan, Block { offset: 1 << 20, bytes: then }, &mut tally);
        files.done(&input, plan, tally);
        files.found.into_inner().unwrap().files.remove(0).1
    }

    #[test]
    fn a_file_that_a_server_began_to_write_while_it_was_verified_is_told_and_not_called_bad() {
        let report = begun(true, &[0x5a; 65_536]);
        assert_eq!(report.state, FileState::Dropped);
        assert!(!report.is_bad() && report.bad.is_empty(), "{report:?}");
        assert_eq!(report.remarks, [""; 0], "its format is not guessed at");
    }

    #[test]
    fn a_file_that_stays_zero_is_verified_and_one_that_no_server_writes_is_bad() {
        let untouched = begun(true, &[0; 65_536]);
        assert_eq!((untouched.state, untouched.is_bad()), (FileState::Verified, false));
        let at_rest = begun(false, &[0x5a; 65_536]);
        assert_eq!((at_rest.state, at_rest.is_bad()), (FileState::Verified, true));
    }

    #[test]
    fn a_file_that_is_dropped_or_replaced_before_it_is_read_again_is_not_called_bad() {
        let removed = garbage(|path| drop(fs::remove_file(path)));
        let replaced = garbage(|path| {
            let new = path.with_extension("new");
            fs::write(&new, [0x5a; 16_384]).unwrap();
            fs::rename(new, path).unwrap();
        });
        for report in [removed, replaced] {
            assert_eq!(report.files[0].state, FileState::Dropped);
            assert_eq!((report.bad_files(), report.totals.damaged()), (0, 0), "{report:?}");
        }
        let stays = garbage(|_| {});
        assert_eq!((stays.files[0].state, stays.bad_files()), (FileState::Verified, 1));
    }

    #[test]
    fn a_file_that_is_gone_before_it_is_opened_is_dropped() {
        let (_directory, path) = table(&[0; 16_384]);
        let found = walk(std::slice::from_ref(&path));
        fs::remove_file(&path).unwrap();
        let scan = ScanOptions::new(NonZeroUsize::new(1).unwrap());
        let report = verify(found, &online(|_| {}), &scan, &()).unwrap();
        assert_eq!((report.files[0].state, report.failed.len()), (FileState::Dropped, 0));
    }
}
