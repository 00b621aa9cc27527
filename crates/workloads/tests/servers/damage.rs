//! The check finds damage: each of the twelve conditions, broken by a statement made for it.

use workloads::{ConditionResult, tpcc::Profile};

use crate::support::*;

/// A statement that does damage, one that mends it, and where which conditions then fail.
struct Damage {
    /// The condition that it is made for.
    number: u32,
    harm: &'static str,
    mend: &'static str,
    /// Conditions and the places that they name.
    broken: &'static [(u32, &'static str)],
}

/// Each works in a place of its own, so that one check shows all of them apart.
const ALL: [Damage; 12] = [
    Damage {
        number: 1,
        harm: "UPDATE {warehouse} SET w_ytd = w_ytd + 1 WHERE w_id = 2",
        mend: "UPDATE {warehouse} SET w_ytd = w_ytd - 1 WHERE w_id = 2",
        // Condition 8 compares W_YTD as well.
        broken: &[(1, "warehouse 2:"), (8, "warehouse 2:")],
    },
    Damage {
        number: 2,
        harm: "UPDATE {district} SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 2",
        mend: "UPDATE {district} SET d_next_o_id = d_next_o_id - 1 WHERE d_w_id = 1 AND d_id = 2",
        broken: &[(2, "warehouse 1, district 2:")],
    },
    Damage {
        number: 3,
        harm: "DELETE FROM {new_order} WHERE no_w_id = 1 AND no_d_id = 3 AND no_o_id = 2990",
        mend: "INSERT INTO {new_order} (no_w_id, no_d_id, no_o_id) VALUES (1, 3, 2990)",
        // A waiting order without its row also breaks the conditions that count both.
        broken: &[
            (3, "warehouse 1, district 3:"),
            (5, "warehouse 1, district 3, order 2990"),
            (11, "warehouse 1, district 3:"),
        ],
    },
    Damage {
        number: 4,
        harm: "DELETE FROM {order_line} WHERE ol_w_id = 1 AND ol_d_id = 4 AND ol_o_id = 1 \
               AND ol_number = 5",
        mend: "INSERT INTO {order_line} (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, \
               ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) \
               VALUES (1, 4, 1, 5, 1, 1, '2000-01-01', 5, 0, '')",
        broken: &[(4, "warehouse 1, district 4:"), (6, "warehouse 1, district 4, order 1:")],
    },
    Damage {
        number: 5,
        harm: "UPDATE {orders} SET o_carrier_id = 3 \
               WHERE o_w_id = 1 AND o_d_id = 5 AND o_id = 2990",
        mend: "UPDATE {orders} SET o_carrier_id = NULL \
               WHERE o_w_id = 1 AND o_d_id = 5 AND o_id = 2990",
        // Its lines are still undelivered.
        broken: &[
            (5, "warehouse 1, district 5, order 2990"),
            (7, "warehouse 1, district 5, order 2990:"),
        ],
    },
    Damage {
        number: 6,
        // The district's sum stays right.
        harm: "UPDATE {orders} SET o_ol_cnt = o_ol_cnt + IF(o_id = 1, 1, -1) \
               WHERE o_w_id = 1 AND o_d_id = 6 AND o_id IN (1, 2)",
        mend: "UPDATE {orders} SET o_ol_cnt = o_ol_cnt - IF(o_id = 1, 1, -1) \
               WHERE o_w_id = 1 AND o_d_id = 6 AND o_id IN (1, 2)",
        broken: &[
            (6, "warehouse 1, district 6, order 1:"),
            (6, "warehouse 1, district 6, order 2:"),
        ],
    },
    Damage {
        number: 7,
        harm: "UPDATE {order_line} SET ol_delivery_d = NULL WHERE ol_w_id = 1 AND ol_d_id = 7 \
               AND ol_o_id = 1 AND ol_number = 1",
        mend: "UPDATE {order_line} SET ol_delivery_d = '2000-01-01' WHERE ol_w_id = 1 \
               AND ol_d_id = 7 AND ol_o_id = 1 AND ol_number = 1",
        broken: &[(7, "warehouse 1, district 7, order 1:")],
    },
    Damage {
        number: 8,
        harm: "UPDATE {history} SET h_amount = h_amount + 1 \
               WHERE h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 1 AND h_date = '2000-01-01'",
        mend: "UPDATE {history} SET h_amount = h_amount - 1 \
               WHERE h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 1 AND h_date = '2000-01-01'",
        // A payment counts for its warehouse, its district and its customer.
        broken: &[
            (8, "warehouse 1:"),
            (9, "warehouse 1, district 8:"),
            (10, "warehouse 1, district 8, customer 1:"),
        ],
    },
    Damage {
        number: 9,
        harm: "UPDATE {history} SET h_d_id = 10 \
               WHERE h_c_w_id = 1 AND h_c_d_id = 9 AND h_c_id = 1 AND h_date = '2000-01-01'",
        mend: "UPDATE {history} SET h_d_id = 9 \
               WHERE h_c_w_id = 1 AND h_c_d_id = 9 AND h_c_id = 1 AND h_date = '2000-01-01'",
        broken: &[(9, "warehouse 1, district 9:"), (9, "warehouse 1, district 10:")],
    },
    Damage {
        number: 10,
        // Paid by another customer of the same district.
        harm: "UPDATE {history} SET h_c_id = 2, h_data = 'moved' \
               WHERE h_c_w_id = 1 AND h_c_d_id = 10 AND h_c_id = 1 AND h_date = '2000-01-01'",
        mend: "UPDATE {history} SET h_c_id = 1 \
               WHERE h_c_w_id = 1 AND h_c_d_id = 10 AND h_data = 'moved'",
        broken: &[
            (10, "warehouse 1, district 10, customer 1:"),
            (10, "warehouse 1, district 10, customer 2:"),
        ],
    },
    Damage {
        number: 11,
        harm: "UPDATE {customer} SET c_delivery_cnt = c_delivery_cnt + 1 \
               WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 5",
        mend: "UPDATE {customer} SET c_delivery_cnt = c_delivery_cnt - 1 \
               WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 5",
        broken: &[(11, "warehouse 1, district 1:")],
    },
    Damage {
        number: 12,
        harm: "UPDATE {customer} SET c_ytd_payment = c_ytd_payment + 1 \
               WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 3000",
        mend: "UPDATE {customer} SET c_ytd_payment = c_ytd_payment - 1 \
               WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 3000",
        broken: &[(12, "warehouse 1, district 1, customer 3000:")],
    },
];

pub(crate) fn each_condition_is_broken_by_its_statement_and_by_no_other(bench: &Bench) {
    for profile in Profile::ALL {
        let held = bench.two_warehouses(profile);
        for damage in &ALL {
            held.run(damage.harm);
        }
        let found = findings(&held.target, &held.data);
        for damage in ALL.iter().rev() {
            held.run(damage.mend);
        }
        for (number, condition) in (1..).zip(&found) {
            assert_eq!(condition.name, format!("3.3.2.{number}"));
            names_exactly(condition, number);
        }
        assert_consistent(&held.target, &held.data);
    }
}

fn names_exactly(condition: &ConditionResult, clause: u32) {
    let own = ALL.iter().find(|damage| damage.number == clause).unwrap();
    assert!(own.broken.iter().any(|(number, _)| *number == clause));
    let all = ALL.iter().flat_map(|damage| damage.broken);
    let places: Vec<_> =
        all.filter(|(number, _)| *number == clause).map(|(_, place)| place).collect();
    assert_eq!(condition.violations, places.len() as u64, "{condition:?}");
    assert_eq!(condition.examples.len(), places.len(), "{condition:?}");
    for place in places {
        let named = |words: &String| words.starts_with(place);
        assert!(condition.examples.iter().any(named), "{place} not in {condition:?}");
    }
}
