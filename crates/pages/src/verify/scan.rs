//! The scan: heads become plans, blocks become counts, files become reports.

use super::{
    Options, Watch,
    again::Suspect,
    plan::{self, NoPages, PagesPlan, Subject},
    redo_log::{self, LogPlan},
    report::{BadRange, FileReport, FileState},
    settle::{self, PagesTally, SUSPECTS_MAX, Settling},
};
use crate::{
    Checker, Damage, Place, Reason, Verdict,
    doublewrite::{Judge, batch},
    file::{Failed, Kind, Member, Skipped, Target, kind::doublewrite_page_bytes},
    redo::block::BlockTally,
    summary,
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

/// A doublewrite file.
pub(super) struct SlotsPlan {
    id: usize,
    kind: Kind,
    bytes: u64,
    page_bytes: u32,
    judge: Judge,
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
    fn with<T>(&self, then: impl FnOnce(&mut Found) -> T) -> T {
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

    fn look(&self, plan: &PagesPlan, block: Block<'_>, tally: &mut PagesTally) {
        let page_bytes = plan.checker.space.physical_bytes as usize;
        let mut page = plan.first_page.wrapping_add((block.offset / page_bytes as u64) as u32);
        let whole = block.bytes.len() - block.bytes.len() % page_bytes;
        let (mut rest, tail) = block.bytes.split_at(whole);
        while !rest.is_empty() {
            let border = plan.area.as_ref().map_or(u32::MAX, |(area, _)| area.next_border(page));
            let pages = (rest.len() / page_bytes).min((border - page) as usize);
            let (part, after) = rest.split_at(pages * page_bytes);
            match &plan.area {
                Some((area, judge)) if area.contains(page) => {
                    copies(judge, part, page_bytes, tally);
                }
                _ => self.look_at_own(plan, page, part, tally),
            }
            page = page.wrapping_add(pages as u32);
            rest = after;
        }
        if !tail.is_empty() {
            let damage = Damage::Truncated { bytes: tail.len() as u32 };
            tally.suspects.push(Suspect { page, verdict: Verdict::Bad { damage } });
        }
        if tally.suspects.len() >= SUSPECTS_MAX {
            settle::settle(plan, self.settling(plan), tally);
        }
    }

    fn look_at_own(&self, plan: &PagesPlan, page: u32, bytes: &[u8], tally: &mut PagesTally) {
        let place = Place { page, space: plan.space };
        let page_bytes = plan.checker.space.physical_bytes as usize;
        let PagesTally { counts, reasons, suspects, summary, .. } = tally;
        plan.checker.pages(place, bytes, &mut |page, verdict| match verdict {
            verdict if verdict.is_bad() => suspects.push(Suspect { page, verdict }),
            Verdict::Empty if page == 0 && plan.first_is_lost => {
                suspects.push(Suspect { page, verdict: Verdict::Bad { damage: Damage::Header } });
            }
            verdict => {
                counts.add(&verdict, 1);
                reasons.add(&verdict);
                if self.options.summary {
                    let at = page.wrapping_sub(place.page) as usize * page_bytes;
                    let content = bytes.get(at..at + page_bytes).unwrap_or_default();
                    let tally = summary.get_or_insert_with(Box::default);
                    summary::page(&plan.checker.space, page, content, &verdict, tally);
                }
            }
        });
    }

    fn settling(&self, plan: &PagesPlan) -> Settling<'_> {
        let path = self.targets.get(plan.id).map(|target| target.path.as_path());
        Settling {
            path: path.unwrap_or(std::path::Path::new("")),
            online: self.options.online,
            ranges_max: self.options.ranges_max,
            pause: &*self.options.pause,
        }
    }

    fn pages_done(&self, input: &Input, plan: PagesPlan, mut tally: PagesTally) -> FileReport {
        settle::settle(&plan, self.settling(&plan), &mut tally);
        let mut report = FileReport::blank(input.path.clone(), plan.kind, plan.bytes);
        report.first_page = plan.first_page.into();
        report.space = Some(plan.checker.space);
        report.counts = tally.counts;
        report.bad = tally.ranges.kept;
        report.bad_untold = tally.ranges.untold;
        report.reread = tally.reread;
        report.remarks = plan.remarks.clone();
        if tally.dropped {
            report.state = FileState::Dropped;
        }
        report.unverifiable = tally.reasons;
        report.say_unfinished();
        self.say_short(&plan, tally.ended_at, &mut report);
        if self.options.summary {
            let tally = tally.summary.take().unwrap_or_default();
            report.summary = Some(Box::new(tally.of_file(&plan.checker.space)));
        }
        if report.is_bad() {
            self.with(|found| {
                found.checkers.insert(input.id, (plan.checker.clone(), plan.first_page));
            });
        }
        report
    }

    /// Says that pages are missing at the end.
    fn say_short(&self, plan: &PagesPlan, ended_at: Option<u64>, report: &mut FileReport) {
        let page_bytes = u64::from(plan.checker.space.physical_bytes);
        if let Some(at) = ended_at {
            report.remarks.push(format!("It became shorter while it was read, at byte {at}."));
            if !self.options.online {
                let missing = plan.bytes.saturating_sub(at).div_ceil(page_bytes);
                report.lose(u64::from(plan.first_page) + at / page_bytes, missing, at);
            }
        }
        // A server that runs may be changing its size at this moment.
        if plan.missing > 0 && !self.options.online {
            let there = u64::from(plan.first_page) + plan.bytes / page_bytes;
            report.remarks.push(format!(
                "It ends after {there} pages; page 0 says that there are {}.",
                there + plan.missing
            ));
            let cut = u64::from(!plan.bytes.is_multiple_of(page_bytes));
            report.lose(there + cut, plan.missing - cut.min(plan.missing), plan.bytes);
        }
    }
}

fn slots(target: &Target, head: &Head<'_>, kind: Kind) -> Step<Plan> {
    let page_bytes = doublewrite_page_bytes(&target.path).unwrap_or(16_384);
    let judge = Judge::new(page_bytes);
    let (id, bytes) = (head.input.id, head.file_bytes);
    Step::Read(Plan::Slots(Box::new(SlotsPlan { id, kind, bytes, page_bytes, judge })))
}

/// Looks at copies of pages.
fn copies(judge: &Judge, bytes: &[u8], page_bytes: usize, tally: &mut PagesTally) {
    for slot in bytes.chunks(page_bytes) {
        let verdict = judge.look(slot);
        tally.reasons.add(&verdict);
        tally.counts.add(&verdict, 1);
    }
}

impl SlotsPlan {
    fn look(&self, block: Block<'_>, tally: &mut PagesTally) {
        if self.kind == Kind::Doublewrite {
            return copies(&self.judge, block.bytes, self.page_bytes as usize, tally);
        }
        for segment in block.bytes.chunks(self.page_bytes as usize) {
            let verdict = match batch::look(segment) {
                // The server passes over a batch that was not finished.
                bad if bad.is_bad() => Verdict::Unverifiable { reason: Reason::UnfinishedCopy },
                verdict => verdict,
            };
            tally.reasons.add(&verdict);
            tally.counts.add(&verdict, 1);
        }
    }

    fn done(self, input: &Input, tally: PagesTally) -> FileReport {
        debug_assert_eq!(self.id, input.id);
        let mut report = FileReport::blank(input.path.clone(), self.kind, self.bytes);
        report.counts = tally.counts;
        report.bad = tally.ranges.kept;
        report.bad_untold = tally.ranges.untold;
        report.unverifiable = tally.reasons;
        report.say_unfinished();
        report
    }
}

impl FileReport {
    /// Counts pages that are not there as damaged.
    fn lose(&mut self, first_page: u64, pages: u64, offset: u64) {
        if pages == 0 {
            return;
        }
        let verdict = Verdict::Bad { damage: Damage::Truncated { bytes: 0 } };
        self.counts.add(&verdict, pages);
        self.bad.push(BadRange { first_page, pages, offset, verdict, copies: Vec::new() });
    }

    fn say_unfinished(&mut self) {
        let copies = self.unverifiable.unfinished_copy;
        if copies > 0 {
            self.remarks.push(format!(
                "{copies} of its copies of pages fit no format: writes that were not finished, \
                 which the server passes over."
            ));
        }
    }
}
