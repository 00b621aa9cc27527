//! A drive that collects first in, first out, as plainly as it can be written: blocks hold what was
//! written to them, with its version, and what is valid is found by looking.

use crate::ftl::{Counters, Moved, Options};
use std::collections::{HashMap, VecDeque};

pub(super) struct Naive {
    options: Options,
    /// Of each block the pages that were written to it, with their versions.
    blocks: Vec<Vec<(u32, u64)>>,
    /// Of which open block each block is or was.
    frontier_of: HashMap<usize, usize>,
    free: VecDeque<usize>,
    full: VecDeque<usize>,
    open: HashMap<usize, usize>,
    latest: HashMap<u32, u64>,
    version: u64,
    pub(super) counters: Counters,
}

impl Naive {
    pub(super) fn new(options: &Options) -> Self {
        let blocks = options.geometry.blocks as usize;
        Self {
            options: *options,
            blocks: vec![Vec::new(); blocks],
            frontier_of: HashMap::new(),
            free: (0..blocks).collect(),
            full: VecDeque::new(),
            open: HashMap::new(),
            latest: HashMap::new(),
            version: 0,
            counters: Counters::default(),
        }
    }

    pub(super) fn write(&mut self, page: u32, stream: u8) {
        let frontier = if stream < self.options.streams { usize::from(stream) } else { 0 };
        while !self.open.contains_key(&frontier) && self.free.len() < 2 {
            self.collect();
        }
        self.version += 1;
        self.latest.insert(page, self.version);
        self.counters.host_pages += 1;
        self.counters.programmed_pages += 1;
        self.append(frontier, page, self.version);
    }

    pub(super) fn trim(&mut self, page: u32) {
        if self.latest.remove(&page).is_some() {
            self.counters.trimmed_pages += 1;
        }
    }

    /// Where the latest version of a page lies.
    pub(super) fn place_of_latest(&self, page: u32) -> Option<u32> {
        let wanted = (page, *self.latest.get(&page)?);
        let found = self.blocks.iter().enumerate().find_map(|(block, held)| {
            held.iter().position(|held| *held == wanted).map(|offset| (block, offset))
        });
        let (block, offset) = found.expect("the latest version lies somewhere");
        Some(block as u32 * self.options.geometry.block_pages + offset as u32)
    }

    fn append(&mut self, frontier: usize, page: u32, version: u64) {
        let block = *self.open.entry(frontier).or_insert_with(|| self.free.pop_front().unwrap());
        self.frontier_of.insert(block, frontier);
        self.blocks[block].push((page, version));
        if self.blocks[block].len() == self.options.geometry.block_pages as usize {
            self.full.push_back(block);
            self.open.remove(&frontier);
        }
    }

    fn collect(&mut self) {
        let victim = self.full.pop_front().unwrap();
        let streams = usize::from(self.options.streams);
        let from = self.frontier_of[&victim];
        let to = match self.options.moved {
            Moved::Shared => streams,
            Moved::PerStream if from < streams => streams + from,
            Moved::PerStream | Moved::WithHost => from,
        };
        for (page, version) in self.blocks[victim].clone() {
            if self.latest.get(&page) == Some(&version) {
                self.counters.moved_pages += 1;
                self.append(to, page, version);
            }
        }
        self.blocks[victim].clear();
        self.free.push_back(victim);
        self.counters.erased_blocks += 1;
    }
}
