//! Properties files, as procedures publish them.
#![allow(clippy::unwrap_used)]

use super::*;

/// The file of the published procedure for flash drives.
const PUBLISHED: &str = "db=mysql
driver=com.mysql.cj.jdbc.Driver
conn=jdbc:mysql://192.168.1.10:3306/tpcc?useSSL=false&useServerPrepStmts=true\
&useConfigs=maxPerformance&rewriteBatchedStatements=true
user=root
password=123456
profile=/etc/my-1.cnf
warehouses=4050
loadWorkers=100
terminals=330
terminalWarehouseFixed=true
runMins=720
runTxnsPerTerminal=0
limitTxnsPerMin=1000000000
newOrderWeight=45
paymentWeight=43
orderStatusWeight=4
deliveryWeight=4
stockLevelWeight=4
";

fn read(text: &str) -> Result<Options, String> {
    Options::of_run(&Properties::read(text.as_bytes()).unwrap())
}

/// The published file with lines put behind it, which count more.
fn with(lines: &str) -> Result<Options, String> {
    read(&format!("{PUBLISHED}{lines}\n"))
}

#[test]
fn the_published_file_is_read_as_it_is() {
    let options = read(PUBLISHED).unwrap();
    assert_eq!((options.warehouses, options.load_workers), (4050, 100));
    assert_eq!(options.target.endpoints[0].to_string(), "192.168.1.10:3306");
    assert_eq!(options.target.user, "root");
    assert_eq!(options.target.password.expose(), "123456");
    assert_eq!(options.target.database.as_deref(), Some("tpcc"));
    let run = options.run.unwrap();
    assert_eq!((run.terminals, run.length), (330, Length::Minutes(720)));
    assert_eq!(run.weights, [45, 43, 4, 4, 4]);
    assert_eq!((run.gap(), run.results), (None, None));
}

#[test]
fn the_limit_is_reckoned_in_whole_numbers_as_benchmarksql_does() {
    let gap = |limit: u32| with(&format!("terminals=10\nlimitTxnsPerMin={limit}"));
    let gap = |limit| gap(limit).unwrap().run.unwrap().gap();
    assert_eq!(gap(600), Some(Duration::from_millis(1000)));
    assert_eq!(gap(7000), Some(Duration::from_millis(85)));
    assert_eq!((gap(0), gap(9), gap(600_010)), (None, None, None));
}

#[test]
fn new_order_takes_what_the_others_leave() {
    let options = with("newOrderWeight=10").unwrap();
    assert_eq!(options.run.unwrap().drawn_weights(), [45.0, 43.0, 4.0, 4.0, 4.0]);
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    for (lines, says) in [
        ("db=postgres", "db=postgres"),
        ("frobnicate=1", "frobnicate"),
        ("osCollectorScript=./misc/x.py", "osCollectorScript"),
        ("fileLocation=/tmp/x", "fileLocation"),
        ("conn=jdbc:oracle:thin:@h", "conn="),
        ("warehouses=0", "warehouses=0"),
        ("warehouses=many", "warehouses=many"),
        ("terminals=0", "terminals=0"),
        ("warehouses=2\nterminals=21", "terminals=21"),
        ("runTxnsPerTerminal=10", "runMins=720 and runTxnsPerTerminal=10"),
        ("runMins=0", "both 0"),
        ("runMins=-1", "runMins=-1"),
        ("limitTxnsPerMin=x", "limitTxnsPerMin=x"),
        ("terminalWarehouseFixed=perhaps", "terminalWarehouseFixed=perhaps"),
        ("paymentWeight=90", "over 100"),
        (
            "newOrderWeight=0\npaymentWeight=0\norderStatusWeight=0\ndeliveryWeight=0\n\
             stockLevelWeight=0",
            "all of them are 0",
        ),
        ("resultDirectory=r_%t?", "resultDirectory"),
    ] {
        let refusal = with(lines).unwrap_err();
        assert!(refusal.contains(says), "{lines}: {refusal}");
        assert!(!refusal.contains("123456"), "{refusal}");
    }
    for (text, says) in
        [("", "db"), ("db=mysql", "conn"), ("db=mysql\nconn=jdbc:mysql://h/d", "user")]
    {
        assert!(read(text).unwrap_err().contains(says), "{text}");
    }
}

#[test]
fn what_goes_with_the_collector_is_accepted_without_it() {
    assert!(with("osCollectorInterval=1\nosCollectorDevices=net_eth0").is_ok());
}
