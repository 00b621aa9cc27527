//! New-Order, clause 2.4.2, row by row.

use workloads::tpcc::{
    Output, Placed, Profile, RunOptions,
    input::{Input, OrderLine, UNUSED_ITEM},
};

use crate::support::*;

fn line(item: u32, supply_warehouse: u32, quantity: u32) -> OrderLine {
    OrderLine { item, supply_warehouse, quantity }
}

const DISTRICT: u32 = 4;
const CUSTOMER: u32 = 77;

fn order(lines: &[OrderLine]) -> Input {
    let lines = lines.to_vec();
    Input::NewOrder { warehouse: 1, district: DISTRICT, customer: CUSTOMER, lines }
}

/// Each profile with its own round trips, and with few.
fn ways() -> impl Iterator<Item = (Profile, bool)> {
    Profile::ALL.into_iter().flat_map(|profile| [(profile, false), (profile, true)])
}

fn transact(held: &Held, lines: &[OrderLine], pipelined: bool) -> Output {
    held.transact_with(&order(lines), RunOptions { pipelined, ..RunOptions::default() })
}

fn placed(held: &Held, lines: &[OrderLine], pipelined: bool) -> Placed {
    match transact(held, lines, pipelined) {
        Output::NewOrder(Some(placed)) => placed,
        other => panic!("{other:?}"),
    }
}

/// Quantity, year-to-date, orders and remote orders of a stock row.
fn stock(held: &Held, warehouse: u32, item: u32) -> Vec<i64> {
    let rows = held.query(&format!(
        "SELECT s_quantity, s_ytd, s_order_cnt, s_remote_cnt FROM {{stock}} \
         WHERE s_w_id = {warehouse} AND s_i_id = {item}"
    ));
    rows[0].split(' ').map(|value| value.parse().unwrap()).collect()
}

pub(crate) fn an_order_is_written_as_clause_2_4_2_says(bench: &Bench) {
    for (profile, pipelined) in ways() {
        let held = bench.two_warehouses(profile);
        // Out of the order of their keys, one remote, one item twice.
        let lines =
            [line(500, 1, 5), line(40, 1, 10), line(30, 2, 7), line(500, 1, 1), line(10, 1, 5)];
        for (item, quantity) in [(10, 14), (500, 15), (40, 20), (30, 50)] {
            held.run(&format!("UPDATE {{stock}} SET s_quantity={quantity} WHERE s_i_id={item}"));
        }
        let stocks = [(1, 10), (2, 30), (1, 40), (1, 500)];
        let before = stocks.map(|(warehouse, item)| stock(&held, warehouse, item));
        let elsewhere = stock(&held, 1, 30);
        let next = held.number(NEXT_ORDER);
        let placed = placed(&held, &lines, pipelined);

        assert_eq!(i64::from(placed.order), next);
        assert_eq!(held.number(NEXT_ORDER), next + 1);
        has_its_rows(&held, next, &lines);
        costs_what_it_should(&held, &placed);

        // 14 - 5 and 15 - 5 - 1 are below 10: restocked with 91. BenchmarkSQL then does not
        // take the quantity off, and it reads both lines of item 500 before it writes either.
        let (refilled, twice) = match profile {
            Profile::Spec => (14 - 5 + 91, 15 - 5 - 1 + 91),
            Profile::BenchmarkSql => (14 + 91, 15 - 1),
        };
        let expected = [
            [refilled, before[0][1] + 5, before[0][2] + 1, before[0][3]],
            [50 - 7, before[1][1] + 7, before[1][2] + 1, before[1][3] + 1],
            [20 - 10, before[2][1] + 10, before[2][2] + 1, before[2][3]],
            [twice, before[3][1] + 6, before[3][2] + 2, before[3][3]],
        ];
        assert_eq!(stocks.map(|(warehouse, item)| stock(&held, warehouse, item)), expected);
        assert_eq!(stock(&held, 1, 30), elsewhere, "supplied by the other warehouse");
    }
}

const NEXT_ORDER: &str = "SELECT d_next_o_id FROM {district} WHERE d_w_id = 1 AND d_id = 4";

fn has_its_rows(held: &Held, order: i64, lines: &[OrderLine]) {
    let all_local = i32::from(lines.iter().all(|line| line.supply_warehouse == 1));
    // Dates are written in UTC.
    let row = held.query(&format!(
        "SELECT o_c_id, o_carrier_id, o_ol_cnt, o_all_local, \
         ABS(TIMESTAMPDIFF(SECOND, o_entry_d, UTC_TIMESTAMP())) < 60 \
         FROM {{orders}} WHERE o_w_id = 1 AND o_d_id = 4 AND o_id = {order}"
    ));
    assert_eq!(row, [format!("77 NULL {} {all_local} 1", lines.len())]);
    let waiting = held.number(&format!(
        "SELECT COUNT(*) FROM {{new_order}} WHERE no_w_id = 1 AND no_d_id = 4 AND no_o_id = {order}"
    ));
    assert_eq!(waiting, 1);
    // The amount is price times quantity; the information is the supplier's for this district.
    let rows = held.query(&format!(
        "SELECT ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_delivery_d, \
         ol_amount = ol_quantity * i_price, ol_dist_info = s_dist_04 FROM {{order_line}} \
         JOIN {{item}} ON i_id = ol_i_id \
         JOIN {{stock}} ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id \
         WHERE ol_w_id = 1 AND ol_d_id = 4 AND ol_o_id = {order} ORDER BY ol_number"
    ));
    let expected: Vec<String> = (1..)
        .zip(lines)
        .map(|(number, line)| {
            let OrderLine { item, supply_warehouse, quantity } = line;
            format!("{number} {item} {supply_warehouse} {quantity} NULL 1 1")
        })
        .collect();
    assert_eq!(rows, expected);
}

fn costs_what_it_should(held: &Held, placed: &Placed) {
    let rows = held.query(&format!(
        "SELECT SUM(ol_amount) * (1 - c_discount) * (1 + w_tax + d_tax) FROM {{order_line}} \
         JOIN {{warehouse}} ON w_id = ol_w_id \
         JOIN {{district}} ON d_w_id = ol_w_id AND d_id = ol_d_id \
         JOIN {{customer}} ON c_w_id = ol_w_id AND c_d_id = ol_d_id AND c_id = {CUSTOMER} \
         WHERE ol_w_id = 1 AND ol_d_id = {DISTRICT} AND ol_o_id = {} \
         GROUP BY c_discount, w_tax, d_tax",
        placed.order
    ));
    let expected: f64 = rows[0].parse().unwrap();
    assert!((placed.total - expected).abs() < 0.005, "{} {expected}", placed.total);
}

pub(crate) fn an_order_of_one_warehouse_is_all_local(bench: &Bench) {
    for (profile, pipelined) in ways() {
        let held = bench.two_warehouses(profile);
        // The most lines that an order may have, and the last item there is.
        let lines: Vec<_> = (0..15).map(|step| line(100_000 - step, 1, step % 10 + 1)).collect();
        let placed = placed(&held, &lines, pipelined);
        has_its_rows(&held, placed.order.into(), &lines);
        costs_what_it_should(&held, &placed);
    }
}

pub(crate) fn an_unused_item_leaves_no_trace(bench: &Bench) {
    for (profile, pipelined) in ways() {
        let held = bench.two_warehouses(profile);
        let traces = || {
            let mut all = held.query(
                "SELECT SUM(s_quantity), SUM(s_ytd), SUM(s_order_cnt), SUM(s_remote_cnt) \
                 FROM {stock}",
            );
            for count in [
                "SELECT SUM(d_next_o_id) FROM {district}",
                "SELECT COUNT(*) FROM {orders}",
                "SELECT COUNT(*) FROM {new_order}",
                "SELECT COUNT(*) FROM {order_line}",
            ] {
                all.extend(held.query(count));
            }
            all
        };
        let before = traces();
        let mut lines = vec![line(1, 1, 1), line(2, 2, 2), line(3, 1, 3), line(4, 1, 4)];
        lines.push(line(UNUSED_ITEM, 1, 5));
        assert_eq!(transact(&held, &lines, pipelined), Output::NewOrder(None));
        assert_eq!(traces(), before);
    }
}
