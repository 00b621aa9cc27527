//! `myrig sysbench`: the OLTP scripts of sysbench, its command lines and its output.
//!
//! # Layers
//!
//! `command_line` sorts words, `catalog` knows every option and `settings` looks them up;
//! `script`, `connection` and `options` make of them what is to be done. `observed` puts an ear on
//! the workload, `tally` counts, `histogram` and `report` print as sysbench does,
//! `live` while the load is on. `prepare`, `run`
//! and `cleanup` carry the commands out.

mod bench;
mod catalog;
mod cleanup;
mod command_line;
mod connection;
mod help;
mod histogram;
mod live;
mod observed;
mod options;
mod prepare;
mod refusal;
mod report;
mod run;
mod script;
mod settings;
mod tally;

use crate::{failure::Status, output::Output, paths::Paths};
use command_line::CommandLine;
use connection::Surroundings;
use options::{Command, Options};
use script::Form;
use std::{env, fs, path::Path};

/// What ends a command that was begun, in words; `FATAL:` goes before them.
type Fatal = String;

/// Carries out a call and says how it ended.
pub(super) fn call(words: &[String], paths: &Paths, output: &Output) -> Status {
    let line = match command_line::read(words, &|path| fs::read(path)) {
        Ok(line) => line,
        Err(words) => return refuse(&words, output),
    };
    if let Some(text) = help::wanted(&line) {
        return say(&text, output);
    }
    let around = Surroundings {
        variable: &|name| env::var(name).ok(),
        exists: &|path| Path::new(path).exists(),
    };
    match Options::new(&line, &around) {
        Err(words) => refuse(&words, output),
        Ok(options) => carry_out(&options, &line, paths, output),
    }
}

fn carry_out(options: &Options, line: &CommandLine, paths: &Paths, output: &Output) -> Status {
    let screen = Screen { output, verbosity: options.shown.verbosity };
    for warning in &options.shown.warnings {
        screen.warning(warning);
    }
    screen.notice(&format!("{}\n\n", banner(options.script.form)));
    let ended = match options.command {
        Command::Help => Ok(say(&help::of_script(&options.script), output)),
        Command::Prepare => prepare::prepare(options, &screen),
        Command::Prewarm => prepare::prewarm(options, &screen),
        Command::Run => run::run(options, line, paths, &screen),
        Command::Cleanup => cleanup::cleanup(options, &screen),
    };
    match ended {
        Ok(status) => status,
        Err(words) => {
            screen.fatal(&words);
            Status::NotDone
        }
    }
}

/// The first line. Programs look for a version at its beginning.
fn banner(form: Form) -> String {
    let ours = env!("CARGO_PKG_VERSION");
    match form {
        Form::V1_0 => format!("sysbench 1.0.20-compatible (myrig {ours})"),
        Form::V0_5 => format!(
            "sysbench 0.5-compatible (myrig {ours}):  multi-threaded system evaluation benchmark"
        ),
    }
}

fn refuse(words: &str, output: &Output) -> Status {
    output.note(&format!("sysbench: {words}"));
    Status::Usage
}

fn say(text: &str, output: &Output) -> Status {
    match output.write(text) {
        Ok(()) => Status::Good,
        Err(failure) => {
            output.note(&format!("sysbench: {failure}"));
            failure.status
        }
    }
}

/// Standard output, where sysbench writes everything, failures as well.
#[derive(Clone, Copy)]
struct Screen<'a> {
    output: &'a Output,
    verbosity: u32,
}

impl Screen<'_> {
    /// What is said at `--verbosity=3`, the usual one.
    fn notice(&self, text: &str) {
        if self.verbosity >= 3 {
            self.always(text);
        }
    }

    fn warning(&self, words: &str) {
        if self.verbosity >= 2 {
            self.always(&format!("WARNING: {words}\n"));
        }
    }

    fn fatal(&self, words: &str) {
        self.always(&format!("FATAL: {}\n", refusal::translated(words)));
    }

    /// Says it whatever the verbosity. Where that fails, `say` has complained.
    fn always(&self, text: &str) {
        let _complained = say(text, self.output);
    }
}
