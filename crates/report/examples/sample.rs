//! Writes the reports of made-up runs and of a sweep, to look at:
//! `cargo run -p report --example sample DIR`.
#![allow(clippy::unwrap_used)]

#[path = "../tests/fixture/mod.rs"]
mod fixture;

use fixture::{CLEAN, Plan, TROUBLED, record};
use std::{env, fs, path::PathBuf};

fn main() {
    let directory = PathBuf::from(env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let long = Plan { measure_s: 3600, ..TROUBLED };
    for (name, plan) in [("clean", CLEAN), ("troubled", TROUBLED), ("long", long)] {
        let page = report::html::render(&record(plan)).unwrap();
        fs::write(directory.join(name).with_extension("html"), page).unwrap();
    }
    let mut run = record(TROUBLED);
    run.watch = Some(fixture::watch::watch(run.intervals.len() as u32));
    let page = report::html::render(&run).unwrap();
    fs::write(directory.join("watched.html"), page).unwrap();
    let page = report::sweep::html(&fixture::sweep::sweep()).unwrap();
    fs::write(directory.join("sweep.html"), page).unwrap();
}
