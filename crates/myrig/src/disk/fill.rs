//! `myrig disk fill`: how full a device is, and making it fuller.

use crate::{
    args::FillArgs,
    failure::{Failure, Status},
    output::Output,
    transfer,
};
use host::{
    Bytes, Root,
    storage::{Fill, Filling, Percent, StorageError, fill_to, remove_filler},
};
use serde_json::json;

/// Beyond it a drive measures its own distress, and file systems begin to fail.
const LIMIT: &str = "90%";

pub(crate) fn run(args: &FillArgs, output: &Output) -> Result<Status, Failure> {
    let limit: Percent = args.limit.map_or_else(|| LIMIT.parse(), Ok)?;
    let removed = if args.remove { remove_filler(&args.path)? } else { None };
    let written = match args.to {
        Some(share) => {
            let fill = |filling: &Filling| fill_to(&args.path, share, limit, filling);
            let (written, _took) = transfer::under_bar("filling", output, fill)?;
            Some(written.map_err(usage)?)
        }
        None => None,
    };
    let fill = Fill::of(&args.path, &Root::real())?;
    let beyond = args.limit.is_some_and(|limit| fill.used_percent > limit);
    let outside = args.between.is_some_and(|range| !fill.is_between(&range));
    let value = json!({
        "schema": "myrig.disk-fill/1",
        "path": args.path,
        "device": fill.device,
        "file_system": fill.file_system,
        "mount_point": fill.mount_point,
        "size_bytes": fill.size_bytes,
        "used_bytes": fill.used_bytes,
        "available_bytes": fill.available_bytes,
        "reserved_bytes": fill.reserved_bytes,
        "used_percent": fill.used_percent,
        "limit_percent": args.limit,
        "between_percent": args.between,
        "written_bytes": written,
        "removed_bytes": removed,
        "good": !(beyond || outside),
    });
    let mut text = words(&fill);
    match (written, removed) {
        (Some(0), _) => text.push_str("nothing written: it is as full already\n"),
        (Some(bytes), _) => text.push_str(&format!("written: {}\n", Bytes(bytes))),
        (_, Some(bytes)) => text.push_str(&format!("filler of {} deleted\n", Bytes(bytes))),
        (None, None) if args.remove => text.push_str("there was no filler\n"),
        (None, None) => {}
    }
    if let (true, Some(limit)) = (beyond, args.limit) {
        text.push_str(&format!("BAD: fuller than {limit}\n"));
    }
    if let (Some(range), outside) = (args.between, outside) {
        let verdict = if outside { "BAD: not within" } else { "good: within" };
        text.push_str(&format!("{verdict} {range}\n"));
    }
    output.result(&value, &text)?;
    Ok(if beyond || outside { Status::Bad } else { Status::Good })
}

fn words(fill: &Fill) -> String {
    format!(
        "{} is {} full: {} used, {} free, {} kept for root, of {}\n{} on {}\n",
        fill.mount_point.display(),
        fill.used_percent,
        Bytes(fill.used_bytes),
        Bytes(fill.available_bytes),
        Bytes(fill.reserved_bytes),
        Bytes(fill.size_bytes),
        fill.file_system,
        fill.device,
    )
}

fn usage(error: StorageError) -> Failure {
    match error {
        StorageError::BeyondLimit { .. } | StorageError::NoDirectory(_) => Failure::usage(error),
        other => other.into(),
    }
}
