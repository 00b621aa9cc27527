//! What a virtual user calls the procedures with.

use super::{profile::Profile, rows};
use crate::tpcc::{
    input::{CustomerKey, Input, Kind, OrderLine, Terminal, UNUSED_ITEM},
    random::{CUSTOMERS_PER_DISTRICT, DISTRICTS_PER_WAREHOUSE, uniform},
};
use rand::Rng;

/// The inputs of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// NEWORD. In the profile `spec` the lines come beside, as [`Lines`].
    NewOrder {
        /// Home warehouse.
        warehouse: u32,
        /// District.
        district: u32,
        /// Customer.
        customer: u32,
        /// Lines, 5 to 15.
        lines: u32,
    },
    /// PAYMENT.
    Payment {
        /// Warehouse that is paid at.
        warehouse: u32,
        /// District that is paid at.
        district: u32,
        /// The payer's warehouse.
        customer_warehouse: u32,
        /// The payer's district.
        customer_district: u32,
        /// Who pays.
        customer: CustomerKey,
        /// How much, cents.
        amount_cents: u32,
    },
    /// OSTAT.
    OrderStatus {
        /// Warehouse.
        warehouse: u32,
        /// District.
        district: u32,
        /// Who asks.
        customer: CustomerKey,
    },
    /// DELIVERY.
    Delivery {
        /// Warehouse.
        warehouse: u32,
        /// Carrier, 1 to 10.
        carrier: u32,
    },
    /// SLEV.
    StockLevel {
        /// Warehouse.
        warehouse: u32,
        /// District.
        district: u32,
        /// Items below this quantity are counted.
        threshold: u32,
    },
}

impl Call {
    /// The call that asks for what a TPC-C terminal types in; the lines of an order go to `lines`.
    pub fn of_input(input: &Input, lines: &mut Lines) -> Self {
        match *input {
            Input::NewOrder { warehouse, district, customer, lines: ref given } => {
                lines.pack(given.iter().copied());
                Self::NewOrder { warehouse, district, customer, lines: given.len() as u32 }
            }
            Input::Payment {
                warehouse,
                district,
                customer_warehouse,
                customer_district,
                customer,
                amount_cents,
            } => Self::Payment {
                warehouse,
                district,
                customer_warehouse,
                customer_district,
                customer,
                amount_cents,
            },
            Input::OrderStatus { warehouse, district, customer } => {
                Self::OrderStatus { warehouse, district, customer }
            }
            Input::Delivery { warehouse, carrier } => Self::Delivery { warehouse, carrier },
            Input::StockLevel { warehouse, district, threshold } => {
                Self::StockLevel { warehouse, district, threshold }
            }
        }
    }
}

/// The lines of an order as the procedure of `spec` takes them. The memory is used again.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    sequence: Vec<(u32, OrderLine)>,
    packed: String,
}

impl Lines {
    /// Packs lines that are numbered from 1, in the order of the stock's key, an unused item last.
    pub fn pack(&mut self, lines: impl Iterator<Item = OrderLine>) {
        self.sequence.clear();
        self.sequence.extend((1..).zip(lines));
        self.sequence.sort_unstable_by_key(|(number, line)| {
            (line.item == UNUSED_ITEM, line.supply_warehouse, line.item, *number)
        });
        self.packed.clear();
        for (number, line) in &self.sequence {
            digits(&mut self.packed, *number, 2);
            digits(&mut self.packed, line.supply_warehouse, 6);
            digits(&mut self.packed, line.item, 6);
            digits(&mut self.packed, line.quantity, 2);
        }
    }

    /// Sixteen digits a line.
    pub fn packed(&self) -> &str {
        &self.packed
    }
}

/// Appends a number in exactly `width` digits.
fn digits(out: &mut String, number: u32, width: u32) {
    for place in (0..width).rev() {
        out.push(char::from(b'0' + (number / 10u32.pow(place) % 10) as u8));
    }
}

/// A virtual user: where it works and what it draws from.
#[derive(Clone, Debug)]
pub struct User {
    /// Whose rules apply.
    pub profile: Profile,
    /// The warehouses that it works at, one or several.
    pub homes: Vec<u32>,
    /// A TPC-C terminal: warehouses, the district of its Stock-Levels and NURand constants. Its
    /// warehouse is that of the next call.
    pub terminal: Terminal,
}

impl User {
    /// Draws the inputs of one call; the lines of an order go to `lines`.
    pub fn draw(&mut self, kind: Kind, rng: &mut impl Rng, lines: &mut Lines) -> Call {
        match self.homes.as_slice() {
            [] => {}
            [home] => self.terminal.warehouse = *home,
            homes => {
                self.terminal.warehouse = homes[uniform(rng, 0, homes.len() as u32 - 1) as usize];
            }
        }
        match self.profile {
            Profile::HammerDb => self.hammerdb(kind, rng),
            Profile::Spec if kind == Kind::NewOrder => self.new_order(rng, lines),
            Profile::Spec => Call::of_input(&self.terminal.draw(kind, rng), lines),
        }
    }

    /// TPC-C's New-Order without memory of its own; clause 2.4.1.
    fn new_order(&self, rng: &mut impl Rng, lines: &mut Lines) -> Call {
        let terminal = &self.terminal;
        let district = uniform(rng, 1, DISTRICTS_PER_WAREHOUSE);
        let customer = terminal.constants.customer(rng);
        let count = uniform(rng, 5, 15);
        let rolls_back = uniform(rng, 1, 100) == 1;
        lines.pack((1..=count).map(|number| {
            let mut line = terminal.line(rng);
            if rolls_back && number == count {
                line.item = UNUSED_ITEM;
            }
            line
        }));
        Call::NewOrder { warehouse: terminal.warehouse, district, customer, lines: count }
    }

    fn hammerdb(&self, kind: Kind, rng: &mut impl Rng) -> Call {
        let Terminal { warehouse, warehouses, .. } = self.terminal;
        match kind {
            Kind::NewOrder => Call::NewOrder {
                warehouse,
                district: uniform(rng, 1, DISTRICTS_PER_WAREHOUSE),
                customer: uniform(rng, 1, CUSTOMERS_PER_DISTRICT),
                lines: uniform(rng, 5, 15),
            },
            Kind::Payment => {
                let district = uniform(rng, 1, DISTRICTS_PER_WAREHOUSE);
                let remote = uniform(rng, 1, 100) > 85;
                let customer = hammerdb_customer(rng);
                let (customer_warehouse, customer_district) = match remote {
                    false => (warehouse, district),
                    true => {
                        let district = uniform(rng, 1, DISTRICTS_PER_WAREHOUSE);
                        (other_warehouse(rng, warehouse, warehouses), district)
                    }
                };
                let amount_cents = 100 * uniform(rng, 1, 5000);
                Call::Payment {
                    warehouse,
                    district,
                    customer_warehouse,
                    customer_district,
                    customer,
                    amount_cents,
                }
            }
            Kind::OrderStatus => Call::OrderStatus {
                warehouse,
                district: uniform(rng, 1, DISTRICTS_PER_WAREHOUSE),
                customer: hammerdb_customer(rng),
            },
            Kind::Delivery => Call::Delivery { warehouse, carrier: uniform(rng, 1, 10) },
            Kind::StockLevel => Call::StockLevel {
                warehouse,
                district: self.terminal.district,
                threshold: uniform(rng, 10, 20),
            },
        }
    }
}

/// By name in 60 of 100 cases.
fn hammerdb_customer(rng: &mut impl Rng) -> CustomerKey {
    if uniform(rng, 1, 100) <= 60 {
        CustomerKey::LastName(rows::last_name(rng))
    } else {
        CustomerKey::Id(uniform(rng, 1, CUSTOMERS_PER_DISTRICT))
    }
}

/// Any warehouse but `home`; `home` where it is the only one.
fn other_warehouse(rng: &mut impl Rng, home: u32, warehouses: u32) -> u32 {
    if warehouses == 1 {
        return home;
    }
    let drawn = uniform(rng, 1, warehouses - 1);
    if drawn >= home { drawn + 1 } else { drawn }
}

/// The warehouses of one of `users` virtual users in HammerDB's all-warehouses mode: every
/// `users`-th one, so that each warehouse has a user and each user as many warehouses.
pub fn share_of_warehouses(user: u32, users: u32, warehouses: u32) -> Vec<u32> {
    let each = warehouses.div_ceil(users.max(1));
    let at = |turn| u64::from(user) + u64::from(turn) * u64::from(users);
    (0..each).map(|turn| (at(turn) % u64::from(warehouses)) as u32 + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::random::{NuRandConstants, stream};

    fn user(profile: Profile, warehouses: u32) -> User {
        let constants = NuRandConstants::for_run(3, 100);
        let warehouse = 2.min(warehouses);
        let profile_of_tpcc = crate::tpcc::Profile::Spec;
        let terminal =
            Terminal { profile: profile_of_tpcc, warehouses, warehouse, district: 4, constants };
        User { profile, homes: vec![warehouse], terminal }
    }

    #[test]
    fn lines_are_packed_in_the_order_of_the_stock_with_an_unused_item_last() {
        let line =
            |item, supply_warehouse, quantity| OrderLine { item, supply_warehouse, quantity };
        let mut lines = Lines::default();
        lines.pack([line(7, 2, 10), line(UNUSED_ITEM, 1, 1), line(5, 1, 3)].into_iter());
        let text = lines.packed();
        assert_eq!(
            text,
            "0300000100000503\
                          0100000200000710\
                          0200000199999901"
        );
        lines.pack([line(100_000, 123_456, 9)].into_iter());
        assert_eq!(lines.packed(), "0112345610000009");
    }

    #[test]
    fn new_orders_of_spec_are_those_of_a_tpcc_terminal() {
        let mut user = user(Profile::Spec, 10);
        let (mut one, mut other) = (stream(1, &[]), stream(1, &[]));
        let (mut ours, mut theirs) = (Lines::default(), Lines::default());
        for _ in 0..500 {
            let drawn = user.draw(Kind::NewOrder, &mut one, &mut ours);
            let input = user.terminal.draw(Kind::NewOrder, &mut other);
            assert_eq!(drawn, Call::of_input(&input, &mut theirs));
            assert_eq!(ours.packed(), theirs.packed());
        }
    }

    #[test]
    fn hammerdb_draws_whole_amounts_and_fifteen_remote_payments_in_a_hundred() {
        let (mut user, mut rng) = (user(Profile::HammerDb, 10), stream(2, &[]));
        let mut lines = Lines::default();
        let (mut remote, mut by_name) = (0, 0);
        for _ in 0..20_000 {
            let Call::Payment { customer_warehouse, customer, amount_cents, .. } =
                user.draw(Kind::Payment, &mut rng, &mut lines)
            else {
                panic!("no Payment");
            };
            remote += u32::from(customer_warehouse != 2);
            by_name += u32::from(matches!(customer, CustomerKey::LastName(_)));
            assert!(amount_cents % 100 == 0 && (100..=500_000).contains(&amount_cents));
        }
        // Five standard deviations are 252 and 346.
        assert!((2748..3252).contains(&remote), "{remote}");
        assert!((11_654..12_346).contains(&by_name), "{by_name}");
    }

    #[test]
    fn all_warehouses_are_shared_out() {
        assert_eq!(share_of_warehouses(0, 2, 5), [1, 3, 5]);
        // The last turn wraps around, as HammerDB's does.
        assert_eq!(share_of_warehouses(1, 2, 5), [2, 4, 1]);
        assert_eq!(share_of_warehouses(4, 10, 3), [2]);
        let mut user = User { homes: vec![1, 3], ..user(Profile::HammerDb, 3) };
        let (mut rng, mut lines) = (stream(3, &[]), Lines::default());
        let mut seen = [0; 4];
        for _ in 0..100 {
            if let Call::Delivery { warehouse, .. } =
                user.draw(Kind::Delivery, &mut rng, &mut lines)
            {
                seen[warehouse as usize] += 1;
            }
        }
        assert!(seen[1] > 20 && seen[3] > 20 && seen[2] == 0, "{seen:?}");
    }
}
