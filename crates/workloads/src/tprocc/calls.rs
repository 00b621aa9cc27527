//! Calling the procedures: one round trip by a prepared CALL, or HammerDB's three by text.

use super::{
    input::{Call, Lines},
    profile::Profile,
    text::Text,
};
use crate::tpcc::{input::CustomerKey, random::push_last_name, transactions::amount::Amount};
use client::{Connection, Error, Row, Statement, Value};
use engine::Completion;

/// How procedures are called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallMode {
    /// A prepared CALL whose OUT parameters come back with it: one round trip.
    #[default]
    Prepared,
    /// SET, CALL and SELECT of user variables as text, as HammerDB does: up to three round trips.
    Plain,
}

/// What a procedure returned, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// O_ID of the order; none when it was rolled back.
    NewOrder(Option<u32>),
    /// Who paid, and C_BALANCE afterwards.
    Payment {
        /// C_ID.
        customer: u32,
        /// C_BALANCE, cents.
        balance_cents: i64,
    },
    /// Who asked, and the last order.
    OrderStatus {
        /// C_ID.
        customer: u32,
        /// O_ID; none where the customer has no order.
        order: Option<u32>,
        /// Its lines; none in the profile `hammerdb`, whose procedure keeps them to itself.
        lines: Option<u32>,
    },
    /// Orders delivered; none in the profile `hammerdb`, whose procedure does not say.
    Delivery(Option<u32>),
    /// Items below the threshold.
    StockLevel(u32),
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

/// The CALL statements of a profile, in the order of [`super::procedures::NAMES`].
fn call_texts(profile: Profile) -> [&'static str; 5] {
    // In and out alike are parameters of the statement.
    match profile {
        Profile::HammerDb => [
            "CALL NEWORD(?,?,?,?,?,?,?,?,?,?,?,?)",
            "CALL PAYMENT(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            "CALL OSTAT(?,?,?,?,?,?,?,?,?,?,?)",
            "CALL DELIVERY(?,?,?)",
            "CALL SLEV(?,?,?,?)",
        ],
        Profile::Spec => [
            "CALL NEWORD(?,?,?,?,?,?,?,?,?,?,?,?,?)",
            "CALL PAYMENT(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            "CALL OSTAT(?,?,?,?,?,?,?,?,?,?,?,?)",
            "CALL DELIVERY(?,?,?,?)",
            "CALL SLEV(?,?,?,?)",
        ],
    }
}

/// The ways of one connection to its procedures.
#[derive(Debug)]
pub(super) struct Calls {
    profile: Profile,
    warehouses: u32,
    way: Way,
    /// C_LAST of the call; the memory is used again.
    name: Vec<u8>,
}

#[derive(Debug)]
enum Way {
    Prepared([Statement; 5]),
    Plain(Text),
}

impl Calls {
    pub(super) async fn prepare(
        connection: &mut Connection,
        profile: Profile,
        warehouses: u32,
        mode: CallMode,
    ) -> Result<Self, Error> {
        let way = match mode {
            CallMode::Plain => Way::Plain(Text::new(profile, warehouses)),
            CallMode::Prepared => {
                let [new_order, payment, order_status, delivery, stock_level] = call_texts(profile);
                Way::Prepared([
                    connection.prepare(new_order).await?,
                    connection.prepare(payment).await?,
                    connection.prepare(order_status).await?,
                    connection.prepare(delivery).await?,
                    connection.prepare(stock_level).await?,
                ])
            }
        };
        Ok(Self { profile, warehouses, way, name: Vec::new() })
    }

    /// Carries out a call, COMMIT or ROLLBACK included.
    pub(super) async fn run(
        &mut self,
        connection: &mut Connection,
        call: Call,
        lines: &Lines,
        now_unix_s: i64,
    ) -> Result<Output, Error> {
        let Self { profile, warehouses, way, name } = self;
        match way {
            Way::Plain(text) => {
                text.write(call, lines.packed(), now_unix_s);
                if !text.set.is_empty() {
                    connection.run(&text.set).await?;
                }
                connection.run(&text.call).await?;
                let row = match text.select.is_empty() {
                    true => None,
                    false => connection.query_one(&text.select).await?,
                };
                output(call, row)
            }
            Way::Prepared(statements) => {
                let now = Value::utc(now_unix_s);
                name.clear();
                let row = match call {
                    Call::NewOrder { warehouse, district, customer, lines: count } => {
                        let key = [warehouse, district, customer, count];
                        let (values, count) = new_order(*profile, *warehouses, key, lines, now);
                        connection.fetch_one(&statements[0], &values[..count]).await?
                    }
                    Call::Payment { amount_cents, .. } => {
                        let amount = Amount::of_cents(amount_cents.into());
                        let values = payment(call, name, &amount, now);
                        connection.fetch_one(&statements[1], &values).await?
                    }
                    Call::OrderStatus { warehouse, district, customer } => {
                        let (id, by_name) = named(name, customer);
                        let mut values = [Value::Null; 12];
                        values[..3].copy_from_slice(&[warehouse.into(), district.into(), id]);
                        values[3..5].copy_from_slice(&[by_name, Value::Bytes(name)]);
                        let count = statements[2].parameters();
                        connection.fetch_one(&statements[2], &values[..count]).await?
                    }
                    Call::Delivery { warehouse, carrier } => {
                        let values = [warehouse.into(), carrier.into(), now, Value::Null];
                        let count = statements[3].parameters();
                        connection.fetch_one(&statements[3], &values[..count]).await?
                    }
                    Call::StockLevel { warehouse, district, threshold } => {
                        let [w, d, t] = [warehouse, district, threshold].map(Value::from);
                        connection.fetch_one(&statements[4], &[w, d, t, Value::Null]).await?
                    }
                };
                output(call, row)
            }
        }
    }
}

/// The parameters of NEWORD, and how many of them there are.
fn new_order<'a>(
    profile: Profile,
    warehouses: u32,
    key: [u32; 4],
    lines: &'a Lines,
    now: Value<'a>,
) -> ([Value<'a>; 13], usize) {
    let [warehouse, district, customer, count] = key.map(Value::from);
    let mut values = [Value::Null; 13];
    match profile {
        Profile::HammerDb => {
            let given = [warehouse, warehouses.into(), district, customer, count];
            values[..5].copy_from_slice(&given);
            values[10..12].copy_from_slice(&[Value::Int(0), now]);
            (values, 12)
        }
        Profile::Spec => {
            let given = [warehouse, district, customer, count, lines.packed().into()];
            values[..5].copy_from_slice(&given);
            values[10..].copy_from_slice(&[Value::Int(0), Value::Null, now]);
            (values, 13)
        }
    }
}

/// The parameters of PAYMENT.
fn payment<'a>(
    call: Call,
    name: &'a mut Vec<u8>,
    amount: &'a Amount,
    now: Value<'a>,
) -> [Value<'a>; 33] {
    let mut values = [Value::Null; 33];
    if let Call::Payment {
        warehouse,
        district,
        customer_warehouse,
        customer_district,
        customer,
        ..
    } = call
    {
        let (id, by_name) = named(name, customer);
        let place = [warehouse, district, customer_warehouse, customer_district];
        values[..4].copy_from_slice(&place.map(Value::from));
        values[4..8].copy_from_slice(&[id, by_name, amount.into(), Value::Bytes(name)]);
        // C_CREDIT and C_BALANCE are INOUT; HammerDB gives both a nought.
        values[27] = Value::Int(0);
        values[30] = Value::Int(0);
        values[32] = now;
    }
    values
}

/// C_ID and BYNAME of a customer, whose name, if it is by name, is put into `name`.
fn named(name: &mut Vec<u8>, customer: CustomerKey) -> (Value<'static>, Value<'static>) {
    match customer {
        CustomerKey::Id(id) => (id.into(), Value::Int(0)),
        CustomerKey::LastName(number) => {
            push_last_name(name, number);
            (Value::Int(0), Value::Int(1))
        }
    }
}

/// Reads the OUT parameters, which come in the order of the signature either way.
fn output(call: Call, row: Option<Row<'_>>) -> Result<Output, Error> {
    let returned = || {
        let reason = "the procedure returned no OUT parameters";
        row.filter(|row| !row.is_empty()).ok_or_else(|| Error::Protocol(reason.into()))
    };
    let whole = |row: &Row<'_>, at: usize| -> Result<Option<u32>, Error> {
        match at < row.len() && !row.is_null(at) {
            true => Ok(Some(row.int(at)? as u32)),
            false => Ok(None),
        }
    };
    match call {
        Call::NewOrder { .. } => Ok(Output::NewOrder(whole(&returned()?, 5)?)),
        Call::Payment { .. } => {
            let row = returned()?;
            // A customer who does not exist has no balance; HammerDB's procedure lets that be.
            let balance_cents = if row.is_null(24) { 0 } else { row.cents(24)? };
            Ok(Output::Payment { customer: whole(&row, 0)?.unwrap_or(0), balance_cents })
        }
        Call::OrderStatus { .. } => {
            let row = returned()?;
            let customer = whole(&row, 0)?.unwrap_or(0);
            Ok(Output::OrderStatus { customer, order: whole(&row, 5)?, lines: whole(&row, 8)? })
        }
        Call::Delivery { .. } => Ok(Output::Delivery(row.map_or(Ok(None), |row| whole(&row, 0))?)),
        Call::StockLevel { .. } => Ok(Output::StockLevel(whole(&returned()?, 0)?.unwrap_or(0))),
    }
}
