//! Delivery, clause 2.7.4: the oldest undelivered order of each of ten districts.

use super::{Output, Sql, amount::Amount, missing};
use crate::tpcc::{profile::Profile, random::DISTRICTS_PER_WAREHOUSE};
use client::{Connection, Error, Statement, Value};

/// How often BenchmarkSQL's profile looks again when another terminal took the order that it
/// had found. Its original would look for ever under REPEATABLE READ, where every look finds
/// the same row.
const LOOKS: u32 = 10;
/// What MySQL says of a row that changed since it was read (ER_CHECKREAD).
const ROW_CHANGED: u16 = 1020;

/// The statements of Delivery.
#[derive(Debug)]
pub(super) struct Delivery {
    select_oldest: Statement,
    delete_new_order: Statement,
    select_order: Statement,
    update_order: Statement,
    update_lines: Statement,
    select_amount: Statement,
    update_customer: Statement,
}

impl Delivery {
    pub(super) async fn prepare(connection: &mut Connection, sql: &Sql) -> Result<Self, Error> {
        let oldest = match sql.profile {
            Profile::Spec => "ORDER BY no_o_id LIMIT 1 FOR UPDATE",
            Profile::BenchmarkSql => "ORDER BY no_o_id ASC",
        };
        let select_oldest =
            format!("SELECT no_o_id FROM {{new_order}} WHERE no_w_id = ? AND no_d_id = ? {oldest}");
        let mut prepare = async |template| sql.prepare(connection, template).await;
        Ok(Self {
            select_oldest: prepare(&select_oldest).await?,
            delete_new_order: prepare(
                "DELETE FROM {new_order} WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?",
            )
            .await?,
            update_order: prepare(
                "UPDATE {orders} SET o_carrier_id = ? \
                 WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
            )
            .await?,
            select_order: prepare(
                "SELECT o_c_id FROM {orders} WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
            )
            .await?,
            update_lines: prepare(
                "UPDATE {order_line} SET ol_delivery_d = ? \
                 WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            )
            .await?,
            select_amount: prepare(
                "SELECT SUM(ol_amount) AS sum_ol_amount FROM {order_line} \
                 WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            )
            .await?,
            update_customer: prepare(
                "UPDATE {customer} SET c_balance = c_balance + ?, \
                 c_delivery_cnt = c_delivery_cnt + 1 \
                 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            )
            .await?,
        })
    }

    pub(super) async fn run(
        &self,
        connection: &mut Connection,
        warehouse: u32,
        carrier: u32,
        now_unix_s: i64,
    ) -> Result<Output, Error> {
        let mut delivered = 0;
        for district in 1..=DISTRICTS_PER_WAREHOUSE {
            let Some(order) = self.take_oldest(connection, warehouse, district).await? else {
                continue;
            };
            self.deliver(connection, [warehouse, district, order], carrier, now_unix_s).await?;
            delivered += 1;
        }
        Ok(Output::Delivery { delivered })
    }

    /// Finds and removes the oldest NEW-ORDER row of a district; none where no order waits.
    async fn take_oldest(
        &self,
        connection: &mut Connection,
        warehouse: u32,
        district: u32,
    ) -> Result<Option<u32>, Error> {
        for _look in 0..LOOKS {
            let values = [warehouse.into(), district.into()];
            let Some(row) = connection.fetch_one(&self.select_oldest, &values).await? else {
                return Ok(None);
            };
            let order = row.int(0)? as u32;
            let key = [warehouse, district, order].map(Value::from);
            let deleted = connection.execute(&self.delete_new_order, &key).await?;
            if deleted.affected_rows > 0 {
                return Ok(Some(order));
            }
        }
        Err(Error::Server {
            code: ROW_CHANGED,
            state: "HY000".into(),
            message: "another terminal took every order that Delivery found".into(),
        })
    }

    async fn deliver(
        &self,
        connection: &mut Connection,
        [warehouse, district, order]: [u32; 3],
        carrier: u32,
        now_unix_s: i64,
    ) -> Result<(), Error> {
        let key = [warehouse, district, order].map(Value::from);
        let with = |first| [first, key[0], key[1], key[2]];
        connection.execute(&self.update_order, &with(carrier.into())).await?;
        let row = connection.fetch_one(&self.select_order, &key).await?;
        let customer = row.ok_or_else(|| missing("order to deliver"))?.int(0)? as u32;
        connection.execute(&self.update_lines, &with(Value::utc(now_unix_s))).await?;
        let row = connection.fetch_one(&self.select_amount, &key).await?;
        let cents = row.ok_or_else(|| missing("order lines to deliver"))?.cents(0)?;
        let amount = Amount::of_cents(cents);
        let values = [(&amount).into(), warehouse.into(), district.into(), customer.into()];
        connection.execute(&self.update_customer, &values).await.map(drop)
    }
}
