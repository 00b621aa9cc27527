//! The rows: cut into pieces, and written as dbgen writes them. There is no seed: one scale factor
//! is one data set.

use super::{load::CHUNK_TABLE, table::Table};
use crate::load::{Piece, Supply};
use std::{fmt::Display, io::Write as _};
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator,
    PartSuppGenerator, RegionGenerator, SupplierGenerator,
};

/// Rows of a piece, orders of one of LINEITEM: a few megabytes, large enough that the commit does
/// not count, small enough that little is lost when a load is killed.
const ROWS_PER_CHUNK: u64 = 20_000;
const ORDERS_PER_CHUNK: u64 = 8_000;

/// Rows that a table has at a scale factor, exactly.
pub fn count(table: Table, scale_factor: f64) -> u64 {
    match table {
        Table::LineItem => lines(orders(scale_factor), 1)[0],
        other => at_once(other, scale_factor),
    }
}

/// About how many rows that is, without counting the lines of every order.
pub fn about(table: Table, scale_factor: f64) -> u64 {
    match table {
        // An order has 1 to 7 lines.
        Table::LineItem => 4 * orders(scale_factor),
        other => at_once(other, scale_factor),
    }
}

/// Rows of a table that are made one at a time: of LINEITEM the orders.
fn at_once(table: Table, scale_factor: f64) -> u64 {
    let rows = match table {
        Table::Region => 5,
        Table::Nation => 25,
        Table::Part => PartGenerator::calculate_row_count(scale_factor, 1, 1),
        Table::Supplier => SupplierGenerator::calculate_row_count(scale_factor, 1, 1),
        Table::Customer => CustomerGenerator::calculate_row_count(scale_factor, 1, 1),
        // Each part has four suppliers.
        Table::PartSupp => 4 * PartGenerator::calculate_row_count(scale_factor, 1, 1),
        Table::Orders | Table::LineItem => OrderGenerator::calculate_row_count(scale_factor, 1, 1),
    };
    u64::try_from(rows).unwrap_or_default()
}

fn orders(scale_factor: f64) -> u64 {
    at_once(Table::Orders, scale_factor)
}

/// The last order's key: keys are sparse, 8 of each 32 are used.
pub(super) fn last_order_key(scale_factor: f64) -> i64 {
    OrderGenerator::make_order_key(orders(scale_factor).try_into().unwrap_or(i64::MAX))
}

/// Lines of each of `parts` parts of so many orders. The generator draws how many lines an order
/// has from a sequence of its own, so that this takes a few nanoseconds an order.
fn lines(orders: u64, parts: u32) -> Vec<u64> {
    let mut random = OrderGenerator::create_line_count_random();
    let each = orders / u64::from(parts.max(1));
    let mut lines = Vec::new();
    for part in 1..=parts {
        let last = part == parts;
        let orders = if last { orders - each * u64::from(parts - 1) } else { each };
        let mut sum = 0;
        for _ in 0..orders {
            sum += u64::try_from(random.next_value()).unwrap_or_default();
            random.row_finished();
        }
        lines.push(sum);
    }
    lines
}

/// A part of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// The table.
    pub(super) table: Table,
    /// From 1.
    part: u32,
    /// How many there are of the table.
    parts: u32,
    rows: u64,
}

impl Chunk {
    /// All chunks of those tables, each table in the order of its key.
    pub(super) fn all(tables: &[Table], scale_factor: f64) -> Vec<Self> {
        tables.iter().flat_map(|table| Self::of(*table, scale_factor)).collect()
    }

    fn of(table: Table, scale_factor: f64) -> Vec<Self> {
        let rows = at_once(table, scale_factor);
        let per_chunk = match table {
            Table::LineItem => ORDERS_PER_CHUNK,
            // They are made whole, whatever part is asked for.
            Table::Region | Table::Nation => u64::MAX,
            // A part is of whole parts with their four suppliers.
            _ => ROWS_PER_CHUNK,
        };
        let parts = u32::try_from((rows / per_chunk).max(1)).unwrap_or(u32::MAX);
        let of_part = |part: u32| {
            let divisor = if table == Table::PartSupp { 4 } else { 1 };
            let (rows, parts, part) = (rows / divisor, u64::from(parts), u64::from(part));
            divisor * if part == parts { rows - rows / parts * (parts - 1) } else { rows / parts }
        };
        let counts = match table {
            Table::LineItem => lines(rows, parts),
            _ => (1..=parts).map(of_part).collect(),
        };
        (1..=parts).zip(counts).map(|(part, rows)| Self { table, part, parts, rows }).collect()
    }
}

impl Piece for Chunk {
    type Table = Table;

    fn table(self) -> Table {
        self.table
    }

    fn id(self) -> u64 {
        (self.table as u64) << 48 | u64::from(self.part)
    }

    fn expected_rows(self) -> u64 {
        self.rows
    }

    fn cost(self) -> u64 {
        self.rows
    }
}

/// All rows of a scale factor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) scale_factor: f64,
}

impl Supply for Rows {
    type Piece = Chunk;

    fn name(&self, chunk: Chunk) -> String {
        chunk.table.name().to_owned()
    }

    fn columns(&self, chunk: Chunk) -> String {
        chunk.table.columns()
    }

    fn chunk_table(&self) -> &'static str {
        CHUNK_TABLE
    }

    fn write(&self, chunk: Chunk, out: &mut Vec<u8>) {
        let scale = self.scale_factor;
        // Neither is above what the generator counts in: there is no room for so many rows.
        let part = i32::try_from(chunk.part).unwrap_or(i32::MAX);
        let parts = i32::try_from(chunk.parts).unwrap_or(i32::MAX);
        match chunk.table {
            Table::Region => separate(RegionGenerator::new(scale, part, parts), out),
            Table::Nation => separate(NationGenerator::new(scale, part, parts), out),
            Table::Part => separate(PartGenerator::new(scale, part, parts), out),
            Table::Supplier => separate(SupplierGenerator::new(scale, part, parts), out),
            Table::Customer => separate(CustomerGenerator::new(scale, part, parts), out),
            Table::PartSupp => separate(PartSuppGenerator::new(scale, part, parts), out),
            Table::Orders => separate(OrderGenerator::new(scale, part, parts), out),
            Table::LineItem => separate(LineItemGenerator::new(scale, part, parts), out),
        }
    }
}

/// Rows of dbgen, each field with a `|` after it, as rows with a tab between fields. No text of
/// TPC-H holds either of them.
fn separate<R: Display>(rows: impl IntoIterator<Item = R>, out: &mut Vec<u8>) {
    for row in rows {
        let from = out.len();
        // Writing to memory cannot fail.
        let _ = write!(out, "{row}");
        if let Some(bytes) = out.get_mut(from..) {
            bytes.iter_mut().filter(|byte| **byte == b'|').for_each(|byte| *byte = b'\t');
        }
        out.pop();
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::HashSet;

    fn written(chunks: &[Chunk], scale_factor: f64) -> String {
        let mut out = Vec::new();
        chunks.iter().for_each(|chunk| Rows { scale_factor }.write(*chunk, &mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_first_lines_are_those_of_dbgen() {
        let text = written(&Chunk::of(Table::LineItem, 0.001), 0.001);
        let mut lines = text.lines().map(|line| line.replace('\t', "|") + "|");
        // The documentation of dbgen's own sample, scale factor 0.001.
        assert_eq!(
            lines.next().unwrap(),
            "1|156|4|1|17|17954.55|0.04|0.02|N|O|1996-03-13|1996-02-12|1996-03-22|\
             DELIVER IN PERSON|TRUCK|egular courts above the|"
        );
        assert_eq!(
            lines.next().unwrap(),
            "1|68|9|2|36|34850.16|0.09|0.06|N|O|1996-04-12|1996-02-28|1996-04-20|\
             TAKE BACK RETURN|MAIL|ly final dependencies: slyly bold |"
        );
    }

    #[test]
    fn parts_of_a_table_are_its_rows_and_their_counts_are_exact() {
        for table in Table::ALL {
            let scale_factor = if table == Table::Supplier { 3.5 } else { 0.02 };
            let chunks = Chunk::of(table, scale_factor);
            for chunk in &chunks {
                let text = written(&[*chunk], scale_factor);
                assert_eq!(text.lines().count() as u64, chunk.rows, "{chunk:?}");
            }
            let rows: u64 = chunks.iter().map(|chunk| chunk.rows).sum();
            assert_eq!(rows, count(table, scale_factor), "{table}");
            let whole = written(&[Chunk { part: 1, parts: 1, ..chunks[0] }], scale_factor);
            assert!(whole == written(&chunks, scale_factor), "{table}: parts are not the whole");
        }
    }

    #[test]
    fn scale_factor_one_has_the_cardinalities_of_clause_4_2_5() {
        assert_eq!(count(Table::LineItem, 1.0), 6_001_215);
        assert_eq!(count(Table::Orders, 1.0), 1_500_000);
        assert_eq!(count(Table::PartSupp, 1.0), 800_000);
        // The last of them is 4 × 1,500,000.
        assert_eq!(last_order_key(1.0), 6_000_000);
    }

    #[test]
    fn chunks_have_distinct_numbers() {
        let chunks = Chunk::all(&Table::ALL, 0.5);
        let ids: HashSet<_> = chunks.iter().map(|chunk| chunk.id()).collect();
        assert_eq!(ids.len(), chunks.len());
    }
}
