//! Doublewrite files: slots that hold copies of pages, or the numbers of them.

use super::{report::FileReport, scan::Plan, settle::PagesTally};
use crate::{
    Reason, Verdict,
    doublewrite::{Judge, batch},
    file::{Kind, Target, kind::doublewrite_page_bytes},
};
use disk::{Block, Head, Input, Step};

/// A doublewrite file.
pub(super) struct SlotsPlan {
    kind: Kind,
    bytes: u64,
    pub(super) page_bytes: u32,
    judge: Judge,
}

/// Plans a doublewrite file.
pub(super) fn slots(target: &Target, head: &Head<'_>, kind: Kind) -> Step<Plan> {
    let page_bytes = doublewrite_page_bytes(&target.path).unwrap_or(16_384);
    let judge = Judge::new(page_bytes);
    let bytes = head.file_bytes;
    Step::Read(Plan::Slots(Box::new(SlotsPlan { kind, bytes, page_bytes, judge })))
}

/// Looks at copies of pages.
pub(super) fn copies(judge: &Judge, bytes: &[u8], page_bytes: usize, tally: &mut PagesTally) {
    for slot in bytes.chunks(page_bytes) {
        let verdict = judge.look(slot);
        tally.reasons.add(&verdict);
        tally.counts.add(&verdict, 1);
    }
}

impl SlotsPlan {
    /// Looks at the slots in a block.
    pub(super) fn look(&self, block: Block<'_>, tally: &mut PagesTally) {
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

    /// What was found in it.
    pub(super) fn done(self, input: &Input, tally: PagesTally) -> FileReport {
        let mut report = FileReport::blank(input.path.clone(), self.kind, self.bytes);
        report.counts = tally.counts;
        report.bad = tally.ranges.kept;
        report.bad_untold = tally.ranges.untold;
        report.unverifiable = tally.reasons;
        report.say_unfinished();
        report
    }
}
