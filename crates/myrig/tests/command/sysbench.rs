//! The front end for sysbench, as scripts and log parsers meet it; beside sysbench itself where
//! that is installed.

use crate::{
    on_both,
    support::{Ended, Rig, Running, Server},
};
use client::{Connection, Endpoint, Secret, Target};
use std::{
    collections::BTreeMap,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

on_both!(
    tables_are_prepared_run_and_dropped,
    errors_that_are_not_ignored_end_the_run,
    what_is_missing_is_said_with_sysbenchs_options,
);

/// An account without a password, so that none is on a command line, and a database.
fn database(server: &Server, name: &str) -> String {
    server.query(&format!("CREATE DATABASE {name}"));
    server.query(&format!("CREATE USER IF NOT EXISTS '{name}'@'%' IDENTIFIED BY ''"));
    server.query(&format!("GRANT ALL ON {name}.* TO '{name}'@'%'"));
    let port = server.fact("port");
    format!("--mysql-host=127.0.0.1 --mysql-port={port} --mysql-user={name} --mysql-db={name}")
}

/// A program of this name in the server's rig, ready to run. It keeps its runs where no other test
/// does, so that `kept` finds the latest.
fn program(server: &Server, program: &Path, line: &str, home: &str) -> Command {
    let mut command = Command::new(program);
    command.args(line.split_whitespace()).current_dir(server.rig.dir());
    for (name, value) in server.rig.command("").get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("MYRIG_HOME", server.rig.dir().join(home));
    command
}

/// The latest run that was kept there.
fn kept(server: &Server, home: &str) -> Ended {
    let home = server.rig.dir().join(home);
    server.rig.run(&format!("runs show --json --home {}", home.display())).good()
}

/// Runs a program of this name in the server's rig.
fn run(server: &Server, path: &Path, line: &str) -> Ended {
    Running::start(program(server, path, line, "front"), line).wait()
}

fn sysbench(server: &Server, line: &str) -> Ended {
    server.rig.run(&format!("sysbench {line}"))
}

/// A link to the program.
fn link(rig: &Rig, name: &str) -> PathBuf {
    let path = rig.dir().join(name);
    if !path.exists() {
        symlink(env!("CARGO_BIN_EXE_myrig"), &path).unwrap();
    }
    path
}

/// sysbench itself, if it is installed; said loudly when not.
fn upstream() -> Option<&'static Path> {
    let path = Path::new("/usr/bin/sysbench");
    if !path.exists() {
        println!("SKIPPED: sysbench is not installed; the front end was not compared with it");
    }
    path.exists().then_some(path)
}

/// What people's parsers take from a report: the first number behind each name, and rates. How
/// many intervals there are is a matter of chance.
fn fields(out: &str) -> BTreeMap<String, f64> {
    let number = |text: &str| {
        let digits = text.trim_start();
        let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
        digits[..end].parse::<f64>().ok()
    };
    let mut fields = BTreeMap::new();
    for line in out.lines().filter(|line| !line.starts_with('[')) {
        let Some((name, rest)) = line.split_once(':') else { continue };
        if let Some(value) = number(rest) {
            fields.insert(name.trim().to_owned(), value);
        }
        if let Some(rate) = rest.split_once('(').and_then(|(_, rate)| number(rate)) {
            fields.insert(format!("{} per s", name.trim()), rate);
        }
    }
    fields
}

/// The output with `#` for each number, one blank for several, without the line that names the
/// program and the intervals, whose number is a matter of chance.
fn skeleton(out: &str) -> Vec<String> {
    let lines = out.lines().filter(|line| !line.starts_with('[') && !line.starts_with("sysbench "));
    lines
        .map(|line| {
            let mut shape = String::new();
            for c in line.chars() {
                let c = if c.is_ascii_digit() { '#' } else { c };
                let again = shape.ends_with(c) && (c == '#' || c == ' ');
                if !again {
                    shape.push(c);
                }
            }
            shape
        })
        .collect()
}

fn tables_are_prepared_run_and_dropped(server: &Server) {
    let on = format!("{} --tables=2 --table-size=200", database(server, "sb_story"));
    let link = link(&server.rig, "sysbench");

    let prepared = run(server, &link, &format!("oltp_insert {on} --threads=2 prepare")).good();
    for line in [
        "Creating table 'sbtest1'...\n",
        "Inserting 200 records into 'sbtest2'\n",
        "Creating a secondary index on 'sbtest2'...\n",
    ] {
        assert!(prepared.out.contains(line), "{prepared}");
    }
    assert_eq!(server.number("SELECT COUNT(*) FROM sb_story.sbtest2"), 200);
    let again = sysbench(server, &format!("oltp_insert {on} prepare")).ends(3);
    assert!(again.out.contains("FATAL: Table 'sbtest1' already exists"), "{again}");

    let line = format!("oltp_insert {on} --threads=2 --time=0 --events=60 run");
    let ran = Running::start(program(server, &link, &line, "story"), &line).wait().good();
    let fields = fields(&ran.out);
    assert_eq!((fields["total number of events"], fields["write"]), (60.0, 60.0), "{ran}");
    let count = "SELECT (SELECT COUNT(*) FROM sb_story.sbtest1) + \
                 (SELECT COUNT(*) FROM sb_story.sbtest2)";
    assert_eq!(server.number(count), 460);

    let kept = kept(server, "story").json();
    assert_eq!(kept["workload"]["profile"], "sysbench-1.0/1");
    assert_eq!(kept["settings"]["table-size"], 200);
    assert_eq!(kept["transactions"][0]["total"]["committed"], 60);

    sysbench(server, &format!("oltp_insert {on} prewarm")).good();
    let dropped = sysbench(server, &format!("oltp_insert {on} cleanup")).good();
    assert!(dropped.out.contains("Dropping table 'sbtest2'...\n"), "{dropped}");
    let left = "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'sb_story'";
    assert_eq!(server.number(left), 0);
}

fn errors_that_are_not_ignored_end_the_run(server: &Server) {
    let on = format!("{} --table-size=10", database(server, "sb_errors"));
    sysbench(server, &format!("oltp_write_only {on} prepare")).good();
    let line = format!("oltp_write_only {on} --threads=8 --time=60 --rand-type=uniform");
    let ended = sysbench(server, &format!("{line} --mysql-ignore-errors=1 run")).ends(3);
    assert!(ended.out.contains("FATAL: error 1213"), "{ended}");
    assert!(ended.out.contains("--mysql-ignore-errors"), "{ended}");
    assert!(!ended.out.contains("SQL statistics"), "{ended}");

    let line = line.replace("--time=60", "--time=0 --events=400");
    let ended = sysbench(server, &format!("{line} --mysql-ignore-errors=all run")).good();
    let fields = fields(&ended.out);
    assert_eq!(fields["transactions"], 400.0, "{ended}");
    assert!(fields["ignored errors"] > 0.0, "{ended}");
}

fn what_is_missing_is_said_with_sysbenchs_options(server: &Server) {
    let on = database(server, "sb_missing");
    let ended = sysbench(server, &format!("oltp_read_only {on} --tables=3 run")).ends(3);
    for words in ["FATAL: table `sbtest1` is missing", "prepare", "--tables"] {
        assert!(ended.out.contains(words), "{ended}");
    }
    sysbench(server, &format!("oltp_read_only {on} --table-size=50 prepare")).good();
    let ended = sysbench(server, &format!("oltp_read_only {on} --table-size=51 run")).ends(3);
    assert!(ended.out.contains("--table-size=50"), "{ended}");
    let legacy = format!("--test=oltp.lua {on} --oltp-table-size=51 run");
    let ended = sysbench(server, &legacy).ends(3);
    assert!(ended.out.contains("--oltp-table-size=50"), "{ended}");
    let ended = sysbench(server, &format!("oltp_read_only {on} --mysql-db=nowhere run")).ends(3);
    assert!(ended.out.contains("nowhere"), "{ended}");
}

#[test]
fn the_output_is_that_of_sysbench_and_tables_go_both_ways() {
    let server = Server::mariadb();
    let Some(upstream) = upstream() else { return };
    let on = format!("{} --tables=2 --table-size=300 --threads=2", database(server, "sb_both"));
    let ours = link(&server.rig, "sysbench");
    let both = |options: &str| {
        let line = format!("oltp_read_write {on} {options} run");
        let [theirs, mine] = [upstream, ours.as_path()].map(|it| run(server, it, &line).good());
        assert_eq!(skeleton(&mine.out), skeleton(&theirs.out), "{theirs}\n{mine}");
        let [theirs, mine] = [theirs, mine].map(|ended| fields(&ended.out));
        assert_eq!(mine.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
    };
    run(server, upstream, &format!("oltp_read_write {on} prepare")).good();
    both("--time=0 --events=50 --rand-seed=5");
    run(server, &ours, &format!("oltp_read_write {on} cleanup")).good();
    run(server, &ours, &format!("oltp_read_write {on} prepare")).good();
    both("--time=1 --report-interval=1 --percentile=0 --rate=50");
    both("--time=1 --percentile=99 --forced-shutdown=2 --db-ps-mode=disable");
    both("--num-threads=2 --max-requests=20 --skip-trx --delete-inserts=0");
    run(server, upstream, &format!("oltp_read_write {on} cleanup")).good();
}

#[test]
fn as_many_queries_are_counted_as_sysbench_counts() {
    let server = Server::mariadb();
    let Some(upstream) = upstream() else { return };
    let on = format!("{} --table-size=500", database(server, "sb_count"));
    sysbench(server, &format!("oltp_read_write {on} prepare")).good();
    let ours = link(&server.rig, "sysbench");
    for script in ["oltp_read_only", "oltp_read_write", "oltp_write_only", "oltp_point_select"] {
        let line = format!("{script} {on} --time=0 --events=30 run");
        let [theirs, mine] =
            [upstream, ours.as_path()].map(|it| fields(&run(server, it, &line).good().out));
        for name in ["read", "total", "transactions", "queries"] {
            assert_eq!(mine[name], theirs[name], "{script}: {name}");
        }
        // Seeded by the second, sysbench may write what is there already, and counts that as other.
        let [mine, theirs] = [mine, theirs].map(|fields| fields["write"] + fields["other"]);
        assert_eq!(mine, theirs, "{script}");
    }
}

#[test]
fn the_spelling_of_0_5_gives_the_output_of_0_5() {
    let server = Server::mariadb();
    let on = format!("{} --oltp-tables-count=2", database(server, "sb_legacy"));
    let prepare = format!("--test=tests/db/oltp.lua {on} --oltp_table_size=100 prepare");
    let prepared = sysbench(server, &prepare).good();
    assert!(prepared.out.contains("Creating secondary indexes on 'sbtest2'...\n"), "{prepared}");
    let ran = sysbench(
        server,
        &format!(
            "--test=tests/db/oltp.lua {on} --oltp_table_size=100 --num-threads=2 --max-requests=40 \
             --report-interval=1 --percentile=99 --oltp-read-only=on run"
        ),
    )
    .good();
    let fields = fields(&ran.out);
    assert_eq!(fields["transactions"], 40.0, "{ran}");
    assert_eq!(fields["read/write requests"], 560.0, "{ran}");
    for words in ["OLTP test statistics:\n", "    response time:\n", "approx.  99 percentile:"] {
        assert!(ran.out.contains(words), "{ran}");
    }
}

#[test]
fn a_warm_up_and_checkpoints_split_the_statistics() {
    let server = Server::mariadb();
    let on = format!("{} --table-size=100", database(server, "sb_points"));
    sysbench(server, &format!("oltp_point_select {on} prepare")).good();
    let ran = sysbench(
        server,
        &format!(
            "oltp_point_select {on} --rate=200 --warmup-time=1 --time=2 --report-checkpoints=1 \
             --histogram run"
        ),
    )
    .good();
    let reports: Vec<&str> = ran.out.split("SQL statistics:").skip(1).collect();
    assert_eq!(reports.len(), 2, "{ran}");
    assert!(ran.out.contains("[ 1s ] Checkpoint report:\n"), "{ran}");
    assert!(ran.out.contains("------------- distribution -------------"), "{ran}");
    for report in reports {
        let events = fields(report)["total number of events"];
        assert!((100.0..320.0).contains(&events), "of about 200 a second: {ran}");
    }
}

#[test]
fn a_forced_shutdown_cuts_off_what_is_stuck() {
    let server = Server::mariadb();
    let on = format!("{} --table-size=1", database(server, "sb_stuck"));
    sysbench(server, &format!("oltp_update_index {on} prepare")).good();
    let port = server.fact("port").parse().unwrap();
    let endpoint = Endpoint::Tcp { host: "127.0.0.1".into(), port };
    let target = Target::new(endpoint, "sb_stuck", Secret::default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // Holds the only row while the run is on.
    let holder = runtime.block_on(async {
        let mut holder = Connection::connect(&target).await.unwrap();
        holder.run("BEGIN").await.unwrap();
        holder.run("UPDATE sb_stuck.sbtest1 SET k = k + 1").await.unwrap();
        holder
    });
    let line = format!("oltp_update_index {on} --threads=2 --time=1 --forced-shutdown=1 run");
    let ended = sysbench(server, &line).ends(3);
    runtime.block_on(holder.close());
    assert!(ended.out.contains("FATAL: The --max-time limit has expired"), "{ended}");
    let fields = fields(&ended.out);
    assert_eq!(fields["Number of unfinished transactions on forced shutdown"], 2.0, "{ended}");
    assert_eq!(fields["total number of events"], 0.0, "{ended}");
}

#[test]
fn wrong_usage_ends_with_2_before_any_server_is_asked() {
    let rig = Rig::new();
    for (line, words) in [
        ("sysbench", &["no script"][..]),
        ("sysbench oltp_read_write", &["command"]),
        ("sysbench oltp_read_write run --frobnicate=1", &["--frobnicate"]),
        ("sysbench mine.lua run", &["mine", "oltp_read_write"]),
        ("sysbench fileio run", &["fileio"]),
        ("sysbench oltp_read_write --pgsql-host=a run", &["--pgsql-host"]),
        ("sysbench oltp_read_write --percentile=200 run", &["--percentile 200", "from 0 to 100"]),
        ("sysbench oltp_read_write --config-file=gone run", &["--config-file gone"]),
        ("sysbench oltp_read_write --threads=0 run", &["--threads 0"]),
    ] {
        let ended = rig.run(line).ends(2).says(words);
        assert!(ended.out.is_empty(), "{ended}");
    }
    let help = rig.run("sysbench --help").good();
    assert!(help.out.contains("--report-interval=N"), "{help}");
    let version = rig.run("sysbench --version").good();
    assert!(version.out.starts_with("sysbench 1.0.20"), "{version}");
    let script = rig.run("sysbench oltp_insert help").good();
    assert!(script.out.contains("oltp_insert options:"), "{script}");
    assert!(!rig.home().exists(), "nothing was made");
}

#[test]
fn a_password_is_taken_and_shown_nowhere() {
    let server = Server::mariadb();
    let on = database(server, "sb_secret");
    server.query("ALTER USER 'sb_secret'@'%' IDENTIFIED BY 'hunter2'");
    let with = |line: &str| {
        let line = &format!("sysbench oltp_insert {on} {line}");
        let myrig = Path::new(env!("CARGO_BIN_EXE_myrig"));
        let mut command = program(server, myrig, line, "secret");
        command.env("MYSQL_PWD", "hunter2");
        Running::start(command, line).wait()
    };
    with("--table-size=5 prepare").good();
    let ran = with("--table-size=5 --time=0 --events=3 run").good();
    let kept = kept(server, "secret");
    let denied =
        sysbench(server, &format!("oltp_insert {on} --mysql-password=hunter3 run")).ends(3);
    assert!(denied.out.contains("FATAL: "), "{denied}");
    for text in [ran.out, ran.err, kept.out, denied.out, denied.err] {
        assert!(!text.contains("hunter"), "{text}");
    }
}
