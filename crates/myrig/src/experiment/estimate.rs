//! What an experiment's data and loads come to: bytes and seconds, roughly.
//!
//! Bytes are what MariaDB 10.11 and MySQL 9 took here; seconds are those of a machine of two cores.

use super::options::{self, Data, Load, Section};
use crate::{
    args::{PacingArgs, Preset},
    failure::Failure,
    tpch,
};
use indicatif::HumanCount;
use lab::experiment::{
    Experiment, data_sets,
    plan::{DataEstimate, Estimates, LoadEstimate},
    spec::{Arm, ServerSpec},
};
use server::config::parse_size;
use workloads::{oltp, tpch::Table};

/// A warehouse's rows, with those that its districts and customers have.
const WAREHOUSE_ROWS: u64 = 499_000;
/// A warehouse on the disk, indexes included.
const WAREHOUSE_BYTES: u64 = 95 << 20;
/// A row of sysbench on the disk, its index included.
const OLTP_ROW_BYTES: u64 = 230;
/// A row of each of TPC-H's tables on the disk, in their order there.
const TPCH_ROW_BYTES: [u64; 8] = [110, 160, 190, 220, 230, 210, 160, 170];
/// Bytes that a trial at rest reads in a second, by whatever tool.
const READ_BYTES_PER_S: f64 = 1e9;
/// A server without data: system tables, undo, temporary tables.
const SERVER_BYTES: u64 = 150 << 20;
/// The redo log where nobody says how large it is.
const REDO_BYTES: u64 = 100 << 20;
/// The redo log of a server that is sized to a machine; small limits make it smaller.
const SIZED_REDO_BYTES: u64 = 2 << 30;
/// Rows that are loaded in a second.
const LOAD_ROWS_PER_S: f64 = 150_000.0;
/// Bytes that are copied in a second, checksums and sync included.
const COPY_BYTES_PER_S: f64 = 300e6;
/// Rows that a check reads in a second.
const CHECK_ROWS_PER_S: f64 = 700_000.0;

/// Rows and bytes of a data set.
#[derive(Clone, Copy, Debug)]
struct Extent {
    rows: u64,
    bytes: u64,
}

/// What is to be expected of an experiment.
///
/// # Errors
/// An option of the file that cannot be, with its variant where there are several.
pub(super) fn estimates(experiment: &Experiment) -> Result<Estimates, Failure> {
    let mut estimates = Estimates::default();
    for arm in &experiment.variants {
        let load = load(arm).map_err(|failure| of_arm(experiment, arm, failure))?;
        estimates.loads.insert(arm.name.clone(), load);
    }
    for set in data_sets(experiment) {
        let arm = set.variants.first().and_then(|name| experiment.arm(name));
        let named = |failure| match arm {
            Some(arm) => of_arm(experiment, arm, failure),
            None => failure,
        };
        let (extent, words) = extent(&options::data_args(&set.workload).map_err(named)?);
        let redo = arm.map_or(REDO_BYTES, |arm| redo_bytes(&arm.server));
        let bytes = extent.bytes.saturating_add(SERVER_BYTES).saturating_add(redo);
        let data = DataEstimate {
            words: format!("{}, {words}", set.workload.name),
            bytes,
            load_s: extent.rows as f64 / LOAD_ROWS_PER_S + 1.0,
            copy_s: bytes as f64 / COPY_BYTES_PER_S,
        };
        estimates.data.insert(set.key, data);
    }
    Ok(estimates)
}

/// The variant beside what is wrong with it, where there are several.
fn of_arm(experiment: &Experiment, arm: &Arm, failure: Failure) -> Failure {
    match experiment.variants.len() {
        1 => failure,
        _ => failure.at(&format!("variant `{}`", arm.name)),
    }
}

fn extent(data: &Data) -> (Extent, String) {
    let of_warehouses = |number: u32| {
        let number = u64::from(number);
        let extent = Extent {
            rows: number.saturating_mul(WAREHOUSE_ROWS),
            bytes: number.saturating_mul(WAREHOUSE_BYTES),
        };
        (extent, format!("{number} warehouse{}", if number == 1 { "" } else { "s" }))
    };
    match data {
        Data::Tpcc(args) => of_warehouses(args.warehouses),
        Data::Tprocc(args) => of_warehouses(args.warehouses),
        Data::Oltp(args) => {
            let usual = match args.preset {
                Preset::Sysbench => oltp::DataSet::default(),
                Preset::WhitePaper => oltp::DataSet::white_paper(),
            };
            let tables = args.tables.unwrap_or(usual.tables);
            let size = args.table_size.unwrap_or(usual.table_size);
            let rows = u64::from(tables).saturating_mul(size.into());
            let extent = Extent { rows, bytes: rows.saturating_mul(OLTP_ROW_BYTES) };
            let tables = format!("{tables} table{}", if tables == 1 { "" } else { "s" });
            (extent, format!("{tables} of {} rows", HumanCount(size.into())))
        }
        Data::Tpch(args) => {
            let of = |(table, row_bytes): (Table, u64)| {
                let rows = if args.tables.contains(&table) {
                    workloads::tpch::about(table, args.scale_factor)
                } else {
                    0
                };
                (rows, rows.saturating_mul(row_bytes))
            };
            let all = Table::ALL.into_iter().zip(TPCH_ROW_BYTES).map(of);
            let (rows, bytes) = all.fold((0_u64, 0_u64), |(rows, bytes), it| {
                (rows.saturating_add(it.0), bytes.saturating_add(it.1))
            });
            let names = tpch::prepare::names(&args.tables);
            (Extent { rows, bytes }, tpch::words(&names, args.scale_factor))
        }
    }
}

/// The data in words, `10 warehouses`.
pub(super) fn words_of(data: &Data) -> String {
    extent(data).1
}

/// What the redo log takes, in the words of any version.
fn redo_bytes(server: &ServerSpec) -> u64 {
    let number = |name: &str| {
        let value = server.settings.get(name)?;
        value.as_u64().or_else(|| parse_size(value.as_str()?))
    };
    let files = number("innodb-log-files-in-group").unwrap_or(1).max(1);
    let file = number("innodb-log-file-size").map(|size| size.saturating_mul(files));
    let usual = if server.sized { SIZED_REDO_BYTES } else { REDO_BYTES };
    number("innodb-redo-log-capacity").or(file).unwrap_or(usual)
}

fn load(arm: &Arm) -> Result<LoadEstimate, Failure> {
    let (extent, _) = extent(&options::data_args(&arm.data)?);
    if arm.is_at_rest() {
        let args = options::pages_args(&arm.workload)?;
        // A pass, and what has to be dropped or read before it.
        let passes = f64::from(args.passes) + 1.0;
        return Ok(LoadEstimate {
            words: args.words(),
            steps: 1,
            measure_s: passes * extent.bytes as f64 / READ_BYTES_PER_S,
            ..LoadEstimate::default()
        });
    }
    let load = options::run_args(&arm.workload)?;
    let checks = match &load {
        Load::Tpcc(args) => !args.no_check,
        Load::Tprocc(args) => !args.no_check,
        Load::Oltp(args) => args.check,
    };
    let check_s = if checks { extent.rows as f64 / CHECK_ROWS_PER_S + 1.0 } else { 0.0 };
    let pacing = load.pacing();
    let steps = pacing.connections.len().max(1) * pacing.rate.len().max(1);
    Ok(LoadEstimate {
        words: words(pacing),
        steps: u32::try_from(steps).unwrap_or(u32::MAX),
        ramp_up_s: pacing.ramp_up.as_secs_f64(),
        measure_s: pacing.duration.as_secs_f64(),
        ramp_down_s: pacing.ramp_down.as_secs_f64(),
        check_s,
    })
}

/// `8 connections`, `1, 2, 4 connections`, `8 connections at 100, 200 a second`.
fn words(pacing: &PacingArgs) -> String {
    let list = |values: Vec<String>| values.join(", ");
    let connections = list(pacing.connections.iter().map(ToString::to_string).collect());
    let s = if pacing.connections == [1] { "" } else { "s" };
    let rates = list(pacing.rate.iter().map(ToString::to_string).collect());
    match rates.is_empty() {
        true => format!("{connections} connection{s}"),
        false => format!("{connections} connection{s} at {rates} a second"),
    }
}

/// Keys that a file may have, from the command line's options and the capabilities.
pub(super) fn workload_words() -> Vec<lab::experiment::file::Workload> {
    let of = |name: &str| lab::experiment::file::Workload {
        name: name.to_owned(),
        data: options::known(name, Section::Data),
        load: options::known(name, Section::Workload),
    };
    options::WORKLOADS.into_iter().map(of).collect()
}

/// Other kinds of trial, and what a file may say of them.
pub(super) fn kind_words() -> Vec<lab::experiment::file::Kind> {
    let of = |name: &str| lab::experiment::file::Kind {
        name: name.to_owned(),
        options: options::known(name, Section::Workload),
    };
    options::KINDS.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lab::experiment::spec::WorkloadSpec;
    use serde_json::{Value, json};

    fn spec(name: &str, options: Value) -> WorkloadSpec {
        let Value::Object(options) = options else { panic!("no options") };
        WorkloadSpec { name: name.into(), options: options.into_iter().collect() }
    }

    fn told(name: &str, options: Value) -> (u64, String) {
        let (extent, words) = extent(&options::data_args(&spec(name, options)).unwrap());
        (extent.bytes >> 30, words)
    }

    #[test]
    fn data_sets_have_the_sizes_that_were_published() {
        assert_eq!(told("tprocc", json!({ "warehouses": 800 })), (74, "800 warehouses".into()));
        // 19 GB and 567 GB, says the white paper.
        let small = json!({ "preset": "white-paper", "tables": 4, "table-size": 20_000_000 });
        assert_eq!(told("oltp", small), (17, "4 tables of 20,000,000 rows".into()));
        let large = json!({ "preset": "white-paper", "tables": 60, "table-size": 40_000_000 });
        assert_eq!(told("oltp", large).0, 514);
        // 72 GB, says the study of innochecksum.
        let lineitem = json!({ "scale-factor": 70 });
        assert_eq!(told("tpch", lineitem), (66, "LINEITEM of scale factor 70".into()));
    }

    #[test]
    fn a_redo_log_is_as_large_as_the_settings_say() {
        let with = |settings: Value| {
            let Value::Object(settings) = settings else { panic!("no settings") };
            let settings = settings.into_iter().collect();
            redo_bytes(&ServerSpec { settings, ..ServerSpec::default() })
        };
        assert_eq!(with(json!({ "innodb-redo-log-capacity": "2G" })), 2 << 30);
        let files = json!({ "innodb-log-file-size": "1024M", "innodb-log-files-in-group": 32 });
        assert_eq!(with(files), 32 << 30);
        assert_eq!(with(json!({})), REDO_BYTES);
    }
}
