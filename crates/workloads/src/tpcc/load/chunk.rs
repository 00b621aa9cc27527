//! The unit of loading: a part of one table that is sent in one transaction.

use crate::tpcc::{
    profile::Profile,
    random::{DISTRICTS_PER_WAREHOUSE, ITEMS},
    rows::{DELIVERED_COLUMNS, Population, WAITING_COLUMNS},
    table::Table,
};

/// Stock and item rows of one chunk. With some 300 bytes a row this makes a few megabytes, as
/// the chunks of the other tables are: large enough that the commit does not count, small enough
/// that little is lost when a load is killed.
const ITEMS_PER_CHUNK: u32 = 20_000;

/// A part of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Chunk {
    /// Which table.
    pub(super) table: Table,
    /// Warehouse, from 1; 0 for ITEM.
    warehouse: u32,
    /// District, from 1; or the part of ITEM or STOCK, from 1; 1 where there is only one.
    part: u32,
}

/// Rows for one LOAD DATA statement.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// What follows the table in the statement: columns, and values of those left out.
    pub(super) target: String,
    /// The rows, tab-separated.
    pub(super) rows: Vec<u8>,
}

impl Chunk {
    /// All chunks of a data set, in the order in which they are best sent: each table in the
    /// order of its primary key.
    pub(super) fn all(warehouses: u32) -> Vec<Self> {
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
    pub(super) fn id(self) -> u64 {
        let table = self.table as u64;
        (table << 48) | (u64::from(self.warehouse) << 16) | u64::from(self.part)
    }

    /// Rows that it holds; an expectation where chance decides (ORDER-LINE).
    pub(super) fn expected_rows(self) -> u64 {
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

    /// Its rows as LOAD DATA takes them fastest: whole, but for ORDER-LINE, the longest table,
    /// where leaving out what is the same in all rows made the server 14% faster (MariaDB 10.11,
    /// the lines of delivered orders).
    pub(super) fn parts(self, profile: Profile, population: &Population) -> Vec<Part> {
        if self.table != Table::OrderLine {
            let mut rows = Vec::new();
            self.write(population, &mut rows);
            let columns = self.table.loaded_columns(profile);
            return vec![Part { target: format!("({columns})"), rows }];
        }
        let (warehouse, district) = (self.warehouse, self.part);
        let rows = population.short_order_lines(warehouse, district);
        let columns = [DELIVERED_COLUMNS, WAITING_COLUMNS];
        let part = |([columns, values], rows): ([&str; 2], Vec<u8>)| Part {
            target: format!(
                "({columns}) SET ol_w_id={warehouse},ol_d_id={district},\
                 ol_supply_w_id={warehouse},ol_quantity=5,{values}"
            ),
            rows,
        };
        columns.into_iter().zip(rows).map(part).collect()
    }

    /// Writes its rows, tab-separated.
    pub(super) fn write(self, population: &Population, out: &mut Vec<u8>) {
        let items = (self.part - 1) * ITEMS_PER_CHUNK + 1..=self.part * ITEMS_PER_CHUNK;
        let (warehouse, district) = (self.warehouse, self.part);
        match self.table {
            Table::Item => population.items(out, items),
            Table::Warehouse => population.warehouse(out, warehouse),
            Table::District => population.districts(out, warehouse),
            Table::Stock => population.stocks(out, warehouse, items),
            Table::Customer => population.customers(out, warehouse, district),
            Table::History => population.histories(out, warehouse, district),
            Table::Orders => population.orders(out, warehouse, district),
            Table::NewOrder => population.new_orders(out, warehouse, district),
            Table::OrderLine => population.order_lines(out, warehouse, district),
        }
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
