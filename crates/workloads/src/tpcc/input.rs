//! What a terminal types in: the inputs of clauses 2.4.1, 2.5.1, 2.6.1, 2.7.1 and 2.8.1.

use super::{
    profile::Profile,
    random::{DISTRICTS_PER_WAREHOUSE, NuRandConstants, uniform},
};
use rand::Rng;

/// An item number that no ITEM has; it makes a New-Order roll back, clause 2.4.1.4.
pub const UNUSED_ITEM: u32 = 999_999;

/// A customer, by number or by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CustomerKey {
    /// C_ID.
    Id(u32),
    /// The number of a C_LAST, clause 4.3.2.3.
    LastName(u32),
}

/// One line of a New-Order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderLine {
    /// OL_I_ID.
    pub item: u32,
    /// OL_SUPPLY_W_ID.
    pub supply_warehouse: u32,
    /// OL_QUANTITY.
    pub quantity: u32,
}

/// The inputs of one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Clause 2.4.1.
    NewOrder {
        /// W_ID.
        warehouse: u32,
        /// D_ID.
        district: u32,
        /// C_ID.
        customer: u32,
        /// 5 to 15 lines. The last one's item is [`UNUSED_ITEM`] where a rollback is wanted.
        lines: Vec<OrderLine>,
    },
    /// Clause 2.5.1.
    Payment {
        /// W_ID.
        warehouse: u32,
        /// D_ID.
        district: u32,
        /// C_W_ID.
        customer_warehouse: u32,
        /// C_D_ID.
        customer_district: u32,
        /// Who pays.
        customer: CustomerKey,
        /// H_AMOUNT, cents.
        amount_cents: u32,
    },
    /// Clause 2.6.1.
    OrderStatus {
        /// W_ID.
        warehouse: u32,
        /// D_ID.
        district: u32,
        /// Who asks.
        customer: CustomerKey,
    },
    /// Clause 2.7.1.
    Delivery {
        /// W_ID.
        warehouse: u32,
        /// O_CARRIER_ID.
        carrier: u32,
    },
    /// Clause 2.8.1.
    StockLevel {
        /// W_ID.
        warehouse: u32,
        /// D_ID, fixed for the terminal.
        district: u32,
        /// Items below this quantity are counted.
        threshold: u32,
    },
}

/// The five transactions, in the order of their clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Clause 2.4.
    NewOrder,
    /// Clause 2.5.
    Payment,
    /// Clause 2.6.
    OrderStatus,
    /// Clause 2.7.
    Delivery,
    /// Clause 2.8.
    StockLevel,
}

impl Kind {
    /// All five.
    pub const ALL: [Self; 5] =
        [Self::NewOrder, Self::Payment, Self::OrderStatus, Self::Delivery, Self::StockLevel];

    /// The field's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NewOrder => "New-Order",
            Self::Payment => "Payment",
            Self::OrderStatus => "Order-Status",
            Self::Delivery => "Delivery",
            Self::StockLevel => "Stock-Level",
        }
    }

    /// Keying time, seconds, clause 5.2.5.7.
    pub fn keying_s(self) -> u64 {
        match self {
            Self::NewOrder => 18,
            Self::Payment => 3,
            _ => 2,
        }
    }

    /// Mean of the think time, seconds, clause 5.2.5.7.
    pub fn mean_think_s(self) -> f64 {
        match self {
            Self::NewOrder | Self::Payment => 12.0,
            Self::OrderStatus => 10.0,
            Self::Delivery | Self::StockLevel => 5.0,
        }
    }
}

/// The terminal that types: where it stands and what it draws from.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Whose rules apply.
    pub profile: Profile,
    /// Warehouses of the data set.
    pub warehouses: u32,
    /// The home warehouse.
    pub warehouse: u32,
    /// The home district, used by Stock-Level.
    pub district: u32,
    /// The constants of the run.
    pub constants: NuRandConstants,
}

impl Terminal {
    /// Draws the inputs of one transaction.
    pub fn draw(&self, kind: Kind, rng: &mut impl Rng) -> Input {
        let warehouse = self.warehouse;
        match kind {
            Kind::NewOrder => self.new_order(rng),
            Kind::Payment => self.payment(rng),
            Kind::OrderStatus => Input::OrderStatus {
                warehouse,
                district: uniform(rng, 1, DISTRICTS_PER_WAREHOUSE),
                customer: self.customer(rng),
            },
            Kind::Delivery => Input::Delivery { warehouse, carrier: uniform(rng, 1, 10) },
            Kind::StockLevel => Input::StockLevel {
                warehouse,
                district: self.district,
                threshold: uniform(rng, 10, 20),
            },
        }
    }

    fn new_order(&self, rng: &mut impl Rng) -> Input {
        let district = uniform(rng, 1, DISTRICTS_PER_WAREHOUSE);
        let customer = self.constants.customer(rng);
        let count = uniform(rng, 5, 15);
        let rolls_back = uniform(rng, 1, 100) == 1;
        let mut lines: Vec<OrderLine> = (0..count).map(|_| self.line(rng)).collect();
        if let Some(last) = lines.last_mut().filter(|_| rolls_back) {
            last.item = UNUSED_ITEM;
        }
        Input::NewOrder { warehouse: self.warehouse, district, customer, lines }
    }

    /// One line, clause 2.4.1.5.
    pub(crate) fn line(&self, rng: &mut impl Rng) -> OrderLine {
        let item = self.constants.item(rng);
        let remote = uniform(rng, 1, 100) == 1;
        let supply_warehouse = match (remote, self.profile) {
            (false, _) => self.warehouse,
            (true, Profile::Spec) => self.other_warehouse(rng),
            (true, Profile::BenchmarkSql) => uniform(rng, 1, self.warehouses),
        };
        OrderLine { item, supply_warehouse, quantity: uniform(rng, 1, 10) }
    }

    fn payment(&self, rng: &mut impl Rng) -> Input {
        let district = uniform(rng, 1, DISTRICTS_PER_WAREHOUSE);
        let remote = uniform(rng, 1, 100) > 85;
        let (customer_warehouse, customer_district) = if remote {
            (self.other_warehouse(rng), uniform(rng, 1, DISTRICTS_PER_WAREHOUSE))
        } else {
            (self.warehouse, district)
        };
        Input::Payment {
            warehouse: self.warehouse,
            district,
            customer_warehouse,
            customer_district,
            customer: self.customer(rng),
            amount_cents: uniform(rng, 100, 500_000),
        }
    }

    /// By name in 60 of 100 cases, clauses 2.5.1.2 and 2.6.1.2.
    fn customer(&self, rng: &mut impl Rng) -> CustomerKey {
        if uniform(rng, 1, 100) <= 60 {
            CustomerKey::LastName(self.constants.last_name(rng))
        } else {
            CustomerKey::Id(self.constants.customer(rng))
        }
    }

    /// Any warehouse but the home one; the home one where it is the only one.
    fn other_warehouse(&self, rng: &mut impl Rng) -> u32 {
        if self.warehouses == 1 {
            return self.warehouse;
        }
        let drawn = uniform(rng, 1, self.warehouses - 1);
        if drawn >= self.warehouse { drawn + 1 } else { drawn }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::stream;
    use super::*;

    fn terminal(profile: Profile, warehouses: u32) -> Terminal {
        let constants = NuRandConstants::for_run(3, 100);
        Terminal { profile, warehouses, warehouse: 2.min(warehouses), district: 4, constants }
    }

    /// True when `seen` of `of` is within five standard deviations of share `p`.
    fn close(seen: usize, of: usize, p: f64) -> bool {
        let (seen, of) = (seen as f64, of as f64);
        (seen - of * p).abs() < 5.0 * (of * p * (1.0 - p)).sqrt()
    }

    #[test]
    fn one_new_order_in_a_hundred_rolls_back_on_its_last_line() {
        let (terminal, mut rng) = (terminal(Profile::Spec, 10), stream(1, &[]));
        let mut back = 0;
        for _ in 0..50_000 {
            let Input::NewOrder { lines, .. } = terminal.draw(Kind::NewOrder, &mut rng) else {
                panic!("not a New-Order");
            };
            assert!((5..=15).contains(&lines.len()));
            let unused = lines.iter().position(|line| line.item == UNUSED_ITEM);
            assert!(unused.is_none_or(|at| at == lines.len() - 1));
            back += usize::from(unused.is_some());
        }
        assert!(close(back, 50_000, 0.01), "{back}");
    }

    #[test]
    fn one_line_in_a_hundred_is_remote() {
        for (profile, share) in [(Profile::Spec, 0.01), (Profile::BenchmarkSql, 0.009)] {
            let (terminal, mut rng) = (terminal(profile, 10), stream(2, &[]));
            let (mut remote, mut all) = (0, 0);
            while all < 300_000 {
                let Input::NewOrder { lines, .. } = terminal.draw(Kind::NewOrder, &mut rng) else {
                    panic!("not a New-Order");
                };
                all += lines.len();
                remote += lines.iter().filter(|line| line.supply_warehouse != 2).count();
            }
            assert!(close(remote, all, share), "{profile}: {remote} of {all}");
        }
    }

    #[test]
    fn fifteen_payments_in_a_hundred_are_remote_and_sixty_by_name() {
        let (terminal, mut rng) = (terminal(Profile::Spec, 10), stream(3, &[]));
        let (mut remote, mut by_name, all) = (0, 0, 50_000);
        for _ in 0..all {
            let Input::Payment { customer_warehouse, customer, amount_cents, .. } =
                terminal.draw(Kind::Payment, &mut rng)
            else {
                panic!("not a Payment");
            };
            remote += usize::from(customer_warehouse != 2);
            by_name += usize::from(matches!(customer, CustomerKey::LastName(_)));
            assert!((100..=500_000).contains(&amount_cents));
        }
        assert!(close(remote, all, 0.15), "{remote}");
        assert!(close(by_name, all, 0.60), "{by_name}");
    }

    #[test]
    fn the_other_warehouse_is_never_the_home_one_and_every_other_one() {
        let (terminal, mut rng) = (terminal(Profile::Spec, 3), stream(4, &[]));
        let drawn: std::collections::BTreeSet<u32> =
            (0..200).map(|_| terminal.other_warehouse(&mut rng)).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn a_single_warehouse_has_nothing_remote() {
        let (terminal, mut rng) = (terminal(Profile::Spec, 1), stream(5, &[]));
        for _ in 0..1000 {
            if let Input::Payment { customer_warehouse, .. } =
                terminal.draw(Kind::Payment, &mut rng)
            {
                assert_eq!(customer_warehouse, 1);
            }
        }
    }
}
