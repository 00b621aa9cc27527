//! The front end for BenchmarkSQL: properties files as they are, the lines of its log, its files.

use crate::support::{Ended, Rig, Running, Server};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

/// A properties file for a database of its own, in the published form.
fn properties(server: &Server, database: &str, more: &str) -> PathBuf {
    let port = server.fact("port");
    let text = format!(
        "db=mysql
driver=com.mysql.cj.jdbc.Driver
conn=jdbc:mysql://127.0.0.1:{port}/{database}?useSSL=false&useServerPrepStmts=true\
&useConfigs=maxPerformance&rewriteBatchedStatements=true
user=bench
password=hunter2
profile=/etc/my-1.cnf
warehouses=1
loadWorkers=2
terminals=4
terminalWarehouseFixed=true
//To run for specified minutes- runTxnsPerTerminal must equal zero
runMins=0
runTxnsPerTerminal=25
limitTxnsPerMin=1000000000
newOrderWeight=45
paymentWeight=43
orderStatusWeight=4
deliveryWeight=4
stockLevelWeight=4
{more}
"
    );
    let path = server.rig.dir().join(format!("{database}.conf"));
    fs::write(&path, text).unwrap();
    path
}

/// An account with the password of the properties.
fn account(server: &Server, database: &str) {
    server.query("CREATE USER IF NOT EXISTS 'bench'@'%' IDENTIFIED BY 'hunter2'");
    server.query(&format!("CREATE DATABASE IF NOT EXISTS {database}"));
    server.query(&format!("GRANT ALL ON {database}.* TO 'bench'@'%'"));
}

/// Starts the program by the name of a script, through a link.
fn script(rig: &Rig, name: &str, file: &Path) -> Ended {
    let path = rig.dir().join(name);
    if !path.exists() {
        symlink(env!("CARGO_BIN_EXE_myrig"), &path).unwrap();
    }
    let mut command = Command::new(&path);
    command.arg(file).current_dir(rig.dir()).env("HOME", rig.dir());
    // No other test keeps its runs there, so that the latest is the one that is looked for.
    command.env("MYRIG_HOME", rig.dir().join("bsql_home"));
    Running::start(command, name).wait()
}

/// What people's parsers take from the log: the value of each `name = value`.
fn figures(out: &str) -> BTreeMap<String, String> {
    let lines = out.lines().filter_map(|line| line.split_once("INFO   jTPCC : Term-00, "));
    let pairs = lines.filter_map(|(_, words)| words.split_once('='));
    pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
}

fn directory(rig: &Rig, prefix: &str) -> PathBuf {
    let entries = fs::read_dir(rig.dir()).unwrap().flatten().map(|entry| entry.path());
    let mut named =
        entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(prefix));
    named.next().unwrap()
}

#[test]
fn the_scripts_build_run_and_destroy_through_links() {
    let server = Server::mariadb();
    account(server, "bsql");
    let file = properties(server, "bsql", "resultDirectory=bsql_result_%tY-%tm-%td_%tH%tM%tS");

    let built = script(&server.rig, "runDatabaseBuild.sh", &file).good();
    for line in ["Starting BenchmarkSQL LoadData\n", "warehouses=1\n", "Loading 100%\n"] {
        assert!(built.out.contains(line), "{built}");
    }
    let orders = "SELECT CAST(SUM(d_next_o_id) AS CHAR) FROM bsql.bmsql_district";
    let before = server.number(orders);

    let ran = script(&server.rig, "runBenchmark.sh", &file).good();
    let figures = figures(&ran.out);
    assert_eq!((figures["warehouses"].as_str(), figures["terminals"].as_str()), ("1", "4"));
    assert_eq!(figures["runTxnsPerTerminal"], "25");
    let count: u64 = figures["Transaction Count"].parse().unwrap();
    assert!((90..=100).contains(&count), "all but a few deadlocks: {ran}");
    for name in ["Measured tpmC (NewOrders)", "Measured tpmTOTAL"] {
        assert!(figures[name].parse::<f64>().unwrap() > 0.0, "{ran}");
    }
    assert!(figures.contains_key("Session Start") && figures.contains_key("Session End"), "{ran}");
    results_hold(server, count, server.number(orders) - before);

    let home = server.rig.dir().join("bsql_home");
    let kept = server.rig.run(&format!("runs show --json --home {}", home.display())).good().json();
    assert_eq!(kept["workload"]["profile"], "benchmarksql/1");
    let secrets = [built.out, built.err, ran.out, ran.err, kept.to_string()];
    assert!(secrets.iter().all(|text| !text.contains("hunter2")));

    as_benchmarksql_has_loaded_it(server, &file);
    let dropped = script(&server.rig, "runDatabaseDestroy.sh", &file).good();
    assert!(dropped.out.contains("drop table if exists bmsql_config;\n"), "{dropped}");
    let left = "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'bsql'";
    assert_eq!(server.number(left), 0);
    let ended = script(&server.rig, "runBenchmark.sh", &file).ends(3);
    assert!(ended.out.contains("ERROR  jTPCC : Term-00, "), "{ended}");
    assert!(ended.out.contains("load them with build"), "{ended}");
}

/// Every transaction is a line of result.csv, a Delivery two.
fn results_hold(server: &Server, count: u64, orders_taken: i64) {
    let directory = directory(&server.rig, "bsql_result_2");
    let text = fs::read_to_string(directory.join("data/result.csv")).unwrap();
    let mut rows = text.lines();
    assert_eq!(rows.next(), Some("run,elapsed,latency,dblatency,ttype,rbk,dskipped,error"));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(',').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == 8), "{text}");
    let good = rows.iter().filter(|row| row[4] != "DELIVERY" && row[7] == "0");
    assert_eq!(good.count() as u64, count, "{text}");
    let orders = rows.iter().filter(|row| row[4] == "NEW_ORDER" && row[5] == "0" && row[7] == "0");
    assert_eq!(orders.count() as i64, orders_taken, "{text}");

    let info = fs::read_to_string(directory.join("data/runInfo.csv")).unwrap();
    assert!(info.lines().nth(1).unwrap().contains(",simple,5.0"), "{info}");
    let copy = fs::read_to_string(directory.join("run.properties")).unwrap();
    assert!(copy.contains("terminals=4\n") && !copy.contains("hunter2"), "{copy}");
    assert_eq!(fs::read_to_string(server.rig.dir().join(".jTPCC_run_seq.dat")).unwrap(), "1\n");
}

/// Without our own tables the data is as BenchmarkSQL's loader leaves it.
fn as_benchmarksql_has_loaded_it(server: &Server, file: &Path) {
    server.query("DROP TABLE bsql.myrig_tpcc, bsql.myrig_tpcc_chunk");
    let text = fs::read_to_string(file).unwrap().replace("resultDirectory", "#");
    let run = |change: &str| {
        let other = server.rig.dir().join("other.conf");
        fs::write(&other, format!("{text}\n{change}\n")).unwrap();
        server.rig.run(&format!("benchmarksql run {}", other.display()))
    };
    let c_last: u32 = server
        .query("SELECT cfg_value FROM bsql.bmsql_config WHERE cfg_name = 'nURandCLast'")[0]
        .parse()
        .unwrap();
    let ran = run("runTxnsPerTerminal=5\nlimitTxnsPerMin=2400").good();
    assert!(ran.out.contains(&format!("C value for C_LAST during load: {c_last}\n")), "{ran}");
    // Ten transactions a second and terminal: five take 400 ms and more.
    let total: f64 = figures(&ran.out)["Measured tpmTOTAL"].parse().unwrap();
    assert!(total <= 3000.0, "{ran}");

    let ended = run("warehouses=2").ends(3);
    assert!(ended.out.contains("cannot be greater than the warehouses loaded"), "{ended}");
    server.query("DROP TABLE bsql.bmsql_history");
    let ended = run("").ends(3);
    assert!(ended.out.contains("bmsql_history"), "{ended}");
}

#[test]
fn wrong_usage_ends_with_2_and_names_the_key() {
    let rig = Rig::new();
    let path = rig.dir().join("props");
    let base = "db=mysql\nconn=jdbc:mysql://127.0.0.1:1/d\nuser=u\npassword=hunter2\n\
                warehouses=1\nterminals=1\nrunMins=1\nrunTxnsPerTerminal=0\n";
    for (lines, word) in [
        ("db=oracle", "db=oracle"),
        ("frobnicate=1", "frobnicate"),
        ("osCollectorScript=x", "osCollectorScript"),
        ("runTxnsPerTerminal=5", "runTxnsPerTerminal=5"),
        ("terminals=11", "terminals=11"),
        ("conn=jdbc:mysql://h/d?useServerPrepStmts=false", "useServerPrepStmts"),
    ] {
        fs::write(&path, format!("{base}{lines}\n")).unwrap();
        let ended = rig.run("benchmarksql run props").ends(2).says(&["props", word]);
        assert!(ended.out.is_empty() && !ended.err.contains("hunter2"), "{ended}");
    }
    rig.run("benchmarksql run gone.conf").ends(2).says(&["gone.conf"]);
    rig.run("benchmarksql walk props").ends(2).says(&["walk", "usage"]);
    rig.run("benchmarksql").ends(2).says(&["usage"]);
    fs::write(&path, base).unwrap();
    let ended = rig.run("benchmarksql run props").ends(3);
    assert!(ended.out.contains("ERROR  jTPCC"), "no server is there: {ended}");
}
