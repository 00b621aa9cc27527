//! The initial population, clause 4.3.3.1, written as tab-separated rows for LOAD DATA.
//!
//! Every function appends whole rows to a buffer and depends only on the seed and on which part
//! of the data it is asked for: the same seed gives the same data whatever the parallelism.

use super::{
    profile::Profile,
    random::{
        CUSTOMERS_PER_DISTRICT, DISTRICTS_PER_WAREHOUSE, FIRST_UNDELIVERED_ORDER, ITEMS,
        NuRandConstants, ORDERS_PER_DISTRICT, permutation, push_a_string, push_data_with_original,
        push_last_name, push_n_string, stream, uniform,
    },
};
use rand_pcg::Pcg64;
use std::ops::RangeInclusive;

/// The moment that the data is dated from, fixed so that the same seed gives the same bytes.
pub(crate) const POPULATION_DATE: &[u8] = b"2000-01-01 00:00:00";
pub(crate) const NULL: &[u8] = b"\\N";

/// Purposes of random streams, so that no two tables share numbers.
#[derive(Clone, Copy)]
enum Purpose {
    Item = 1,
    Warehouse,
    District,
    Customer,
    History,
    Stock,
    Orders,
    OrderLine,
}

/// Writes the rows of one data set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Population {
    profile: Profile,
    seed: u64,
    constants: NuRandConstants,
}

impl Population {
    /// The population that `seed` stands for in the tables of `profile`.
    pub(crate) fn new(profile: Profile, seed: u64) -> Self {
        Self { profile, seed, constants: NuRandConstants::for_load(seed) }
    }

    fn rng(&self, purpose: Purpose, warehouse: u32, part: u32) -> Pcg64 {
        stream(self.seed, &[purpose as u64, warehouse.into(), part.into()])
    }

    /// ITEM rows with the given numbers.
    pub(crate) fn items(&self, out: &mut Vec<u8>, ids: RangeInclusive<u32>) {
        let mut rng = self.rng(Purpose::Item, 0, *ids.start());
        for id in ids {
            int(out, id);
            tab_int(out, uniform(&mut rng, 1, 10_000));
            out.push(b'\t');
            push_a_string(out, &mut rng, 14, 24);
            tab_hundredths(out, uniform(&mut rng, 100, 10_000));
            out.push(b'\t');
            push_data_with_original(out, &mut rng);
            out.push(b'\n');
        }
    }

    /// The WAREHOUSE row of `warehouse`.
    pub(crate) fn warehouse(&self, out: &mut Vec<u8>, warehouse: u32) {
        let mut rng = self.rng(Purpose::Warehouse, warehouse, 0);
        int(out, warehouse);
        out.push(b'\t');
        push_a_string(out, &mut rng, 6, 10);
        address(out, &mut rng);
        tax(out, &mut rng);
        text(out, b"300000.00");
        out.push(b'\n');
    }

    /// The ten DISTRICT rows of `warehouse`.
    pub(crate) fn districts(&self, out: &mut Vec<u8>, warehouse: u32) {
        let mut rng = self.rng(Purpose::District, warehouse, 0);
        for district in 1..=DISTRICTS_PER_WAREHOUSE {
            int(out, warehouse);
            tab_int(out, district);
            out.push(b'\t');
            push_a_string(out, &mut rng, 6, 10);
            address(out, &mut rng);
            tax(out, &mut rng);
            text(out, b"30000.00");
            tab_int(out, ORDERS_PER_DISTRICT + 1);
            out.push(b'\n');
        }
    }

    /// The 3,000 CUSTOMER rows of a district.
    pub(crate) fn customers(&self, out: &mut Vec<u8>, warehouse: u32, district: u32) {
        let mut rng = self.rng(Purpose::Customer, warehouse, district);
        for id in 1..=CUSTOMERS_PER_DISTRICT {
            int(out, warehouse);
            tab_int(out, district);
            tab_int(out, id);
            out.push(b'\t');
            push_a_string(out, &mut rng, 8, 16);
            text(out, b"OE");
            out.push(b'\t');
            // The first thousand take each name once, the others follow NURand.
            let name = if id <= 1000 { id - 1 } else { self.constants.last_name(&mut rng) };
            push_last_name(out, name);
            address(out, &mut rng);
            out.push(b'\t');
            push_n_string(out, &mut rng, 16);
            text(out, POPULATION_DATE);
            text(out, if uniform(&mut rng, 1, 10) == 1 { b"BC" } else { b"GC" });
            text(out, b"50000.00\t0.");
            four_digits(out, uniform(&mut rng, 0, 5000));
            text(out, b"-10.00\t10.00\t1\t0\t");
            push_a_string(out, &mut rng, 300, 500);
            out.push(b'\n');
        }
    }

    /// The HISTORY row of each customer of a district.
    pub(crate) fn histories(&self, out: &mut Vec<u8>, warehouse: u32, district: u32) {
        let mut rng = self.rng(Purpose::History, warehouse, district);
        for customer in 1..=CUSTOMERS_PER_DISTRICT {
            if self.profile == Profile::BenchmarkSql {
                // HIST_ID; left to AUTO_INCREMENT it would depend on who came first.
                let districts = (warehouse - 1) * DISTRICTS_PER_WAREHOUSE + (district - 1);
                int(out, districts * CUSTOMERS_PER_DISTRICT + customer);
                out.push(b'\t');
            }
            int(out, customer);
            for key in [district, warehouse, district, warehouse] {
                tab_int(out, key);
            }
            text(out, POPULATION_DATE);
            text(out, b"10.00\t");
            push_a_string(out, &mut rng, 12, 24);
            out.push(b'\n');
        }
    }

    /// STOCK rows of `warehouse` for the given items.
    pub(crate) fn stocks(&self, out: &mut Vec<u8>, warehouse: u32, items: RangeInclusive<u32>) {
        let mut rng = self.rng(Purpose::Stock, warehouse, *items.start());
        for item in items {
            int(out, warehouse);
            tab_int(out, item);
            tab_int(out, uniform(&mut rng, 10, 100));
            for _district in 0..10 {
                out.push(b'\t');
                push_a_string(out, &mut rng, 24, 24);
            }
            text(out, b"0\t0\t0\t");
            push_data_with_original(out, &mut rng);
            out.push(b'\n');
        }
    }

    /// The 3,000 ORDER rows of a district.
    pub(crate) fn orders(&self, out: &mut Vec<u8>, warehouse: u32, district: u32) {
        for order in self.order_facts(warehouse, district) {
            int(out, warehouse);
            tab_int(out, district);
            tab_int(out, order.id);
            tab_int(out, order.customer);
            text(out, POPULATION_DATE);
            match order.carrier {
                Some(carrier) => tab_int(out, carrier),
                None => text(out, NULL),
            }
            tab_int(out, order.lines);
            text(out, b"1\n");
        }
    }

    /// The 900 NEW-ORDER rows of a district.
    pub(crate) fn new_orders(&self, out: &mut Vec<u8>, warehouse: u32, district: u32) {
        for order in FIRST_UNDELIVERED_ORDER..=ORDERS_PER_DISTRICT {
            int(out, warehouse);
            tab_int(out, district);
            tab_int(out, order);
            out.push(b'\n');
        }
    }

    /// The ORDER-LINE rows of a district, some 30,000.
    pub(crate) fn order_lines(&self, out: &mut Vec<u8>, warehouse: u32, district: u32) {
        self.each_order_line(warehouse, district, |line| {
            int(out, warehouse);
            for value in [district, line.order, line.number, line.item, warehouse] {
                tab_int(out, value);
            }
            match line.amount_cents {
                None => {
                    text(out, POPULATION_DATE);
                    text(out, b"5\t0.00");
                }
                Some(cents) => {
                    text(out, NULL);
                    text(out, b"5");
                    tab_hundredths(out, cents);
                }
            }
            text(out, &line.dist_info);
            out.push(b'\n');
        });
    }

    /// The same rows without what is the same in all: those of delivered orders
    /// ([`DELIVERED_COLUMNS`]) and those of waiting ones ([`WAITING_COLUMNS`]).
    pub(crate) fn short_order_lines(&self, warehouse: u32, district: u32) -> [Vec<u8>; 2] {
        let (mut delivered, mut waiting) = (Vec::new(), Vec::new());
        self.each_order_line(warehouse, district, |line| {
            let out = if line.amount_cents.is_none() { &mut delivered } else { &mut waiting };
            int(out, line.order);
            tab_int(out, line.number);
            tab_int(out, line.item);
            if let Some(cents) = line.amount_cents {
                tab_hundredths(out, cents);
            }
            text(out, &line.dist_info);
            out.push(b'\n');
        });
        [delivered, waiting]
    }

    fn each_order_line(&self, warehouse: u32, district: u32, mut each: impl FnMut(&OrderLine)) {
        let mut rng = self.rng(Purpose::OrderLine, warehouse, district);
        let mut line = OrderLine::default();
        for order in self.order_facts(warehouse, district) {
            line.order = order.id;
            for number in 1..=order.lines {
                line.number = number;
                line.item = uniform(&mut rng, 1, ITEMS);
                let waits = order.carrier.is_none();
                line.amount_cents = waits.then(|| uniform(&mut rng, 1, 999_999));
                line.dist_info.clear();
                push_a_string(&mut line.dist_info, &mut rng, 24, 24);
                each(&line);
            }
        }
    }

    /// What orders and order lines of a district must agree on.
    fn order_facts(&self, warehouse: u32, district: u32) -> impl Iterator<Item = OrderFacts> {
        let mut rng = self.rng(Purpose::Orders, warehouse, district);
        let customers = permutation(&mut rng, CUSTOMERS_PER_DISTRICT);
        (1..).zip(customers).map(move |(id, customer)| OrderFacts {
            id,
            customer,
            lines: uniform(&mut rng, 5, 15),
            carrier: (id < FIRST_UNDELIVERED_ORDER).then(|| uniform(&mut rng, 1, 10)),
        })
    }
}

/// Columns of the first part of [`Population::short_order_lines`], and values for the rest.
pub(super) const DELIVERED_COLUMNS: [&str; 2] = [
    "ol_o_id,ol_number,ol_i_id,ol_dist_info",
    "ol_delivery_d=TIMESTAMP'2000-01-01 00:00:00',ol_amount=0",
];
/// Columns of its second part, and values for the rest.
pub(super) const WAITING_COLUMNS: [&str; 2] =
    ["ol_o_id,ol_number,ol_i_id,ol_amount,ol_dist_info", "ol_delivery_d=NULL"];

/// An ORDER-LINE row. Those of delivered orders cost nothing (clause 4.3.3.1).
#[derive(Default)]
struct OrderLine {
    order: u32,
    number: u32,
    item: u32,
    amount_cents: Option<u32>,
    dist_info: Vec<u8>,
}

struct OrderFacts {
    id: u32,
    customer: u32,
    lines: u32,
    carrier: Option<u32>,
}

/// Street 1 and 2, city, state and zip, each after a tab (clauses 4.3.2.7 and 4.3.3.1).
pub(crate) fn address(out: &mut Vec<u8>, rng: &mut Pcg64) {
    for _part in 0..3 {
        out.push(b'\t');
        push_a_string(out, rng, 10, 20);
    }
    out.push(b'\t');
    for _letter in 0..2 {
        out.push(b'A' + uniform(rng, 0, 25) as u8);
    }
    out.push(b'\t');
    push_n_string(out, rng, 4);
    out.extend_from_slice(b"11111");
}

/// A tax rate of 0.0000 to 0.2000, after a tab.
fn tax(out: &mut Vec<u8>, rng: &mut Pcg64) {
    text(out, b"0.");
    four_digits(out, uniform(rng, 0, 2000));
}

pub(crate) fn text(out: &mut Vec<u8>, field: &[u8]) {
    out.push(b'\t');
    out.extend_from_slice(field);
}

pub(crate) fn tab_int(out: &mut Vec<u8>, value: u32) {
    out.push(b'\t');
    int(out, value);
}

pub(crate) fn int(out: &mut Vec<u8>, mut value: u32) {
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

pub(crate) fn tab_hundredths(out: &mut Vec<u8>, value: u32) {
    tab_int(out, value / 100);
    out.extend_from_slice(&[b'.', b'0' + (value / 10 % 10) as u8, b'0' + (value % 10) as u8]);
}

/// Exactly four digits, as the fraction of a rate. What follows starts with its own tab.
fn four_digits(out: &mut Vec<u8>, value: u32) {
    for unit in [1000, 100, 10, 1] {
        out.push(b'0' + (value / unit % 10) as u8);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::table::Table;
    use super::*;

    const SPEC: Profile = Profile::Spec;

    fn fields(rows: &[u8]) -> Vec<Vec<String>> {
        let text = String::from_utf8(rows.to_vec()).unwrap();
        assert!(text.ends_with('\n'));
        text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    }

    fn written(write: impl Fn(&Population, &mut Vec<u8>)) -> Vec<Vec<String>> {
        let mut out = Vec::new();
        write(&Population::new(SPEC, 42), &mut out);
        let mut again = Vec::new();
        write(&Population::new(SPEC, 42), &mut again);
        assert!(out == again, "the same seed gives the same bytes");
        fields(&out)
    }

    #[test]
    fn every_table_has_its_columns_and_its_cardinality() {
        let cases: [(Table, usize, Vec<Vec<String>>); 9] = [
            (Table::Item, 1000, written(|p, out| p.items(out, 1..=1000))),
            (Table::Warehouse, 1, written(|p, out| p.warehouse(out, 3))),
            (Table::District, 10, written(|p, out| p.districts(out, 3))),
            (Table::Customer, 3000, written(|p, out| p.customers(out, 3, 7))),
            (Table::History, 3000, written(|p, out| p.histories(out, 3, 7))),
            (Table::Stock, 500, written(|p, out| p.stocks(out, 3, 501..=1000))),
            (Table::Orders, 3000, written(|p, out| p.orders(out, 3, 7))),
            (Table::NewOrder, 900, written(|p, out| p.new_orders(out, 3, 7))),
            (Table::OrderLine, 0, written(|p, out| p.order_lines(out, 3, 7))),
        ];
        for (table, count, rows) in cases {
            let columns = table.loaded_columns(SPEC).split(',').count();
            assert!(rows.iter().all(|row| row.len() == columns), "{table:?}");
            if count > 0 {
                assert_eq!(rows.len(), count, "{table:?}");
            }
        }
    }

    #[test]
    fn another_seed_gives_other_rows() {
        type Write = fn(&Population, &mut Vec<u8>);
        let tables: [Write; 8] = [
            |p, out| p.items(out, 1..=10),
            |p, out| p.warehouse(out, 1),
            |p, out| p.districts(out, 1),
            |p, out| p.customers(out, 1, 1),
            |p, out| p.histories(out, 1, 1),
            |p, out| p.stocks(out, 1, 1..=10),
            |p, out| p.orders(out, 1, 1),
            |p, out| p.order_lines(out, 1, 1),
        ];
        for write in tables {
            let (mut one, mut other) = (Vec::new(), Vec::new());
            write(&Population::new(SPEC, 42), &mut one);
            write(&Population::new(SPEC, 43), &mut other);
            assert_ne!(one, other);
        }
    }

    #[test]
    fn benchmarksql_numbers_its_history_in_the_order_of_its_customers() {
        let mut out = Vec::new();
        Population::new(Profile::BenchmarkSql, 42).histories(&mut out, 2, 3);
        let rows = fields(&out);
        let columns = Table::History.loaded_columns(Profile::BenchmarkSql).split(',').count();
        assert!(rows.iter().all(|row| row.len() == columns));
        assert_eq!(rows[0][..4], ["36001", "1", "3", "2"]);
        assert_eq!(rows[2999][..4], ["39000", "3000", "3", "2"]);
    }

    #[test]
    fn short_order_lines_are_the_same_rows_without_what_is_the_same_in_all() {
        let full = written(|p, out| p.order_lines(out, 3, 7));
        let [delivered, waiting] =
            Population::new(Profile::Spec, 42).short_order_lines(3, 7).map(|rows| fields(&rows));
        let shortened = |row: &Vec<String>, columns: &[usize]| -> Vec<String> {
            columns.iter().map(|column| row[*column].clone()).collect()
        };
        let (of_delivered, of_waiting): (Vec<_>, Vec<_>) =
            full.iter().partition(|row| row[6] != "\\N");
        let columns = [2, 3, 4, 9];
        let expected: Vec<_> = of_delivered.iter().map(|row| shortened(row, &columns)).collect();
        assert!(delivered == expected);
        let columns = [2, 3, 4, 8, 9];
        let expected: Vec<_> = of_waiting.iter().map(|row| shortened(row, &columns)).collect();
        assert!(waiting == expected);
        for row in of_delivered {
            assert_eq!([&row[0], &row[1], &row[5], &row[7]], ["3", "7", "3", "5"]);
        }
    }

    #[test]
    fn orders_and_their_lines_agree() {
        let orders = written(|p, out| p.orders(out, 1, 1));
        let lines = written(|p, out| p.order_lines(out, 1, 1));
        let counted = |id: &str| lines.iter().filter(|line| line[2] == id).count();
        for order in orders.iter().step_by(97) {
            assert_eq!(counted(&order[2]).to_string(), order[6]);
        }
        for line in &lines {
            let delivered = line[2].parse::<u32>().unwrap() < FIRST_UNDELIVERED_ORDER;
            assert_eq!(line[6] == "\\N", !delivered);
            assert_eq!(line[8] == "0.00", delivered);
        }
    }

    #[test]
    fn one_customer_in_ten_has_bad_credit_and_every_name_is_taken() {
        let rows = written(|p, out| p.customers(out, 1, 1));
        let bad = rows.iter().filter(|row| row[13] == "BC").count();
        // 300 expected, standard deviation 16.
        assert!((220..380).contains(&bad), "{bad}");
        let names: std::collections::HashSet<_> = rows.iter().map(|row| &row[5]).collect();
        assert_eq!(names.len(), 1000);
    }

    #[test]
    fn numbers_are_written_as_sql_reads_them() {
        let mut out = Vec::new();
        for value in [0, 7, 10, 4_294_967_295] {
            tab_int(&mut out, value);
        }
        tab_hundredths(&mut out, 5);
        tab_hundredths(&mut out, 999_999);
        four_digits(&mut out, 42);
        assert_eq!(out, b"\t0\t7\t10\t4294967295\t0.05\t9999.990042");
    }
}
