//! Payment, clause 2.5.2, row by row.

use workloads::tpcc::{
    Output, Profile,
    input::{CustomerKey, Input},
    random::last_name,
};

use crate::support::*;

/// Paid at warehouse 1, district 3.
fn payment(customer_warehouse: u32, customer_district: u32, customer: CustomerKey) -> Input {
    Input::Payment {
        warehouse: 1,
        district: 3,
        customer_warehouse,
        customer_district,
        customer,
        amount_cents: 123_456,
    }
}

fn pay(held: &Held, input: &Input) -> (u32, i64) {
    match held.transact(input) {
        Output::Payment { customer, balance_before_cents } => (customer, balance_before_cents),
        other => panic!("{other:?}"),
    }
}

/// A number with two digits behind the point, as hundredths.
fn cents(held: &Held, column: &str, from: &str) -> i64 {
    held.number(&format!("SELECT CAST(100 * {column} AS SIGNED) FROM {from}"))
}

/// Balance, year-to-date payments (cents) and payments of a customer.
fn account(held: &Held, [warehouse, district, id]: [u32; 3]) -> [i64; 3] {
    let from =
        format!("{{customer}} WHERE c_w_id = {warehouse} AND c_d_id = {district} AND c_id = {id}");
    let count = held.number(&format!("SELECT c_payment_cnt FROM {from}"));
    [cents(held, "c_balance", &from), cents(held, "c_ytd_payment", &from), count]
}

/// A customer of the district with this credit.
fn customer(held: &Held, district: [u32; 2], credit: &str) -> u32 {
    let [warehouse, district] = district;
    held.number(&format!(
        "SELECT MAX(c_id) FROM {{customer}} \
         WHERE c_w_id = {warehouse} AND c_d_id = {district} AND c_credit = '{credit}'"
    )) as u32
}

pub(crate) fn a_payment_is_written_as_clause_2_5_2_says(bench: &Bench) {
    for profile in Profile::ALL {
        let held = bench.two_warehouses(profile);
        // At home, and remote.
        for [warehouse, district] in [[1, 3], [2, 7]] {
            let id = customer(&held, [warehouse, district], "GC");
            let payer = [warehouse, district, id];
            let ytd = || {
                let districts = "{district} WHERE d_id = 3 AND d_w_id =";
                [
                    cents(&held, "w_ytd", "{warehouse} WHERE w_id = 1"),
                    cents(&held, "w_ytd", "{warehouse} WHERE w_id = 2"),
                    cents(&held, "d_ytd", &format!("{districts} 1")),
                    cents(&held, "d_ytd", &format!("{districts} 2")),
                    held.number("SELECT COUNT(*) FROM {history}"),
                ]
            };
            let (before, [balance, paid, count]) = (ytd(), account(&held, payer));
            let input = payment(warehouse, district, CustomerKey::Id(id));
            assert_eq!(pay(&held, &input), (id, balance));

            let [w1, w2, d1, d2, rows] = before;
            assert_eq!(ytd(), [w1 + 123_456, w2, d1 + 123_456, d2, rows + 1]);
            let expected = [balance - 123_456, paid + 123_456, count + 1];
            assert_eq!(account(&held, payer), expected);
            let data = "CONCAT(w_name, '    ', d_name)";
            let history = held.query(&format!(
                "SELECT h_w_id, h_d_id, h_amount, h_data = {data}, \
                 ABS(TIMESTAMPDIFF(SECOND, h_date, UTC_TIMESTAMP())) < 60 FROM {{history}} \
                 JOIN {{warehouse}} ON w_id = 1 JOIN {{district}} ON d_w_id = 1 AND d_id = 3 \
                 WHERE h_c_w_id = {warehouse} AND h_c_d_id = {district} AND h_c_id = {id} \
                 ORDER BY h_date DESC LIMIT 1"
            ));
            assert_eq!(history, ["1 3 1234.56 1 1"]);
        }
    }
}

pub(crate) fn the_payer_by_name_is_the_one_in_the_middle(bench: &Bench) {
    for profile in Profile::ALL {
        let held = bench.two_warehouses(profile);
        let counts = held.query(
            "SELECT COUNT(*), c_last FROM {customer} WHERE c_w_id = 1 AND c_d_id = 5 \
             GROUP BY c_last ORDER BY c_last",
        );
        // Alone, an even and an odd number of namesakes.
        for wanted in [|n| n == 1, |n| n > 1 && n % 2 == 0, |n: u32| n > 1 && n % 2 == 1] {
            let mut names = counts.iter().map(|row| row.split_once(' ').unwrap());
            let (_, name) = names.find(|(count, _)| wanted(count.parse().unwrap())).unwrap();
            let number = (0..1000).find(|number| last_name(*number) == name).unwrap();
            let ids = held.query(&format!(
                "SELECT c_id FROM {{customer}} WHERE c_w_id = 1 AND c_d_id = 5 \
                 AND c_last = '{name}' ORDER BY c_first"
            ));
            let middle: u32 = ids[ids.len().div_ceil(2) - 1].parse().unwrap();
            let before = account(&held, [1, 5, middle]);
            let input = payment(1, 5, CustomerKey::LastName(number));
            assert_eq!(pay(&held, &input), (middle, before[0]), "{ids:?}");
            assert_eq!(account(&held, [1, 5, middle])[2], before[2] + 1);
        }
    }
}

pub(crate) fn a_customer_with_bad_credit_has_it_written_down(bench: &Bench) {
    for profile in Profile::ALL {
        let held = bench.two_warehouses(profile);
        let id = customer(&held, [2, 7], "BC");
        let data = || {
            let sql = "SELECT c_data FROM {customer} WHERE c_w_id = 2 AND c_d_id = 7 AND c_id =";
            held.query(&format!("{sql} {id}")).remove(0)
        };
        let mut expected = data();
        let [balance, ..] = account(&held, [2, 7, id]);
        // The second time what was there is cut off at 500 characters.
        for times in 1..=10 {
            pay(&held, &payment(2, 7, CustomerKey::Id(id)));
            expected = match profile {
                Profile::Spec => format!("{id} 7 2 3 1 1234.56 {expected}"),
                Profile::BenchmarkSql => format!(
                    "C_ID={id} C_D_ID=7 C_W_ID=2 D_ID=3 W_ID=1 H_AMOUNT=1234.56   {expected}"
                ),
            };
            expected.truncate(500);
            assert_eq!(data(), expected);
            assert_eq!(account(&held, [2, 7, id])[0], balance - times * 123_456);
        }
        assert_eq!(expected.len(), 500);
    }
}
