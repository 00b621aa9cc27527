//! Order-Status (clause 2.6.2) and Stock-Level (clause 2.8.2): the two that only read.

use std::collections::HashSet;

use workloads::tpcc::{
    Output, Profile,
    input::{CustomerKey, Input, OrderLine},
    random::last_name,
};

use crate::support::*;

pub(crate) fn order_status_shows_the_last_order(bench: &Bench) {
    for profile in Profile::ALL {
        let held = bench.two_warehouses(profile);
        let status =
            |customer| held.transact(&Input::OrderStatus { warehouse: 2, district: 8, customer });
        let last = |id: u32| {
            let row = held.query(&format!(
                "SELECT o_id, o_ol_cnt FROM {{orders}} WHERE o_w_id = 2 AND o_d_id = 8 \
                 AND o_c_id = {id} ORDER BY o_id DESC LIMIT 1"
            ));
            let (order, lines) = row[0].split_once(' ').unwrap();
            let (order, lines) = (order.parse().unwrap(), lines.parse().unwrap());
            Output::OrderStatus { customer: id, order, lines }
        };
        assert_eq!(status(CustomerKey::Id(3000)), last(3000));

        // A new order is the last one from then on.
        let lines = vec![OrderLine { item: 9, supply_warehouse: 2, quantity: 1 }; 6];
        let input = Input::NewOrder { warehouse: 2, district: 8, customer: 3000, lines };
        let Output::NewOrder(Some(placed)) = held.transact(&input) else { panic!("no order") };
        let expected = Output::OrderStatus { customer: 3000, order: placed.order, lines: 6 };
        assert_eq!(status(CustomerKey::Id(3000)), expected);

        let namesakes = held.query(&format!(
            "SELECT c_id FROM {{customer}} WHERE c_w_id = 2 AND c_d_id = 8 AND c_last = '{}' \
             ORDER BY c_first",
            last_name(123)
        ));
        let middle = namesakes[namesakes.len().div_ceil(2) - 1].parse().unwrap();
        assert_eq!(status(CustomerKey::LastName(123)), last(middle));
    }
}

pub(crate) fn stock_level_equals_a_count_by_hand(bench: &Bench) {
    for profile in Profile::ALL {
        let held = bench.two_warehouses(profile);
        let next = held.number("SELECT d_next_o_id FROM {district} WHERE d_w_id = 1 AND d_id = 9");
        let lines = held
            .query("SELECT ol_o_id, ol_i_id FROM {order_line} WHERE ol_w_id = 1 AND ol_d_id = 9");
        let pair = |row: &String| -> (i64, i64) {
            let (first, second) = row.split_once(' ').unwrap();
            (first.parse().unwrap(), second.parse().unwrap())
        };
        let items: HashSet<i64> = lines
            .iter()
            .map(pair)
            .filter(|(order, _)| (next - 20..next).contains(order))
            .map(|(_, item)| item)
            .collect();
        assert!(items.len() > 50, "{}", items.len());
        let stock = held.query("SELECT s_i_id, s_quantity FROM {stock} WHERE s_w_id = 1");
        for threshold in [10, 15, 20, 60, 1000] {
            let low = |(item, quantity): &(i64, i64)| {
                items.contains(item) && *quantity < i64::from(threshold)
            };
            let low_stock = stock.iter().map(pair).filter(low).count() as u32;
            let input = Input::StockLevel { warehouse: 1, district: 9, threshold };
            assert_eq!(held.transact(&input), Output::StockLevel { low_stock }, "{threshold}");
        }
    }
}
