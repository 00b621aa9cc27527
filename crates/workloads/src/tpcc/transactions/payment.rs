//! Payment, clause 2.5.2.

use super::{Output, Sql, amount::Amount, customer::ByName, missing};
use crate::tpcc::{input::Input, profile::Profile};
use client::{Connection, Error, Statement, Value};

/// C_DATA holds no more characters.
const C_DATA_LENGTH: usize = 500;
/// Two names of up to ten characters, and the blanks between.
const NAMES_LENGTH: usize = 24;

/// The statements of Payment.
#[derive(Debug)]
pub(super) struct Payment {
    profile: Profile,
    by_name: ByName,
    update_warehouse: Statement,
    select_warehouse: Statement,
    update_district: Statement,
    select_district: Statement,
    select_customer: Statement,
    select_customer_data: Statement,
    update_customer: Statement,
    update_customer_data: Statement,
    insert_history: Statement,
}

/// The customer who pays.
struct Payer {
    warehouse: u32,
    district: u32,
    id: u32,
}

impl Payer {
    fn key(&self) -> [Value<'static>; 3] {
        [self.warehouse, self.district, self.id].map(Value::from)
    }
}

impl Payment {
    pub(super) async fn prepare(connection: &mut Connection, sql: &Sql) -> Result<Self, Error> {
        let by_name = ByName::prepare(connection, sql).await?;
        // A plain read would see C_DATA as it was when the transaction's snapshot was taken, and
        // under REPEATABLE READ lose what another payment has added since.
        let locking = match sql.profile {
            Profile::Spec => " FOR UPDATE",
            Profile::BenchmarkSql => "",
        };
        let select_data = format!(
            "SELECT c_data FROM {{customer}} WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?{locking}"
        );
        let mut prepare = async |template: &str| sql.prepare(connection, template).await;
        Ok(Self {
            profile: sql.profile,
            by_name,
            update_warehouse: prepare("UPDATE {warehouse} SET w_ytd = w_ytd + ? WHERE w_id = ?")
                .await?,
            select_warehouse: prepare(
                "SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip \
                 FROM {warehouse} WHERE w_id = ?",
            )
            .await?,
            update_district: prepare(
                "UPDATE {district} SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?",
            )
            .await?,
            select_district: prepare(
                "SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip \
                 FROM {district} WHERE d_w_id = ? AND d_id = ?",
            )
            .await?,
            select_customer: prepare(
                "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, \
                 c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance \
                 FROM {customer} WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE",
            )
            .await?,
            select_customer_data: prepare(&select_data).await?,
            update_customer: prepare(
                "UPDATE {customer} SET c_balance = c_balance - ?, \
                 c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1 \
                 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            )
            .await?,
            update_customer_data: prepare(
                "UPDATE {customer} SET c_balance = c_balance - ?, \
                 c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1, \
                 c_data = ? WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            )
            .await?,
            insert_history: prepare(
                "INSERT INTO {history} (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, \
                 h_amount, h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            )
            .await?,
        })
    }

    /// Pays, up to the COMMIT. `input` is a [`Input::Payment`].
    pub(super) async fn run(
        &self,
        connection: &mut Connection,
        input: &Input,
        now_unix_s: i64,
    ) -> Result<Output, Error> {
        let Input::Payment {
            warehouse,
            district,
            customer_warehouse,
            customer_district,
            customer,
            amount_cents,
        } = *input
        else {
            return Err(Error::Protocol("inputs of another transaction".into()));
        };
        let amount = Amount::of_cents(amount_cents.into());
        let names = self.credit(connection, warehouse, district, &amount).await?;
        let (payer_w, payer_d) = (customer_warehouse, customer_district);
        let id = self.by_name.resolve(connection, payer_w, payer_d, customer).await?;
        let payer = Payer { warehouse: payer_w, district: payer_d, id };
        let balance_before_cents =
            self.charge(connection, &payer, warehouse, district, &amount).await?;

        let values = [
            id.into(),
            payer_d.into(),
            payer_w.into(),
            district.into(),
            warehouse.into(),
            Value::utc(now_unix_s),
            (&amount).into(),
            (&names).into(),
        ];
        connection.execute(&self.insert_history, &values).await?;
        Ok(Output::Payment { customer: id, balance_before_cents })
    }

    /// Adds the amount to warehouse and district, and returns their names as H_DATA has them, with
    /// four blanks between (clause 2.5.2.2). BenchmarkSQL takes the district first, so that the
    /// warehouse, for which all its terminals queue, is locked for less long.
    async fn credit(
        &self,
        connection: &mut Connection,
        warehouse: u32,
        district: u32,
        amount: &Amount,
    ) -> Result<Vec<u8>, Error> {
        let mut names = Vec::with_capacity(NAMES_LENGTH);
        if self.profile == Profile::Spec {
            self.credit_warehouse(connection, warehouse, amount, &mut names).await?;
            names.extend_from_slice(b"    ");
        }
        let values = [amount.into(), warehouse.into(), district.into()];
        connection.execute(&self.update_district, &values).await?;
        let row = connection.fetch_one(&self.select_district, &values[1..]).await?;
        let name = row.ok_or_else(|| missing("district"))?.bytes(0).unwrap_or_default();
        names.extend_from_slice(name);
        if self.profile == Profile::BenchmarkSql {
            let district_name = std::mem::take(&mut names);
            self.credit_warehouse(connection, warehouse, amount, &mut names).await?;
            names.extend_from_slice(b"    ");
            names.extend_from_slice(&district_name);
        }
        Ok(names)
    }

    async fn credit_warehouse(
        &self,
        connection: &mut Connection,
        warehouse: u32,
        amount: &Amount,
        name: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let values = [amount.into(), warehouse.into()];
        connection.execute(&self.update_warehouse, &values).await?;
        let row = connection.fetch_one(&self.select_warehouse, &values[1..]).await?;
        let row = row.ok_or_else(|| missing("warehouse"))?;
        name.extend_from_slice(row.bytes(0).unwrap_or_default());
        Ok(())
    }

    /// Takes the amount from the customer; returns the balance before, in cents.
    async fn charge(
        &self,
        connection: &mut Connection,
        payer: &Payer,
        warehouse: u32,
        district: u32,
        amount: &Amount,
    ) -> Result<i64, Error> {
        let [w, d, id] = payer.key();
        let row = connection.fetch_one(&self.select_customer, &[w, d, id]).await?;
        let row = row.ok_or_else(|| missing("customer"))?;
        let (balance_cents, bad_credit) = (row.cents(13)?, row.bytes(10) == Some(b"BC"));
        let amount_value = Value::from(amount);
        if bad_credit {
            let row = connection.fetch_one(&self.select_customer_data, &[w, d, id]).await?;
            let data = row.and_then(|row| row.text(0)).unwrap_or_default();
            let paid_at = [warehouse, district];
            let data = bad_credit_data(self.profile, payer, paid_at, amount.as_str(), &data);
            let values = [amount_value, amount_value, (&data).into(), w, d, id];
            connection.execute(&self.update_customer_data, &values).await?;
        } else {
            let values = [amount_value, amount_value, w, d, id];
            connection.execute(&self.update_customer, &values).await?;
        }
        Ok(balance_cents)
    }
}

/// C_DATA of a customer with bad credit: what was paid where, put before what was there, cut to
/// the column's length (clause 2.5.2.2).
fn bad_credit_data(
    profile: Profile,
    payer: &Payer,
    [warehouse, district]: [u32; 2],
    amount: &str,
    data: &str,
) -> String {
    let Payer { warehouse: payer_w, district: payer_d, id } = payer;
    let mut text = match profile {
        Profile::Spec => {
            format!("{id} {payer_d} {payer_w} {district} {warehouse} {amount} {data}")
        }
        Profile::BenchmarkSql => format!(
            "C_ID={id} C_D_ID={payer_d} C_W_ID={payer_w} D_ID={district} W_ID={warehouse} \
             H_AMOUNT={amount}   {data}"
        ),
    };
    let end = text.char_indices().nth(C_DATA_LENGTH).map_or(text.len(), |(at, _)| at);
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_credit_data_grows_at_the_front_and_never_beyond_the_column() {
        let payer = Payer { warehouse: 3, district: 2, id: 1 };
        for (profile, start) in [
            (Profile::Spec, "1 2 3 4 5 10.00 xxx"),
            (Profile::BenchmarkSql, "C_ID=1 C_D_ID=2 C_W_ID=3 D_ID=4 W_ID=5 H_AMOUNT=10.00   xxx"),
        ] {
            let data = bad_credit_data(profile, &payer, [5, 4], "10.00", &"x".repeat(500));
            assert!(data.starts_with(start), "{data}");
            assert_eq!(data.len(), 500);
        }
    }
}
