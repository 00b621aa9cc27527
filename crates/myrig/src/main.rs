//! The `myrig` command: arguments, glue, exit codes. Everything else is in the libraries.

mod args;
mod connect;
mod demo;
mod disk;
mod experiment;
mod facts;
mod failure;
mod front;
mod group;
mod hosts;
mod interrupt;
mod live;
mod manuals;
mod metrics;
mod oltp;
mod output;
mod pages;
mod paths;
mod prepare;
mod recording;
mod run;
mod runs;
mod runtime;
mod serve;
mod servers;
mod ssd;
mod streams;
mod sweep;
mod tpcc;
mod tpch;
mod tprocc;
mod transfer;

use args::{Cli, Colour, Command};
use clap::Parser;
use failure::{Failure, Status};
use front::{Call, Tool};
use output::Output;
use std::{env, ffi::OsString, process::ExitCode};

fn main() -> ExitCode {
    let line: Vec<OsString> = env::args_os().collect();
    if let Some(call) = front::called(&line) {
        return call.answer_alone(&Output::of_terminal(false, Colour::Auto)).into();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are printed on standard output and are no error.
            let usage = if error.use_stderr() { Status::Usage } else { Status::Good };
            let _unheard = error.print();
            return usage.into();
        }
    };
    let output = Output::of_terminal(cli.global.json, cli.global.color);
    match run(cli, &output) {
        Ok(status) => status.into(),
        Err(failure) => {
            output.failure(&failure);
            failure.status.into()
        }
    }
}

fn run(cli: Cli, output: &Output) -> Result<Status, Failure> {
    let paths = paths::Paths::new(cli.global.home)?;
    match cli.command {
        Command::Demo(options) => demo::run(&options, &paths, output),
        Command::Run(options) => experiment::run(&options, &paths, output),
        Command::Tpcc { verb } => tpcc::run(verb, &paths, output),
        Command::Tprocc { verb } => tprocc::run(verb, &paths, output),
        Command::Oltp { verb } => oltp::run(verb, &paths, output),
        Command::Tpch { verb } => tpch::run(verb, &paths, output),
        Command::Sysbench { words } => Ok(Call::new(Tool::Sysbench, words).answer(&paths, output)),
        Command::Benchmarksql { words } => {
            Ok(Call::new(Tool::BenchmarkSql, words).answer(&paths, output))
        }
        Command::Innochecksum { words } => {
            Ok(Call::new(Tool::Innochecksum, words).answer(&paths, output))
        }
        Command::Astream { words } => Ok(Call::new(Tool::Astream, words).answer(&paths, output)),
        Command::Streams { verb } => streams::run(verb, &paths, output),
        Command::Server { verb } => servers::run(verb, &paths, output),
        Command::Host { verb } => hosts::run(verb, &paths, output),
        Command::Pages { verb } => pages::run(verb, &paths, output),
        Command::Disk { verb } => disk::run(verb, &paths, output),
        Command::Ssd { verb } => ssd::run(verb, output),
        Command::Runs { verb } => runs::run(verb, &paths, output),
        Command::Serve(args) => serve::run(&args, &paths, output),
        Command::Completions { shell } => manuals::completions(shell, output),
        Command::Man { directory } => manuals::man_pages(&directory, output),
        Command::Reference { directory } => manuals::reference(&directory, output),
    }
}

/// The one exit beside the end of `main`: who interrupts twice wants no more cleaning up.
#[allow(clippy::exit)]
fn exit_at_once() {
    // 128 + SIGINT, as shells say it.
    std::process::exit(130);
}
