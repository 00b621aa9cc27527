//! Runs of sectors that belong to somebody, without overlap.

use super::{Extent, FileId};
use std::{collections::BTreeMap, ops::Range};

/// First sector → end and owner.
#[derive(Clone, Debug, Default)]
pub(super) struct SectorMap(BTreeMap<u64, (u64, FileId)>);

impl SectorMap {
    /// Who has a sector.
    pub(super) fn owner(&self, sector: u64) -> Option<FileId> {
        let (_, (end, owner)) = self.0.range(..=sector).next_back()?;
        (sector < *end).then_some(*owner)
    }

    /// All runs that somebody has, in order.
    pub(super) fn runs(&self) -> impl Iterator<Item = Range<u64>> {
        self.0.iter().map(|(start, (end, _))| *start..*end)
    }

    /// How many runs there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Gives a run to somebody; whoever had any of it has it no longer.
    pub(super) fn give(&mut self, extent: Extent, owner: FileId) {
        let end = extent.sector.saturating_add(extent.sectors);
        if end > extent.sector {
            self.clear(extent.sector, end);
            self.0.insert(extent.sector, (end, owner));
        }
    }

    /// Gives to somebody what of a run is nobody's.
    pub(super) fn offer(&mut self, extent: Extent, owner: FileId) {
        let end = extent.sector.saturating_add(extent.sectors);
        let mut at = extent.sector;
        if let Some((_, (before, _))) = self.0.range(..at).next_back() {
            at = at.max(*before);
        }
        while at < end {
            let next = self.0.range(at..end).next().map(|(start, (end, _))| (*start, *end));
            let (gap_end, resume) = next.unwrap_or((end, end));
            if gap_end > at {
                self.0.insert(at, (gap_end, owner));
            }
            at = resume;
        }
    }

    fn clear(&mut self, start: u64, end: u64) {
        let before = self.0.range(..start).next_back().map(|(at, held)| (*at, *held));
        if let Some((at, (held_end, owner))) = before.filter(|(_, (held_end, _))| *held_end > start)
        {
            self.0.insert(at, (start, owner));
            if held_end > end {
                self.0.insert(end, (held_end, owner));
            }
        }
        while let Some((at, (held_end, owner))) =
            self.0.range(start..end).next().map(|(at, held)| (*at, *held))
        {
            self.0.remove(&at);
            if held_end > end {
                self.0.insert(end, (held_end, owner));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_map_of_runs_answers_as_a_table_of_sectors_does(
            steps in prop::collection::vec((0_u64..60, 0_u64..20, 0_u32..5, any::<bool>()), 0..40),
        ) {
            let mut map = SectorMap::default();
            let mut table = [None; 100];
            for (sector, sectors, owner, give) in steps {
                let (extent, owner) = (Extent { sector, sectors }, FileId(owner));
                match give {
                    true => map.give(extent, owner),
                    false => map.offer(extent, owner),
                }
                for held in &mut table[sector as usize..(sector + sectors) as usize] {
                    if give || held.is_none() {
                        *held = Some(owner);
                    }
                }
            }
            for (sector, owner) in table.iter().enumerate() {
                prop_assert_eq!(map.owner(sector as u64), *owner, "sector {}", sector);
            }
        }
    }

    #[test]
    fn a_run_beyond_all_sectors_ends_with_them() {
        let mut map = SectorMap::default();
        map.give(Extent { sector: u64::MAX - 1, sectors: u64::MAX }, FileId(1));
        map.offer(Extent { sector: 5, sectors: u64::MAX }, FileId(2));
        assert_eq!(map.owner(u64::MAX - 1), Some(FileId(1)));
        assert_eq!(map.owner(u64::MAX - 2), Some(FileId(2)));
    }
}
