//! From the typed options of OLTP to the built ones.

use crate::{
    args::{Method, MixArgs, OltpPrepareArgs, OltpRunArgs, Preset, RandArgs},
    failure::Failure,
};
use workloads::oltp::{
    DataSet, DistributionOptions, Ignore, LoadMethod, LoadOptions, Mix, Options,
};

/// What is to be loaded.
///
/// # Errors
/// The option at fault.
pub(super) fn load_options(args: &OltpPrepareArgs) -> Result<LoadOptions, Failure> {
    let usual = match args.preset {
        Preset::Sysbench => DataSet::default(),
        Preset::WhitePaper => DataSet::white_paper(),
    };
    let data = DataSet {
        schema: args.schema.unwrap_or(usual.schema),
        tables: args.tables.unwrap_or(usual.tables),
        table_size: args.table_size.unwrap_or(usual.table_size),
        auto_inc: args.auto_inc,
        secondary: args.secondary,
        create_secondary: args.create_secondary,
        engine: args.mysql_storage_engine.clone(),
        table_options: args.mysql_table_options.clone().unwrap_or(usual.table_options),
    };
    data.validate().map_err(Failure::usage)?;
    Ok(LoadOptions {
        data,
        seed: args.seed,
        keys: distribution(&args.rand)?,
        connections: args.connections,
        method: match args.load_method {
            Method::Auto => LoadMethod::Auto,
            Method::LoadData => LoadMethod::LoadData,
            Method::Insert => LoadMethod::Insert,
        },
    })
}

fn distribution(args: &RandArgs) -> Result<DistributionOptions, Failure> {
    let options = DistributionOptions {
        shape: args.rand_type,
        iterations: args.rand_spec_iter,
        special_percent: args.rand_spec_pct,
        special_share_percent: args.rand_spec_res,
        pareto_h: args.rand_pareto_h,
        zipfian_exponent: args.rand_zipfian_exp,
    };
    options.validate().map_err(Failure::usage)?;
    Ok(options)
}

/// What is to be run, on one table of one row as long as nobody has looked what is there.
///
/// # Errors
/// The option at fault.
pub(super) fn run_options(args: &OltpRunArgs) -> Result<Options, Failure> {
    let usual = match args.preset {
        Preset::Sysbench => Options::default(),
        Preset::WhitePaper => Options::white_paper(),
    };
    let options = Options {
        kind: args.script,
        mix: mix(&args.mix, usual.mix),
        schema: args.schema.unwrap_or(usual.schema),
        tables: args.tables.unwrap_or(1),
        table_size: args.table_size.unwrap_or(1),
        protocol: args.protocol.unwrap_or(usual.protocol),
        distribution: distribution(&args.rand)?,
        auto_inc: args.auto_inc,
        skip_trx: args.skip_trx,
        ignore: ignore(&args.ignore_errors)?,
        seed: args.pacing.seed,
        unique_seed: usual.unique_seed,
    };
    options.validate().map_err(Failure::usage)?;
    percentile(args)?;
    Ok(options)
}

/// A count of ranges that is asked for brings those back that the preset leaves out.
fn mix(args: &MixArgs, usual: Mix) -> Mix {
    let ranges = [args.simple_ranges, args.sum_ranges, args.order_ranges, args.distinct_ranges];
    let asks_for_ranges = ranges.iter().flatten().any(|count| *count > 0);
    Mix {
        point_selects: args.point_selects.unwrap_or(usual.point_selects),
        simple_ranges: args.simple_ranges.unwrap_or(usual.simple_ranges),
        sum_ranges: args.sum_ranges.unwrap_or(usual.sum_ranges),
        order_ranges: args.order_ranges.unwrap_or(usual.order_ranges),
        distinct_ranges: args.distinct_ranges.unwrap_or(usual.distinct_ranges),
        index_updates: args.index_updates.unwrap_or(usual.index_updates),
        non_index_updates: args.non_index_updates.unwrap_or(usual.non_index_updates),
        delete_inserts: args.delete_inserts.unwrap_or(usual.delete_inserts),
        range_size: args.range_size.unwrap_or(usual.range_size),
        range_selects: args.range_selects.unwrap_or(usual.range_selects || asks_for_ranges),
    }
}

fn ignore(codes: &[String]) -> Result<Ignore, Failure> {
    if codes.is_empty() {
        return Ok(Ignore::Retryable);
    }
    if codes == ["all"] {
        return Ok(Ignore::All);
    }
    let code = |text: &String| {
        text.parse().map_err(|_| {
            let words = "give error numbers from 1 to 65535 with commas between, or `all` alone";
            Failure::usage(format!("--ignore-errors `{text}`: {words}"))
        })
    };
    Ok(Ignore::Codes(codes.iter().map(code).collect::<Result<_, _>>()?))
}

/// The percentile of the latencies that is told.
///
/// # Errors
/// It is none.
pub(super) fn percentile(args: &OltpRunArgs) -> Result<f64, Failure> {
    let usual = match args.preset {
        Preset::Sysbench => 95.0,
        Preset::WhitePaper => Options::WHITE_PAPER_PERCENTILE,
    };
    let percent = args.percentile.unwrap_or(usual);
    if percent > 0.0 && percent <= 100.0 {
        return Ok(percent);
    }
    Err(Failure::usage(format!("--percentile {percent}: give a number over 0 and up to 100")))
}
