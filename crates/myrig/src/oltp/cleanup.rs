//! `myrig oltp cleanup`: drop the tables.

use super::{failure, tables, target};
use crate::{
    args::OltpCleanupArgs,
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
    runtime::block_on,
};
use serde_json::json;

pub(super) fn run(
    args: &OltpCleanupArgs,
    paths: &Paths,
    output: &Output,
) -> Result<Status, Failure> {
    let target = target(&args.connection, paths, output)?;
    let dropped = block_on(workloads::oltp::cleanup(&target))?.map_err(failure)?;
    let database = target.database.as_deref().unwrap_or_default();
    let text = match dropped {
        0 => format!("`{database}` holds no tables of sysbench\n"),
        some => format!("dropped {} of `{database}`\n", tables(some)),
    };
    let value = json!({
        "schema": "myrig.cleanup/1",
        "workload": "oltp",
        "database": database,
        "dropped": dropped > 0,
    });
    output.result(&value, &text)?;
    Ok(Status::Good)
}
