//! `myrig ssd info`, `waf` and `watch`, on what drives have answered.

mod cpio;
mod emulated;
mod recorded;

use crate::{
    documents::{JSON, fields, is},
    support::{Disk, Ended, Rig, Running, keys, until},
};
use recorded::{Fdp, ocp};
use rustix::process::Signal;
use std::{
    fs,
    path::{Path, PathBuf},
};

const MIB: u128 = 1 << 20;

#[test]
fn a_drive_is_described_with_what_it_can_place() {
    let rig = Rig::new();
    let drive = Fdp::make(&rig.dir().join("drive"));
    drive.has_written(300 * MIB, 450 * MIB);
    let told = rig.run("ssd info --recorded drive --json").good().json();
    is(&told, "myrig.ssd-info/1");
    let entry = &told["drives"][0];
    assert_eq!(keys(entry), fields(JSON, "### An entry of `drives`"));
    let info = &entry["info"];
    assert_eq!(keys(info), fields(JSON, "### The `info` of a drive"));
    assert_eq!(info["controller"]["serial"], "S3R1AL");
    assert_eq!(info["fdp"][0]["enabled"], true);
    assert_eq!(info["source"]["kind"], "fdp");
    assert_eq!(info["totals"]["media_bytes"], 450 * (1 << 20));
    let text = rig.run("ssd info --recorded drive").good().out;
    for words in ["A Drive, serial S3R1AL", "FDP: switched on in endurance group 1", "1.500"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
}

#[test]
fn all_drives_of_this_machine_are_described_or_there_are_none() {
    let rig = Rig::new();
    let told = rig.run("ssd info --json");
    is(&told.json(), "myrig.ssd-info/1");
    if !Path::new("/sys/class/nvme").exists() {
        let told = rig.run("ssd info").good();
        assert!(told.out.contains("no NVMe drives here"), "{told}");
    }
}

#[test]
fn the_factor_of_two_recordings_is_of_what_was_written_between() {
    let rig = Rig::new();
    ocp(&rig.dir().join("before"), "A", 1_000, 600_000_000);
    ocp(&rig.dir().join("after"), "A", 2_000, 1_240_000_000);
    ocp(&rig.dir().join("other"), "B", 2_000, 1_240_000_000);
    let told = rig.run("ssd waf --recorded before after --json").good().json();
    is(&told, "myrig.ssd-waf/1");
    assert_eq!((&told["host_bytes"], &told["factor"]), (&512_000_000.into(), &1.25.into()));
    let text = rig.run("ssd waf --recorded before after").good().out;
    assert!(text.starts_with("WAF 1.25000\n"), "{text}");
    rig.run("ssd waf --recorded after before").ends(3).says(&["a counter went back"]);
    rig.run("ssd waf --recorded before other").ends(3).says(&["of two drives, A and B"]);
    let idle = rig.run("ssd waf --recorded after after").good().out;
    assert!(idle.starts_with("no WAF: the host wrote nothing"), "{idle}");
}

#[test]
fn the_mean_of_a_file_of_rows_is_the_procedures() {
    let rig = Rig::new();
    let mut rows = "900 100 9.00000\n0 0\n".to_owned();
    (0..12).for_each(|hour| rows += &format!("{} 100 1.{hour:02}000\n0 0 0\n", 100 + hour));
    fs::write(rig.dir().join("result_WA.txt"), &rows).unwrap();
    let told = rig.run("ssd waf result_WA.txt --json").good().json();
    is(&told, "myrig.ssd-waf-rows/1");
    assert_eq!((&told["rows"], &told["rows_in_file"]), (&12.into(), &26.into()));
    assert!((told["factor"].as_f64().unwrap() - 1.055).abs() < 1e-9, "{told}");
    let text = rig.run("ssd waf result_WA.txt --rows 40").good().out;
    assert!(text.contains("only 13 such rows, not 40"), "{text}");
    fs::write(rig.dir().join("result_WA.txt"), rows + "1 2 three\n").unwrap();
    rig.run("ssd waf result_WA.txt").ends(3).says(&["line 27", "1 2 three"]);
    fs::write(rig.dir().join("result_WA.txt"), "0 0 0\n").unwrap();
    rig.run("ssd waf result_WA.txt").ends(3).says(&["1 rows, all of them zero"]);
}

#[test]
fn what_is_no_drive_or_the_wrong_one_is_refused_with_the_reason() {
    let rig = Rig::new();
    for verb in ["ssd info", "ssd waf", "ssd watch"] {
        rig.run(&format!("{verb} /dev/null")).ends(3).says(&["/dev/null is not an NVMe drive"]);
        rig.run(&format!("{verb} /dev/nvme9n9")).ends(3).says(&["/dev/nvme9n9: No such file"]);
    }
    let drive = rig.dir().join("drive");
    ocp(&drive, "A", 1_000, 1);
    let mut log = fs::read(drive.join("log-c0.bin")).unwrap();
    log[496] ^= 1;
    fs::write(drive.join("log-c0.bin"), &log).unwrap();
    rig.run("ssd watch --recorded drive").ends(3).says(&["another vendor's GUID AFD514C9"]);
    fs::write(drive.join("log-c0.bin"), &log[..300]).unwrap();
    rig.run("ssd waf --recorded drive drive").ends(3).says(&["300 bytes, where the page has 512"]);
    // What it is can be told all the same.
    let told = rig.run("ssd info --recorded drive").good();
    assert!(told.out.contains("WAF: cannot be read, because"), "{told}");
    rig.run("ssd watch").ends(2);
    rig.run("ssd watch --recorded drive --every 1ms").ends(2);
    rig.run("ssd info --recorded nowhere").ends(3).says(&["identify-controller.bin"]);
}

/// A watcher of a drive whose totals the test decides.
struct Watched {
    rig: Rig,
    drive: Fdp,
    output: PathBuf,
}

impl Watched {
    fn new() -> Self {
        let rig = Rig::new();
        let drive = Fdp::make(&rig.dir().join("drive"));
        drive.has_written(1000 * MIB, 1000 * MIB);
        let output = rig.dir().join("out");
        Self { rig, drive, output }
    }

    /// Starts it, and waits for its first reading, which is a line more.
    fn start(&self, options: &str) -> Running {
        let output = self.output.display();
        let line = format!("ssd watch --recorded drive --every 100ms -o {output} {options} --json");
        let lines = || self.text("waf.jsonl").lines().count();
        let before = lines();
        let running = self.rig.start(&line);
        until("there is a reading", || lines() > before);
        running
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.output.join(file)).unwrap_or_default()
    }

    fn until_there(&self, file: &str, words: &str) {
        until(&format!("{words} is in {file}"), || self.text(file).contains(words));
    }

    /// MB to the media and from the host, all rows together.
    fn sums(&self) -> (u128, u128) {
        let rows = self.text("result_WA.txt");
        let numbers = rows.lines().map(|row| {
            let words: Vec<&str> = row.split(' ').collect();
            assert_eq!(words.len(), 3, "{row}");
            (words[0].parse::<u128>().unwrap(), words[1].parse::<u128>().unwrap())
        });
        numbers.fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1))
    }

    fn stop(running: Running) -> Ended {
        running.signal(Signal::TERM);
        let ended = running.wait().good().says(&[]);
        is(&ended.json(), "myrig.ssd-watch/1");
        ended
    }
}

#[test]
fn a_row_is_appended_for_each_interval_and_idle_ones_are_zeros() {
    let watched = Watched::new();
    let running = watched.start("");
    watched.until_there("result_WA.txt", "0 0 0\n");
    watched.drive.has_written(1100 * MIB, 1150 * MIB);
    watched.until_there("result_WA.txt", "150 100 1.50000\n");
    let second = format!("ssd watch --recorded drive -o {}", watched.output.display());
    watched.rig.run(&second).ends(3).says(&["another `myrig ssd watch`"]);

    // A reset is no row.
    watched.drive.has_written(7 * MIB, 7 * MIB);
    watched.until_there("waf.jsonl", "\"reset\"");
    watched.drive.has_written(107 * MIB, 207 * MIB);
    watched.until_there("result_WA.txt", "200 100 2.00000\n");
    let ended = Watched::stop(running).json();
    assert_eq!((&ended["resets"], &ended["failures"]), (&1.into(), &0.into()));
    assert_eq!(watched.sums(), (350, 200));
    let lines = watched.text("waf.jsonl");
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let row = lines.iter().find(|line| line["row"] == "150 100 1.50000").unwrap();
    assert_eq!(keys(row), fields(JSON, "## `myrig.ssd-watch-line/1`"));
    assert_eq!((&row["event"], &row["factor"]), (&"row".into(), &1.5.into()));
    assert_eq!(lines[0]["reason"], "first");

    let mean = format!("ssd waf {} --json", watched.output.join("result_WA.txt").display());
    assert_eq!(watched.rig.run(&mean).good().json()["factor"], 1.75);
}

#[test]
fn a_watcher_that_was_killed_goes_on_with_its_last_reading() {
    let watched = Watched::new();
    let running = watched.start("");
    watched.until_there("result_WA.txt", "0 0 0\n");
    running.signal(Signal::KILL);
    assert_eq!(running.wait().status, None);
    watched.drive.has_written(1400 * MIB, 1600 * MIB);
    let again = watched.start("--rows 1").wait().good().json();
    assert_eq!((&again["rows"], &again["resets"]), (&1.into(), &0.into()));
    assert_eq!(watched.sums(), (600, 400));
}

#[test]
fn a_drive_that_vanishes_is_told_and_watched_again_when_it_is_back() {
    let watched = Watched::new();
    let running = watched.start("");
    watched.drive.vanish();
    watched.until_there("waf.jsonl", "\"failed\"");
    watched.drive.has_written(1250 * MIB, 1500 * MIB);
    watched.drive.come_back();
    watched.until_there("result_WA.txt", "500 250 2.00000\n");
    let ended = Watched::stop(running).says(&["identify-controller.bin", "tried again"]).json();
    assert!(ended["failures"].as_u64().unwrap() > 0, "{ended}");

    let running = watched.start("--give-up-after 300ms");
    watched.drive.vanish();
    running.wait().ends(3).says(&["given up after 300ms"]);
}

#[test]
fn a_full_disk_costs_no_row() {
    let watched = Watched::new();
    let Some(disk) = Disk::mount(&watched.rig, "256k") else { return };
    let output = disk.path().join("out");
    let watched = Watched { output, ..watched };
    let running = watched.start("");
    watched.until_there("result_WA.txt", "0 0 0\n");
    disk.fill();
    watched.drive.has_written(1100 * MIB, 1200 * MIB);
    // The draft of a state that could not be written stays.
    let draft = watched.output.join(".waf.state.json.new");
    until("a state cannot be written", || fs::metadata(&draft).is_ok_and(|new| new.len() == 0));
    disk.make_room();
    watched.drive.has_written(1300 * MIB, 1500 * MIB);
    until("all that was written is in rows", || watched.sums() == (500, 300));
    Watched::stop(running).says(&["No space left on device"]);
    assert_eq!(watched.sums(), (500, 300));
}
