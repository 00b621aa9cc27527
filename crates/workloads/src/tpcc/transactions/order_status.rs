//! Order-Status, clause 2.6.2.

use super::{Output, Sql, customer::ByName, missing};
use crate::tpcc::input::CustomerKey;
use client::{Connection, Error, Statement};

/// The statements of Order-Status.
#[derive(Debug)]
pub(super) struct OrderStatus {
    by_name: ByName,
    select_customer: Statement,
    select_last_order: Statement,
    select_lines: Statement,
}

impl OrderStatus {
    pub(super) async fn prepare(connection: &mut Connection, sql: &Sql) -> Result<Self, Error> {
        Ok(Self {
            by_name: ByName::prepare(connection, sql).await?,
            select_customer: sql
                .prepare(
                    connection,
                    "SELECT c_first, c_middle, c_last, c_balance FROM {customer} \
                     WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
                )
                .await?,
            select_last_order: sql
                .prepare(
                    connection,
                    "SELECT o_id, o_entry_d, o_carrier_id FROM {orders} \
                     WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1",
                )
                .await?,
            select_lines: sql
                .prepare(
                    connection,
                    "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d \
                     FROM {order_line} WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ? \
                     ORDER BY ol_w_id, ol_d_id, ol_o_id, ol_number",
                )
                .await?,
        })
    }

    pub(super) async fn run(
        &self,
        connection: &mut Connection,
        warehouse: u32,
        district: u32,
        key: CustomerKey,
    ) -> Result<Output, Error> {
        let customer = self.by_name.resolve(connection, warehouse, district, key).await?;
        let key = [warehouse.into(), district.into(), customer.into()];
        let row = connection.fetch_one(&self.select_customer, &key).await?;
        row.ok_or_else(|| missing("customer"))?;
        let row = connection.fetch_one(&self.select_last_order, &key).await?;
        let order = row.ok_or_else(|| missing("order of a customer"))?.int(0)? as u32;
        let values = [warehouse.into(), district.into(), order.into()];
        let lines = connection.fetch(&self.select_lines, &values).await?.len();
        Ok(Output::OrderStatus { customer, order, lines })
    }
}
