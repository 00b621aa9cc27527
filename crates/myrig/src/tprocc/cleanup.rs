//! `myrig tprocc cleanup`: drop tables and procedures.

use crate::{
    args::CleanupArgs,
    connect,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    runtime::block_on,
    tpcc::warehouses,
};
use serde_json::json;

pub(crate) fn run(args: &CleanupArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let target = connect::target(&args.connection, paths, output)?;
    let dropped = block_on(workloads::tprocc::cleanup(&target))??;
    let database = target.database.as_deref().unwrap_or_default();
    let text = match &dropped {
        Some(data) => format!(
            "dropped the TPROC-C tables and procedures ({}, {}) of `{database}`\n",
            data.profile,
            warehouses(data.warehouses)
        ),
        None => format!("`{database}` holds no TPROC-C tables of myrig's\n"),
    };
    let value = json!({
        "schema": "myrig.cleanup/1",
        "workload": "tprocc",
        "database": database,
        "dropped": dropped.is_some(),
    });
    output.result(&value, &text)?;
    Ok(Status::Good)
}
