//! `myrig disk format`: a file system on a device, when that is really meant.

use crate::{
    args::{FileSystemArg, FormatArgs},
    failure::{Failure, Status},
    output::Output,
    paths::Paths,
};
use host::{
    Bytes, Root,
    storage::{FileSystem, Format, FormatPlan},
};
use serde_json::json;
use std::{env, path::PathBuf};

pub(crate) fn run(args: &FormatArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let home = env::var_os("HOME").map(PathBuf::from);
    let format = Format {
        device: args.device.clone(),
        destroy: args.destroy_data.clone(),
        file_system: match args.fs {
            FileSystemArg::Xfs => FileSystem::Xfs,
            FileSystemArg::Ext4 => FileSystem::Ext4,
        },
        mount: args.mount.clone(),
        vital: home.into_iter().chain([paths.home().to_owned()]).collect(),
    };
    let root = Root::real();
    let plan = if args.plan {
        format.plan(&root)?
    } else {
        let working = output.spinner("making the file system");
        let done = format.carry_out(&root);
        working.finish_and_clear();
        done?
    };
    let value = json!({
        "schema": "myrig.disk-format/1",
        "device": plan.device,
        "size_bytes": plan.size_bytes,
        "loses": plan.loses,
        "commands": plan.commands,
        "done": !args.plan,
    });
    output.result(&value, &text(&plan, args.plan))?;
    Ok(Status::Good)
}

fn text(plan: &FormatPlan, is_plan: bool) -> String {
    let (device, size) = (plan.device.display(), Bytes(plan.size_bytes));
    let lost = match plan.loses.is_empty() {
        true => "is blank".to_owned(),
        false => plan.loses.join(", "),
    };
    let tense = if is_plan { "to be done:" } else { "done:" };
    let commands: String =
        plan.commands.iter().map(|command| format!("  {}\n", command.join(" "))).collect();
    format!("{device} ({size}) {lost}\n{tense}\n{commands}")
}
