//! What the loader sends: runs of rows of one table.

use crate::{
    load::{Piece, Supply},
    oltp::{
        data_set::DataSet,
        random::Distribution,
        state::CHUNK_TABLE,
        text::{C_BYTES, PAD_BYTES, groups},
    },
    tpcc::random::stream,
};
use std::io::Write;

/// Rows of a chunk. With some 200 bytes a row this makes a few megabytes: large enough that the
/// commit does not count, small enough that little is lost when a load is killed.
const ROWS_PER_CHUNK: u32 = 20_000;

/// A run of rows of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// The table's number, from 1.
    pub(super) table: u32,
    /// Counted from 0 within the table.
    part: u32,
    /// Its first row, from 1.
    first: u32,
    /// Its last row.
    last: u32,
}

impl Chunk {
    /// All chunks of a data set, each table in the order of its key.
    pub(super) fn all(data: &DataSet) -> Vec<Self> {
        let parts = data.table_size.div_ceil(ROWS_PER_CHUNK);
        let chunk = |table, part| Self {
            table,
            part,
            first: part * ROWS_PER_CHUNK + 1,
            // The last rows of a table of 2^32 - 1 do not fit a full chunk.
            last: data.table_size.min((part * ROWS_PER_CHUNK).saturating_add(ROWS_PER_CHUNK)),
        };
        let of_table = |table| (0..parts).map(move |part| chunk(table, part));
        (1..=data.tables).flat_map(of_table).collect()
    }

    /// SQL that is true of the markers of a table's chunks.
    pub(super) fn markers_of(table: u32) -> String {
        format!("id >> 32 = {table}")
    }
}

impl Piece for Chunk {
    type Table = u32;

    fn table(self) -> u32 {
        self.table
    }

    fn id(self) -> u64 {
        u64::from(self.table) << 32 | u64::from(self.part)
    }

    fn expected_rows(self) -> u64 {
        u64::from(self.last - self.first) + 1
    }

    fn cost(self) -> u64 {
        self.expected_rows()
    }
}

/// The rows that a seed stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) seed: u64,
    /// Where the values of column k come from.
    pub(super) keys: Distribution,
}

impl Supply for Rows {
    type Piece = Chunk;

    fn name(&self, chunk: Chunk) -> String {
        format!("sbtest{}", chunk.table)
    }

    fn columns(&self, _chunk: Chunk) -> String {
        "id,k,c,pad".into()
    }

    fn chunk_table(&self) -> &'static str {
        CHUNK_TABLE
    }

    fn write(&self, chunk: Chunk, out: &mut Vec<u8>) {
        let mut rng = stream(self.seed, &[chunk.id()]);
        for id in chunk.first..=chunk.last {
            let k = self.keys.draw(&mut rng);
            // Writing to memory cannot fail.
            let _ = write!(out, "{id}\t{k}\t");
            out.extend_from_slice(&groups::<C_BYTES>(&mut rng));
            out.push(b'\t');
            out.extend_from_slice(&groups::<PAD_BYTES>(&mut rng));
            out.push(b'\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oltp::random::DistributionOptions;
    use std::collections::HashSet;

    #[test]
    fn chunks_cover_every_row_once_and_have_distinct_numbers() {
        for table_size in [1, 19_999, 20_000, 20_001, 60_000, 123_456] {
            let chunks = Chunk::all(&DataSet { tables: 3, table_size, ..DataSet::default() });
            let ids: HashSet<_> = chunks.iter().map(|chunk| chunk.id()).collect();
            assert_eq!(ids.len(), chunks.len());
            for table in 1..=3 {
                let mut next = 1;
                for chunk in chunks.iter().filter(|chunk| chunk.table == table) {
                    assert_eq!(chunk.first, next);
                    next = chunk.last + 1;
                }
                assert_eq!(next, table_size + 1);
            }
        }
        assert!(Chunk::all(&DataSet { table_size: 0, ..DataSet::default() }).is_empty());
    }

    #[test]
    fn the_largest_table_has_an_end() {
        let data = DataSet { table_size: u32::MAX, ..DataSet::white_paper() };
        let chunks = Chunk::all(&DataSet { tables: 1, ..data });
        assert_eq!(chunks.last().map(|chunk| chunk.last), Some(u32::MAX));
        assert_eq!(
            chunks.iter().map(|chunk| chunk.expected_rows()).sum::<u64>(),
            u64::from(u32::MAX)
        );
    }

    #[test]
    fn rows_depend_on_seed_and_place_alone() {
        let keys = Distribution::new(&DistributionOptions::default(), 30_000).expect("usual");
        let written = |seed, at: usize| {
            let data = DataSet { tables: 2, table_size: 30_000, ..DataSet::default() };
            let mut out = Vec::new();
            Rows { seed, keys }.write(Chunk::all(&data)[at], &mut out);
            String::from_utf8(out).expect("ASCII")
        };
        assert_eq!(written(1, 1), written(1, 1));
        assert_ne!(written(1, 1), written(2, 1));
        assert_ne!(written(1, 1), written(1, 3));
        let rows = written(1, 1);
        assert_eq!(rows.lines().count(), 10_000);
        let first: Vec<_> = rows.lines().next().expect("a row").split('\t').collect();
        assert_eq!((first[0], first[2].len(), first[3].len()), ("20001", 119, 59));
        assert!((1..=30_000).contains(&first[1].parse::<u32>().expect("a number")));
    }
}
