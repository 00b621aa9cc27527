//! The simulated drive: pages of the host, mapped one by one to pages of flash.

use super::blocks::Blocks;
use super::{Counters, GeometryError, Moved, Options, Wear, memory};
use super::{victims::Victims, wear::Levelling};
use crate::waf::{Meter, Reading};
use std::convert::Infallible;

/// In a map: no page.
const NONE: u32 = u32::MAX;

/// Pages whose places are asked for from memory ahead of being written. The first distance is that
/// of the map, the second that of the block which the map names.
const AHEAD: [usize; 2] = [32, 16];

/// Words of a victim's bitmap whose pages are moved at a time: what the first cache holds easily.
const MOVED_WORDS: usize = 8;

/// Pages of the next victim that are asked for ahead: where it is longer, the processor has seen by
/// then that it is read in a row.
const FETCHED: u32 = 256;

/// An open block: the pages of it that are still to be written. None if there are none.
#[derive(Clone, Copy, Debug, Default)]
struct Frontier {
    next: u32,
    end: u32,
}

/// A simulated drive.
#[derive(Clone, Debug)]
pub struct Drive {
    options: Options,
    /// Physical page of each logical one.
    physical: Vec<u32>,
    /// Logical page of each physical one, once it was written.
    logical: Vec<u32>,
    blocks: Blocks,
    victims: Victims,
    levelling: Option<Levelling>,
    frontiers: Vec<Frontier>,
    counters: Counters,
    valid_pages: u32,
}

impl Drive {
    /// A drive that has never been written.
    ///
    /// # Errors
    /// Such a drive cannot be: [`Options::check`] says why. Or there is no memory for its maps.
    pub fn new(options: &Options) -> Result<Self, GeometryError> {
        options.check()?;
        let geometry = &options.geometry;
        Ok(Self {
            options: *options,
            physical: memory::filled(NONE, geometry.logical_pages as usize)?,
            logical: memory::filled(NONE, geometry.physical_pages() as usize)?,
            blocks: Blocks::new(geometry)?,
            victims: Victims::new(options),
            levelling: options.levelling.map(Levelling::new),
            frontiers: vec![Frontier::default(); options.frontiers()],
            counters: Counters::default(),
            valid_pages: 0,
        })
    }

    /// What it was made of.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Writes a page. A stream that the drive does not have counts as stream 0.
    ///
    /// # Panics
    /// The host cannot address the page: it must be below `logical_pages`.
    #[inline]
    pub fn write(&mut self, page: u32, stream: u8) {
        let frontier = if stream < self.options.streams { usize::from(stream) } else { 0 };
        if self.frontiers[frontier].next == self.frontiers[frontier].end {
            self.make_room(frontier);
        }
        let old = self.physical[page as usize];
        let new = self.frontiers[frontier].next;
        self.physical[page as usize] = new;
        self.logical[new as usize] = page;
        self.counters.host_pages += 1;
        if old == NONE {
            self.valid_pages += 1;
        } else {
            self.invalidate(old);
        }
        self.advance(frontier, 1);
    }

    /// Writes pages one after the other, as [`Self::write`] does, several times faster on a large
    /// drive: the places of later pages are fetched from memory while earlier ones are written.
    ///
    /// # Panics
    /// As [`Self::write`].
    pub fn write_many(&mut self, pages: &[u32], stream: u8) {
        for (at, &page) in pages.iter().enumerate() {
            if let Some(&later) = pages.get(at + AHEAD[0]) {
                memory::prefetch(&self.physical, later as usize);
            }
            if let Some(&later) = pages.get(at + AHEAD[1]) {
                match self.physical.get(later as usize) {
                    Some(&old) if old != NONE => self.blocks.prefetch(old),
                    _ => {}
                }
            }
            self.write(page, stream);
        }
    }

    /// Discards a page: it need not be moved any more. Nothing happens if it was never written.
    ///
    /// # Panics
    /// As [`Self::write`].
    pub fn trim(&mut self, page: u32) {
        let old = std::mem::replace(&mut self.physical[page as usize], NONE);
        if old != NONE {
            self.counters.trimmed_pages += 1;
            self.valid_pages -= 1;
            self.invalidate(old);
        }
    }

    /// What the drive has done so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        // What it is given it programs at once.
        Counters { programmed_pages: self.counters.host_pages, ..self.counters }
    }

    /// How often its blocks were erased.
    #[must_use]
    pub fn wear(&self) -> Wear {
        Wear::of(self.blocks.erases())
    }

    /// Pages that hold something.
    #[must_use]
    pub fn valid_pages(&self) -> u32 {
        self.valid_pages
    }

    #[inline(always)]
    fn invalidate(&mut self, page: u32) {
        let (number, block) = self.blocks.invalidate(page);
        self.victims.invalidated(number, block, self.counters.host_pages);
    }

    /// So many pages of an open block have been written.
    #[inline(always)]
    fn advance(&mut self, frontier: usize, pages: u32) {
        let open = &mut self.frontiers[frontier];
        open.next += pages;
        if open.next == open.end {
            let number = self.blocks.of(open.end - 1);
            let block = self.blocks.seal(number);
            self.victims.filled(number, block, self.counters.host_pages);
        }
    }

    /// Sees to it that the host has a page to write to: collects until a block is free besides the
    /// one that collecting itself may need.
    #[cold]
    fn make_room(&mut self, frontier: usize) {
        while self.blocks.free() < 2 {
            self.collect();
            if self.frontiers[frontier].next < self.frontiers[frontier].end {
                return;
            }
        }
        self.open(frontier);
    }

    fn open(&mut self, frontier: usize) {
        let block = self.blocks.open(frontier as u8).expect("collecting leaves one block free");
        let first = block * self.options.geometry.block_pages;
        self.frontiers[frontier] =
            Frontier { next: first, end: first + self.options.geometry.block_pages };
    }

    /// Moves the valid pages of a block and erases it.
    fn collect(&mut self) {
        let victim = self.victim();
        let block = self.blocks.block(victim);
        let to = self.destination(block.frontier.into());
        let words = self.blocks.words(victim).len();
        let mut pages = [const { [0; MOVED_WORDS * 64] }; 2];
        let mut counts = [0; 2];
        counts[0] = self.gather(victim, 0, &mut pages[0]);
        for (turn, from) in (0..words).step_by(MOVED_WORDS).enumerate() {
            let (now, then) = (turn % 2, (turn + 1) % 2);
            counts[then] = self.gather(victim, from + MOVED_WORDS, &mut pages[then]);
            self.place(&pages[now][..counts[now]], to);
        }
        self.counters.moved_pages += u64::from(block.valid);
        self.counters.erased_blocks += 1;
        self.blocks.erase(victim);
        if let Some(levelling) = &mut self.levelling {
            levelling.erased(&self.blocks, victim, self.counters.erased_blocks);
        }
        self.prefetch_next_victim();
    }

    /// Asks for what [`Self::gather`] will read first.
    fn prefetch_next_victim(&self) {
        let Some(next) = self.victims.peek() else { return };
        self.blocks.prefetch_words(next);
        let pages = self.options.geometry.block_pages;
        let first = next as usize * pages as usize;
        for page in (0..pages.min(FETCHED)).step_by(16) {
            memory::prefetch(&self.logical, first + page as usize);
        }
    }

    /// The block to collect, which stands in no list any more.
    fn victim(&mut self) -> u32 {
        let levelling = self.levelling.as_mut();
        let erased = self.counters.erased_blocks;
        if let Some(worn) = levelling.and_then(|levelling| levelling.pick(&self.blocks, erased)) {
            self.victims.take(worn, &self.blocks);
            return worn;
        }
        self.victims
            .pick(&self.blocks, self.counters.host_pages)
            .expect("a drive whose options were checked has full blocks when few are free")
    }

    /// The open block for pages that are moved out of a block of this one.
    fn destination(&self, frontier: usize) -> usize {
        let streams = usize::from(self.options.streams);
        match self.options.moved {
            Moved::Shared => streams,
            Moved::PerStream => frontier % streams + streams,
            Moved::WithHost => frontier,
        }
    }

    /// Lists the valid pages of a part of a block, from a word of its bitmap on, and asks for their
    /// places from memory. How many there are.
    fn gather(&self, block: u32, from: usize, pages: &mut [u32; MOVED_WORDS * 64]) -> usize {
        let first = block as usize * self.options.geometry.block_pages as usize;
        let words = self.blocks.words(block);
        let mut count = 0;
        for (word, &bits) in words.iter().enumerate().skip(from).take(MOVED_WORDS) {
            let mut bits = bits;
            while bits != 0 {
                let page = self.logical[first + word * 64 + bits.trailing_zeros() as usize];
                memory::prefetch(&self.physical, page as usize);
                pages[count] = page;
                count += 1;
                bits &= bits - 1;
            }
        }
        count
    }

    /// Writes pages that are moved.
    fn place(&mut self, mut pages: &[u32], to: usize) {
        while !pages.is_empty() {
            if self.frontiers[to].next == self.frontiers[to].end {
                self.open(to);
            }
            let Frontier { next, end } = self.frontiers[to];
            let (now, rest) = pages.split_at(pages.len().min((end - next) as usize));
            self.logical[next as usize..][..now.len()].copy_from_slice(now);
            for (place, &page) in (next..).zip(now) {
                self.physical[page as usize] = place;
            }
            self.advance(to, now.len() as u32);
            pages = rest;
        }
    }
}

impl Meter for Drive {
    type Error = Infallible;

    fn read(&mut self) -> Result<Reading, Infallible> {
        Ok(self.counters().reading(self.options.geometry.page_bytes))
    }
}

#[cfg(test)]
mod tests;
