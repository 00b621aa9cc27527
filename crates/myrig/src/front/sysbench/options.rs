//! A call of sysbench as it is carried out: typed, checked, before any server is asked.

use super::{
    command_line::CommandLine,
    connection::{self, Surroundings},
    script::{self, Form, Script},
    settings::{Dialect, Settings},
};
use client::Target;
use engine::{CONNECTIONS_MAX, PHASE_MAX};
use std::time::Duration;
use workloads::oltp::{
    self, DataSet, DistributionOptions, Ignore, Kind, Mix, Protocol, Schema, Shape,
    data_set::TABLES_MAX,
};

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Prepare,
    Prewarm,
    Run,
    Cleanup,
    Help,
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) script: Script,
    pub(super) command: Command,
    pub(super) target: Target,
    pub(super) load: Load,
    pub(super) shown: Shown,
    pub(super) oltp: oltp::Options,
    pub(super) data: DataSet,
    /// Seed of the random numbers; none to take the clock's.
    pub(super) seed: Option<u64>,
}

/// How the load is put on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Load {
    pub(super) threads: u32,
    pub(super) events: Option<u64>,
    /// None for no limit.
    pub(super) time: Option<Duration>,
    pub(super) warmup: Duration,
    /// How long after the time limit what is under way may take; none for as long as it takes.
    pub(super) forced_shutdown: Option<Duration>,
    /// Events a second that are due.
    pub(super) rate: Option<u32>,
}

/// What is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) verbosity: u32,
    /// None where percentiles are disabled.
    pub(super) percentile: Option<u32>,
    pub(super) histogram: bool,
    pub(super) report_interval_s: Option<u32>,
    /// Sorted, each once.
    pub(super) checkpoints_s: Vec<u32>,
    /// Printed first, after `WARNING: `.
    pub(super) warnings: Vec<String>,
}

/// The highest rate that the engine takes.
const RATE_MAX: u32 = 1_000_000;

impl Options {
    /// Reads a call whose script and command are named.
    ///
    /// # Errors
    /// A sentence that names the word or option at fault, and the way out.
    pub(super) fn new(line: &CommandLine, around: &Surroundings<'_>) -> Result<Self, String> {
        let typed = line.script.as_deref().ok_or(
            "no script is named: write `sysbench oltp_read_write … run`, or see `sysbench --help`",
        )?;
        let script = script::find(typed, line.by_test_option)?;
        let command = command(line.command.as_deref())?;
        let dialect = if script.is_legacy { Dialect::Legacy } else { Dialect::Modern };
        let mut settings = Settings::new(&line.options, dialect)?;
        if script.form == Form::V0_5 {
            settings.default_to("events", "10000");
            settings.default_to("time", "0");
        }
        let (target, mut warnings) = connection::target(&settings, around)?;
        warnings.extend(script_warnings(&script));
        let oltp = oltp_options(&settings, &script)?;
        if command == Command::Run {
            oltp.validate()?;
        }
        let load = load(&settings)?;
        let seed = seed(&settings)?;
        Ok(Self {
            data: data_set(&settings, &oltp)?,
            shown: shown(&settings, &script, &load, warnings)?,
            script,
            command,
            target,
            load,
            oltp,
            seed,
        })
    }
}

fn command(word: Option<&str>) -> Result<Command, String> {
    match word {
        Some("prepare") => Ok(Command::Prepare),
        Some("prewarm") => Ok(Command::Prewarm),
        Some("run") => Ok(Command::Run),
        Some("cleanup") => Ok(Command::Cleanup),
        Some("help") => Ok(Command::Help),
        Some(word) => Err(format!(
            "unknown command: {word}; there are prepare, prewarm, run, cleanup and help"
        )),
        None => Err("command is required: prepare, prewarm, run, cleanup or help".into()),
    }
}

fn script_warnings(script: &Script) -> Option<String> {
    (script.is_legacy && script.kind == Kind::PointSelect).then(|| {
        "select.lua of sysbench 0.5 reads the column pad (60 bytes); here c is read (120 bytes)"
            .to_owned()
    })
}

fn load(settings: &Settings) -> Result<Load, String> {
    let longest_s = PHASE_MAX.as_secs();
    let time = settings.whole("time", 0, longest_s)?;
    let events = settings.whole("events", 0, u64::MAX)?;
    let rate = settings.whole_u32("rate", 0, RATE_MAX)?;
    let time = (time > 0).then(|| Duration::from_secs(time));
    Ok(Load {
        threads: settings.whole_u32("threads", 1, CONNECTIONS_MAX)?,
        events: (events > 0).then_some(events),
        time,
        warmup: Duration::from_secs(settings.whole("warmup_time", 0, longest_s)?),
        forced_shutdown: forced_shutdown(settings, time)?,
        rate: (rate > 0).then_some(rate),
    })
}

/// `off`, seconds, or a percentage of the time limit.
fn forced_shutdown(
    settings: &Settings,
    time: Option<Duration>,
) -> Result<Option<Duration>, String> {
    let text = settings.text("forced_shutdown");
    // Without a time limit sysbench does not look at it.
    let (false, Some(time)) = (text == "off", time) else { return Ok(None) };
    let refusal = || {
        let called = settings.called("forced_shutdown");
        format!("{called} {text}: say off, a number of seconds, or a percentage such as 5%")
    };
    let longest = PHASE_MAX.as_secs();
    let seconds = match text.strip_suffix('%') {
        None => text.parse::<u64>().ok(),
        Some(percent) => {
            percent.parse::<u64>().ok().and_then(|p| Some(p.checked_mul(time.as_secs())? / 100))
        }
    };
    match seconds {
        Some(seconds) if seconds <= longest => Ok(Some(Duration::from_secs(seconds))),
        _ => Err(refusal()),
    }
}

fn shown(
    settings: &Settings,
    script: &Script,
    load: &Load,
    mut warnings: Vec<String>,
) -> Result<Shown, String> {
    let least = if script.form == Form::V0_5 { 1 } else { 0 };
    let percentile = settings.whole_u32("percentile", least, 100)?;
    let verbosity = settings.whole_u32("verbosity", 0, 5)?;
    if verbosity > 3 {
        let called = settings.called("verbosity");
        return Err(format!("{called} {verbosity}: there is nothing more to say than at 3"));
    }
    let interval_s = settings.whole_u32("report_interval", 0, 86_400)?;
    let checkpoints = settings.list("report_checkpoints").map(|text| match text.parse() {
        Ok(second) if second > 0 => Ok(second),
        _ => {
            let called = settings.called("report_checkpoints");
            Err(format!("{called} {text}: give seconds from the start with commas between"))
        }
    });
    let mut checkpoints_s = checkpoints.collect::<Result<Vec<u32>, String>>()?;
    checkpoints_s.sort_unstable();
    checkpoints_s.dedup();
    if script.form == Form::V1_0 {
        let deprecated = settings.deprecated.iter();
        warnings
            .extend(deprecated.map(|(old, new)| format!("{old} is deprecated, use {new} instead")));
    }
    if load.events.is_none() && load.time.is_none() {
        warnings.push("Both event and time limits are disabled, running an endless test".into());
    }
    Ok(Shown {
        verbosity,
        percentile: (percentile > 0).then_some(percentile),
        histogram: settings.flag("histogram"),
        report_interval_s: (interval_s > 0).then_some(interval_s),
        checkpoints_s,
        warnings,
    })
}

fn seed(settings: &Settings) -> Result<Option<u64>, String> {
    let seed = settings.whole("rand_seed", 0, i32::MAX as u64)?;
    if seed > 0 && settings.flag("rand_init") {
        let (init, seed) = (settings.called("rand_init"), settings.called("rand_seed"));
        return Err(format!("{init} and {seed}: only one of them can seed the random numbers"));
    }
    Ok((seed > 0).then_some(seed))
}

fn oltp_options(settings: &Settings, script: &Script) -> Result<oltp::Options, String> {
    let options = oltp::Options {
        kind: kind(settings, script)?,
        mix: mix(settings)?,
        schema: if script.is_legacy { Schema::V0_5 } else { Schema::V1_0 },
        tables: settings.whole_u32("tables", 1, TABLES_MAX)?,
        table_size: settings.whole_u32("table_size", 0, u32::MAX)?,
        protocol: match settings.text("db_ps_mode") {
            "auto" if script.is_legacy => Protocol::Text,
            "auto" => Protocol::Prepared,
            "disable" => Protocol::Text,
            mode => {
                return Err(format!(
                    "{} {mode}: say auto or disable",
                    settings.called("db_ps_mode")
                ));
            }
        },
        distribution: distribution(settings)?,
        auto_inc: settings.flag("auto_inc"),
        skip_trx: settings.flag("skip_trx"),
        ignore: ignore(settings)?,
        ..oltp::Options::default()
    };
    Ok(options)
}

/// `oltp.lua` of 0.5 becomes another transaction by two flags.
fn kind(settings: &Settings, script: &Script) -> Result<Kind, String> {
    let (read_only, write_only) =
        (settings.flag("oltp_read_only"), settings.flag("oltp_write_only"));
    if script.name != "oltp" {
        return Ok(script.kind);
    }
    match (read_only, write_only) {
        (true, true) => {
            Err("--oltp-read-only and --oltp-write-only are mutually exclusive; leave one out"
                .into())
        }
        (true, false) => Ok(Kind::ReadOnly),
        (false, true) => Ok(Kind::WriteOnly),
        (false, false) => Ok(script.kind),
    }
}

fn mix(settings: &Settings) -> Result<Mix, String> {
    let count = |name| settings.whole_u32(name, 0, 100_000);
    Ok(Mix {
        point_selects: count("point_selects")?,
        simple_ranges: count("simple_ranges")?,
        sum_ranges: count("sum_ranges")?,
        order_ranges: count("order_ranges")?,
        distinct_ranges: count("distinct_ranges")?,
        index_updates: count("index_updates")?,
        non_index_updates: count("non_index_updates")?,
        delete_inserts: count("delete_inserts")?,
        range_size: settings.whole_u32("range_size", 1, i32::MAX as u32)?,
        range_selects: settings.flag("range_selects"),
    })
}

fn distribution(settings: &Settings) -> Result<DistributionOptions, String> {
    let shape: Shape = settings.parse("rand_type")?;
    let options = DistributionOptions {
        shape,
        iterations: settings.whole_u32("rand_spec_iter", 1, 1000)?,
        special_percent: settings.whole_u32("rand_spec_pct", 0, 100)?,
        special_share_percent: settings.whole_u32("rand_spec_res", 0, 100)?,
        pareto_h: settings.parse("rand_pareto_h")?,
        zipfian_exponent: settings.parse("rand_zipfian_exp")?,
    };
    options.validate().map(|()| options)
}

fn ignore(settings: &Settings) -> Result<Ignore, String> {
    if settings.list("mysql_ignore_errors").any(|word| word == "all") {
        return Ok(Ignore::All);
    }
    let codes = settings.list("mysql_ignore_errors").map(|word| {
        word.parse().map_err(|_| {
            let called = settings.called("mysql_ignore_errors");
            format!("{called} {word}: give error numbers with commas between, or all")
        })
    });
    codes.collect::<Result<_, _>>().map(Ignore::Codes)
}

fn data_set(settings: &Settings, options: &oltp::Options) -> Result<DataSet, String> {
    let data = DataSet {
        schema: options.schema,
        tables: options.tables,
        table_size: options.table_size,
        auto_inc: options.auto_inc,
        secondary: settings.flag("secondary"),
        create_secondary: settings.flag("create_secondary"),
        engine: settings.text("mysql_storage_engine").to_owned(),
        table_options: String::new(),
    };
    data.validate().map(|()| data)
}

#[cfg(test)]
mod tests;
