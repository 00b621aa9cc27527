//! What is loaded: the seam between the loader and the data sets that have TPC-C's nine tables.

use super::chunk::Chunk;
pub(crate) use crate::load::Part;
use crate::tpcc::{
    profile::Profile,
    rows::{DELIVERED_COLUMNS, Population, WAITING_COLUMNS},
    state::CHUNK_TABLE,
    table::Table,
};

/// A data set that the loader can send.
pub(crate) trait Source: Sync {
    /// A table's name in the database.
    fn name(&self, table: Table) -> &'static str;

    /// Its columns in the order in which rows have them, separated by commas.
    fn columns(&self, table: Table) -> &'static str;

    /// The table of the chunks that are loaded.
    fn chunk_table(&self) -> &'static str;

    /// Writes a chunk's rows, tab-separated.
    fn write(&self, chunk: Chunk, out: &mut Vec<u8>);

    /// A chunk's rows as LOAD DATA takes them fastest; whole unless told otherwise.
    fn parts(&self, chunk: Chunk) -> Vec<Part> {
        let mut rows = Vec::new();
        self.write(chunk, &mut rows);
        vec![Part { target: format!("({})", self.columns(chunk.table)), rows }]
    }
}

/// TPC-C's own data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TpccSource {
    profile: Profile,
    population: Population,
}

impl TpccSource {
    /// The data that `seed` stands for in the tables of `profile`.
    pub(crate) fn new(profile: Profile, seed: u64) -> Self {
        Self { profile, population: Population::new(profile, seed) }
    }
}

impl Source for TpccSource {
    fn name(&self, table: Table) -> &'static str {
        table.name(self.profile)
    }

    fn columns(&self, table: Table) -> &'static str {
        table.loaded_columns(self.profile)
    }

    fn chunk_table(&self) -> &'static str {
        CHUNK_TABLE
    }

    fn write(&self, chunk: Chunk, out: &mut Vec<u8>) {
        let (warehouse, district) = (chunk.warehouse, chunk.part);
        let population = &self.population;
        match chunk.table {
            Table::Item => population.items(out, chunk.items()),
            Table::Warehouse => population.warehouse(out, warehouse),
            Table::District => population.districts(out, warehouse),
            Table::Stock => population.stocks(out, warehouse, chunk.items()),
            Table::Customer => population.customers(out, warehouse, district),
            Table::History => population.histories(out, warehouse, district),
            Table::Orders => population.orders(out, warehouse, district),
            Table::NewOrder => population.new_orders(out, warehouse, district),
            Table::OrderLine => population.order_lines(out, warehouse, district),
        }
    }

    /// Whole, but for ORDER-LINE, the longest table, where leaving out what is the same in all
    /// rows made the server 14% faster (MariaDB 10.11, the lines of delivered orders).
    fn parts(&self, chunk: Chunk) -> Vec<Part> {
        if chunk.table != Table::OrderLine {
            let mut rows = Vec::new();
            self.write(chunk, &mut rows);
            return vec![Part { target: format!("({})", self.columns(chunk.table)), rows }];
        }
        let (warehouse, district) = (chunk.warehouse, chunk.part);
        let rows = self.population.short_order_lines(warehouse, district);
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
}
