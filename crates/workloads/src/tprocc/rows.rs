//! The initial population as HammerDB makes it, deviations from clause 4.3.3.1 included, written
//! as tab-separated rows for LOAD DATA. As with TPC-C's own, the same seed gives the same rows.

use crate::tpcc::{
    random::{
        CUSTOMERS_PER_DISTRICT, DISTRICTS_PER_WAREHOUSE, FIRST_UNDELIVERED_ORDER, ITEMS,
        ORDERS_PER_DISTRICT, nu_rand, push_a_string, push_last_name, push_n_string, stream,
        uniform,
    },
    rows::{NULL, POPULATION_DATE, address, int, tab_hundredths, tab_int, text},
};
use rand::Rng;
use rand_pcg::Pcg64;
use std::ops::RangeInclusive;

/// The constant C of NURand for last names, in data and runs alike.
pub(super) const C_LAST: u32 = 123;

/// Purposes of random streams, other than those of TPC-C's own data.
#[derive(Clone, Copy)]
enum Purpose {
    Item = 101,
    Warehouse,
    District,
    Customer,
    Stock,
    Orders,
    OrderLine,
}

/// Writes the rows of one data set; those of HISTORY and NEW-ORDER are TPC-C's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct HammerDbRows {
    seed: u64,
}

impl HammerDbRows {
    /// The population that `seed` stands for.
    pub(super) fn new(seed: u64) -> Self {
        Self { seed }
    }

    fn rng(&self, purpose: Purpose, warehouse: u32, part: u32) -> Pcg64 {
        stream(self.seed, &[purpose as u64, warehouse.into(), part.into()])
    }

    /// ITEM rows with the given numbers.
    pub(super) fn items(&self, out: &mut Vec<u8>, ids: RangeInclusive<u32>) {
        let mut rng = self.rng(Purpose::Item, 0, *ids.start());
        for id in ids {
            int(out, id);
            tab_int(out, uniform(&mut rng, 1, 10_000));
            out.push(b'\t');
            push_a_string(out, &mut rng, 14, 24);
            tab_hundredths(out, uniform(&mut rng, 100, 10_000));
            out.push(b'\t');
            push_data(out, &mut rng);
            out.push(b'\n');
        }
    }

    /// The WAREHOUSE row of `warehouse`.
    pub(super) fn warehouse(&self, out: &mut Vec<u8>, warehouse: u32) {
        let mut rng = self.rng(Purpose::Warehouse, warehouse, 0);
        int(out, warehouse);
        out.push(b'\t');
        push_a_string(out, &mut rng, 6, 10);
        address(out, &mut rng);
        tab_hundredths(out, uniform(&mut rng, 10, 20));
        text(out, b"300000.00\n");
    }

    /// The ten DISTRICT rows of `warehouse`.
    pub(super) fn districts(&self, out: &mut Vec<u8>, warehouse: u32) {
        let mut rng = self.rng(Purpose::District, warehouse, 0);
        for district in 1..=DISTRICTS_PER_WAREHOUSE {
            int(out, warehouse);
            tab_int(out, district);
            out.push(b'\t');
            push_a_string(out, &mut rng, 6, 10);
            address(out, &mut rng);
            tab_hundredths(out, uniform(&mut rng, 10, 20));
            text(out, b"30000.00");
            tab_int(out, ORDERS_PER_DISTRICT + 1);
            out.push(b'\n');
        }
    }

    /// The 3,000 CUSTOMER rows of a district.
    pub(super) fn customers(&self, out: &mut Vec<u8>, warehouse: u32, district: u32) {
        let mut rng = self.rng(Purpose::Customer, warehouse, district);
        for id in 1..=CUSTOMERS_PER_DISTRICT {
            int(out, warehouse);
            tab_int(out, district);
            tab_int(out, id);
            out.push(b'\t');
            push_a_string(out, &mut rng, 8, 16);
            text(out, b"OE\t");
            let name = if id <= 1000 { id - 1 } else { last_name(&mut rng) };
            push_last_name(out, name);
            address(out, &mut rng);
            out.push(b'\t');
            push_n_string(out, &mut rng, 16);
            text(out, POPULATION_DATE);
            text(out, if uniform(&mut rng, 0, 1) == 1 { b"GC" } else { b"BC" });
            text(out, b"50000.00");
            tab_hundredths(out, uniform(&mut rng, 0, 50));
            text(out, b"-10.00\t10.00\t1\t0\t");
            push_a_string(out, &mut rng, 300, 500);
            out.push(b'\n');
        }
    }

    /// STOCK rows of `warehouse` for the given items.
    pub(super) fn stocks(&self, out: &mut Vec<u8>, warehouse: u32, items: RangeInclusive<u32>) {
        let mut rng = self.rng(Purpose::Stock, warehouse, *items.start());
        for item in items {
            int(out, warehouse);
            tab_int(out, item);
            tab_int(out, uniform(&mut rng, 10, 100));
            for _district in 0..DISTRICTS_PER_WAREHOUSE {
                out.push(b'\t');
                push_a_string(out, &mut rng, 24, 24);
            }
            text(out, b"0\t0\t0\t");
            push_data(out, &mut rng);
            out.push(b'\n');
        }
    }

    /// The 3,000 ORDER rows of a district.
    pub(super) fn orders(&self, out: &mut Vec<u8>, warehouse: u32, district: u32) {
        for order in self.order_facts(warehouse, district) {
            int(out, warehouse);
            tab_int(out, district);
            tab_int(out, order.id);
            tab_int(out, order.customer);
            text(out, POPULATION_DATE);
            if order.id < FIRST_UNDELIVERED_ORDER {
                tab_int(out, order.carrier);
            } else {
                text(out, NULL);
            }
            tab_int(out, order.lines);
            text(out, b"1\n");
        }
    }

    /// The ORDER-LINE rows of a district, some 30,000. OL_AMOUNT is a whole number in the table;
    /// rounded here, it depends on no server's rules.
    pub(super) fn order_lines(&self, out: &mut Vec<u8>, warehouse: u32, district: u32) {
        let mut rng = self.rng(Purpose::OrderLine, warehouse, district);
        for order in self.order_facts(warehouse, district) {
            for number in 1..=order.lines {
                let item = uniform(&mut rng, 1, ITEMS);
                int(out, warehouse);
                for value in [district, order.id, number, item, warehouse] {
                    tab_int(out, value);
                }
                if order.id < FIRST_UNDELIVERED_ORDER {
                    text(out, POPULATION_DATE);
                    text(out, b"5");
                    tab_int(out, (uniform(&mut rng, 10, 10_000) + 50) / 100);
                } else {
                    text(out, NULL);
                    text(out, b"5\t0");
                }
                out.push(b'\t');
                push_a_string(out, &mut rng, 24, 24);
                out.push(b'\n');
            }
        }
    }

    /// What orders and order lines of a district must agree on.
    fn order_facts(&self, warehouse: u32, district: u32) -> impl Iterator<Item = OrderFacts> {
        let mut rng = self.rng(Purpose::Orders, warehouse, district);
        (1..=ORDERS_PER_DISTRICT).map(move |id| OrderFacts {
            id,
            // HammerDB means to shuffle, but what it swaps never reaches its place.
            customer: uniform(&mut rng, id, ORDERS_PER_DISTRICT),
            carrier: uniform(&mut rng, 1, 10),
            lines: uniform(&mut rng, 5, 15),
        })
    }
}

struct OrderFacts {
    id: u32,
    customer: u32,
    carrier: u32,
    lines: u32,
}

/// The number of a last name, non-uniform over 0..=999.
pub(super) fn last_name(rng: &mut impl Rng) -> u32 {
    nu_rand(rng, 255, C_LAST, 0, 999)
}

/// I_DATA or S_DATA: 26 to 50 characters, of which one in ten rows has nine taken out and
/// `original` put in their place.
fn push_data(out: &mut Vec<u8>, rng: &mut impl Rng) {
    let from = out.len();
    push_a_string(out, rng, 26, 50);
    if uniform(rng, 1, 10) == 1 {
        let first = from + uniform(rng, 0, (out.len() - from - 9) as u32) as usize;
        out.splice(first..first + 9, *b"original");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::tpcc::{Profile, Table};

    fn fields(write: impl Fn(&HammerDbRows, &mut Vec<u8>)) -> Vec<Vec<String>> {
        let written = |seed| {
            let mut out = Vec::new();
            write(&HammerDbRows::new(seed), &mut out);
            out
        };
        let rows = written(42);
        assert!(rows == written(42) && rows != written(43), "the seed decides the bytes");
        let text = String::from_utf8(rows).unwrap();
        assert!(text.ends_with('\n'));
        text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn every_table_has_its_columns_and_its_cardinality() {
        let cases: [(Table, usize, Vec<Vec<String>>); 7] = [
            (Table::Item, 1000, fields(|p, out| p.items(out, 1..=1000))),
            (Table::Warehouse, 1, fields(|p, out| p.warehouse(out, 3))),
            (Table::District, 10, fields(|p, out| p.districts(out, 3))),
            (Table::Customer, 3000, fields(|p, out| p.customers(out, 3, 7))),
            (Table::Stock, 500, fields(|p, out| p.stocks(out, 3, 501..=1000))),
            (Table::Orders, 3000, fields(|p, out| p.orders(out, 3, 7))),
            (Table::OrderLine, 0, fields(|p, out| p.order_lines(out, 3, 7))),
        ];
        for (table, count, rows) in cases {
            let columns = table.loaded_columns(Profile::Spec).split(',').count();
            assert!(rows.iter().all(|row| row.len() == columns), "{table:?}");
            assert!(count == 0 || rows.len() == count, "{table:?}");
        }
    }

    #[test]
    fn half_of_the_customers_have_bad_credit_and_whole_percents_off() {
        let rows = fields(|p, out| p.customers(out, 1, 1));
        let bad = rows.iter().filter(|row| row[13] == "BC").count();
        // 1500 expected, standard deviation 27.
        assert!((1350..1650).contains(&bad), "{bad}");
        let discounts = rows.iter().map(|row| row[15].parse::<f64>().unwrap());
        let most = discounts.fold(0.0, f64::max);
        assert_eq!(most, 0.5);
    }

    #[test]
    fn delivered_lines_cost_something_and_waiting_ones_nothing() {
        let orders = fields(|p, out| p.orders(out, 1, 1));
        let lines = fields(|p, out| p.order_lines(out, 1, 1));
        let promised: usize = orders.iter().map(|row| row[6].parse::<usize>().unwrap()).sum();
        assert_eq!(lines.len(), promised);
        for line in &lines {
            let delivered = line[2].parse::<u32>().unwrap() < FIRST_UNDELIVERED_ORDER;
            assert_eq!(line[6] != "\\N", delivered);
            let amount: u32 = line[8].parse().unwrap();
            assert!(if delivered { amount <= 100 } else { amount == 0 }, "{line:?}");
        }
    }

    #[test]
    fn original_is_written_small_in_a_tenth_of_the_items() {
        let rows = fields(|p, out| p.items(out, 1..=1000));
        let marked = rows.iter().filter(|row| row[4].contains("original")).count();
        assert!((60..150).contains(&marked), "{marked}");
        assert!(rows.iter().all(|row| (25..=50).contains(&row[4].len())));
    }

    #[test]
    fn an_orders_customer_is_no_smaller_than_the_order() {
        for row in fields(|p, out| p.orders(out, 2, 9)) {
            let (order, customer): (u32, u32) = (row[2].parse().unwrap(), row[3].parse().unwrap());
            assert!((order..=3000).contains(&customer), "{row:?}");
        }
    }
}
