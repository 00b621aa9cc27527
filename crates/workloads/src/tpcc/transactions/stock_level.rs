//! Stock-Level, clause 2.8.2.

use super::{Output, Sql, missing};
use crate::tpcc::profile::Profile;
use client::{Connection, Error, Statement, Value};

/// The statement of Stock-Level.
#[derive(Debug)]
pub(super) struct StockLevel {
    count: Statement,
}

impl StockLevel {
    pub(super) async fn prepare(connection: &mut Connection, sql: &Sql) -> Result<Self, Error> {
        let template = match sql.profile {
            Profile::Spec => {
                "SELECT COUNT(DISTINCT s_i_id) AS low_stock FROM {district} \
                 JOIN {order_line} ON ol_w_id = d_w_id AND ol_d_id = d_id \
                 AND ol_o_id >= d_next_o_id - 20 AND ol_o_id < d_next_o_id \
                 JOIN {stock} ON s_w_id = d_w_id AND s_i_id = ol_i_id AND s_quantity < ? \
                 WHERE d_w_id = ? AND d_id = ?"
            }
            Profile::BenchmarkSql => {
                "SELECT COUNT(*) AS low_stock FROM (\
                 SELECT s_w_id, s_i_id, s_quantity FROM {stock} \
                 WHERE s_w_id = ? AND s_quantity < ? AND s_i_id IN (\
                 SELECT ol_i_id FROM {district} JOIN {order_line} ON ol_w_id = d_w_id \
                 AND ol_d_id = d_id AND ol_o_id >= d_next_o_id - 20 \
                 AND ol_o_id < d_next_o_id WHERE d_w_id = ? AND d_id = ?)) AS L"
            }
        };
        Ok(Self { count: sql.prepare(connection, template).await? })
    }

    pub(super) async fn run(
        &self,
        connection: &mut Connection,
        warehouse: u32,
        district: u32,
        threshold: u32,
    ) -> Result<Output, Error> {
        // BenchmarkSQL's statement names the warehouse twice.
        let row = if self.count.parameters() == 4 {
            let values = [warehouse, threshold, warehouse, district].map(Value::from);
            connection.fetch_one(&self.count, &values).await?
        } else {
            let values = [threshold, warehouse, district].map(Value::from);
            connection.fetch_one(&self.count, &values).await?
        };
        let low_stock = row.ok_or_else(|| missing("stock"))?.int(0)? as u32;
        Ok(Output::StockLevel { low_stock })
    }
}
