//! What HISTORY says was paid, added up in one pass over a table that has no index.

use super::Findings;
use crate::tpcc::{
    error::Error,
    random::{CUSTOMERS_PER_DISTRICT, DISTRICTS_PER_WAREHOUSE},
    state::DataSet,
    table::Table,
};
use client::{Connection, Target};

/// Sums of H_AMOUNT in cents.
#[derive(Debug)]
pub(super) struct Payments {
    warehouses: u32,
    by_customer: Vec<i64>,
    by_district: Vec<i64>,
}

/// Where a customer, or with customer 1 of 1 a district, stands in a flat list; none for keys
/// that no such data set has.
fn place(keys: [i64; 3], sizes: [u32; 3]) -> Option<usize> {
    let mut at = 0usize;
    for (key, size) in keys.into_iter().zip(sizes) {
        let key = u32::try_from(key).ok().filter(|key| (1..=size).contains(key))?;
        at = at * size as usize + (key as usize - 1);
    }
    Some(at)
}

impl Payments {
    fn new(warehouses: u32) -> Self {
        let districts = warehouses as usize * DISTRICTS_PER_WAREHOUSE as usize;
        Self {
            warehouses,
            by_customer: vec![0; districts * CUSTOMERS_PER_DISTRICT as usize],
            by_district: vec![0; districts],
        }
    }

    /// False when the row's keys are those of no customer or district.
    fn add(&mut self, customer: [i64; 3], district: [i64; 2], cents: i64) -> bool {
        let sizes = [self.warehouses, DISTRICTS_PER_WAREHOUSE, CUSTOMERS_PER_DISTRICT];
        let customer = place(customer, sizes);
        let district = place([district[0], district[1], 1], [sizes[0], sizes[1], 1]);
        if let (Some(customer), Some(district)) = (customer, district) {
            self.by_customer[customer] += cents;
            self.by_district[district] += cents;
            return true;
        }
        false
    }

    /// What a customer has paid, wherever.
    pub(super) fn of_customer(&self, warehouse: u32, district: i64, customer: i64) -> i64 {
        let sizes = [self.warehouses, DISTRICTS_PER_WAREHOUSE, CUSTOMERS_PER_DISTRICT];
        place([warehouse.into(), district, customer], sizes).map_or(0, |at| self.by_customer[at])
    }

    /// What was paid in a district, by whomever.
    pub(super) fn of_district(&self, warehouse: u32, district: i64) -> i64 {
        let sizes = [self.warehouses, DISTRICTS_PER_WAREHOUSE, 1];
        place([warehouse.into(), district, 1], sizes).map_or(0, |at| self.by_district[at])
    }

    /// What was paid in a warehouse, by whomever.
    pub(super) fn of_warehouse(&self, warehouse: u32) -> i64 {
        (1..=DISTRICTS_PER_WAREHOUSE).map(|d| self.of_district(warehouse, d.into())).sum()
    }
}

/// Reads HISTORY. Rows that belong to nobody violate condition 10.
pub(super) async fn payments(
    target: &Target,
    data: &DataSet,
    findings: &Findings,
) -> Result<Payments, Error> {
    let mut connection =
        Connection::connect(target).await.map_err(Error::database("connecting"))?;
    let mut payments = Payments::new(data.warehouses);
    let (mut strays, mut broken) = (0, None);
    let sql = format!(
        "SELECT h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_amount FROM {}",
        Table::History.name(data.profile)
    );
    let each = |row: client::Row| {
        let mut read = || -> Result<bool, client::Error> {
            let customer = [row.int(0)?, row.int(1)?, row.int(2)?];
            Ok(payments.add(customer, [row.int(3)?, row.int(4)?], row.cents(5)?))
        };
        match read() {
            Ok(true) => {}
            Ok(false) => strays += 1,
            Err(error) => broken = Some(error),
        }
    };
    let doing = "reading HISTORY";
    connection.query_each(&sql, each).await.map_err(Error::database(doing))?;
    if let Some(error) = broken {
        return Err(Error::database(doing)(error));
    }
    connection.close().await;
    if strays > 0 {
        let words = format!("{strays} HISTORY rows of customers or districts that do not exist");
        findings.add(10, strays, strays, vec![words]);
    }
    Ok(payments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payments_count_for_the_payer_and_for_the_place() {
        let mut payments = Payments::new(2);
        assert!(payments.add([2, 10, 3000], [1, 4], 1000));
        assert!(payments.add([2, 10, 3000], [1, 5], 7));
        assert_eq!(payments.of_customer(2, 10, 3000), 1007);
        assert_eq!(payments.of_district(1, 4), 1000);
        assert_eq!(payments.of_warehouse(1), 1007);
        assert_eq!(payments.of_warehouse(2), 0);
    }

    #[test]
    fn rows_of_nobody_are_noticed() {
        let mut payments = Payments::new(1);
        for (customer, district) in
            [([2, 1, 1], [1, 1]), ([1, 11, 1], [1, 1]), ([1, 1, 0], [1, 1]), ([1, 1, 1], [-1, 1])]
        {
            assert!(!payments.add(customer, district, 1));
        }
    }
}
