//! Finding a customer by name: the one in the middle, by first name (clause 2.5.2.2).

use super::{Sql, missing};
use crate::tpcc::{input::CustomerKey, random::last_name};
use client::{Connection, Error, Statement};

/// The statement that Payment and Order-Status share.
#[derive(Debug)]
pub(super) struct ByName(Statement);

impl ByName {
    pub(super) async fn prepare(connection: &mut Connection, sql: &Sql) -> Result<Self, Error> {
        sql.prepare(
            connection,
            "SELECT c_id FROM {customer} WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? \
             ORDER BY c_first",
        )
        .await
        .map(Self)
    }

    /// The customer's number. Of n that share a name it is the one at n/2, rounded up.
    pub(super) async fn resolve(
        &self,
        connection: &mut Connection,
        warehouse: u32,
        district: u32,
        key: CustomerKey,
    ) -> Result<u32, Error> {
        let number = match key {
            CustomerKey::Id(id) => return Ok(id),
            CustomerKey::LastName(number) => number,
        };
        let name = last_name(number);
        let values = [warehouse.into(), district.into(), (&name).into()];
        let rows = connection.fetch(&self.0, &values).await?;
        let middle = rows.len().div_ceil(2).checked_sub(1);
        let row = middle.and_then(|at| rows.get(at)).ok_or_else(|| missing("customer by name"))?;
        Ok(row.int(0)? as u32)
    }
}
