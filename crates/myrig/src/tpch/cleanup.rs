//! `myrig tpch cleanup`: drop the tables.

use super::{target, words};
use crate::{
    args::TpchCleanupArgs,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    runtime::block_on,
};
use serde_json::json;

pub(super) fn run(
    args: &TpchCleanupArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let target = target(&args.connection, paths, output)?;
    let dropped = block_on(workloads::tpch::cleanup(&target))??;
    let database = target.database.as_deref().unwrap_or_default();
    let text = match &dropped {
        Some(data) => {
            format!("dropped {} from `{database}`\n", words(&data.names(), data.scale_factor))
        }
        None => format!("`{database}` holds no TPC-H tables\n"),
    };
    let value = json!({
        "schema": "myrig.cleanup/1",
        "workload": "tpch",
        "database": database,
        "dropped": dropped.is_some(),
    });
    output.result(&value, &text)?;
    Ok(Status::Good)
}
