//! Loading gives the data of clause 4.3.3.1, and the same data however it is done.

use client::Target;
use workloads::tpcc::{DataSet, LoadMethod, LoadOptions, Profile, Table, cleanup};

use crate::support::*;

pub(crate) fn four_connections_load_the_same_data_as_one(bench: &Bench) {
    same_as_the_reference(bench, Profile::Spec, LoadMethod::LoadData);
}

pub(crate) fn inserts_load_the_same_data_as_load_data(bench: &Bench) {
    same_as_the_reference(bench, Profile::BenchmarkSql, LoadMethod::Insert);
}

/// The other pairs of profile and method are met where loads are broken off and go on.
fn same_as_the_reference(bench: &Bench, profile: Profile, method: LoadMethod) {
    let target = bench.target(&format!("load_{profile}"));
    let summary = loaded(&target, &LoadOptions { method, connections: 4, ..options(profile) });
    assert_eq!(summary.load_data, method == LoadMethod::LoadData);
    assert_eq!(summary.chunks_resumed, 0);
    assert_eq!(fingerprint(&target, profile), reference(profile));
    let data = wait(DataSet::expect(&target, Some(profile))).unwrap();
    assert_eq!(data, DataSet { profile, warehouses: 1, seed: SEED, ready: true });
    has_its_cardinalities(&target, &data, summary.rows);
    assert_consistent(&target, &data);
    assert_eq!(wait(cleanup(&target)).unwrap(), Some(data));
    assert!(query(&target, "SHOW TABLES").is_empty());
}

/// Clauses 1.2.1 and 4.3.3.1, for one warehouse.
fn has_its_cardinalities(target: &Target, data: &DataSet, rows_sent: u64) {
    let profile = data.profile;
    let name = |table: Table| table.name(profile);
    let count = |table: Table, filter: &str| {
        number(target, &format!("SELECT COUNT(*) FROM {} WHERE {filter}", name(table)))
    };
    let mut rows = 0;
    for (table, exactly) in [
        (Table::Item, 100_000),
        (Table::Warehouse, 1),
        (Table::District, 10),
        (Table::Customer, 30_000),
        (Table::History, 30_000),
        (Table::Stock, 100_000),
        (Table::Orders, 30_000),
        (Table::NewOrder, 9_000),
    ] {
        assert_eq!(count(table, "1"), exactly, "{table:?}");
        rows += exactly;
    }
    // 5 to 15 lines of 30,000 orders: the standard deviation of their sum is 548.
    let lines = count(Table::OrderLine, "1");
    assert!((lines - 300_000).abs() < 5 * 548, "{lines}");
    assert_eq!(rows_sent as i64, rows + lines);

    assert_eq!(count(Table::Orders, "o_carrier_id IS NULL"), 9_000);
    assert_eq!(count(Table::Orders, "o_id < 2101 AND o_carrier_id BETWEEN 1 AND 10"), 21_000);
    assert_eq!(count(Table::OrderLine, "(ol_delivery_d IS NULL) <> (ol_o_id >= 2101)"), 0);
    assert_eq!(count(Table::OrderLine, "(ol_amount = 0) <> (ol_o_id < 2101)"), 0);
    assert_eq!(count(Table::OrderLine, "ol_quantity <> 5 OR ol_supply_w_id <> ol_w_id"), 0);
    assert_eq!(count(Table::District, "d_next_o_id <> 3001 OR d_ytd <> 30000"), 0);
    assert_eq!(count(Table::Warehouse, "w_ytd = 300000 AND w_tax BETWEEN 0 AND 0.2"), 1);
    assert_eq!(count(Table::Stock, "s_quantity BETWEEN 10 AND 100 AND s_ytd = 0"), 100_000);
    let fresh = "c_balance = -10 AND c_ytd_payment = 10 AND c_payment_cnt = 1 AND \
                 c_delivery_cnt = 0 AND c_credit_lim = 50000 AND c_middle = 'OE'";
    assert_eq!(count(Table::Customer, fresh), 30_000);
    // Every customer has one order: the permutation of clause 4.3.3.1.
    let sql = format!("SELECT COUNT(DISTINCT o_d_id, o_c_id) FROM {}", name(Table::Orders));
    assert_eq!(number(target, &sql), 30_000);
}
