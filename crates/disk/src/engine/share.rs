//! What a thread finds out of the files that it reads, until the threads' tallies are joined.

use super::{
    board::Whole,
    piece::{self, Extent, Hole, PIECE_BYTES},
};
use crate::scan::{Block, Scan};
use std::sync::Arc;

/// The largest page there is; blocks are cut at its multiples.
const PAGE_BYTES_MAX: usize = 64 << 10;

/// A thread's share of a file.
pub(crate) struct Share<S: Scan> {
    whole: Arc<Whole<S>>,
    plan: Arc<S::Plan>,
    tally: S::Tally,
    blocks: u64,
    in_flight: usize,
}

impl<S: Scan> Share<S> {
    /// Tells what was read of a piece of a block, and what was not.
    pub(crate) fn tell(&mut self, scan: &S, extent: Extent, bytes: &[u8], holes: Vec<Hole>) {
        let Extent { offset, bytes: length, .. } = extent;
        let place = |at: usize| offset + at as u64;
        let (plan, tally) = (&*self.plan, &mut self.tally);
        let mut at = 0;
        for Hole { range, error } in widened(scan, plan, holes, length) {
            if range.start > at {
                let block = Block { offset: place(at), bytes: &bytes[at..range.start] };
                scan.block(plan, block, tally);
            }
            scan.unreadable(plan, place(range.start), range.len() as u64, &error, tally);
            at = range.end;
        }
        if at < length {
            scan.block(plan, Block { offset: place(at), bytes: &bytes[at..length] }, tally);
        }
        scan.advanced(length as u64);
    }

    /// A block has been told whole.
    pub(crate) fn end_block(&mut self) {
        self.blocks += 1;
        self.in_flight -= 1;
    }

    /// Tells of a whole block.
    pub(crate) fn hand_out(&mut self, scan: &S, extent: Extent, bytes: &[u8], holes: Vec<Hole>) {
        self.tell(scan, extent, bytes, holes);
        self.end_block();
    }
}

fn widened<S: Scan>(scan: &S, plan: &S::Plan, holes: Vec<Hole>, bytes: usize) -> Vec<Hole> {
    if holes.is_empty() {
        return holes;
    }
    let granule_bytes = scan.granule_bytes(plan).clamp(PIECE_BYTES, PAGE_BYTES_MAX);
    piece::widen(holes, granule_bytes.next_power_of_two(), bytes)
}

/// A thread's shares.
pub(crate) struct Shares<S: Scan>(Vec<Share<S>>);

impl<S: Scan> Default for Shares<S> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<S: Scan> Shares<S> {
    /// The share of a file of which a block was taken: it has one more in flight.
    pub(crate) fn take(&mut self, whole: &Arc<Whole<S>>) -> &mut Share<S> {
        let known = self.0.iter().position(|share| Arc::ptr_eq(&share.whole, whole));
        let at = known.unwrap_or_else(|| {
            // A file that is done gives out no blocks any more.
            let plan = whole.joint().plan.clone().expect("a file with blocks left has its plan");
            let whole = Arc::clone(whole);
            let tally = S::Tally::default();
            self.0.push(Share { whole, plan, tally, blocks: 0, in_flight: 0 });
            self.0.len() - 1
        });
        self.0[at].in_flight += 1;
        &mut self.0[at]
    }

    /// The share of a file with a block in flight.
    pub(crate) fn of(&mut self, whole: &Arc<Whole<S>>) -> &mut Share<S> {
        let known = self.0.iter_mut().find(|share| Arc::ptr_eq(&share.whole, whole));
        known.expect("a share stays until nothing of it is in flight")
    }

    /// Whether there is a share with nothing in flight.
    pub(crate) fn has_idle(&self) -> bool {
        self.0.iter().any(|share| share.in_flight == 0)
    }

    /// Joins the tallies of files with nothing in flight, as far as `is_over` says so, and tells
    /// which files are done by that.
    pub(crate) fn join_idle(&mut self, scan: &S, is_over: impl Fn(&Arc<Whole<S>>) -> bool) {
        let is_idle = |share: &mut Share<S>| share.in_flight == 0 && is_over(&share.whole);
        for share in self.0.extract_if(.., is_idle) {
            let Share { whole, plan, tally, blocks, .. } = share;
            let mut joint = whole.joint();
            drop(plan);
            scan.join(&mut joint.tally, tally);
            joint.blocks_left -= blocks;
            drop(joint);
            whole.end(scan);
        }
    }
}
