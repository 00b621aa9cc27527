//! `myrig run`: an experiment from its file to its verdict, on a real server; what is left when it
//! is killed at any of its steps, and how it goes on.

use crate::support::{Ended, Rig, Running, below, until};
use rustix::process::{Signal, geteuid};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Two variants of a setting that costs little, so that the test is about the steps.
const SMALL: &str = r#"
name = "small"
title = "Two ways to flush"
question = "Does the redo log's flushing show in a second?"
[server]
flavour = "mariadb"
settings = { innodb-buffer-pool-size = "64M" }
[data]
workload = "tpcc"
warehouses = 1
[workload]
connections = 2
ramp-up = "1s"
duration = "2s"
[repeat]
runs = 2
[measure]
space = true
[compare]
metrics = ["tpmC"]
[[variant]]
name = "each-commit"
server = { settings = { innodb-flush-log-at-trx-commit = 1 } }
[[variant]]
name = "each-second"
server = { settings = { innodb-flush-log-at-trx-commit = 0 } }
"#;

/// A home with an experiment file beside it.
struct Bench {
    rig: Rig,
    file: PathBuf,
}

impl Bench {
    fn with(text: &str) -> Self {
        let rig = Rig::new();
        let file = rig.dir().join("experiment.toml");
        fs::write(&file, text).unwrap();
        Self { rig, file }
    }

    fn line(&self, options: &str) -> String {
        format!("run {} {options}", self.file.display())
    }

    fn run(&self, options: &str) -> Ended {
        self.rig.run(&self.line(options))
    }

    fn home(&self, path: &str) -> PathBuf {
        self.rig.home().join(path)
    }

    /// Whether a directory of the home holds something whose name begins so.
    fn has(&self, dir: &str, prefix: &str) -> bool {
        let Ok(entries) = fs::read_dir(self.home(dir)) else { return false };
        entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
    }

    fn trials(&self) -> usize {
        let experiments = self.rig.run("runs list --json").good().json();
        experiments["experiments"][0]["trials"].as_u64().unwrap_or_default() as usize
    }

    /// Nothing runs, and nothing is held any more.
    fn nothing_is_left(&self) {
        self.rig.nothing_runs();
        for dir in ["experiments", "servers", "snapshots"] {
            let left: Vec<String> = fs::read_dir(self.home(dir))
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .filter(|name| name != ".lock")
                .collect();
            assert!(left.is_empty(), "{dir}: {left:?}");
        }
    }
}

#[test]
fn an_experiment_goes_from_its_file_to_its_verdict() {
    let bench = Bench::with(SMALL);
    let report = bench.rig.dir().join("report.html");
    let options = format!("--report {} --label first --json", report.display());
    let ended = bench.run(&options).good();
    let record = ended.json();
    assert_eq!(record["schema"], "myrig.experiment/1");
    assert_eq!(
        (&record["status"]["state"], &record["label"]),
        (&"complete".into(), &"first".into())
    );
    let order: Vec<&str> = array(&record, "trials").iter().map(|it| text(it, "variant")).collect();
    assert_eq!(order, ["each-commit", "each-second", "each-second", "each-commit"], "ABBA");
    for trial in array(&record, "trials") {
        assert_eq!(trial["check_good"], true, "{trial}");
        let names: Vec<&str> = array(trial, "figures").iter().map(|it| text(it, "name")).collect();
        assert!(names.contains(&"tpmC") && names.contains(&"data directory"), "{names:?}");
        let run = bench.rig.run(&format!("runs show {} --json", text(trial, "run"))).good().json();
        let variable = &run["server"]["variables"]["innodb_flush_log_at_trx_commit"];
        let wanted = if trial["variant"] == "each-commit" { "1" } else { "0" };
        assert_eq!(variable, wanted, "the variant's setting is the server's");
    }
    let differs = &record["variants"][0]["differs"][0][0];
    assert_eq!(differs, "server.settings.innodb-flush-log-at-trx-commit");
    let comparison = &record["comparisons"][0];
    assert_eq!(
        (&comparison["baseline"], &comparison["variant"]),
        (&"each-commit".into(), &"each-second".into())
    );
    assert!(!text(&record, "verdict").is_empty());
    let page = fs::read_to_string(&report).unwrap();
    assert!(page.contains("Two ways to flush") && page.contains("</html>"));
    let shown = bench.rig.run("runs show latest").good();
    assert!(shown.out.contains("each-second"), "{shown}");
    bench.nothing_is_left();
}

/// A step, and what can be seen from outside when it has been reached.
type Seen = (&'static str, fn(&Bench, usize) -> bool);

/// The steps, each a while after the one before it; with the number of runs at the beginning.
const STEPS: [Seen; 6] = [
    ("the instance is being made", |bench, _| {
        bench.has("servers", ".init-") || bench.has("servers", "x")
    }),
    ("the data is being loaded", |bench, _| loading(bench)),
    ("the snapshot is being taken", |bench, _| bench.has("snapshots", "")),
    ("a trial's server runs", |bench, _| whole_snapshot(bench) && served(bench)),
    ("a trial's load is on", |bench, before| runs(bench) > before),
    ("the first trial is over", |bench, _| bench.trials() > 0),
];

fn loading(bench: &Bench) -> bool {
    let instances = fs::read_dir(bench.home("servers")).into_iter().flatten().flatten();
    instances.map(|it| it.path().join("data/myrig")).any(|it| it.is_dir())
}

fn whole_snapshot(bench: &Bench) -> bool {
    let snapshots = fs::read_dir(bench.home("snapshots")).into_iter().flatten().flatten();
    snapshots.map(|it| it.path()).any(|it| !hidden(&it) && it.join("manifest.json").is_file())
}

fn hidden(path: &Path) -> bool {
    path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'))
}

fn served(bench: &Bench) -> bool {
    !below(&bench.home("servers")).is_empty()
}

fn runs(bench: &Bench) -> usize {
    let runs = bench.rig.run("runs list --json").good().json();
    runs["runs"].as_array().map_or(0, Vec::len)
}

#[test]
fn killed_at_each_of_its_steps_it_goes_on_and_leaves_nothing() {
    let bench = Bench::with(SMALL);
    let mut line = bench.line("--json");
    for (what, seen) in STEPS {
        let before = runs(&bench);
        let mut running = bench.rig.start(&line);
        until(what, || running.has_ended() || seen(&bench, before));
        assert!(!running.has_ended(), "{what}: {}", running.wait());
        killed(running);
        // A run that was cut off is in the store; the store itself is whole.
        bench.rig.run("runs list --json").good();
        line = "run --resume --json".to_owned();
    }
    let record = bench.rig.run(&line).good().json();
    assert_eq!(record["status"]["state"], "complete");
    let numbers: Vec<u64> =
        array(&record, "trials").iter().map(|it| it["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4], "each trial once");
    bench.nothing_is_left();
}

#[test]
fn what_a_killed_experiment_holds_is_removed_by_cleanup() {
    let bench = Bench::with(SMALL);
    let running = bench.rig.start(&bench.line(""));
    until("a trial's server runs", || whole_snapshot(&bench) && served(&bench));
    killed(running);
    assert!(served(&bench), "a server outlives its experiment: that is what cleanup is for");
    let cleaned = bench.rig.run("run --cleanup").good();
    assert!(cleaned.out.contains("experiment-"), "{cleaned}");
    bench.nothing_is_left();
    bench.rig.run("run --resume").ends(2).says(&["no experiment was broken off"]);
}

#[test]
fn an_interrupted_experiment_stops_its_server_and_says_how_to_go_on() {
    let bench = Bench::with(&SMALL.replace("\"2s\"", "\"1h\""));
    let running = bench.rig.start(&bench.line(""));
    until("a trial's server runs", || whole_snapshot(&bench) && served(&bench));
    let busy = bench.rig.run("run --resume").ends(3);
    assert!(busy.err.contains("another process"), "{busy}");
    until("a trial's load is on", || runs(&bench) > 0);
    running.signal(Signal::INT);
    running.wait().ends(3).says(&["0 of 4 trials are kept", "--resume", "--cleanup"]);
    bench.rig.nothing_runs();
    assert!(whole_snapshot(&bench), "the data need not be loaded again");
    bench.rig.run("run --cleanup").good();
    bench.nothing_is_left();
}

#[test]
fn a_host_profile_holds_during_trials_and_is_put_back_after_a_kill() {
    const PATH: &str = "/proc/sys/fs/aio-max-nr";
    if !geteuid().is_root() || !Path::new(PATH).exists() {
        println!("SKIPPED: a host profile in an experiment, because only root may tune");
        return;
    }
    let value = || fs::read_to_string(PATH).unwrap().trim().to_owned();
    let before = value();
    let wanted = before.parse::<u64>().unwrap() + 4096;
    let profile = "description = \"more asynchronous requests\"\n[set]\n";
    let bench = Bench::with("");
    let path = bench.rig.dir().join("wide.toml");
    fs::write(&path, format!("{profile}\"fs.aio-max-nr\" = {wanted}\n")).unwrap();
    let host = format!("[host]\nprofile = \"{}\"\n[data]", path.display());
    fs::write(&bench.file, SMALL.replace("[data]", &host)).unwrap();
    let planned = bench.run("--plan").good();
    assert!(planned.out.contains("aio-max-nr"), "{planned}");
    assert_eq!(value(), before, "a plan changes nothing");
    let running = bench.rig.start(&bench.line(""));
    until("the profile holds", || value() == wanted.to_string());
    killed(running);
    assert_eq!(value(), wanted.to_string(), "nobody was left to put it back");
    bench.rig.run("run --resume").good();
    assert_eq!(value(), before);
    bench.nothing_is_left();
}

#[test]
fn two_variants_play_a_duet_on_halves_that_they_exchange() {
    let bench = Bench::with(&SMALL.replace("runs = 2", "runs = 2\norder = \"duet\""));
    let record = bench.run("--json").good().json();
    let played: Vec<(u64, String, String)> = array(&record, "trials")
        .iter()
        .map(|it| {
            (it["pair"].as_u64().unwrap(), text(it, "variant").into(), text(it, "cpus").into())
        })
        .collect();
    let halves = |variant: &str| -> Vec<&str> {
        played.iter().filter(|it| it.1 == variant).map(|it| it.2.as_str()).collect()
    };
    let (commit, second) = (halves("each-commit"), halves("each-second"));
    assert_eq!(played.iter().map(|it| it.0).collect::<Vec<_>>(), [1, 1, 2, 2]);
    assert!(
        commit[0] != commit[1] && commit[0] == second[1] && commit[1] == second[0],
        "{played:?}"
    );
    for trial in array(&record, "trials") {
        // Two seconds' load at the least, and an exchange each half of a second.
        assert!(trial["exchanges"].as_u64().unwrap() >= 3, "{trial}");
    }
    assert_eq!(record["comparisons"][0]["design"], "duet");
    let caveats = record["comparisons"][0]["caveats"].to_string();
    assert!(!caveats.contains("client-cpus"), "{caveats}");
    bench.nothing_is_left();
}

/// Kills the command as nothing can prevent.
fn killed(running: Running) {
    running.signal(Signal::KILL);
    drop(running.wait());
}

fn array<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}
