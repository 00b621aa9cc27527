//! The write buffer of a drive: pages that the host wrote and that are not on flash yet.

use std::collections::{HashMap, VecDeque};

/// Numbers of pages that were dropped may stay in the queue until there are so many, at least.
const DROPPED_MIN: usize = 1024;

/// A page, and the stream that it goes to.
pub type Placed = (u32, u8);

/// A write buffer that outlives a loss of power, so that a page need not be programmed before it is
/// written again.
///
/// Pages leave it in the order in which they came: a page that is written again while it waits is
/// joined to what waits, goes to the stream of its latest write, and gains no time by it.
#[derive(Clone, Debug)]
pub struct Buffer {
    capacity_pages: usize,
    /// Pages in the order in which they came, each with the number under which it did.
    queue: VecDeque<(u32, u64)>,
    waiting: HashMap<u32, Waiting>,
    next_number: u64,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    number: u64,
    stream: u8,
}

impl Buffer {
    /// An empty buffer for so many pages, at least 1.
    #[must_use]
    pub fn new(capacity_pages: u32) -> Self {
        Self {
            capacity_pages: capacity_pages.max(1) as usize,
            queue: VecDeque::new(),
            waiting: HashMap::new(),
            next_number: 0,
        }
    }

    /// Takes in a page. If there was no room, the page that has to be programmed for it.
    pub fn put(&mut self, page: u32, stream: u8) -> Option<Placed> {
        if let Some(waiting) = self.waiting.get_mut(&page) {
            waiting.stream = stream;
            return None;
        }
        let leaves = if self.waiting.len() < self.capacity_pages { None } else { self.take() };
        if self.queue.len() >= self.capacity_pages * 2 + DROPPED_MIN {
            let waiting = &self.waiting;
            self.queue.retain(|entry| is_current(waiting, *entry));
        }
        self.queue.push_back((page, self.next_number));
        self.waiting.insert(page, Waiting { number: self.next_number, stream });
        self.next_number += 1;
        leaves
    }

    /// Takes out the page that came first; none if the buffer is empty.
    pub fn take(&mut self) -> Option<Placed> {
        while let Some(entry) = self.queue.pop_front() {
            if is_current(&self.waiting, entry) {
                let page = entry.0;
                return self.waiting.remove(&page).map(|waiting| (page, waiting.stream));
            }
        }
        None
    }

    /// Forgets a page that was discarded. Whether it was here.
    pub fn forget(&mut self, page: u32) -> bool {
        self.waiting.remove(&page).is_some()
    }
}

/// False for the entry of a page that was discarded since, though it may have come again.
fn is_current(waiting: &HashMap<u32, Waiting>, (page, number): (u32, u64)) -> bool {
    waiting.get(&page).is_some_and(|waiting| waiting.number == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_leave_in_the_order_in_which_they_came() {
        let mut buffer = Buffer::new(2);
        assert_eq!([buffer.put(1, 0), buffer.put(2, 0), buffer.put(1, 3)], [None; 3]);
        assert_eq!(buffer.put(5, 0), Some((1, 3)), "written again, to its latest stream");
        assert_eq!(buffer.put(1, 0), Some((2, 0)));
        assert_eq!(
            [buffer.take(), buffer.take(), buffer.take()],
            [Some((5, 0)), Some((1, 0)), None]
        );
    }

    #[test]
    fn what_was_discarded_is_not_programmed() {
        let mut buffer = Buffer::new(2);
        buffer.put(1, 0);
        assert!(buffer.forget(1) && !buffer.forget(1));
        buffer.put(2, 0);
        buffer.put(1, 4);
        assert_eq!(
            [buffer.take(), buffer.take(), buffer.take()],
            [Some((2, 0)), Some((1, 4)), None]
        );
    }

    #[test]
    fn pages_that_come_and_are_discarded_take_no_room_for_ever() {
        let mut buffer = Buffer::new(4);
        for page in 0..100_000 {
            buffer.put(page, 0);
            buffer.forget(page);
        }
        assert!(buffer.queue.len() <= 2 * 4 + DROPPED_MIN, "{}", buffer.queue.len());
    }
}
