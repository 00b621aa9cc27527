//! Delivery, clause 2.7.4, row by row.

use workloads::tpcc::{Output, Profile, input::Input};

use crate::support::*;

/// Of each district: its oldest waiting order, who ordered, what it comes to (cents), and of the
/// customer balance (cents) and deliveries.
fn oldest(held: &Held) -> Vec<[i64; 6]> {
    let rows = held.query(
        "SELECT no_d_id, o_id, o_c_id, (SELECT CAST(100 * SUM(ol_amount) AS SIGNED) \
         FROM {order_line} WHERE ol_w_id = 2 AND ol_d_id = no_d_id AND ol_o_id = o_id), \
         CAST(100 * c_balance AS SIGNED), c_delivery_cnt \
         FROM (SELECT no_d_id, MIN(no_o_id) AS first FROM {new_order} WHERE no_w_id = 2 \
         GROUP BY no_d_id) AS waiting \
         JOIN {orders} ON o_w_id = 2 AND o_d_id = no_d_id AND o_id = first \
         JOIN {customer} ON c_w_id = 2 AND c_d_id = no_d_id AND c_id = o_c_id ORDER BY no_d_id",
    );
    let values =
        |row: &String| -> Vec<i64> { row.split(' ').map(|value| value.parse().unwrap()).collect() };
    rows.iter().map(|row| values(row).try_into().unwrap()).collect()
}

fn deliver(held: &Held, carrier: u32) -> u32 {
    match held.transact(&Input::Delivery { warehouse: 2, carrier }) {
        Output::Delivery { delivered } => delivered,
        other => panic!("{other:?}"),
    }
}

fn was_delivered(held: &Held, [district, order, customer, amount, balance, count]: [i64; 6]) {
    let row = held.query(&format!(
        "SELECT o_carrier_id, (SELECT COUNT(*) FROM {{new_order}} WHERE no_w_id = 2 \
         AND no_d_id = {district} AND no_o_id = {order}), \
         (SELECT COUNT(*) FROM {{order_line}} WHERE ol_w_id = 2 AND ol_d_id = {district} \
         AND ol_o_id = {order} AND ABS(TIMESTAMPDIFF(SECOND, ol_delivery_d, UTC_TIMESTAMP())) \
         < 60) = o_ol_cnt, CAST(100 * c_balance AS SIGNED), c_delivery_cnt FROM {{orders}} \
         JOIN {{customer}} ON c_w_id = 2 AND c_d_id = {district} AND c_id = {customer} \
         WHERE o_w_id = 2 AND o_d_id = {district} AND o_id = {order}"
    ));
    assert_eq!(row, [format!("7 0 1 {} {}", balance + amount, count + 1)], "district {district}");
}

pub(crate) fn the_oldest_order_of_each_district_is_delivered(bench: &Bench) {
    for profile in Profile::ALL {
        let held = bench.two_warehouses(profile);
        let before = oldest(&held);
        assert_eq!(before.len(), 10);
        assert_eq!(deliver(&held, 7), 10);
        for order in &before {
            was_delivered(&held, *order);
        }
        let after = oldest(&held);
        assert!(before.iter().zip(&after).all(|(old, new)| new[1] == old[1] + 1));
    }
}

pub(crate) fn a_district_without_orders_is_skipped(bench: &Bench) {
    for profile in Profile::ALL {
        let held = bench.two_warehouses(profile);
        let before = oldest(&held);
        held.run("CREATE TABLE set_aside SELECT * FROM {new_order} WHERE no_w_id = 2");
        held.run("DELETE FROM {new_order} WHERE no_w_id = 2 AND no_d_id IN (1, 6)");
        assert_eq!(deliver(&held, 7), 8);
        held.run("INSERT INTO {new_order} SELECT * FROM set_aside WHERE no_d_id IN (1, 6)");
        held.run("DROP TABLE set_aside");
        let after = oldest(&held);
        for (old, new) in before.into_iter().zip(after) {
            if [1, 6].contains(&old[0]) {
                assert_eq!(new, old);
            } else {
                was_delivered(&held, old);
            }
        }
    }
}
