//! `myrig innochecksum`: innochecksum's command lines and output, of MySQL and of MariaDB, on the
//! verdicts of crate `pages`.
//!
//! # Layers
//!
//! `flavour` says whose command line it is; `options` knows every option, `value` and
//! `command_line` read them as `my_getopt` does, and `help` prints them. `run` is what a command
//! says, `files` goes through its files: by the engine (`scan`) where they are only checked,
//! otherwise page after page: `mysql` and `mariadb` are the course of each tool, `walk` what both
//! have in common, `judge` checks pages in their order on all cores. `source` and `tablespace`
//! read, `page_type` and `index` count, `log` writes the log and `rewrite` checksums.

mod command_line;
mod files;
mod flavour;
mod help;
mod index;
mod judge;
mod log;
mod mariadb;
mod mysql;
mod options;
mod own;
mod page_type;
mod rewrite;
mod run;
mod scan;
mod source;
mod tablespace;
mod value;
mod walk;

use crate::{failure::Status, output::Output};
use command_line::{Reading, Wanted};
use options::Settings;
use own::Own;
use pages::Flavour;
use run::{End, Run};
use serde_json::json;
use std::io::{self, Write};

/// Carries out a call and says how it ended.
pub(super) fn call(words: &[String], output: &Output) -> Status {
    let (own, words) = match own::take(words, output.json()) {
        Ok(taken) => taken,
        Err(words) => {
            output.note(&format!("innochecksum: {words}"));
            return Status::Of(1);
        }
    };
    let flavour = own.flavour.unwrap_or_else(|| flavour::guessed(&words));
    let Reading { said, settings, wanted } = command_line::read(flavour, &words);
    // Nobody is left to be told where this fails.
    let _unheard = io::stderr().lock().write_all(said.as_bytes());
    let status = match wanted {
        Wanted::Nothing => 1,
        Wanted::Version => say(&help::version(flavour), 0, output),
        Wanted::Help { is_mistake } => {
            say(&help::text(flavour, &settings), u8::from(is_mistake), output)
        }
        Wanted::Files(names) => carry_out(flavour, &own, &settings, &names, output),
    };
    Status::Of(status)
}

fn say(text: &str, status: u8, output: &Output) -> u8 {
    match output.write(text) {
        Ok(()) => status,
        Err(failure) => {
            output.note(&format!("innochecksum: {failure}"));
            failure.status.code()
        }
    }
}

fn carry_out(
    flavour: Flavour,
    own: &Own,
    settings: &Settings,
    names: &[String],
    output: &Output,
) -> u8 {
    let contradiction = if settings.strict_check.is_some() && settings.no_check {
        Some("Error: --strict-check option cannot be used together with --no-check option.")
    } else if settings.no_check && settings.write.is_none() {
        Some("Error: --no-check must be associated with --write option.")
    } else {
        None
    };
    if let Some(words) = contradiction {
        output.note(words);
        return 1;
    }
    let mut run = match Run::new(flavour, settings, own.jobs, output, own.json) {
        Ok(run) => run,
        Err(End::Stop(status)) => return status,
        Err(End::Next) => return 0,
    };
    let bytes = names.iter().filter_map(|name| std::fs::metadata(name).ok());
    let bytes = bytes.map(|found| found.len()).sum();
    run.bar = output.bar(bytes, "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
    let status = files::all(&mut run, names);
    run.finish();
    if own.json {
        let document = json!({
            "schema": "myrig.innochecksum/1",
            "flavour": flavour,
            "status": status,
            "files": run.files,
        });
        let text = serde_json::to_string_pretty(&document);
        // Numbers and text always are JSON.
        return say(&(text.unwrap_or_default() + "\n"), status, output);
    }
    status
}
