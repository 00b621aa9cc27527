//! `myrig tpcc run`: each option does what it says, seen in the record or in the database.

use crate::support::{Data, Server, committed, transactions};
use serde_json::Value;

fn data() -> Data<'static> {
    Server::mariadb().two_warehouses()
}

/// Transactions that ended in any way, all types together.
fn ended(record: &Value) -> u64 {
    let outcomes = ["committed", "rolled_back", "failed"];
    let all = record["transactions"].as_array().unwrap().iter();
    all.flat_map(|kind| outcomes.map(|outcome| kind["total"][outcome].as_u64().unwrap())).sum()
}

#[test]
fn a_rate_is_kept_and_recorded() {
    let record = data().measure("-c 4 --duration 3s --rate 50 --arrivals even --no-check");
    let arrivals = &record["arrivals"];
    assert_eq!(
        (&arrivals["rate_per_s"], &arrivals["distribution"]),
        (&50.0.into(), &"even".into())
    );
    let due = arrivals["due"].as_u64().unwrap();
    assert!((149..=151).contains(&due), "{due} were due in 3 s at 50 a second");
    let unstarted = arrivals["unstarted"].as_u64().unwrap();
    assert_eq!(ended(&record) + unstarted, due, "nothing is dropped in silence");
    assert_eq!(record["settings"]["rate"], 50.0);
}

#[test]
fn a_closed_loop_has_no_arrivals() {
    let record = data().measure("-c 2 --duration 1s --no-check");
    assert_eq!(record["arrivals"], Value::Null);
    assert_eq!(record["settings"].get("rate"), None);
}

#[test]
fn so_many_transactions_end_the_run() {
    let record = data().measure("-c 3 --duration 1h --transactions 200 --no-check");
    assert_eq!(ended(&record), 200);
    assert_eq!(record["status"]["state"], "complete");
}

#[test]
fn weights_of_one_type_run_nothing_else() {
    let record = data().measure("-c 2 --duration 1s --weights 0,1,0,0,0 --no-check");
    let payments = committed(&record, "Payment");
    assert!(payments > 0);
    assert_eq!(ended(&record), payments);
    assert_eq!(record["check"], Value::Null, "--no-check leaves the check out");
}

#[test]
fn keying_and_think_times_slow_the_terminals() {
    let options = "-c 2 --duration 3s --weights 1,0,0,0,0 --no-check";
    let record = data().measure(&format!("{options} --keying-time 0.02 --think-time 0.01"));
    // A New-Order is keyed in for 18 s: two terminals begin at most one each 0.36 s.
    let most = 2 * (3.0_f64 / 0.36).ceil() as u64;
    let orders = ended(&record);
    assert!((1..=most).contains(&orders), "{orders} New-Orders of {most} at most");
    assert_eq!(record["settings"]["keying-time"], 0.02);
    assert_eq!(record["settings"]["think-time"], 0.01);
}

#[test]
fn deferred_deliveries_are_a_type_of_their_own() {
    let options = "-c 2 --duration 1s --weights 1,0,0,1,0";
    let record = data().measure(&format!("{options} --delivery deferred"));
    let (queued, done) =
        (committed(&record, "Delivery"), committed(&record, "Delivery (deferred)"));
    assert!(queued > 0 && done > 0, "{queued} queued, {done} carried out");
    assert!(done <= queued, "{queued} queued, {done} carried out");
    assert_eq!(record["check"]["good"], true);
    let inline = data().measure("-c 1 --duration 1s --no-check");
    assert_eq!(inline["transactions"].as_array().unwrap().len(), 5);
}

#[test]
fn the_isolation_level_is_that_of_the_sessions() {
    let data = data();
    let server = data.server;
    server.query("SET GLOBAL log_output='TABLE', GLOBAL general_log=ON");
    let record = data.measure("-c 2 --transactions 20 --isolation serializable --no-check");
    server.query("SET GLOBAL general_log=OFF");
    let sessions = server.number(
        "SELECT CAST(COUNT(DISTINCT thread_id) AS CHAR) FROM mysql.general_log \
         WHERE argument LIKE 'SET SESSION%isolation=_SERIALIZABLE%'",
    );
    assert_eq!(sessions, 2, "one for each connection");
    assert_eq!(record["settings"]["isolation"], "serializable");
}

#[test]
fn a_connection_keeps_its_warehouse_or_draws_one_each_time() {
    let data = data();
    let orders = || {
        let sql = "SELECT CAST(SUM(d_next_o_id) AS CHAR) FROM two.district GROUP BY d_w_id";
        let rows = data.server.query(&format!("{sql} ORDER BY d_w_id"));
        rows.iter().map(|text| text.parse().unwrap()).collect::<Vec<i64>>()
    };
    let growth = |options: &str| {
        let before = orders();
        let record = data.measure(&format!("-c 1 --transactions 60 {options} --no-check"));
        let after = orders();
        let growth = [after[0] - before[0], after[1] - before[1]];
        assert_eq!(growth[0] + growth[1], committed(&record, "New-Order") as i64);
        (growth, record["settings"]["home-warehouse"].clone())
    };
    let weights = "--weights 1,0,0,0,0";
    let (fixed, setting) = growth(weights);
    assert!(fixed[0] > 0 && fixed[1] == 0, "{fixed:?}");
    assert_eq!(setting, "fixed");
    let (random, setting) = growth(&format!("{weights} --home-warehouse random"));
    assert!(random[0] > 0 && random[1] > 0, "{random:?}");
    assert_eq!(setting, "random");
}

#[test]
fn a_damaged_row_is_found_by_check_and_run() {
    let data = data();
    let server = data.server;
    server.query("UPDATE two.warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2");
    let checked = server.run("tpcc check -D two --json");
    let table = server.run("tpcc check -D two");
    let line = "tpcc run -D two -c 2 --ramp-up 0 --transactions 20";
    let ran = server.run(line);
    let json = server.run(&format!("{line} --json"));
    server.query("UPDATE two.warehouse SET w_ytd = w_ytd - 1 WHERE w_id = 2");

    let checked = checked.ends(1).json();
    assert_eq!(checked["good"], false);
    let violated = |check: &Value| -> Vec<String> {
        let all = check["conditions"].as_array().unwrap().iter();
        let violated = all.filter(|condition| condition["violations"] != 0);
        violated.map(|condition| condition["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(violated(&checked), ["3.3.2.1", "3.3.2.8"]);
    let table = table.ends(1);
    assert!(table.out.contains("FAILS") && table.out.contains("10 of 12"), "{table}");
    let ran = ran.ends(1);
    assert!(ran.out.contains("Consistency check failed") && ran.out.contains("3.3.2.8"), "{ran}");
    let record = json.ends(1).json();
    assert_eq!(record["status"]["state"], "complete", "the run itself was carried out");
    assert_eq!(violated(&record["check"]), ["3.3.2.1", "3.3.2.8"]);
    server.run("tpcc check -D two").good();
}

#[test]
fn transactions_of_every_type_are_measured() {
    let record = data().measure("-c 4 --duration 2s --no-check");
    for name in ["New-Order", "Payment", "Order-Status", "Delivery", "Stock-Level"] {
        let kind = transactions(&record, name);
        assert!(kind["measured"]["committed"].as_u64() > Some(0), "no {name} in {record}");
    }
}
