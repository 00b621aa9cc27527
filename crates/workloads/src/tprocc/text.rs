//! The calls as text, in HammerDB's three round trips: SET, CALL, SELECT.

use super::{input::Call, profile::Profile};
use crate::tpcc::{input::CustomerKey, random::last_name, transactions::amount::Amount};
use client::Value;
use std::fmt::Write;

/// User variables of PAYMENT's OUT parameters, from the warehouse's address to C_DATA.
const PAYMENT_OUT: &str = "@p_w_street_1,@p_w_street_2,@p_w_city,@p_w_state,@p_w_zip,\
     @p_d_street_1,@p_d_street_2,@p_d_city,@p_d_state,@p_d_zip,@p_c_first,@p_c_middle,\
     @p_c_street_1,@p_c_street_2,@p_c_city,@p_c_state,@p_c_zip,@p_c_phone,@p_c_since,@p_c_credit,\
     @p_c_credit_lim,@p_c_discount,@p_c_balance,@p_c_data";

/// The statements of one call. An empty one is not sent. The memory is used again.
#[derive(Clone, Debug)]
pub(super) struct Text {
    profile: Profile,
    /// Warehouses of the data set, which HammerDB's NEWORD wants to know.
    warehouses: u32,
    /// Gives the INOUT parameters' variables their values.
    pub(super) set: String,
    /// Calls the procedure.
    pub(super) call: String,
    /// Asks for the OUT parameters.
    pub(super) select: String,
}

impl Text {
    pub(super) fn new(profile: Profile, warehouses: u32) -> Self {
        let (set, call, select) = Default::default();
        Self { profile, warehouses, set, call, select }
    }

    /// Writes the statements of `call`; `lines` are those of an order of the profile `spec`.
    pub(super) fn write(&mut self, call: Call, lines: &str, now_unix_s: i64) {
        for part in [&mut self.set, &mut self.call, &mut self.select] {
            part.clear();
        }
        let now = Moment::of(now_unix_s);
        // Writing to memory cannot fail.
        let _ = match call {
            Call::NewOrder { .. } => self.new_order(call, lines, &now),
            Call::Payment { .. } => self.payment(call, &now),
            Call::OrderStatus { warehouse, district, customer } => {
                self.order_status(warehouse, district, customer)
            }
            Call::Delivery { warehouse, carrier } => match self.profile {
                Profile::HammerDb => {
                    write!(self.call, "CALL DELIVERY({warehouse},{carrier},{now})")
                }
                Profile::Spec => {
                    self.select.push_str("SELECT @d_delivered");
                    write!(self.call, "CALL DELIVERY({warehouse},{carrier},{now},@d_delivered)")
                }
            },
            Call::StockLevel { warehouse, district, threshold } => {
                self.select.push_str("SELECT @stock_count");
                write!(self.call, "CALL SLEV({warehouse},{district},{threshold},@stock_count)")
            }
        };
    }

    fn new_order(&mut self, call: Call, lines: &str, now: &Moment) -> Result<(), std::fmt::Error> {
        let Call::NewOrder { warehouse, district, customer, lines: count } = call else {
            return Ok(());
        };
        self.set.push_str("SET @next_o_id = 0");
        self.select.push_str("SELECT @disc,@last,@credit,@dtax,@wtax,@next_o_id");
        match self.profile {
            Profile::HammerDb => write!(
                self.call,
                "CALL NEWORD({warehouse},{},{district},{customer},{count},@disc,@last,@credit,\
                 @dtax,@wtax,@next_o_id,{now})",
                self.warehouses
            ),
            Profile::Spec => {
                self.select.push_str(",@total");
                write!(
                    self.call,
                    "CALL NEWORD({warehouse},{district},{customer},{count},'{lines}',@disc,@last,\
                     @credit,@dtax,@wtax,@next_o_id,@total,{now})"
                )
            }
        }
    }

    fn payment(&mut self, call: Call, now: &Moment) -> Result<(), std::fmt::Error> {
        let Call::Payment {
            warehouse,
            district,
            customer_warehouse,
            customer_district,
            customer,
            amount_cents,
        } = call
        else {
            return Ok(());
        };
        let by_name = self.customer("p", customer)?;
        self.set.push_str(",@p_c_credit = 0,@p_c_balance = 0");
        write!(self.select, "SELECT @p_c_id,@p_c_last,{PAYMENT_OUT}")?;
        let amount = Amount::of_cents(amount_cents.into());
        write!(
            self.call,
            "CALL PAYMENT({warehouse},{district},{customer_warehouse},{customer_district},\
             @p_c_id,{by_name},{},@p_c_last,{PAYMENT_OUT},{now})",
            amount.as_str()
        )
    }

    fn order_status(
        &mut self,
        warehouse: u32,
        district: u32,
        customer: CustomerKey,
    ) -> Result<(), std::fmt::Error> {
        const OUT: &str = "@os_c_first,@os_c_middle,@os_c_balance,@os_o_id,@os_entdate,\
             @os_o_carrier_id";
        let lines = match self.profile {
            Profile::HammerDb => "",
            Profile::Spec => ",@os_lines",
        };
        let by_name = self.customer("os", customer)?;
        write!(self.select, "SELECT @os_c_id,@os_c_last,{OUT}{lines}")?;
        write!(
            self.call,
            "CALL OSTAT({warehouse},{district},@os_c_id,{by_name},@os_c_last,{OUT}{lines})"
        )
    }

    /// Sets the variables of a customer; 1 for one by name, 0 for one by number.
    fn customer(&mut self, prefix: &str, customer: CustomerKey) -> Result<u32, std::fmt::Error> {
        let (id, by_name, name) = match customer {
            CustomerKey::Id(id) => (id, 0, String::new()),
            CustomerKey::LastName(number) => (0, 1, last_name(number)),
        };
        write!(self.set, "SET @{prefix}_c_id = {id},@{prefix}_c_last = '{name}'")?;
        Ok(by_name)
    }
}

/// A moment as HammerDB writes it.
struct Moment(Value<'static>);

impl Moment {
    fn of(unix_s: i64) -> Self {
        Self(Value::utc(unix_s))
    }
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Value::DateTime { year, month, day, hour, minute, second } = self.0 else {
            return f.write_str("NULL");
        };
        write!(
            f,
            "str_to_date({year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02},\
             '%Y%m%d%H%i%s')"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(profile: Profile, call: Call) -> [String; 3] {
        let mut text = Text::new(profile, 20);
        // What an earlier call left must not show.
        text.write(Call::Delivery { warehouse: 9, carrier: 9 }, "", 0);
        text.write(call, "0100000100000501", 951_782_400);
        [text.set, text.call, text.select]
    }

    const NOW: &str = "str_to_date(20000229000000,'%Y%m%d%H%i%s')";

    #[test]
    fn calls_are_those_of_hammerdb() {
        let call = Call::NewOrder { warehouse: 1, district: 2, customer: 3, lines: 5 };
        let [set, call, select] = texts(Profile::HammerDb, call);
        assert_eq!(set, "SET @next_o_id = 0");
        let expected =
            format!("CALL NEWORD(1,20,2,3,5,@disc,@last,@credit,@dtax,@wtax,@next_o_id,{NOW})");
        assert_eq!(call, expected);
        assert_eq!(select, "SELECT @disc,@last,@credit,@dtax,@wtax,@next_o_id");
        let delivery = texts(Profile::HammerDb, Call::Delivery { warehouse: 4, carrier: 7 });
        assert_eq!(delivery, [String::new(), format!("CALL DELIVERY(4,7,{NOW})"), String::new()]);
    }

    #[test]
    fn payment_has_33_arguments_and_returns_26() {
        let call = Call::Payment {
            warehouse: 1,
            district: 2,
            customer_warehouse: 3,
            customer_district: 4,
            customer: CustomerKey::LastName(371),
            amount_cents: 12_300,
        };
        for profile in Profile::ALL {
            let [set, call, select] = texts(profile, call);
            assert_eq!(
                set,
                "SET @p_c_id = 0,@p_c_last = 'PRICALLYOUGHT',@p_c_credit = 0,@p_c_balance = 0"
            );
            let arguments = call.split("str_to_date").next().unwrap_or_default();
            assert_eq!(arguments.matches(',').count() + 1, 33, "{call}");
            assert!(call.starts_with("CALL PAYMENT(1,2,3,4,@p_c_id,1,123.00,@p_c_last,"), "{call}");
            assert_eq!(select.matches('@').count(), 26);
        }
    }

    #[test]
    fn the_lines_of_an_order_go_along_in_spec() {
        let call = Call::NewOrder { warehouse: 1, district: 2, customer: 3, lines: 1 };
        let [_, call, _] = texts(Profile::Spec, call);
        assert!(call.starts_with("CALL NEWORD(1,2,3,1,'0100000100000501',@disc,"), "{call}");
    }
}
