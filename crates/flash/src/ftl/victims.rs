//! Which block is collected next.
//!
//! Full blocks stand in lists by how many valid pages they have, so that the next victim is found
//! and a block is moved down by one in constant time. Under greedy collection most blocks are far
//! from being a victim, and to keep them in order would cost more than all the rest of a write:
//! only blocks below a bound are listed. When there are none left, and now and then besides, the
//! bound is set anew to take in one of every [`LISTED`], which costs some looks at blocks, in a
//! row, for each that is collected.

mod split;

use super::blocks::{Block, Blocks, Phase};
use super::options::{Options, Victim};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use split::Split;

/// Under greedy collection, of so many blocks one is listed when the bound is set.
const LISTED: u32 = 64;

/// The bound is set anew when this share of the blocks has been collected: one of so many.
const COLLECTED: u32 = 16;

/// Neighbours in a list. A block that stands in none is its own neighbour.
#[derive(Clone, Copy, Debug)]
struct Link {
    next: u32,
    previous: u32,
}

/// The blocks that may be collected.
#[derive(Clone, Debug)]
pub(super) struct Victims {
    policy: Victim,
    /// Of the blocks, and behind them of the heads of the lists.
    links: Vec<Link>,
    /// Where the heads begin: the number of blocks.
    heads: u32,
    /// Lists.
    lists: u32,
    /// No list before this one has a block.
    lowest: u32,
    /// Blocks with fewer valid pages are listed.
    bound: u32,
    /// Blocks to collect until the bound is set anew.
    until_bound: u32,
    /// Under cost-benefit: when a page of the block became invalid.
    touched: Vec<u64>,
    /// Where spare space is split by stream. All full blocks are listed then.
    split: Option<Split>,
    random: Pcg64,
}

impl Victims {
    pub(super) fn new(options: &Options) -> Self {
        let blocks = options.geometry.blocks;
        let every = options.geometry.block_pages + 1;
        let split = options.split.as_ref().map(|split| Split::new(split, options));
        let (lists, bound) = match options.victim {
            Victim::Greedy if split.is_some() => (every * u32::from(options.streams), every),
            Victim::Greedy => (every, 0),
            Victim::CostBenefit => (every, every),
            Victim::Fifo => (1, 0),
            Victim::Choices(_) => (0, 0),
        };
        let touched = if options.victim == Victim::CostBenefit { blocks as usize } else { 0 };
        Self {
            policy: options.victim,
            links: (0..blocks + lists).map(|own| Link { next: own, previous: own }).collect(),
            heads: blocks,
            lists,
            lowest: lists,
            bound,
            until_bound: 0,
            touched: vec![0; touched],
            split,
            random: Pcg64::seed_from_u64(options.seed),
        }
    }

    /// A block has been filled.
    pub(super) fn filled(&mut self, number: u32, block: Block, now: u64) {
        if let Some(touched) = self.touched.get_mut(number as usize) {
            *touched = now;
        }
        match self.policy {
            Victim::Fifo => self.append(number, 0),
            _ if block.valid < self.bound => self.append(number, self.list(block)),
            _ => {}
        }
        if let Some(split) = &mut self.split {
            split.filled(block);
        }
    }

    /// A page of a block has become invalid.
    #[inline(always)]
    pub(super) fn invalidated(&mut self, number: u32, block: Block, now: u64) {
        if block.valid < self.bound && block.phase == Phase::Full {
            self.move_down(number, block, now);
        }
    }

    fn move_down(&mut self, number: u32, block: Block, now: u64) {
        if let Some(touched) = self.touched.get_mut(number as usize) {
            *touched = now;
        }
        if let Some(split) = &mut self.split {
            split.invalidated(block);
        }
        self.remove(number);
        self.append(number, self.list(block));
    }

    /// The block to collect, which stands in no list any more. None if no block is full.
    pub(super) fn pick(&mut self, blocks: &Blocks, now: u64) -> Option<u32> {
        let victim = match self.policy {
            Victim::Greedy if self.split.is_some() => self.fewest_of_stream(),
            Victim::Greedy => self.fewest(blocks),
            Victim::Fifo => self.oldest(0),
            Victim::CostBenefit => self.most_benefit(now),
            Victim::Choices(draws) => self.best_drawn(blocks, draws),
        }?;
        self.take(victim, blocks);
        Some(victim)
    }

    /// The block that greedy collection comes to next if nothing happens in between.
    pub(super) fn peek(&self) -> Option<u32> {
        let last = self.links.get((self.heads + self.lowest) as usize)?.previous;
        (last < self.heads).then_some(last)
    }

    /// Takes out a block that will be collected.
    pub(super) fn take(&mut self, number: u32, blocks: &Blocks) {
        if let Some(split) = &mut self.split {
            split.collected(blocks.block(number));
        }
        self.remove(number);
    }

    /// The list that a block belongs in.
    fn list(&self, block: Block) -> u32 {
        self.split.as_ref().map_or(block.valid, |split| split.list(block))
    }

    /// Takes a block out of its list, if it is in one.
    fn remove(&mut self, number: u32) {
        let Link { next, previous } = self.links[number as usize];
        self.links[previous as usize].next = next;
        self.links[next as usize].previous = previous;
        self.links[number as usize] = Link { next: number, previous: number };
    }

    fn append(&mut self, number: u32, list: u32) {
        let head = self.heads + list;
        let last = self.links[head as usize].previous;
        self.links[number as usize] = Link { next: head, previous: last };
        self.links[last as usize].next = number;
        self.links[head as usize].previous = number;
        self.lowest = self.lowest.min(list);
    }

    /// The block that has been in a list for longest.
    fn oldest(&self, list: u32) -> Option<u32> {
        let first = self.links.get((self.heads + list) as usize)?.next;
        (first < self.heads).then_some(first)
    }

    /// The lowest list that has a block.
    fn lowest(&mut self) -> Option<u32> {
        while self.lowest < self.lists && self.oldest(self.lowest).is_none() {
            self.lowest += 1;
        }
        (self.lowest < self.lists).then_some(self.lowest)
    }

    /// Of the blocks with the fewest valid pages the one that came to so few last.
    fn newest_of_lowest(&mut self) -> Option<u32> {
        let list = self.lowest()?;
        Some(self.links[(self.heads + list) as usize].previous)
    }

    fn fewest(&mut self, blocks: &Blocks) -> Option<u32> {
        if self.until_bound == 0 || self.lowest().is_none() {
            self.set_bound(blocks);
        }
        self.until_bound = self.until_bound.saturating_sub(1);
        self.newest_of_lowest()
    }

    /// The block with the fewest valid pages of the stream that has most above its share of the
    /// spare space.
    fn fewest_of_stream(&self) -> Option<u32> {
        let split = self.split.as_ref()?;
        let newest = |list| self.links[(self.heads + list) as usize].previous;
        split.lists(split.most_over()).map(newest).find(|block| *block < self.heads)
    }

    /// Sets the bound to what takes in just enough blocks, and lists these.
    fn set_bound(&mut self, blocks: &Blocks) {
        let full = || (0..).zip(blocks.all()).filter(|(_, block)| block.phase == Phase::Full);
        let mut having = vec![0u32; self.lists as usize];
        let mut count = 0u32;
        for (_, block) in full() {
            having[block.valid as usize] += 1;
            count += 1;
        }
        let mut listed = 0;
        self.bound = 0;
        while listed < count.div_ceil(LISTED) {
            listed += having[self.bound as usize];
            self.bound += 1;
        }
        for (own, link) in (0..).zip(&mut self.links) {
            *link = Link { next: own, previous: own };
        }
        self.lowest = self.lists;
        for (number, block) in full() {
            if block.valid < self.bound {
                self.append(number, block.valid);
            }
        }
        self.until_bound = self.heads / COLLECTED;
    }

    /// Of each list the block that was left alone for longest is the best, which leaves one of each
    /// to be weighed.
    fn most_benefit(&mut self, now: u64) -> Option<u32> {
        let pages = f64::from(self.lists - 1);
        let lowest = self.lowest()?;
        let mut best = (f64::NEG_INFINITY, self.oldest(lowest)?);
        for list in lowest..self.lists {
            let Some(block) = self.oldest(list) else { continue };
            let age = (now - self.touched[block as usize] + 1) as f64;
            let valid = f64::from(list);
            let benefit = age * (pages - valid) / (2.0 * valid);
            if benefit > best.0 {
                best = (benefit, block);
            }
        }
        Some(best.1)
    }

    fn best_drawn(&mut self, blocks: &Blocks, draws: u32) -> Option<u32> {
        let mut best: Option<(u32, u32)> = None;
        let mut drawn = 0;
        while drawn < draws {
            let number = self.random.random_range(0..self.heads);
            let block = blocks.block(number);
            if block.phase != Phase::Full {
                continue;
            }
            drawn += 1;
            if best.is_none_or(|(valid, _)| block.valid < valid) {
                best = Some((block.valid, number));
            }
        }
        best.map(|(_, number)| number)
    }
}
