//! The conditions, one warehouse at a time, so that any number of them fits in memory and can be
//! shared between connections.

use super::{Findings, customers::Payments};
use crate::condition::EXAMPLES;
use crate::tpcc::{error::Error, profile::Profile, state::DataSet, table::Table};
use client::{Connection, Row, Rows, Target};
use std::collections::HashMap;

/// A connection that checks warehouses.
pub(super) struct Checker {
    connection: Connection,
    profile: Profile,
}

/// Counts rows that do not satisfy a condition, and keeps the first few.
#[derive(Default)]
struct Tally {
    examined: u64,
    violations: u64,
    examples: Vec<String>,
}

impl Tally {
    fn see(&mut self, holds: bool, words: impl FnOnce() -> String) {
        self.examined += 1;
        if !holds {
            self.violations += 1;
            if self.examples.len() < EXAMPLES {
                self.examples.push(words());
            }
        }
    }

    fn report(self, number: u32, findings: &Findings) {
        findings.add(number, self.examined, self.violations, self.examples);
    }
}

/// What ORDER, NEW-ORDER, ORDER-LINE and CUSTOMER say about a district.
#[derive(Default)]
struct District {
    ytd_cents: i64,
    next_order: i64,
    orders: i64,
    order_max: Option<i64>,
    lines_promised: i64,
    new_orders: i64,
    new_order_min: Option<i64>,
    new_order_max: Option<i64>,
    lines: i64,
    deliveries: i64,
}

impl Checker {
    pub(super) async fn open(target: &Target, data: &DataSet) -> Result<Self, Error> {
        let mut connection =
            Connection::connect(target).await.map_err(Error::database("connecting"))?;
        // One snapshot for the statements of a warehouse.
        let sql = "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ";
        connection.run(sql).await.map_err(Error::database("preparing the session"))?;
        Ok(Self { connection, profile: data.profile })
    }

    /// Checks everything about one warehouse.
    pub(super) async fn warehouse(
        &mut self,
        warehouse: u32,
        payments: &Payments,
        findings: &Findings,
    ) -> Result<(), Error> {
        let doing = || format!("checking warehouse {warehouse}");
        let begin = "START TRANSACTION WITH CONSISTENT SNAPSHOT";
        self.connection.run(begin).await.map_err(Error::database(doing()))?;
        let districts = self.districts(warehouse, payments, findings).await;
        districts.map_err(Error::database(doing()))?;
        self.orders(warehouse, findings).await.map_err(Error::database(doing()))?;
        self.customers(warehouse, payments, findings).await.map_err(Error::database(doing()))?;
        self.connection.run("COMMIT").await.map(drop).map_err(Error::database(doing()))
    }

    async fn query(&mut self, template: &str, warehouse: u32) -> Result<&Rows, client::Error> {
        self.connection.query(&self.sql(template, warehouse)).await
    }

    /// Table names in braces become the profile's, `{w}` the warehouse.
    fn sql(&self, template: &str, warehouse: u32) -> String {
        let sql = template.replace("{w}", &warehouse.to_string());
        Table::ALL.iter().fold(sql, |sql, table| {
            sql.replace(&format!("{{{}}}", table.name(Profile::Spec)), table.name(self.profile))
        })
    }

    /// Conditions 1 to 4, 8, 9 and 11.
    async fn districts(
        &mut self,
        warehouse: u32,
        payments: &Payments,
        findings: &Findings,
    ) -> Result<(), client::Error> {
        let districts = self.read_districts(warehouse).await?;
        let row = self.query("SELECT w_ytd FROM {warehouse} WHERE w_id = {w}", warehouse).await?;
        let mut tallies: [Tally; 7] = Default::default();
        let [one, two, three, four, eight, nine, eleven] = &mut tallies;
        let w_ytd = row.first().map_or(Ok(-1), |row| row.cents(0))?;
        let sum: i64 = districts.values().map(|d| d.ytd_cents).sum();
        one.see(w_ytd == sum, || format!("warehouse {warehouse}: {w_ytd} and {sum} cents"));
        let paid = payments.of_warehouse(warehouse);
        eight.see(w_ytd == paid, || format!("warehouse {warehouse}: {w_ytd} and {paid} cents"));
        for (id, d) in &districts {
            let name = || format!("warehouse {warehouse}, district {id}");
            let last = Some(d.next_order - 1);
            // A district whose orders are all delivered has no NEW-ORDER row to compare.
            let agree = d.order_max == last && (d.new_orders == 0 || d.new_order_max == last);
            two.see(agree, || {
                format!("{}: {last:?}, {:?}, {:?}", name(), d.order_max, d.new_order_max)
            });
            let span = d.new_order_max.zip(d.new_order_min).map_or(0, |(max, min)| max - min + 1);
            three.see(span == d.new_orders, || format!("{}: {span}, {}", name(), d.new_orders));
            four.see(d.lines_promised == d.lines, || {
                format!("{}: {} and {} lines", name(), d.lines_promised, d.lines)
            });
            let paid = payments.of_district(warehouse, *id);
            nine.see(d.ytd_cents == paid, || {
                format!("{}: {} and {paid} cents", name(), d.ytd_cents)
            });
            let delivered = d.orders - d.new_orders;
            eleven.see(delivered == 2100 + d.deliveries, || {
                format!("{}: {delivered} orders, {} deliveries", name(), d.deliveries)
            });
        }
        for (number, tally) in [1, 2, 3, 4, 8, 9, 11].into_iter().zip(tallies) {
            tally.report(number, findings);
        }
        Ok(())
    }

    async fn read_districts(
        &mut self,
        warehouse: u32,
    ) -> Result<HashMap<i64, District>, client::Error> {
        let mut districts: HashMap<i64, District> = HashMap::new();
        let sql = "SELECT d_id, d_ytd, d_next_o_id FROM {district} WHERE d_w_id = {w}";
        for row in self.query(sql, warehouse).await?.iter() {
            let (ytd_cents, next_order) = (row.cents(1)?, row.int(2)?);
            let district = District { ytd_cents, next_order, ..District::default() };
            districts.insert(row.int(0)?, district);
        }
        let sql = "SELECT o_d_id, COUNT(*), MAX(o_id), SUM(o_ol_cnt) FROM {orders} \
                   WHERE o_w_id = {w} GROUP BY o_d_id";
        for row in self.query(sql, warehouse).await?.iter() {
            let district = districts.entry(row.int(0)?).or_default();
            district.orders = row.int(1)?;
            district.order_max = Some(row.int(2)?);
            district.lines_promised = row.int(3)?;
        }
        let sql = "SELECT no_d_id, COUNT(*), MIN(no_o_id), MAX(no_o_id) FROM {new_order} \
                   WHERE no_w_id = {w} GROUP BY no_d_id";
        for row in self.query(sql, warehouse).await?.iter() {
            let district = districts.entry(row.int(0)?).or_default();
            district.new_orders = row.int(1)?;
            (district.new_order_min, district.new_order_max) =
                (Some(row.int(2)?), Some(row.int(3)?));
        }
        let sql = "SELECT ol_d_id, COUNT(*) FROM {order_line} WHERE ol_w_id = {w} \
                   GROUP BY ol_d_id";
        for row in self.query(sql, warehouse).await?.iter() {
            districts.entry(row.int(0)?).or_default().lines = row.int(1)?;
        }
        let sql = "SELECT c_d_id, SUM(c_delivery_cnt) FROM {customer} WHERE c_w_id = {w} \
                   GROUP BY c_d_id";
        for row in self.query(sql, warehouse).await?.iter() {
            districts.entry(row.int(0)?).or_default().deliveries = row.int(1)?;
        }
        Ok(districts)
    }

    /// Conditions 5 to 7. The server does the joining and returns only what does not hold.
    async fn orders(&mut self, warehouse: u32, findings: &Findings) -> Result<(), client::Error> {
        let row = self.query("SELECT COUNT(*) FROM {orders} WHERE o_w_id = {w}", warehouse).await?;
        let orders = row.first().map_or(Ok(0), |row| row.int(0))? as u64;
        let carrier = "SELECT o_d_id, o_id FROM {orders} LEFT JOIN {new_order} \
             ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id \
             WHERE o_w_id = {w} AND (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL) \
             UNION ALL SELECT no_d_id, no_o_id FROM {new_order} LEFT JOIN {orders} \
             ON o_w_id = no_w_id AND o_d_id = no_d_id AND o_id = no_o_id \
             WHERE no_w_id = {w} AND o_id IS NULL";
        // One pass over the lines serves conditions 6 and 7.
        let lines = "SELECT o_d_id, o_id, o_ol_cnt, lines_found, o_carrier_id, undelivered \
             FROM {orders} LEFT JOIN (SELECT ol_d_id, ol_o_id, COUNT(*) AS lines_found, \
             SUM(ol_delivery_d IS NULL) AS undelivered FROM {order_line} \
             WHERE ol_w_id = {w} GROUP BY ol_d_id, ol_o_id) AS l \
             ON ol_d_id = o_d_id AND ol_o_id = o_id WHERE o_w_id = {w} \
             AND (COALESCE(lines_found, 0) <> o_ol_cnt OR COALESCE(undelivered, 0) <> \
             IF(o_carrier_id IS NULL, COALESCE(lines_found, 0), 0))";
        let name = |row: &Row<'_>| -> Result<String, client::Error> {
            Ok(format!("warehouse {warehouse}, district {}, order {}", row.int(0)?, row.int(1)?))
        };
        let mut tallies: [Tally; 3] = Default::default();
        let [five, six, seven] = &mut tallies;
        for row in self.query(carrier, warehouse).await?.iter() {
            let words = name(&row)?;
            five.see(false, || words);
        }
        for row in self.query(lines, warehouse).await?.iter() {
            let promised = row.int(2)?;
            let found = if row.is_null(3) { 0 } else { row.int(3)? };
            let undelivered = if row.is_null(5) { 0 } else { row.int(5)? };
            let words = name(&row)?;
            if promised != found {
                six.see(false, || format!("{words}: {promised} and {found} lines"));
            }
            if undelivered != if row.is_null(4) { found } else { 0 } {
                seven.see(false, || format!("{words}: {undelivered} of {found} undelivered"));
            }
        }
        for (number, tally) in [5, 6, 7].into_iter().zip(tallies) {
            findings.add(number, orders, tally.violations, tally.examples);
        }
        Ok(())
    }

    /// Conditions 10 and 12.
    async fn customers(
        &mut self,
        warehouse: u32,
        payments: &Payments,
        findings: &Findings,
    ) -> Result<(), client::Error> {
        let sql = "SELECT o_d_id, o_c_id, SUM(ol_amount) FROM {orders} JOIN {order_line} \
                   ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id \
                   WHERE o_w_id = {w} AND ol_delivery_d IS NOT NULL GROUP BY o_d_id, o_c_id";
        let mut delivered: HashMap<(i64, i64), i64> = HashMap::new();
        for row in self.query(sql, warehouse).await?.iter() {
            delivered.insert((row.int(0)?, row.int(1)?), row.cents(2)?);
        }
        let sql = "SELECT c_d_id, c_id, c_balance, c_ytd_payment FROM {customer} \
                   WHERE c_w_id = {w}";
        let (mut ten, mut twelve) = (Tally::default(), Tally::default());
        for row in self.query(sql, warehouse).await?.iter() {
            let (district, customer) = (row.int(0)?, row.int(1)?);
            let (balance, ytd_payment) = (row.cents(2)?, row.cents(3)?);
            let ordered = delivered.get(&(district, customer)).copied().unwrap_or(0);
            let paid = payments.of_customer(warehouse, district, customer);
            let name =
                || format!("warehouse {warehouse}, district {district}, customer {customer}");
            ten.see(balance == ordered - paid, || {
                format!("{}: {balance} and {} cents", name(), ordered - paid)
            });
            twelve.see(balance + ytd_payment == ordered, || {
                format!("{}: {} and {ordered} cents", name(), balance + ytd_payment)
            });
        }
        ten.report(10, findings);
        twelve.report(12, findings);
        Ok(())
    }
}
