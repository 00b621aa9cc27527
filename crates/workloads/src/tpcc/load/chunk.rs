//! The unit of loading: a part of one table that is sent in one transaction.

use crate::tpcc::{
    random::{DISTRICTS_PER_WAREHOUSE, ITEMS},
    table::Table,
};
use std::ops::RangeInclusive;

/// Stock and item rows of one chunk. With some 300 bytes a row this makes a few megabytes, as
/// the chunks of the other tables are: large enough that the commit does not count, small enough
/// that little is lost when a load is killed.
const ITEMS_PER_CHUNK: u32 = 20_000;

/// A part of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Chunk {
    /// Which table.
    pub(crate) table: Table,
    /// Warehouse, from 1; 0 for ITEM.
    pub(crate) warehouse: u32,
    /// District, from 1; or the part of ITEM or STOCK, from 1; 1 where there is only one.
    pub(crate) part: u32,
}

impl Chunk {
    /// All chunks of a data set, in the order in which they are best sent: each table in the
    /// order of its primary key.
    pub(crate) fn all(warehouses: u32) -> Vec<Self> {
        let parts_of_items = ITEMS / ITEMS_PER_CHUNK;
        let mut chunks = Vec::new();
        let mut add = |table, warehouse, parts| {
            chunks.extend((1..=parts).map(|part| Self { table, warehouse, part }));
        };
        add(Table::Item, 0, parts_of_items);
        for warehouse in 1..=warehouses {
            add(Table::Warehouse, warehouse, 1);
            add(Table::District, warehouse, 1);
            add(Table::Stock, warehouse, parts_of_items);
            for table in
                [Table::Customer, Table::History, Table::Orders, Table::NewOrder, Table::OrderLine]
            {
                add(table, warehouse, DISTRICTS_PER_WAREHOUSE);
            }
        }
        chunks
    }

    /// A number that identifies the chunk in every data set.
    pub(crate) fn id(self) -> u64 {
        let table = self.table as u64;
        (table << 48) | (u64::from(self.warehouse) << 16) | u64::from(self.part)
    }

    /// Rows that it holds; an expectation where chance decides (ORDER-LINE).
    pub(crate) fn expected_rows(self) -> u64 {
        match self.table {
            Table::Warehouse => 1,
            Table::District => 10,
            Table::Item | Table::Stock => ITEMS_PER_CHUNK.into(),
            Table::Customer | Table::History | Table::Orders => 3_000,
            Table::NewOrder => 900,
            Table::OrderLine => 30_000,
        }
    }

    /// What it costs the server, in microseconds on the machine where it was measured (MariaDB
    /// 10.11): only the proportions between tables matter.
    pub(super) fn cost(self) -> u64 {
        let each = match self.table {
            Table::Customer => 9,
            Table::Stock => 6,
            _ => 3,
        };
        each * self.expected_rows()
    }

    /// Items of a chunk of ITEM or STOCK.
    pub(crate) fn items(self) -> RangeInclusive<u32> {
        (self.part - 1) * ITEMS_PER_CHUNK + 1..=self.part * ITEMS_PER_CHUNK
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn chunks_have_distinct_numbers_and_cover_the_cardinalities_of_clause_1_2_1() {
        let chunks = Chunk::all(3);
        let ids: HashSet<_> = chunks.iter().map(|chunk| chunk.id()).collect();
        assert_eq!(ids.len(), chunks.len());
        let rows = |table| -> u64 {
            chunks.iter().filter(|c| c.table == table).map(|c| c.expected_rows()).sum()
        };
        assert_eq!(rows(Table::Item), 100_000);
        assert_eq!(rows(Table::Stock), 300_000);
        assert_eq!(rows(Table::Customer), 90_000);
        assert_eq!(rows(Table::NewOrder), 27_000);
        assert_eq!(rows(Table::OrderLine), 900_000);
    }
}
