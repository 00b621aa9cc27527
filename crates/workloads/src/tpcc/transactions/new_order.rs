//! New-Order, clause 2.4.2.

use super::{Sql, amount::Amount, missing};
use crate::tpcc::{input::OrderLine, profile::Profile};
use client::{Connection, Error, Row, Statement, Value};

/// The statements of New-Order.
#[derive(Debug)]
pub(super) struct NewOrder {
    profile: Profile,
    /// Whether what does not depend on each other is read in one round trip.
    pipelined: bool,
    select_warehouse_customer: Statement,
    select_district: Statement,
    update_district: Statement,
    insert_order: Statement,
    insert_new_order: Statement,
    select_item: Statement,
    /// One a district: each reads its own S_DIST.
    select_stock: Vec<Statement>,
    update_stock: Statement,
    /// One a number of lines, from 1 to 15.
    insert_lines: Vec<Statement>,
}

/// Who orders.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) warehouse: u32,
    pub(super) district: u32,
    pub(super) customer: u32,
}

/// An order that was placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// O_ID.
    pub order: u32,
    /// What the order costs with discount and taxes, clause 2.4.2.2.
    pub total: f64,
}

/// A line with what the database says about it.
struct Priced {
    line: OrderLine,
    number: usize,
    amount_cents: i64,
    amount: Amount,
    stock: u32,
    district_info: Vec<u8>,
}

const INSERT_LINES: &str = "INSERT INTO {order_line} (ol_o_id, ol_d_id, ol_w_id, ol_number, \
     ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES ";

impl NewOrder {
    pub(super) async fn prepare(
        connection: &mut Connection,
        sql: &Sql,
        pipelined: bool,
    ) -> Result<Self, Error> {
        let mut select_stock = Vec::new();
        for district in 1..=10 {
            let template = format!(
                "SELECT s_quantity, s_data, s_dist_{district:02} FROM {{stock}} \
                 WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE"
            );
            select_stock.push(sql.prepare(connection, &template).await?);
        }
        let mut insert_lines = Vec::new();
        for lines in 1..=15 {
            let values = vec!["(?, ?, ?, ?, ?, ?, ?, ?, ?)"; lines].join(", ");
            insert_lines.push(sql.prepare(connection, &format!("{INSERT_LINES}{values}")).await?);
        }
        let mut prepare = async |template| sql.prepare(connection, template).await;
        Ok(Self {
            profile: sql.profile,
            pipelined,
            select_warehouse_customer: prepare(
                "SELECT c_discount, c_last, c_credit, w_tax FROM {customer} \
                 JOIN {warehouse} ON (w_id = c_w_id) \
                 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            )
            .await?,
            select_district: prepare(
                "SELECT d_tax, d_next_o_id FROM {district} WHERE d_w_id = ? AND d_id = ? \
                 FOR UPDATE",
            )
            .await?,
            update_district: prepare(
                "UPDATE {district} SET d_next_o_id = d_next_o_id + 1 \
                 WHERE d_w_id = ? AND d_id = ?",
            )
            .await?,
            insert_order: prepare(
                "INSERT INTO {orders} (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, \
                 o_all_local) VALUES (?, ?, ?, ?, ?, ?, ?)",
            )
            .await?,
            insert_new_order: prepare(
                "INSERT INTO {new_order} (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)",
            )
            .await?,
            select_item: prepare("SELECT i_price, i_name, i_data FROM {item} WHERE i_id = ?")
                .await?,
            update_stock: prepare(
                "UPDATE {stock} SET s_quantity = ?, s_ytd = s_ytd + ?, \
                 s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ? \
                 WHERE s_w_id = ? AND s_i_id = ?",
            )
            .await?,
            select_stock,
            insert_lines,
        })
    }

    /// Places the order, up to the COMMIT. None when the last line's item is unused: everything
    /// up to it has then been done, as clause 2.4.2.3 asks, and must be rolled back.
    pub(super) async fn run(
        &self,
        connection: &mut Connection,
        header: Header,
        lines: &[OrderLine],
        now_unix_s: i64,
    ) -> Result<Option<Placed>, Error> {
        let Header { warehouse, district, customer } = header;
        let district_key = [warehouse.into(), district.into()];
        let row = connection.fetch_one(&self.select_district, &district_key).await?;
        let row = row.ok_or_else(|| missing("district"))?;
        let (district_tax, order) = (row.double(0)?, row.int(1)? as u32);
        let values = [warehouse.into(), district.into(), customer.into()];
        let row = connection.fetch_one(&self.select_warehouse_customer, &values).await?;
        let row = row.ok_or_else(|| missing("customer"))?;
        let (discount, warehouse_tax) = (row.double(0)?, row.double(3)?);
        connection.execute(&self.update_district, &district_key).await?;

        let all_local = lines.iter().all(|line| line.supply_warehouse == warehouse);
        let key = [order, district, warehouse].map(Value::from);
        let [o, d, w] = key;
        let (entered, count) = (Value::utc(now_unix_s), lines.len() as u32);
        let values = [o, d, w, customer.into(), entered, count.into(), u32::from(all_local).into()];
        connection.execute(&self.insert_order, &values).await?;
        connection.execute(&self.insert_new_order, &key).await?;

        let Some(priced) = self.price(connection, header, lines).await? else {
            return Ok(None);
        };
        self.store(connection, warehouse, key, &priced).await?;
        let cents: i64 = priced.iter().map(|line| line.amount_cents).sum();
        let total = cents as f64 / 100.0 * (1.0 - discount) * (1.0 + warehouse_tax + district_tax);
        Ok(Some(Placed { order, total }))
    }

    /// Reads item and stock of each line, in the order of the stock's key, so that two orders
    /// never wait for each other's rows crosswise. The profile `spec` also writes the stock row
    /// at once; BenchmarkSQL sends its writes together at the end, as is done where the reads go
    /// together.
    async fn price(
        &self,
        connection: &mut Connection,
        header: Header,
        lines: &[OrderLine],
    ) -> Result<Option<Vec<Priced>>, Error> {
        let mut sequence: Vec<(usize, OrderLine)> = (1..).zip(lines.iter().copied()).collect();
        sequence.sort_by_key(|(_, line)| (is_unused(line), line.supply_warehouse, line.item));
        if self.pipelined {
            return self.price_together(connection, header, &sequence).await;
        }
        let mut priced = Vec::with_capacity(lines.len());
        for (number, line) in sequence {
            let row = connection.fetch_one(&self.select_item, &[line.item.into()]).await?;
            let Some(item) = row else { return Ok(None) };
            let price_cents = item.cents(0)?;
            let (statement, values) = self.stock_of(header, &line);
            let row = connection.fetch_one(statement, &values).await?;
            let stock = row.ok_or_else(|| missing("stock"))?;
            let line = self.priced(number, line, price_cents, &stock, None)?;
            if self.profile == Profile::Spec {
                let values = self.stock_values(header.warehouse, &line);
                connection.execute(&self.update_stock, &values).await?;
            }
            priced.push(line);
        }
        Ok(Some(priced))
    }

    /// The same reads in one round trip.
    async fn price_together(
        &self,
        connection: &mut Connection,
        header: Header,
        sequence: &[(usize, OrderLine)],
    ) -> Result<Option<Vec<Priced>>, Error> {
        for (_, line) in sequence {
            connection.queue(&self.select_item, &[line.item.into()])?;
            // The stock of an item that is not there is read by nobody.
            if !is_unused(line) {
                let (statement, values) = self.stock_of(header, line);
                connection.queue(statement, &values)?;
            }
        }
        let mut priced: Vec<Priced> = Vec::with_capacity(sequence.len());
        for (number, line) in sequence {
            let Some(item) = connection.fetch_queued().await?.first() else {
                connection.execute_queued().await?;
                return Ok(None);
            };
            let price_cents = item.cents(0)?;
            let stock = connection.fetch_queued().await?.first();
            let stock = stock.ok_or_else(|| missing("stock"))?;
            // Two lines of one item stand next to each other, and the second must see what the
            // first leaves. BenchmarkSQL reads both before it writes either.
            let left_by_last = priced.last().filter(|last| {
                let same = last.line.item == line.item
                    && last.line.supply_warehouse == line.supply_warehouse;
                same && self.profile == Profile::Spec
            });
            let left_by_last = left_by_last.map(|last| last.stock);
            priced.push(self.priced(*number, *line, price_cents, &stock, left_by_last)?);
        }
        Ok(Some(priced))
    }

    /// The statement that reads a line's stock, and its key.
    fn stock_of(&self, header: Header, line: &OrderLine) -> (&Statement, [Value<'static>; 2]) {
        let statement = &self.select_stock[header.district as usize - 1];
        (statement, [line.supply_warehouse.into(), line.item.into()])
    }

    fn priced(
        &self,
        number: usize,
        line: OrderLine,
        price_cents: i64,
        stock: &Row<'_>,
        left_by_last: Option<u32>,
    ) -> Result<Priced, Error> {
        let quantity = match left_by_last {
            Some(quantity) => quantity,
            None => stock.int(0)? as u32,
        };
        let amount_cents = price_cents * i64::from(line.quantity);
        Ok(Priced {
            line,
            number,
            amount_cents,
            amount: Amount::of_cents(amount_cents),
            stock: restocked(self.profile, quantity, line.quantity),
            district_info: stock.bytes(2).unwrap_or_default().to_vec(),
        })
    }

    fn stock_values(&self, home: u32, priced: &Priced) -> [Value<'static>; 5] {
        let line = priced.line;
        let remote = u32::from(line.supply_warehouse != home);
        [priced.stock, line.quantity, remote, line.supply_warehouse, line.item].map(Value::from)
    }

    /// The writes that are left: the stock's in one round trip, the order lines in one statement,
    /// as `rewriteBatchedStatements=true` sends them too.
    async fn store(
        &self,
        connection: &mut Connection,
        home: u32,
        key: [Value<'_>; 3],
        priced: &[Priced],
    ) -> Result<(), Error> {
        if self.pipelined || self.profile == Profile::BenchmarkSql {
            for line in priced {
                connection.queue(&self.update_stock, &self.stock_values(home, line))?;
            }
            connection.execute_queued().await?;
        }
        let mut values = Vec::with_capacity(9 * priced.len());
        for Priced { line, number, amount, district_info, .. } in priced {
            values.extend(key);
            let OrderLine { item, supply_warehouse, quantity } = *line;
            values.extend([*number as u32, item, supply_warehouse, quantity].map(Value::from));
            values.extend([Value::from(amount), Value::from(district_info)]);
        }
        connection.execute(&self.insert_lines[priced.len() - 1], &values).await.map(drop)
    }
}

/// True for the line that makes an order roll back, clause 2.4.1.5.
fn is_unused(line: &OrderLine) -> bool {
    line.item == crate::tpcc::input::UNUSED_ITEM
}

/// S_QUANTITY after an order, clause 2.4.2.2. BenchmarkSQL forgets to take the quantity off when
/// it restocks.
fn restocked(profile: Profile, stock: u32, quantity: u32) -> u32 {
    if stock >= quantity + 10 {
        stock - quantity
    } else {
        match profile {
            Profile::Spec => stock + 91 - quantity,
            Profile::BenchmarkSql => stock + 91,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stock_is_refilled_when_less_than_ten_would_remain() {
        for profile in Profile::ALL {
            assert_eq!(restocked(profile, 20, 10), 10);
        }
        assert_eq!(restocked(Profile::Spec, 19, 10), 100);
        assert_eq!(restocked(Profile::BenchmarkSql, 19, 10), 110);
    }
}
