//! What MariaDB's summary says of each index: pages, records, how full its pages are, and its
//! leaves in their order.

use super::tablespace::{u16_at, u32_at, u64_at};
use std::{collections::BTreeMap, fmt::Write};

/// Tenths of a page; one more on each side for empty pages and for those above a page.
const RANGES: usize = 12;
/// No page (`FIL_NULL`).
const NO_PAGE: u32 = u32::MAX;

/// An index page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    index: u64,
    page: u32,
    previous: u32,
    next: u32,
    is_leaf: bool,
    pub(super) records: u16,
    /// Bytes of records that live; upstream lets nonsense wrap, and so does this.
    data_bytes: u64,
}

impl Seen {
    pub(super) fn of(page: &[u8]) -> Self {
        // Where user records begin, by the row format's bit.
        let first_record = if u16_at(page, 42) & 0x8000 == 0 { 125 } else { 120 };
        let heap_top = u64::from(u16_at(page, 40));
        let data_bytes = heap_top.wrapping_sub(first_record + u64::from(u16_at(page, 46)));
        Self {
            index: u64_at(page, 66),
            page: u32_at(page, 4),
            previous: u32_at(page, 8),
            next: u32_at(page, 12),
            is_leaf: u16_at(page, 64) == 0,
            records: u16_at(page, 54),
            data_bytes,
        }
    }

    /// A line of `--per-page-details`.
    pub(super) fn line(&self) -> String {
        let Self { index, page, is_leaf, records, data_bytes, .. } = self;
        let is_leaf = u8::from(*is_leaf);
        format!(
            "index id={index} page {page} leaf {is_leaf} n_recs {records} data_bytes {data_bytes}\n"
        )
    }
}

#[derive(Debug)]
struct Leaf {
    records: u16,
    data_bytes: u64,
    next: u32,
}

#[derive(Debug, Default)]
struct Index {
    pages: u64,
    leaf_pages: u64,
    first_leaf: u32,
    first_leaves: u64,
    free_pages: u64,
    max_data_bytes: u64,
    records: u64,
    data_bytes: u64,
    by_fill: [u64; RANGES],
    leaves: BTreeMap<u32, Leaf>,
}

/// All indexes, of all files of the command as upstream has it.
#[derive(Debug, Default)]
pub(super) struct Indexes(BTreeMap<u64, Index>);

impl Indexes {
    pub(super) fn add(&mut self, seen: &Seen, is_free: bool, page_bytes: u32) {
        let index = self.0.entry(seen.index).or_default();
        if is_free {
            index.free_pages += 1;
            return;
        }
        index.pages += 1;
        if seen.is_leaf {
            index.leaf_pages += 1;
            index.max_data_bytes = index.max_data_bytes.max(seen.data_bytes);
            let Seen { records, data_bytes, next, .. } = *seen;
            index.leaves.insert(seen.page, Leaf { records, data_bytes, next });
            if seen.previous == NO_PAGE {
                index.first_leaf = seen.page;
                index.first_leaves += 1;
            }
        }
        index.records += u64::from(seen.records);
        index.data_bytes = index.data_bytes.wrapping_add(seen.data_bytes);
        let page_bytes = u64::from(page_bytes);
        let tenth = seen.data_bytes.wrapping_mul(10).wrapping_add(page_bytes - 1) / page_bytes;
        index.by_fill[usize::try_from(tenth).unwrap_or(RANGES).min(RANGES - 1)] += 1;
    }

    /// The tables below the summary.
    pub(super) fn summary(&self) -> String {
        let mut text =
            "index_id\t#pages\t\t#leaf_pages\t#recs_per_page\t#bytes_per_page\n".to_owned();
        for (id, index) in &self.0 {
            let per = |sum: u64| sum.checked_div(index.pages);
            // An index whose pages are all free has no line here.
            let (Some(records), Some(bytes)) = (per(index.records), per(index.data_bytes)) else {
                continue;
            };
            // Upstream prints ids and bytes as signed numbers.
            let bytes = bytes as i64;
            let _never_fails = writeln!(
                text,
                "{}\t\t{}\t\t{}\t\t{records}\t\t{bytes}",
                *id as i64, index.pages, index.leaf_pages,
            );
        }
        text.push_str("\nindex_id\tpage_data_bytes_histgram(empty,...,oversized)\n");
        for (id, index) in &self.0 {
            let _never_fails = write!(text, "{}\t", *id as i64);
            for pages in index.by_fill {
                let _never_fails = write!(text, "\t{pages}");
            }
            text.push('\n');
        }
        text
    }

    /// The tables of `--leaf`: with `verbose` each leaf, and what merging `merge` neighbours
    /// would save.
    pub(super) fn leaves(&self, verbose: bool, merge: u64) -> String {
        let mut text = "\n**************************************************\n\
             index_id\t#leaf_pages\t#actual_leaf_pages\tn_merge\t#leaf_after_merge\tdefrag\n"
            .to_owned();
        for (id, index) in &self.0 {
            if verbose {
                let pages = index.leaf_pages;
                let _never_fails =
                    write!(text, "\nindex: {id} leaf page stats: n_pages = {pages}\n");
                text.push_str("page_no\tdata_size\tn_recs\n");
                for (page, leaf) in index.in_order() {
                    let _never_fails =
                        writeln!(text, "{page}\t{}\t{}", leaf.data_bytes, leaf.records);
                }
            }
            if merge > 0 {
                text.push_str(&index.merged(*id, merge));
            }
        }
        text
    }
}

impl Index {
    /// The leaves from the first on. A chain that comes back to itself ends where it has been.
    fn in_order(&self) -> impl Iterator<Item = (u32, &Leaf)> {
        let first = self.leaves.get(&self.first_leaf).map(|leaf| (self.first_leaf, leaf));
        let chain = std::iter::successors(first, |(_, leaf)| {
            self.leaves.get(&leaf.next).map(|next| (leaf.next, next))
        });
        chain.take(self.leaves.len())
    }

    fn merged(&self, id: u64, merge: u64) -> String {
        let leaves: Vec<&Leaf> = self.in_order().map(|(_, leaf)| leaf).collect();
        let needed = |together: &[&Leaf]| {
            let bytes = together.iter().fold(0u64, |sum, leaf| sum.wrapping_add(leaf.data_bytes));
            if self.max_data_bytes == 0 { 0 } else { bytes.div_ceil(self.max_data_bytes) }
        };
        // No more than ten pages are merged.
        let after: u64 = leaves.chunks(merge as usize).map(needed).sum();
        let actual = leaves.len().max(1);
        let saved = 1.0 - after as f64 / actual as f64;
        let count = match self.leaf_pages {
            0 => String::new(),
            _ => format!("count = {} free = {}\n", self.first_leaves, self.free_pages),
        };
        let (pages, most) = (self.leaf_pages, self.max_data_bytes);
        count
            + &format!("{id}\t\t{pages}\t\t{actual}\t\t{merge}\t\t{after}\t\t{saved:.2}\t{most}\n")
    }
}
