//! The five transactions as SQL, a file each. Where the profiles differ, both stand side by side.

pub(crate) mod amount;
mod customer;
mod delivery;
mod new_order;
mod order_status;
mod payment;
mod stock_level;

use super::{input::Input, profile::Profile, table::Table};
use client::{Connection, Error};
use engine::Completion;

pub use new_order::Placed;

/// What the terminal would show at the end, as far as the database decided it.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Clause 2.4.3.3. None when the transaction rolled back for its unused item.
    NewOrder(Option<Placed>),
    /// Clause 2.5.3.4: C_ID and C_BALANCE after the payment, cents.
    Payment {
        /// C_ID of who paid.
        customer: u32,
        /// C_BALANCE before the payment, cents.
        balance_before_cents: i64,
    },
    /// Clause 2.6.3.3: the customer's last order and its lines.
    OrderStatus {
        /// C_ID of who asked.
        customer: u32,
        /// O_ID of the last order.
        order: u32,
        /// Lines of it.
        lines: usize,
    },
    /// Clause 2.7.3: orders delivered; fewer than ten where a district had none waiting.
    Delivery {
        /// Orders delivered.
        delivered: u32,
    },
    /// Clause 2.8.3: items below the threshold.
    StockLevel {
        /// Their number.
        low_stock: u32,
    },
}

impl Output {
    /// How the transaction ended.
    pub fn completion(&self) -> Completion {
        match self {
            Self::NewOrder(None) => Completion::RolledBack,
            _ => Completion::Committed,
        }
    }
}

/// The prepared statements of one connection.
#[derive(Debug)]
pub(super) struct Transactions {
    new_order: new_order::NewOrder,
    payment: payment::Payment,
    order_status: order_status::OrderStatus,
    delivery: delivery::Delivery,
    stock_level: stock_level::StockLevel,
}

/// Statements that a connection prepares, at most, whatever the profile: what
/// `max_prepared_stmt_count` is checked against.
pub(super) const STATEMENTS_PER_CONNECTION: u64 = 54;

impl Transactions {
    pub(super) async fn prepare(
        connection: &mut Connection,
        profile: Profile,
        pipelined: bool,
    ) -> Result<Self, Error> {
        let sql = Sql { profile };
        Ok(Self {
            new_order: new_order::NewOrder::prepare(connection, &sql, pipelined).await?,
            payment: payment::Payment::prepare(connection, &sql).await?,
            order_status: order_status::OrderStatus::prepare(connection, &sql).await?,
            delivery: delivery::Delivery::prepare(connection, &sql).await?,
            stock_level: stock_level::StockLevel::prepare(connection, &sql).await?,
        })
    }

    /// Runs one transaction up to, but not including, its COMMIT.
    pub(super) async fn run(
        &mut self,
        connection: &mut Connection,
        input: &Input,
        now_unix_s: i64,
    ) -> Result<Output, Error> {
        match input {
            Input::NewOrder { warehouse, district, customer, lines } => {
                let header = new_order::Header {
                    warehouse: *warehouse,
                    district: *district,
                    customer: *customer,
                };
                self.new_order
                    .run(connection, header, lines, now_unix_s)
                    .await
                    .map(Output::NewOrder)
            }
            Input::Payment { .. } => self.payment.run(connection, input, now_unix_s).await,
            Input::OrderStatus { warehouse, district, customer } => {
                self.order_status.run(connection, *warehouse, *district, *customer).await
            }
            Input::Delivery { warehouse, carrier } => {
                self.delivery.run(connection, *warehouse, *carrier, now_unix_s).await
            }
            Input::StockLevel { warehouse, district, threshold } => {
                self.stock_level.run(connection, *warehouse, *district, *threshold).await
            }
        }
    }
}

/// Writes statements with the table names of a profile.
struct Sql {
    profile: Profile,
}

impl Sql {
    /// Puts the profile's table names in place of `{warehouse}`, `{orders}` and so on.
    fn text(&self, template: &str) -> String {
        Table::ALL.iter().fold(template.to_owned(), |sql, table| {
            let place = format!("{{{}}}", table.name(Profile::Spec));
            sql.replace(&place, table.name(self.profile))
        })
    }

    async fn prepare(
        &self,
        connection: &mut Connection,
        template: &str,
    ) -> Result<client::Statement, Error> {
        connection.prepare(&self.text(template)).await
    }
}

/// A row that the data set must have was not there.
fn missing(what: &str) -> Error {
    Error::Protocol(format!("{what} not found: the data is damaged, run `myrig tpcc check`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_names_follow_the_profile() {
        let sql = |profile| Sql { profile }.text("SELECT 1 FROM {orders}, {order_line}, {stock}");
        assert_eq!(sql(Profile::Spec), "SELECT 1 FROM orders, order_line, stock");
        assert_eq!(
            sql(Profile::BenchmarkSql),
            "SELECT 1 FROM bmsql_oorder, bmsql_order_line, bmsql_stock"
        );
    }
}
