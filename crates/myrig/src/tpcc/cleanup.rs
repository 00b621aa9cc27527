//! `myrig tpcc cleanup`: drop the tables.

use super::{block_on, warehouses};
use crate::{
    args::CleanupArgs,
    connect,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use serde_json::json;

pub(crate) fn run(args: &CleanupArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let target = connect::target(&args.connection, paths, output)?;
    let dropped = block_on(workloads::tpcc::cleanup(&target))??;
    let database = target.database.as_deref().unwrap_or_default();
    let text = match &dropped {
        Some(data) => format!(
            "dropped the TPC-C tables ({}, {}) of `{database}`\n",
            data.profile,
            warehouses(data.warehouses)
        ),
        None => format!("`{database}` holds no TPC-C tables\n"),
    };
    let value = json!({
        "schema": "myrig.cleanup/1",
        "workload": "tpcc",
        "database": database,
        "dropped": dropped.is_some(),
    });
    output.result(&value, &text)?;
    Ok(Status::Good)
}
