//! Where the doublewrite area of a system tablespace is (`trx0sys.h`, `TRX_SYS_DOUBLEWRITE`).

/// The page of the system tablespace that says so.
pub(crate) const TRX_SYS_PAGE: u32 = 5;
/// Where the header of the doublewrite area begins, from the end of that page.
const FROM_END: usize = 200;
/// What stands at 10 of the header, and again at 22, once the area was made.
const MAGIC: u32 = 536_853_855;
/// What stands at 10 of the header: a file segment's, the magic, and the two blocks.
const AT_MAGIC: usize = 10;
const AT_BLOCKS: usize = 14;

/// Two extents of the system tablespace that hold copies of other pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// The first pages of the two.
    pub blocks: [u32; 2],
    /// Pages in each of them.
    pub pages: u32,
}

impl Area {
    /// Reads where it is in page 5 of the system tablespace. None where there is none: newer
    /// servers of MySQL have files for it.
    pub fn of_trx_sys(page: &[u8]) -> Option<Self> {
        let header = page.get(page.len().checked_sub(FROM_END)?..)?;
        let word = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
        if word(AT_MAGIC)? != MAGIC {
            return None;
        }
        let blocks = [word(AT_BLOCKS)?, word(AT_BLOCKS + 4)?];
        let pages = crate::space::extent_pages(page.len() as u32);
        let sound = blocks.iter().all(|&block| block > TRX_SYS_PAGE && block < u32::MAX - pages);
        sound.then_some(Self { blocks, pages })
    }

    /// Whether `page` is in it.
    pub fn contains(&self, page: u32) -> bool {
        self.blocks.iter().any(|&block| page >= block && page - block < self.pages)
    }

    /// The first page after `page` at which one of the two extents begins or ends.
    pub(crate) fn next_border(&self, page: u32) -> u32 {
        let borders = self.blocks.iter().flat_map(|&block| [block, block + self.pages]);
        borders.filter(|&border| border > page).min().unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn page(magic: u32, blocks: [u32; 2]) -> Vec<u8> {
        let mut page = vec![0; 16_384];
        for (at, word) in [(10, magic), (14, blocks[0]), (18, blocks[1])] {
            page[16_184 + at..][..4].copy_from_slice(&word.to_be_bytes());
        }
        page
    }

    #[test]
    fn the_area_is_where_page_5_says() {
        let area = Area::of_trx_sys(&page(MAGIC, [64, 128])).unwrap();
        assert_eq!(area, Area { blocks: [64, 128], pages: 64 });
        let inside: Vec<u32> = (0..300).filter(|&page| area.contains(page)).collect();
        assert_eq!(inside, (64..192).collect::<Vec<_>>());
        assert_eq!((area.next_border(0), area.next_border(64)), (64, 128));
        assert_eq!((area.next_border(128), area.next_border(192)), (192, u32::MAX));
    }

    #[test]
    fn without_its_mark_or_with_impossible_blocks_there_is_none() {
        assert_eq!(Area::of_trx_sys(&page(1, [64, 128])), None);
        assert_eq!(Area::of_trx_sys(&page(MAGIC, [0, 128])), None);
        assert_eq!(Area::of_trx_sys(&page(MAGIC, [64, u32::MAX])), None);
        assert_eq!(Area::of_trx_sys(&[0; 100]), None);
    }
}
