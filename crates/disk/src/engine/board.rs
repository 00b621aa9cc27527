//! What is to be read next, for all threads: the rest of files that are open, then new files.

use super::source::Source;
use crate::scan::{Input, Scan};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// A file whose plan is made, shared by the threads that read it.
pub(crate) struct Whole<S: Scan> {
    pub(crate) source: Source,
    joint: Mutex<Joint<S>>,
}

/// What the threads have found out of a file.
pub(crate) struct Joint<S: Scan> {
    pub(crate) plan: Option<Arc<S::Plan>>,
    pub(crate) tally: S::Tally,
    /// Blocks that no joined tally has seen.
    pub(crate) blocks_left: u64,
}

impl<S: Scan> Whole<S> {
    pub(crate) fn new(source: Source, plan: S::Plan, block_bytes: usize) -> Self {
        let blocks_left = source.bytes.div_ceil(block_bytes as u64);
        let joint = Joint { plan: Some(Arc::new(plan)), tally: S::Tally::default(), blocks_left };
        Self { source, joint: Mutex::new(joint) }
    }

    pub(crate) fn joint(&self) -> MutexGuard<'_, Joint<S>> {
        self.joint.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells that the file is done, where no block of it is left.
    pub(crate) fn end(&self, scan: &S) {
        let mut joint = self.joint();
        if joint.blocks_left > 0 {
            return;
        }
        // Whoever has joined its tally has let go of the plan before.
        let Some(plan) = joint.plan.take().and_then(Arc::into_inner) else { return };
        let tally = std::mem::take(&mut joint.tally);
        drop(joint);
        scan.done(&self.source.input, plan, tally);
    }
}

/// A piece of work.
pub(crate) enum Work<S: Scan> {
    /// Open the file and read its head; then say [`Board::begun`].
    Begin(Input),
    /// Read a block of a file, from this offset on.
    Read(Arc<Whole<S>>, u64),
    /// There is none now; there may be when the heads that others are reading are there.
    None,
    /// There is none, and will be none.
    End,
}

/// The board that work is taken from.
pub(crate) struct Board<I, S: Scan> {
    state: Mutex<State<I, S>>,
    changed: Condvar,
    stop: AtomicBool,
    block_bytes: u64,
}

struct State<I, S: Scan> {
    inputs: Option<I>,
    /// Files with blocks that nobody has taken, and the first of these.
    open: VecDeque<(Arc<Whole<S>>, u64)>,
    /// Files of which a head is being read.
    beginning: usize,
}

impl<I: Iterator<Item = Input>, S: Scan> Board<I, S> {
    pub(crate) fn new(inputs: I, block_bytes: usize) -> Self {
        let state = State { inputs: Some(inputs), open: VecDeque::new(), beginning: 0 };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            block_bytes: block_bytes as u64,
        }
    }

    fn state(&self) -> MutexGuard<'_, State<I, S>> {
        // A thread that panicked has stopped the scan; the others only have to end.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next piece of work: files that are open come first, so that few are at a time.
    pub(crate) fn take(&self) -> Work<S> {
        let mut state = self.state();
        if self.is_stopped() {
            return Work::End;
        }
        if let Some((whole, offset)) = state.open.front_mut() {
            let (whole, taken) = (Arc::clone(whole), *offset);
            *offset += self.block_bytes;
            if *offset >= whole.source.bytes {
                state.open.pop_front();
            }
            return Work::Read(whole, taken);
        }
        match state.inputs.as_mut().and_then(Iterator::next) {
            Some(input) => {
                state.beginning += 1;
                return Work::Begin(input);
            }
            // An iterator that has ended need not be asked again, and need not bear it.
            None => state.inputs = None,
        }
        if state.beginning > 0 { Work::None } else { Work::End }
    }

    /// A head has been read: there may be more blocks behind it.
    pub(crate) fn begun(&self, whole: Option<Arc<Whole<S>>>) {
        let mut state = self.state();
        state.beginning -= 1;
        if let Some(whole) = whole.filter(|whole| whole.source.bytes > self.block_bytes) {
            state.open.push_back((whole, self.block_bytes));
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until there may be work again.
    pub(crate) fn wait(&self) {
        let state = self.state();
        let idle = |state: &mut State<I, S>| {
            state.open.is_empty() && state.beginning > 0 && !self.is_stopped()
        };
        drop(self.changed.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner));
    }

    /// Whether nobody will take any more blocks of a file.
    pub(crate) fn is_given_out(&self, whole: &Arc<Whole<S>>) -> bool {
        !self.state().open.iter().any(|(open, _)| Arc::ptr_eq(open, whole))
    }

    /// Ends the scan: no more work is given out.
    pub(crate) fn stop(&self) {
        // Under the lock, so that nobody goes to sleep between looking and waiting.
        let state = self.state();
        self.stop.store(true, Ordering::Relaxed);
        drop(state);
        self.changed.notify_all();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
