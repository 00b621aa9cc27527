//! `myrig ssd waf`: write amplification of what was recorded.

use crate::{
    args::SsdWafArgs,
    failure::{Failure, Status},
    output::Output,
};
use anyhow::Context;
use flash::result_file::{mean_of_latest, parse};
use serde_json::json;
use std::fs;

pub(super) fn run(args: &SsdWafArgs, output: &Output) -> Result<Status, Failure> {
    let place = args.of.display().to_string();
    let text = fs::read_to_string(&args.of).with_context(|| place.clone())?;
    let rows = parse(&text).with_context(|| place.clone())?;
    let mean = mean_of_latest(&rows, args.rows.get())
        .with_context(|| format!("{place}: none of its {} rows is other than zero", rows.len()))?;
    let value = json!({
        "schema": "myrig.ssd-waf/1",
        "of": args.of,
        "factor": mean.factor,
        "factor_of_sums": mean.factor_of_sums,
        "rows": mean.rows,
    });
    let text = format!(
        "WAF {:.5}: mean of the latest {} rows that are not zero, of {}\n",
        mean.factor,
        mean.rows,
        rows.len()
    );
    output.result(&value, &text)?;
    Ok(Status::Good)
}
