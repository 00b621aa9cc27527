//! Experiment files that people write, and those that nobody should.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::experiment::spec::{Arm, Order};
use proptest::prelude::*;
use serde_json::json;

const FLUSH: &str = r#"
name = "flush"
title = "What flushing costs"
question = "What does it cost to flush at every commit?"

[server]
flavour = "mariadb"
settings = { innodb_buffer_pool_size = "256M", innodb-flush-log-at-trx-commit = 1 }

[host]
profile = "database"

[data]
workload = "tpcc"
warehouses = 2

[workload]
connections = 4
duration = "60s"

[[variant]]
name = "durable"

[[variant]]
name = "relaxed"
note = "Loses a second at a power cut."
server.settings = { innodb-flush-log-at-trx-commit = 2 }
workload.connections = [4, 8]

[repeat]
runs = 3
order = "random"
seed = 7

[measure]
space = true

[compare]
baseline = "durable"
threshold = "3%"

[scale.laptop]
workload.duration = "5s"

[scale.paper]
data.warehouses = 800
server.settings.innodb_buffer_pool_size = "64G"
"#;

fn vocabulary() -> Vocabulary {
    let all = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let load = all(&["connections", "rate", "duration", "ramp-up", "seed"]);
    let workload = |name: &str, data: &[&str]| Workload {
        name: name.into(),
        data: all(data),
        load: load.clone(),
    };
    Vocabulary {
        workloads: vec![
            workload("tpcc", &["warehouses", "seed"]),
            workload("oltp", &["tables"]),
            Workload { load: Vec::new(), ..workload("lines", &["scale-factor"]) },
        ],
        kinds: vec![Kind { name: "pages".into(), options: all(&["tool", "passes"]) }],
        sections: all(&["streams"]),
        measures: all(&["space", "waf"]),
    }
}

fn read(text: &str, scale: Option<&str>, sets: &[&str]) -> Result<Experiment, String> {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    parse(text, "x.toml", scale, &sets, &vocabulary()).map_err(|error| error.to_string())
}

fn refused(text: &str) -> String {
    read(text, None, &[]).unwrap_err()
}

/// The smallest file, with more below it.
fn small(more: &str) -> String {
    format!("name = \"x\"\n[data]\nworkload = \"tpcc\"\n{more}")
}

fn arm<'a>(experiment: &'a Experiment, name: &str) -> &'a Arm {
    experiment.arm(name).unwrap()
}

#[test]
fn a_file_becomes_variants_that_are_whole() {
    let read = read(FLUSH, None, &[]).unwrap();
    assert_eq!((read.name.as_str(), read.scale.as_str()), ("flush", "laptop"));
    let relaxed = arm(&read, "relaxed");
    assert_eq!(relaxed.note, "Loses a second at a power cut.");
    assert_eq!(relaxed.host.as_deref(), Some("database"));
    assert_eq!(relaxed.server.flavour.as_deref(), Some("mariadb"));
    let settings = json!(relaxed.server.settings);
    let expected =
        json!({ "innodb-buffer-pool-size": "256M", "innodb-flush-log-at-trx-commit": 2 });
    assert_eq!(settings, expected);
    assert_eq!((relaxed.data.name.as_str(), relaxed.workload.name.as_str()), ("tpcc", "tpcc"));
    assert_eq!(json!(relaxed.data.options), json!({ "warehouses": 2 }));
    let expected = json!({ "connections": [4, 8], "duration": "5s" });
    assert_eq!(json!(relaxed.workload.options), expected, "a scale is under a variant");
    assert_eq!(arm(&read, "durable").workload.options["connections"], 4);
    assert_eq!((read.repeat.runs, read.repeat.order, read.repeat.seed), (3, Order::Random, 7));
    assert_eq!(json!(read.measure), json!({ "space": true }));
    assert_eq!(read.compare.unwrap().threshold_percent, Some(3.0));
}

#[test]
fn a_scale_is_chosen_and_overrides_are_laid_over_all() {
    let paper = read(FLUSH, Some("paper"), &["workload.connections=16", "repeat.runs=2"]).unwrap();
    let relaxed = arm(&paper, "relaxed");
    assert_eq!(relaxed.data.options["warehouses"], 800);
    assert_eq!(relaxed.server.settings["innodb-buffer-pool-size"], "64G");
    assert_eq!(relaxed.workload.options["connections"], 16, "over the variant's own");
    assert_eq!(relaxed.workload.options["duration"], "60s");
    assert_eq!(paper.repeat.runs, 2);
    let text = read(FLUSH, None, &["workload.duration=7s", "host.profile = none such"]).unwrap();
    assert_eq!(arm(&text, "durable").workload.options["duration"], "7s");
    assert_eq!(arm(&text, "durable").host.as_deref(), Some("none such"));
    assert_eq!(scales(FLUSH, "x").unwrap(), ["laptop", "paper"]);
}

#[test]
fn one_processor_is_a_number() {
    let read = read(&small("[server]\ncpus = 1\nmemory = 536870912\n"), None, &[]).unwrap();
    let server = &read.variants[0].server;
    assert_eq!((server.cpus.as_deref(), server.memory.as_deref()), (Some("1"), Some("536870912")));
    assert!(refused(&small("[server]\ncpus = -1\n")).contains("`server.cpus`: -1 cannot be"));
}

#[test]
fn a_file_without_variants_has_one() {
    let read = read(&small(""), None, &[]).unwrap();
    assert_eq!((read.title.as_str(), read.scale.as_str()), ("x", ""));
    assert_eq!(read.variants.len(), 1);
    assert_eq!(read.variants[0].name, "default");
    assert_eq!((read.compare, read.repeat.runs), (None, 1));
}

#[test]
fn a_matrix_makes_the_product_of_its_lists() {
    let text = small(
        "[matrix]\n\"workload.connections\" = [8, 64]\n\
         server.settings.Innodb_Flush_Log_At_Trx_Commit = [1, 2]\n",
    );
    let read = read(&text, None, &[]).unwrap();
    let names: Vec<&str> = read.variants.iter().map(|arm| arm.name.as_str()).collect();
    let expected = [
        "connections=8, flush-log-at-trx-commit=1",
        "connections=8, flush-log-at-trx-commit=2",
        "connections=64, flush-log-at-trx-commit=1",
        "connections=64, flush-log-at-trx-commit=2",
    ];
    assert_eq!(names, expected);
    assert_eq!(read.variants[2].workload.options["connections"], 64);
    assert_eq!(read.variants[1].server.settings["innodb-flush-log-at-trx-commit"], 2);
}

#[test]
fn a_variant_with_another_workload_starts_afresh() {
    let text = small(
        "warehouses = 2\n[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n\
                      data = { workload = \"oltp\", tables = 3 }\n",
    );
    let read = read(&text, None, &[]).unwrap();
    assert_eq!(json!(read.variants[1].data.options), json!({ "tables": 3 }));
    assert_eq!(read.variants[1].workload.name, "oltp");
}

#[test]
fn unknown_keys_name_the_nearest_and_the_line() {
    for (text, words) in [
        ("nam = \"x\"", "x.toml:1: `nam`: there is no such key; is `name` meant?"),
        (&small("[wrkload]\n"), "x.toml:4: `wrkload`: there is no such key; is `workload`"),
        (&small("warehuses = 2\n"), "x.toml:4: `data.warehuses`: there is no such key; is `ware"),
        (&small("tables = 2\n"), "`data.tables`: there is no such key; there are workload, "),
        (
            &small("[workload]\nramp_up = 2\n"),
            "`workload.ramp_up`: there is no such key; is `ramp-",
        ),
        (
            &small("[server]\nmemry = 1\n"),
            "x.toml:5: `server.memry`: there is no such key; is `mem",
        ),
        (&small("[repeat]\nrun = 1\n"), "`repeat.run`: there is no such key; is `runs` meant?"),
        (
            &small("[measure]\nwaff = true\n"),
            "`measure.waff`: there is no such key; is `waf` meant",
        ),
        (
            &small("[[variant]]\nnam = 1\n"),
            "x.toml:5: `variant[1].nam`: there is no such key; is `n",
        ),
        (&small("[host]\nprofiles = 1\n"), "`host.profiles`: there is no such key; is `profile`"),
        (&small("[compare]\nbase = 1\n"), "`compare.base`: there is no such key"),
        (
            &small("[published]\nsource = \"a\"\n[[published.figure]]\nvalu = 1\n"),
            "x.toml:7: `published.figure[1].valu`: there is no such key; is `value` meant?",
        ),
        (
            &small("[server.settings]\ninnodb_bufer_pool_size = 1\n"),
            "x.toml:5: `server.settings.innodb-bufer-pool-size`: no version of the server knows \
             it; is `innodb_buffer_pool_size` meant?",
        ),
        (
            &small("[scale.laptop]\n[scale.paper]\nworkload.duratoin = 1\n"),
            "x.toml:6: `workload.duratoin`: there is no such key; is `duration` meant?",
        ),
        (
            &small("[matrix]\n\"wrkload.rate\" = [1]\n"),
            "\"wrkload.rate\" is no key of a variant; is",
        ),
    ] {
        let error = refused(text);
        assert!(error.contains(words), "{words}\n in {error}");
    }
    let error = read(FLUSH, None, &["workload.durations=1"]).unwrap_err();
    assert!(error.starts_with("--set: `workload.durations`: there is no such key"), "{error}");
    let error = read(FLUSH, Some("lapdog"), &[]).unwrap_err();
    assert_eq!(error, "--scale: `lapdog`: there is no such scale; is `laptop` meant?");
}

#[test]
fn values_of_another_kind_are_told_with_what_is_wanted() {
    for (more, words) in [
        (
            "[repeat]\nruns = \"many\"\n",
            "`repeat.runs`: the string \"many\" cannot be its value; give \
                                         a whole number from 1 to 10000",
        ),
        ("[repeat]\nruns = 0\n", "`repeat.runs`: 0 cannot be"),
        (
            "[repeat]\norder = \"abab\"\n",
            "`repeat.order`: \"abab\" is none of abba, random, in-order",
        ),
        ("[server]\nsized = 1\n", "`server.sized`: 1 cannot be its value; give true or false"),
        ("[server]\nflavour = \"oracle\"\n", "is none of mariadb, mysql, percona"),
        ("[server]\nsettings = 3\n", "`server.settings`: 3 cannot be its value; give a table"),
        ("[server.settings]\nmax_connections = [1]\n", "max-connections`: a list cannot be"),
        ("[server.settings]\nmax_connections = \"many\"\n", "it cannot be `many`"),
        ("[server.settings]\nport = 3306\n", "every instance has its own; leave it out"),
        ("[server.settings]\na_b = 1\na-b = 1\n", "said twice"),
        (
            "[server]\nmysqld = \"/a\"\nbuild = \"b\"\n",
            "`server.build`: `mysqld` says which server",
        ),
        ("[compare]\nthreshold = \"3\"\n", "`compare.threshold`: the string \"3\" cannot be"),
        ("[workload]\nrate = { a = 1 }\n", "`workload.rate`: a table cannot be an option's value"),
        ("[workload]\nrate = nan\n", "nan is no number that can be used"),
        ("[[variant]]\nnote = \"\"\n", "`variant[1].name`: a variant needs a name"),
        (
            "[variant]\nname = \"a\"\n",
            "`variant`: a table cannot be its value; give tables, [[variant]",
        ),
        (
            "[matrix]\n\"workload.rate\" = 1\n",
            "`matrix.workload.rate`: give a key of a variant a list",
        ),
        ("[matrix]\n", "`matrix`: it has no lists"),
        ("[scale]\nlaptop = 1\n", "`scale.laptop`: 1 cannot be a scale"),
        ("[scale.a]\nname = \"y\"\n", "`scale.a.name`: all scales have it in common"),
        ("[scale.a]\n[scale.b]\n", "--scale: say which of a, b"),
        ("[published]\ndiffers = []\n", "`published.source`: say who"),
    ] {
        let error = refused(&small(more));
        assert!(error.contains(words), "{words}\n in {error}");
    }
    assert!(refused("name = \"x\"\n").contains("`data.workload` is missing"));
    assert!(refused("name = \"a b\"\n").contains("letters, digits and dashes"));
    assert!(refused("[data]\nworkload = \"tpcc\"\n").contains("`name` is missing"));
    assert!(refused("name = \"x\"\n[data]\nworkload = \"tpch\"\n").contains("is `tpcc` meant?"));
    assert!(refused("name = \n").starts_with("x.toml:1: "));
    for set in ["a", "=1", "a..b=1", "scale.laptop.a=1", "variant=1"] {
        assert!(read(FLUSH, None, &[set]).unwrap_err().starts_with("--set: `"), "{set}");
    }
}

#[test]
fn contradictions_are_refused() {
    let two = "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nworkload.seed = 2\n";
    for (more, words) in [
        ("[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n", "`a` and `b` differ in nothing"),
        ("[[variant]]\nname = \"a\"\n[[variant]]\nname = \"a\"\nworkload.seed = 2\n", "called `a`"),
        ("[compare]\n", "x.toml:4: `compare`: there is one variant and nothing to compare it with"),
        (
            &format!("{two}[compare]\nbaseline = \"c\"\n"),
            "x.toml:10: `compare.baseline`: there is no",
        ),
        (&format!("{two}[repeat]\nruns = 9999\n"), "19998 trials are more than"),
        (
            "[repeat]\norder = \"duet\"\n",
            "`repeat.order`: a duet is of two variants, and there are 1",
        ),
        (
            &format!("[workload]\nconnections = [1, 2]\n{two}[repeat]\norder = \"duet\"\n"),
            "a duet has no sweeps; give workload.connections a single value",
        ),
        (
            &format!("[server]\ncpus = \"0\"\n{two}[repeat]\norder = \"duet\"\n"),
            "a duet shares out the processors itself; leave server.cpus of `a` out",
        ),
        (&format!("{two}[matrix]\n\"workload.rate\" = [1]\n"), "`matrix` beside [[variant]]"),
        (
            "[published]\nsource = \"y\"\n[[published.figure]]\nvariant = \"z\"\nmetric = \"QPS\"\n\
             value = 1\n",
            "`published.figure[1].variant`: there is no variant `z`; there are default",
        ),
    ] {
        let error = refused(&small(more));
        assert!(error.contains(words), "{words}\n in {error}");
    }
}

#[test]
fn data_at_rest_is_looked_at_by_another_kind_of_trial() {
    let pages = |more: &str| small(&format!("[workload]\nkind = \"pages\"\n{more}"));
    let read = read(&pages("tool = \"stock\"\npasses = 3"), None, &[]).unwrap();
    let arm = &read.variants[0];
    assert_eq!((arm.data.name.as_str(), arm.workload.name.as_str()), ("tpcc", "pages"));
    assert_eq!(json!(arm.workload.options), json!({ "tool": "stock", "passes": 3 }));
    assert!(arm.is_at_rest());
    for (text, words) in [
        (pages("connections = 1"), "`workload.connections`"),
        (small("[workload]\nkind = \"page\""), "is `pages` meant?"),
        (small("[workload]\ntool = \"stock\""), "`workload.tool`"),
    ] {
        let error = refused(&text);
        assert!(error.contains(words), "{words}\n in {error}");
    }
    let bare = "name = \"x\"\n[data]\nworkload = \"lines\"\n";
    let error = refused(bare);
    assert!(error.contains("no load of its own") && error.contains("\"pages\""), "{error}");
    let duet = "[repeat]\norder = \"duet\"\n[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n\
                workload = { passes = 2 }";
    assert!(refused(&pages(duet)).contains("a duet is of loads"));
}

#[test]
fn pairs_of_variants_can_be_compared() {
    let arms = "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nworkload.seed = 2\n\
                [[variant]]\nname = \"c\"\nworkload.seed = 3\n[compare]\n";
    let with = |compare: &str| small(&format!("{arms}{compare}"));
    let names = |text: &str| -> Vec<[String; 2]> {
        let read = read(text, None, &[]).unwrap();
        read.compared().into_iter().map(|pair| pair.map(|arm| arm.name.clone())).collect()
    };
    let told =
        |pairs: &[[&str; 2]]| pairs.iter().map(|it| it.map(str::to_owned)).collect::<Vec<_>>();
    assert_eq!(names(&with("baseline = \"b\"")), told(&[["b", "a"], ["b", "c"]]));
    let pairs = "pairs = [[\"a\", \"b\"], [\"c\", \"b\"]]";
    assert_eq!(names(&with(pairs)), told(&[["a", "b"], ["c", "b"]]));
    for (compare, words) in [
        ("pairs = [\"a\"]", "give a list of pairs"),
        ("pairs = [[\"a\", \"b\", \"c\"]]", "give a list of pairs"),
        ("pairs = [[\"a\", \"x\"]]", "there is no variant `x`"),
        ("pairs = [[\"a\", \"a\"]]", "beside itself"),
        ("baseline = \"a\"\npairs = [[\"a\", \"b\"]]", "leave `baseline` out"),
    ] {
        let error = refused(&with(compare));
        assert!(error.contains(words), "{words}\n in {error}");
    }
}

#[test]
fn nesting_is_bounded() {
    let dotted = format!("{} = 1", ["a"; 5000].join("."));
    assert!(refused(&dotted).contains("dots"), "{}", refused(&dotted));
    let nested = format!("a = {}{}", "[".repeat(5000), "]".repeat(5000));
    assert!(refused(&nested).starts_with("x.toml:1"), "{}", refused(&nested));
    let inline = format!("a = {}1{}", "{ b = ".repeat(40), " }".repeat(40));
    assert!(refused(&inline).contains("nested too deeply"), "{}", refused(&inline));
    let comb = format!("{}1", "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = {\n".repeat(60));
    assert!(refused(&comb).starts_with("x.toml"));
    assert!(refused(&" ".repeat(FILE_BYTES_MAX + 1)).contains("longer than"));
    let deep = format!("a={}", "[".repeat(3000));
    assert!(read(FLUSH, None, &[&deep]).is_err());
}

proptest! {
    #[test]
    fn no_file_makes_it_panic(text in "\\PC{0,200}") {
        let _refused_or_not = read(&text, None, &[]);
    }

    #[test]
    fn no_damage_makes_it_panic(
        place in 0..FLUSH.len(), with in "[\\PC\n]{0,6}", until in 0..40_usize,
    ) {
        let head: String = FLUSH.chars().take(place).collect();
        let tail: String = FLUSH.chars().skip(place + until).collect();
        let _refused_or_not = read(&format!("{head}{with}{tail}"), Some("paper"), &[]);
    }

    #[test]
    fn no_override_makes_it_panic(set in "[a-z.=\\[\\]{}\"0-9 ]{0,30}", value in "\\PC{0,20}") {
        let _refused_or_not = read(FLUSH, None, &[&set, &format!("workload.duration={value}")]);
    }
}
