//! Pages of a space, looked at in blocks, and what comes of them when the file is done.

use super::{
    again::Suspect,
    plan::PagesPlan,
    report::FileReport,
    scan::Files,
    settle::{self, PagesTally, SUSPECTS_MAX, Settling},
    slots::copies,
};
use crate::{Damage, Place, Verdict, summary};
use disk::{Block, Input};
use std::path::Path;

impl Files<'_> {
    /// Looks at the pages in a block.
    pub(super) fn look(&self, plan: &PagesPlan, block: Block<'_>, tally: &mut PagesTally) {
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
        // Nothing tells the page size of what is zero throughout: it need not be cut off.
        if plan.space.is_none() && tail.iter().all(|&byte| byte == 0) {
            tally.counts.empty += u64::from(!tail.is_empty());
        } else if !tail.is_empty() {
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
            path: path.unwrap_or(Path::new("")),
            online: self.options.online,
            ranges_max: self.options.ranges_max,
            pause: &*self.options.pause,
        }
    }

    /// What was found in a file, once all of it was looked at.
    pub(super) fn pages_done(
        &self,
        input: &Input,
        plan: PagesPlan,
        mut tally: PagesTally,
    ) -> FileReport {
        settle::settle(&plan, self.settling(&plan), &mut tally);
        let mut report = FileReport::blank(input.path.clone(), plan.kind, plan.bytes);
        report.first_page = plan.first_page.into();
        report.space = Some(plan.checker.space);
        report.counts = tally.counts;
        report.bad = tally.ranges.kept;
        report.bad_untold = tally.ranges.untold;
        report.reread = tally.reread;
        report.remarks = plan.remarks.clone();
        report.first_is_lost = plan.first_is_lost;
        if tally.dropped {
            report.drop_damage();
        }
        report.unverifiable = tally.reasons;
        report.say_unfinished();
        self.say_short(&plan, tally.ended_at, &mut report);
        if self.options.summary {
            let tally = tally.summary.take().unwrap_or_default();
            report.summary = Some(Box::new(tally.of_file(&plan.checker.space)));
        }
        // Copies are known by the id of their space.
        if report.is_bad() && plan.space.is_some() {
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
