//! `myrig benchmarksql`: BenchmarkSQL 5.0 for MySQL, its properties files and its output.
//!
//! # Layers
//!
//! `properties` reads the file, `jdbc` the URL in it, `options` makes of both what is to be done.
//! `terminals` puts limits and results around TPC-C, `results` writes them, `log` and `pattern`
//! print as log4j and Java do. `build`, `run` and `destroy` are the three scripts.

mod bench;
mod build;
mod data;
mod destroy;
mod jdbc;
mod log;
mod options;
mod pattern;
mod properties;
mod results;
mod run;
mod terminals;

use crate::{failure::Status, output::Output, paths::Paths};
use log::Log;
use options::Options;
use properties::Properties;
use std::fs;

const USAGE: &str = "usage: benchmarksql build PROPS [KEY VALUE]… | run PROPS | destroy PROPS";

/// Carries out a call and says how it ended.
pub(super) fn call(words: &[String], paths: &Paths, output: &Output) -> Status {
    if let [word] = words
        && (word == "--help" || word == "help" || word == "-h")
    {
        Log { output }.plain(&format!("{USAGE}\n"));
        return Status::Good;
    }
    match carry_out(words, paths, output) {
        Ok(status) => status,
        Err(Trouble::Usage(words)) => {
            output.note(&format!("benchmarksql: {words}"));
            Status::Usage
        }
        Err(Trouble::NotDone(words)) => {
            Log { output }.error(&words);
            Status::NotDone
        }
    }
}

/// Why a call was not carried out.
enum Trouble {
    /// It makes no sense.
    Usage(String),
    /// It was begun.
    NotDone(String),
}

fn carry_out(words: &[String], paths: &Paths, output: &Output) -> Result<Status, Trouble> {
    let (verb, name, changes) = match words {
        [verb, name, changes @ ..] => (verb.as_str(), name.as_str(), changes),
        _ => return Err(Trouble::Usage(USAGE.into())),
    };
    let named = |error: String| Trouble::Usage(format!("{name}: {error}"));
    let source = fs::read(name).map_err(|error| named(error.to_string()))?;
    let mut properties = Properties::read(&source).map_err(named)?;
    change(&mut properties, verb, changes).map_err(Trouble::Usage)?;
    let log = Log { output };
    let done = match verb {
        "build" => {
            let options = Options::of_data(&properties).map_err(named)?;
            build::build(&options, &properties, log)
        }
        "destroy" => destroy::destroy(&Options::of_data(&properties).map_err(named)?, log),
        "run" => {
            let options = Options::of_run(&properties).map_err(named)?;
            let Some(run) = &options.run else { return Err(Trouble::Usage(USAGE.into())) };
            let (options, properties) = (&options, &properties);
            let source = (name, source.as_slice());
            run::Called { options, run, properties, source, paths, output }.carry_out()
        }
        _ => return Err(Trouble::Usage(format!("unknown command: {verb}; {USAGE}"))),
    };
    done.map_err(Trouble::NotDone)
}

/// Pairs behind the file of `build` take the place of what is in it, as for runDatabaseBuild.sh.
fn change(properties: &mut Properties, verb: &str, changes: &[String]) -> Result<(), String> {
    if verb != "build" && !changes.is_empty() {
        return Err(format!("{verb} takes a properties file and nothing more; {USAGE}"));
    }
    for pair in changes.chunks(2) {
        let [key, value] = pair else {
            return Err(format!("{}: a value is missing; {USAGE}", pair.join(" ")));
        };
        properties.set(key, value);
    }
    Ok(())
}
