//! Whole command lines, as people have them in their scripts.
#![allow(clippy::unwrap_used)]

use super::{
    super::{catalog::ALL, command_line},
    *,
};
use proptest::prelude::*;

fn options(words: &str) -> Result<Options, String> {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let line = command_line::read(&words, &|_| Err(std::io::Error::other("none")))?;
    Options::new(&line, &Surroundings { variable: &|_| None, exists: &|_| false })
}

#[test]
fn a_line_of_1_0_is_read() {
    let options = options(
        "oltp_read_write --threads=16 --time=60 --report-interval=10 --tables=4 \
         --table_size=100000 --rand-type=uniform --percentile=99 --mysql-ignore-errors=all \
         --skip-trx --rate=500 run",
    )
    .unwrap();
    assert_eq!((options.script.form, options.command), (Form::V1_0, Command::Run));
    assert_eq!(options.load.threads, 16);
    assert_eq!(options.load.time, Some(Duration::from_secs(60)));
    assert_eq!((options.load.events, options.load.rate), (None, Some(500)));
    assert_eq!((options.oltp.tables, options.oltp.table_size), (4, 100_000));
    assert_eq!(options.oltp.ignore, Ignore::All);
    assert!(options.oltp.skip_trx);
    assert_eq!(options.oltp.distribution.shape, Shape::Uniform);
    assert_eq!(options.oltp.protocol, Protocol::Prepared);
    assert_eq!(options.shown.percentile, Some(99));
    assert_eq!(options.shown.report_interval_s, Some(10));
}

#[test]
fn the_white_papers_line_is_read() {
    let options = options(
        "--mysql-host=a --mysql-port=3306 --mysql-user=u --mysql-password=p --mysql-db=test \
         --test=sysbench_for_z3/sysbench/tests/db/oltp.lua --oltp_tables_count=20 \
         --oltp-table-size=10000000 --num-threads=128 --oltp-read-only=off --rand-type=special \
         --max-time=600 --max-requests=0 --percentile=99 --oltp-point-selects=4 run",
    )
    .unwrap();
    assert_eq!(options.script.form, Form::V0_5);
    assert_eq!(options.oltp.kind, Kind::ReadWrite);
    assert_eq!((options.oltp.tables, options.oltp.table_size), (20, 10_000_000));
    assert_eq!(options.oltp.mix.point_selects, 4);
    assert_eq!((options.oltp.schema, options.oltp.protocol), (Schema::V0_5, Protocol::Text));
    assert_eq!((options.load.threads, options.load.events), (128, None));
    assert_eq!(options.load.time, Some(Duration::from_secs(600)));
    assert_eq!(options.target.database.as_deref(), Some("test"));
    assert!(options.shown.warnings.is_empty());
}

#[test]
fn the_limits_of_0_5_are_ten_thousand_requests_and_no_time() {
    let legacy = options("--test=oltp.lua run").unwrap();
    assert_eq!((legacy.load.events, legacy.load.time), (Some(10_000), None));
    let modern = options("oltp_legacy/oltp.lua run").unwrap();
    assert_eq!((modern.load.events, modern.load.time), (None, Some(Duration::from_secs(10))));
}

#[test]
fn deprecated_names_are_warned_of_in_1_0() {
    let options = options("oltp_insert --num-threads=2 --max-time=5 run").unwrap();
    let expected = [
        "--num-threads is deprecated, use --threads instead",
        "--max-time is deprecated, use --time instead",
    ];
    assert_eq!(options.shown.warnings, expected);
}

#[test]
fn a_forced_shutdown_is_a_time_or_a_share_of_it() {
    let grace = |text: &str| options(&format!("oltp_insert --time=60 {text} run"));
    assert_eq!(grace("").unwrap().load.forced_shutdown, None);
    let seconds = |text: &str| grace(text).unwrap().load.forced_shutdown.unwrap().as_secs();
    assert_eq!(seconds("--forced-shutdown=7"), 7);
    assert_eq!(seconds("--forced-shutdown=5%"), 3);
    let refusal = grace("--forced-shutdown=soon").unwrap_err();
    assert!(refusal.contains("--forced-shutdown soon"), "{refusal}");
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    for (words, says) in [
        ("", "no script"),
        ("oltp_read_write", "command is required"),
        ("oltp_read_write walk", "walk"),
        ("mine.lua run", "mine"),
        ("oltp_read_write --threads=0 run", "--threads 0"),
        ("oltp_read_write --percentile=101 run", "--percentile 101"),
        ("--test=oltp.lua --percentile=0 run", "--percentile 0"),
        ("oltp_read_write --verbosity=5 run", "--verbosity 5"),
        ("oltp_read_write --rand-type=benford run", "--rand-type benford"),
        ("oltp_read_write --rand-pareto-h=1 run", "--rand-pareto-h 1"),
        ("oltp_read_write --rand-spec-res=101 run", "--rand-spec-res 101"),
        ("oltp_read_write --db-ps-mode=maybe run", "--db-ps-mode maybe"),
        ("oltp_read_write --mysql-ignore-errors=1213,x run", "--mysql-ignore-errors x"),
        ("oltp_read_write --tables=0 run", "--tables 0"),
        ("oltp_read_write --range-size=0 run", "--range-size 0"),
        ("oltp_read_write --mysql-storage-engine=a;b prepare", "--mysql-storage-engine"),
        ("oltp_read_write --report-checkpoints=5,x run", "--report-checkpoints x"),
        ("--test=oltp --oltp-read-only=on --oltp-write-only=on run", "mutually exclusive"),
        ("--test=oltp --rand-init=on --rand-seed=3 run", "--rand-seed"),
        ("--test=oltp --num-threads=0 run", "--num-threads 0"),
        ("oltp_update_index --index-updates=0 run", "--index-updates"),
        ("oltp_read_only --table-size=0 run", "--table-size 0"),
    ] {
        let refusal = options(words).unwrap_err();
        assert!(refusal.contains(says), "{words}: {refusal}");
    }
}

#[test]
fn read_only_and_write_only_make_another_transaction() {
    let kind = |words: &str| options(words).unwrap().oltp.kind;
    assert_eq!(kind("--test=oltp --oltp-read-only=on run"), Kind::ReadOnly);
    assert_eq!(kind("--test=oltp --oltp-write-only run"), Kind::WriteOnly);
    // The other scripts of 0.5 do not look at it.
    assert_eq!(kind("--test=delete --oltp-read-only=on run"), Kind::Delete);
}

#[test]
fn select_of_0_5_is_warned_of() {
    let options = options("--test=select.lua run").unwrap();
    assert!(options.shown.warnings[0].contains("pad"), "{:?}", options.shown.warnings);
}

proptest! {
    #[test]
    fn any_command_line_gives_an_answer(
        picks in proptest::collection::vec((0..ALL.len(), "[a-z0-9%,.-]{0,6}"), 0..5),
        script in prop_oneof!["oltp_read_write", "--test=oltp.lua", "--test=x", "[a-z/.]{0,8}"],
    ) {
        let words = picks.iter().map(|(at, value)| format!("--{}={value}", ALL[*at].name));
        let line: Vec<String> = [script, "run".into()].into_iter().chain(words).collect();
        let _answer = options(&line.join(" "));
    }
}
