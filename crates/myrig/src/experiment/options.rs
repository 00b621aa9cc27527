//! From the options of an experiment file to those of the command line, so that names, defaults and
//! limits of every option are said once: a file's options are typed for a person, as it were.

use super::pages::{self, PagesArgs};
use crate::{
    args::{
        Cli, Command, LoadArgs, OltpPrepareArgs, OltpRunArgs, OltpVerb, PacingArgs, RunArgs,
        TpccVerb, TpchPrepareArgs, TpchVerb, TproccPrepareArgs, TproccRunArgs, TproccVerb,
    },
    failure::Failure,
    oltp, run, tpcc, tprocc,
};
use clap::{
    ArgAction, CommandFactory, Parser,
    error::{ContextKind, ContextValue},
};
use lab::experiment::spec::WorkloadSpec;
use serde_json::Value;
use std::error::Error;

/// Workloads that an experiment can have.
pub(crate) const WORKLOADS: [&str; 4] = ["tpcc", "tprocc", "oltp", "tpch"];

/// Kinds of trial other than a workload's own load.
pub(crate) const KINDS: [&str; 1] = [pages::KIND];

/// Options of `prepare` and `run` that are the experiment's own business: it knows its server, and
/// what is reported where.
const OWN: [&str; 22] = [
    "instance",
    "host",
    "port",
    "socket",
    "user",
    "password-file",
    "defaults-file",
    "database",
    "tls-mode",
    "tls-ca",
    "tls-cert",
    "tls-key",
    "connect-timeout",
    "label",
    "report",
    "procedures-only",
    "no-watch",
    "home",
    "json",
    "color",
    "help",
    "version",
];

/// What is to be loaded, typed.
#[derive(Debug)]
pub(crate) enum Data {
    /// TPC-C.
    Tpcc(LoadArgs),
    /// TPROC-C.
    Tprocc(Box<TproccPrepareArgs>),
    /// sysbench's OLTP.
    Oltp(Box<OltpPrepareArgs>),
    /// TPC-H's tables.
    Tpch(Box<TpchPrepareArgs>),
}

/// What is to be run, typed.
#[derive(Debug)]
pub(crate) enum Load {
    /// TPC-C.
    Tpcc(Box<RunArgs>),
    /// TPROC-C.
    Tprocc(Box<TproccRunArgs>),
    /// sysbench's OLTP.
    Oltp(Box<OltpRunArgs>),
}

impl Load {
    /// How the load is put on.
    pub(crate) fn pacing(&self) -> &PacingArgs {
        match self {
            Self::Tpcc(args) => &args.pacing,
            Self::Tprocc(args) => &args.pacing,
            Self::Oltp(args) => &args.pacing,
        }
    }
}

/// The typed options of the section `data`, refused where no server would take them.
///
/// # Errors
/// The key at fault, as `data.warehouses`.
pub(crate) fn data_args(spec: &WorkloadSpec) -> Result<Data, Failure> {
    let data = match typed(spec, Section::Data)? {
        Command::Tpcc { verb: TpccVerb::Prepare(args) } => Data::Tpcc(args.load),
        Command::Tprocc { verb: TproccVerb::Prepare(args) } => Data::Tprocc(Box::new(args)),
        Command::Oltp { verb: OltpVerb::Prepare(args) } => Data::Oltp(args),
        Command::Tpch { verb: TpchVerb::Prepare(args) } => Data::Tpch(Box::new(args)),
        _ => return Err(no_workload(&spec.name)),
    };
    let valid = match &data {
        Data::Tpcc(_) | Data::Tpch(_) => Ok(()),
        Data::Tprocc(args) => tprocc::prepare::validate(args),
        Data::Oltp(args) => oltp::prepare::validate(args),
    };
    valid.map_err(|failure| in_file(&failure.to_string(), spec, Section::Data))?;
    Ok(data)
}

/// The typed options of the section `workload`, refused where no data would do for them.
///
/// # Errors
/// The key at fault, as `workload.connections`.
pub(crate) fn run_args(spec: &WorkloadSpec) -> Result<Load, Failure> {
    let load = match typed(spec, Section::Workload)? {
        Command::Tpcc { verb: TpccVerb::Run(args) } => Load::Tpcc(args),
        Command::Tprocc { verb: TproccVerb::Run(args) } => Load::Tprocc(args),
        Command::Oltp { verb: OltpVerb::Run(args) } => Load::Oltp(args),
        _ => return Err(no_workload(&spec.name)),
    };
    let valid = match &load {
        Load::Tpcc(args) => tpcc::run::plan::validate(args),
        Load::Tprocc(args) => tprocc::run::validate(args),
        Load::Oltp(args) => oltp::run::validate(args),
    };
    let valid = valid.and_then(|()| run::validate(load.pacing()));
    valid.map_err(|failure| in_file(&failure.to_string(), spec, Section::Workload))?;
    Ok(load)
}

/// The typed options of the section `workload` of a variant that looks at pages.
///
/// # Errors
/// The key at fault, as `workload.tool`.
pub(crate) fn pages_args(spec: &WorkloadSpec) -> Result<PagesArgs, Failure> {
    let words = words(spec, Section::Workload)?;
    let words = std::iter::once(pages::KIND.to_owned()).chain(words);
    let typed = PagesArgs::try_parse_from(words).map_err(|error| complaint(&error));
    let valid = typed.and_then(|args| args.validate().map(|()| args));
    valid.map_err(|words| in_file(&words, spec, Section::Workload))
}

/// Names of the options that a file may set in a section of a workload; none for no workload.
pub(crate) fn known(workload: &str, section: Section) -> Vec<String> {
    let names = arguments(workload, section).into_iter().filter_map(|argument| argument.name);
    names.filter(|name| !OWN.contains(&name.as_str())).collect()
}

/// A section whose keys are options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// Options of `prepare`.
    Data,
    /// Options of `run`.
    Workload,
}

impl Section {
    fn key(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Workload => "workload",
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Data => "prepare",
            Self::Workload => "run",
        }
    }
}

/// An option as far as a file is concerned.
struct Argument {
    name: Option<String>,
    takes_value: bool,
}

fn arguments(workload: &str, section: Section) -> Vec<Argument> {
    let cli = match KINDS.contains(&workload) {
        true => PagesArgs::command(),
        false => Cli::command(),
    };
    let of = |name: &str| cli.find_subcommand(name)?.find_subcommand(section.verb());
    let verb = match WORKLOADS.contains(&workload) {
        true => of(workload),
        false => Some(&cli).filter(|_| KINDS.contains(&workload)),
    };
    let Some(verb) = verb else { return Vec::new() };
    let argument = |argument: &clap::Arg| Argument {
        name: argument.get_long().map(str::to_owned),
        takes_value: !matches!(argument.get_action(), ArgAction::SetTrue),
    };
    verb.get_arguments().map(argument).collect()
}

fn no_workload(name: &str) -> Failure {
    let known = WORKLOADS.join(", ");
    anyhow::anyhow!("data.workload: there is no workload `{name}`; there are {known}").into()
}

/// The command that a section stands for.
fn typed(spec: &WorkloadSpec, section: Section) -> Result<Command, Failure> {
    let verb = ["myrig", &spec.name, section.verb()].map(str::to_owned);
    match Cli::try_parse_from(verb.into_iter().chain(words(spec, section)?)) {
        Ok(cli) => Ok(cli.command),
        Err(error) => Err(in_file(&complaint(&error), spec, section)),
    }
}

/// The options of a section as they would be typed.
fn words(spec: &WorkloadSpec, section: Section) -> Result<Vec<String>, Failure> {
    let arguments = arguments(&spec.name, section);
    if arguments.is_empty() {
        return Err(no_workload(&spec.name));
    }
    let mut words = Vec::new();
    for (name, value) in &spec.options {
        let known = arguments.iter().find(|it| it.name.as_ref() == Some(name));
        let known = known.filter(|_| !OWN.contains(&name.as_str()));
        let Some(argument) = known else {
            let key = section.key();
            return Err(anyhow::anyhow!("{key}.{name}: there is no such option here").into());
        };
        words.extend(word(section, name, value, argument.takes_value)?);
    }
    Ok(words)
}

/// An option as it would be typed; none for one that is switched off.
fn word(
    section: Section,
    name: &str,
    value: &Value,
    takes_value: bool,
) -> Result<Option<String>, Failure> {
    let refuse = |wanted: &str| {
        let key = section.key();
        anyhow::anyhow!("{key}.{name}: {value} cannot be its value; give {wanted}")
    };
    match (value, takes_value) {
        (Value::Bool(true), false) => Ok(Some(format!("--{name}"))),
        (Value::Bool(false), false) => Ok(None),
        (_, false) => Err(refuse("true or false").into()),
        (Value::Array(values), true) => {
            let texts: Option<Vec<String>> = values.iter().map(text).collect();
            let texts = texts.filter(|texts| !texts.is_empty());
            let texts = texts.ok_or_else(|| refuse("numbers or strings in the list"))?;
            Ok(Some(format!("--{name}={}", texts.join(","))))
        }
        (value, true) => {
            let text = text(value).ok_or_else(|| refuse("a number, a string or a list"))?;
            Ok(Some(format!("--{name}={text}")))
        }
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// What the command line's grammar says, without its usage and its advice.
fn complaint(error: &clap::Error) -> String {
    let option = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(option)) => option.split([' ', '=']).next(),
        Some(ContextValue::Strings(options)) => {
            options.first().and_then(|option| option.split([' ', '=']).next())
        }
        _ => None,
    };
    let value = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) => Some(value),
        _ => None,
    };
    match (option, value, error.source()) {
        (Some(option), Some(value), Some(source)) => format!("{option}: `{value}`: {source}"),
        (Some(option), Some(value), None) => {
            format!("{option}: `{value}` is none of {}", valid(error))
        }
        _ => {
            let all = error.to_string();
            let mut lines = all.lines().map(str::trim);
            let first = lines.next().unwrap_or_default().trim_start_matches("error: ");
            // What is missing stands on the lines below.
            let more = lines.take_while(|line| !line.is_empty());
            let words: Vec<&str> = std::iter::once(first).chain(more).collect();
            words.join(" ")
        }
    }
}

fn valid(error: &clap::Error) -> String {
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) => values.join(", "),
        _ => "those that there are".to_owned(),
    }
}

/// Words about options as words about the keys of the file: `--rate` becomes `workload.rate`.
fn in_file(words: &str, spec: &WorkloadSpec, section: Section) -> Failure {
    let mut told = words.to_owned();
    let mut names: Vec<String> = known(&spec.name, section);
    // The longest first, so that no name is taken for the beginning of another.
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for name in names {
        told = told.replace(&format!("--{name}"), &format!("{}.{name}", section.key()));
    }
    anyhow::anyhow!("{told}").into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    fn spec(name: &str, options: Value) -> WorkloadSpec {
        let Value::Object(options) = options else { panic!("no options") };
        WorkloadSpec { name: name.into(), options: options.into_iter().collect() }
    }

    fn refused(name: &str, options: Value) -> String {
        run_args(&spec(name, options)).unwrap_err().to_string()
    }

    #[test]
    fn a_file_s_options_are_the_command_line_s() {
        let options = json!({ "connections": [1, 2, 4], "ramp-up": "2s", "duration": 5,
                              "weights": [1, 1, 0, 0, 0], "no-check": true, "pipeline": false });
        let Load::Tpcc(args) = run_args(&spec("tpcc", options)).unwrap() else { panic!("tpcc") };
        assert_eq!(args.pacing.connections, [1, 2, 4]);
        assert_eq!(args.pacing.duration, Duration::from_secs(5));
        assert_eq!(args.weights, [1.0, 1.0, 0.0, 0.0, 0.0]);
        assert!(args.no_check && !args.pipeline);
        assert!(args.connection.instance.is_empty());
    }

    #[test]
    fn what_is_left_out_is_as_the_command_line_has_it() {
        let Data::Tprocc(args) = data_args(&spec("tprocc", json!({}))).unwrap() else {
            panic!("tprocc")
        };
        assert_eq!((args.warehouses, args.seed), (10, 1));
        let options = json!({ "preset": "white-paper", "tables": 2, "auto-inc": false });
        let Data::Oltp(args) = data_args(&spec("oltp", options)).unwrap() else { panic!("oltp") };
        assert_eq!((args.tables, args.auto_inc), (Some(2), false));
    }

    #[test]
    fn errors_name_the_key_of_the_file() {
        for (options, words) in [
            (json!({ "connections": [4, 2] }), "workload.connections: 2 after 4"),
            (json!({ "connections": 0 }), "workload.connections"),
            (json!({ "duration": "soon" }), "workload.duration: `soon`: `soon` is no time"),
            (json!({ "arrivals": "even" }), "workload.rate"),
            (json!({ "home-warehouse": "x" }), "none of fixed, random"),
            (json!({ "no-check": 1 }), "give true or false"),
            (json!({ "rate": { "a": 1 } }), "workload.rate"),
            (json!({ "weights": [] }), "workload.weights"),
            (json!({ "weights": [1, 2] }), "workload.weights: five shares"),
        ] {
            let error = refused("tpcc", options);
            assert!(error.contains(words), "{words} in {error}");
            assert!(!error.contains("--"), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
        assert!(refused("tpcx", json!({})).contains("tpcc, tprocc, oltp, tpch"));
        let error = data_args(&spec("tpch", json!({ "scale-factor": 0 }))).unwrap_err();
        assert!(error.to_string().starts_with("data.scale-factor: `0`"), "{error}");
        let error = data_args(&spec("tpcc", json!({ "warehouses": 0 }))).unwrap_err().to_string();
        assert!(error.contains("data.warehouses: `0`"), "{error}");
        let error = data_args(&spec("tprocc", json!({ "engine": "a b" }))).unwrap_err();
        assert!(error.to_string().starts_with("data.engine"), "{error}");
    }

    #[test]
    fn trials_at_rest_have_options_of_their_own() {
        let of = |options: Value| pages_args(&spec("pages", options));
        let options = json!({ "tool": "stock", "cache": "warm", "passes": 2, "table": "lineitem",
                              "stock-options": ["-C", "crc32"] });
        let args = of(options).unwrap();
        assert_eq!((args.tool, args.cache), (pages::Tool::Stock, pages::Cache::Warm));
        assert_eq!((args.passes, args.table.as_deref()), (2, Some("lineitem")));
        assert_eq!(args.stock_options, ["-C", "crc32"]);
        for (options, words) in [
            (json!({}), "workload.tool"),
            (json!({ "tool": "fast" }), "none of stock, myrig, limit"),
            (json!({ "tool": "limit", "cache": "warm" }), "workload.cache: the disk's limit"),
            (json!({ "tool": "myrig", "passes": 0 }), "workload.passes"),
            (json!({ "tool": "myrig", "connections": 1 }), "workload.connections"),
        ] {
            let error = of(options).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains("--"), "{words} in {error}");
        }
        assert!(known("pages", Section::Workload).contains(&"stock-options".into()));
    }

    #[test]
    fn a_file_does_not_say_where_the_server_is() {
        for name in ["host", "socket", "password-file", "instance", "json", "help", "report"] {
            assert!(refused("oltp", json!({ name: "x" })).contains("no such option"), "{name}");
        }
        let known = known("oltp", Section::Workload);
        assert!(known.contains(&"connections".into()) && !known.contains(&"host".into()));
        assert!(super::known("demo", Section::Workload).is_empty());
    }
}
