//! Who sends what next.
//!
//! Two connections that fill one table get into each other's way: they split the same pages and
//! wait for the same latches. So a connection stays with its table until that is done, and then
//! goes where most is left for each who works there.

use super::Piece;
use std::collections::{BTreeMap, VecDeque};

/// The chunks that nobody has taken yet.
#[derive(Debug)]
pub(super) struct Queue<P: Piece> {
    tables: BTreeMap<P::Table, Waiting<P>>,
}

#[derive(Debug)]
struct Waiting<P> {
    chunks: VecDeque<P>,
    senders: u64,
}

impl<P: Piece> Queue<P> {
    pub(super) fn new(chunks: &[P]) -> Self {
        let mut tables: BTreeMap<P::Table, Waiting<P>> = BTreeMap::new();
        for chunk in chunks {
            let none = || Waiting { chunks: VecDeque::new(), senders: 0 };
            tables.entry(chunk.table()).or_insert_with(none).chunks.push_back(*chunk);
        }
        Self { tables }
    }

    /// The next chunk for a connection that has just finished one of `current`, or that has just
    /// begun. None when nothing is left.
    pub(super) fn take(&mut self, current: Option<P::Table>) -> Option<P> {
        if let Some(waiting) = current.and_then(|table| self.tables.get_mut(&table)) {
            if let Some(chunk) = waiting.chunks.pop_front() {
                return Some(chunk);
            }
            waiting.senders = waiting.senders.saturating_sub(1);
        }
        let left = |waiting: &Waiting<P>| {
            let cost: u64 = waiting.chunks.iter().map(|chunk| chunk.cost()).sum();
            cost / (waiting.senders + 1)
        };
        let waiting = self
            .tables
            .values_mut()
            .filter(|waiting| !waiting.chunks.is_empty())
            .max_by_key(|waiting| left(waiting))?;
        waiting.senders += 1;
        waiting.chunks.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::{Table, load::Chunk};

    #[test]
    fn two_connections_start_on_different_tables_and_stay_there() {
        let mut queue = Queue::new(&Chunk::all(2));
        let (Some(a), Some(b)) = (queue.take(None), queue.take(None)) else { panic!("empty") };
        assert_ne!(a.table, b.table);
        assert_eq!(queue.take(Some(a.table)).map(|chunk| chunk.table), Some(a.table));
        assert_eq!(queue.take(Some(b.table)).map(|chunk| chunk.table), Some(b.table));
    }

    #[test]
    fn every_chunk_is_taken_once_in_the_order_of_its_key() {
        let all = Chunk::all(3);
        let mut queue = Queue::new(&all);
        let mut current = [None, None, None];
        let mut taken = Vec::new();
        while let Some(chunk) = queue.take(current[taken.len() % 3]) {
            current[taken.len() % 3] = Some(chunk.table);
            taken.push(chunk);
        }
        for table in Table::ALL {
            let of = |chunks: &[Chunk]| -> Vec<u64> {
                chunks.iter().filter(|c| c.table == table).map(|c| c.id()).collect()
            };
            assert_eq!(of(&taken), of(&all));
        }
        assert_eq!(taken.len(), all.len());
    }
}
