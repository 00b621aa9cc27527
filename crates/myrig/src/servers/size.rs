//! `myrig server size`: what a server's options should be here, and why.

use super::{find, waiting};
use crate::{
    args::{SizeArg, SizeArgs},
    failure::{Failure, Status},
    output::Output,
};
use host::{
    Placement, Resources, Root, Size,
    resources::{self, DiskKind, Probe},
};
use serde_json::{Value, json};
use server::{
    Home, Release, Settings,
    sizing::{self, Fitted, MemoryPlan, Sized, Sizing, Wishes},
};
use std::{fmt::Write as _, path::Path, time::Duration};

/// How long a disk is measured.
const MEASURE: Duration = Duration::from_secs(2);

/// Columns of what is printed.
const WIDTH: usize = 80;

pub(super) fn run(args: &SizeArgs, home: &Home, output: &Output) -> Result<Status, Failure> {
    let size = Size { cpus: args.cpus, memory_bytes: args.memory };
    size.check().map_err(Failure::usage)?;
    let installation = waiting("looking for a server", find(&args.installation, home), output)?;
    let data = args.data.as_deref().unwrap_or_else(|| home.servers());
    let mut resources = Resources::of(&Root::real(), data);
    if args.measure_disk {
        resources.disk.measured = Some(measure(data, output)?);
    }
    let resources = resources.limited(&size).share(args.share);
    let none = Settings::new();
    let release = installation.release();
    let wishes = Wishes { release, settings: &none, connections: args.connections };
    let sizing = Sizing::of(&resources, &wishes)?;
    let value = json!({
        "schema": "myrig.server-size/1",
        "flavour": release.flavour.to_string(),
        "version": release.version.to_string(),
        "resources": resources_value(&resources),
        "memory": memory_value(&sizing.memory),
        "options": sizing.options.iter().map(option_value).collect::<Vec<_>>(),
    });
    output.result(&value, &text(&resources, &release.to_string(), &sizing))?;
    Ok(Status::Good)
}

/// The share of the machine that each of so many instances gets.
pub(super) fn part(arg: Option<SizeArg>, instances: usize) -> f64 {
    match arg {
        None | Some(SizeArg::Auto) => 1.0 / instances.max(1) as f64,
        Some(SizeArg::Share(share)) => share,
    }
}

/// What a new instance gets: its part of the machine, within its limits and its processors.
pub(crate) fn of_instance(part: f64, data: &Path, size: &Size, placement: &Placement) -> Resources {
    let placed = placement.cpus.as_ref().map(|cpus| cpus.len() as f64);
    let placed = Size { cpus: placed, memory_bytes: None };
    Resources::of(&Root::real(), data).share(part).limited(size).limited(&placed)
}

/// Makes settings smaller that do not fit, and says so.
pub(super) fn fit(
    settings: &mut Settings,
    release: &Release,
    resources: &Resources,
    output: &Output,
) -> Vec<Fitted> {
    let fitted = sizing::fit(settings, release, resources);
    for Fitted { name, from, to, why } in &fitted {
        output.note(&format!("{name}: {from} made {to}: {why}"));
    }
    fitted
}

/// Settings with those beside them that follow from what the instance gets.
pub(crate) fn sized(
    settings: &Settings,
    release: &Release,
    resources: &Resources,
) -> Result<Settings, Failure> {
    let wishes = Wishes { release, settings, connections: None };
    Ok(Sizing::of(resources, &wishes)?.under(settings))
}

fn measure(data: &Path, output: &Output) -> Result<Probe, Failure> {
    // The data's directory need not be there yet; its disk is.
    let existing = data.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("/"));
    let working = output.spinner("measuring the disk");
    let probe = resources::measure(existing, MEASURE, rand::random());
    working.finish_and_clear();
    Ok(probe?)
}

/// An option file whose remarks are the reasons.
fn text(resources: &Resources, release: &str, sizing: &Sizing) -> String {
    let disk = &resources.disk;
    let mut text = String::new();
    let have = Size { cpus: Some(round(resources.cpus)), memory_bytes: None };
    remark(&mut text, &format!("{release} on {have}, {} of memory", told(resources.memory_bytes)));
    let kind = match disk.kind {
        DiskKind::Solid => "flash",
        DiskKind::Rotational => "says that it rotates",
        DiskKind::Unknown => "of unknown kind",
    };
    let name = disk.name.as_deref().unwrap_or("several devices, or none");
    let free = disk.free_bytes.map(|free| format!(", {} free", told(free))).unwrap_or_default();
    remark(&mut text, &format!("disk: {name} ({kind}){free}"));
    if let Some(probe) = &disk.measured {
        let reads = probe.reads_per_s.map(|reads| format!("{reads:.0} read and "));
        let pages = format!("{}{:.0} written", reads.unwrap_or_default(), probe.writes_per_s);
        let how = if probe.is_direct { "O_DIRECT" } else { "fdatasync" };
        remark(&mut text, &format!("measured: {pages} pages of 16 KiB a second ({how})"));
    }
    text.push_str("[mysqld]\n");
    for Sized { name, value, reason, source } in &sizing.options {
        remark(&mut text, &format!("{reason} ({source})"));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name} = {value}");
    }
    memory_text(&mut text, &sizing.memory);
    text
}

fn memory_text(text: &mut String, memory: &MemoryPlan) {
    remark(text, "the memory plan:");
    let sessions = format!(
        "{} sessions that fill all their buffers, {} each",
        memory.connections,
        told(memory.session_bytes)
    );
    for (bytes, what) in [
        (memory.pool_bytes, "buffer pool"),
        (memory.control_bytes, "InnoDB's own beside it"),
        (memory.sessions_bytes(), &sessions),
        (memory.base_bytes, "the program"),
        (memory.instruments_bytes, "Performance Schema"),
        (memory.log_buffer_bytes, "redo log buffer"),
    ] {
        if bytes > 0 {
            let _ = writeln!(text, "# {:>8}  {what}", told(bytes));
        }
    }
    let (spent, budget) = (told(memory.spent_bytes()), told(memory.budget_bytes));
    let _ = writeln!(text, "# {spent:>8}  in all, of {budget} for the server");
}

/// A remark in an option file, in lines of [`WIDTH`] columns.
fn remark(text: &mut String, sentence: &str) {
    let mut line = String::from("#");
    for word in sentence.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
}

fn told(bytes: u64) -> String {
    Size { cpus: None, memory_bytes: Some(bytes) }.to_string()
}

fn round(cpus: f64) -> f64 {
    (cpus * 100.0).round() / 100.0
}

fn resources_value(resources: &Resources) -> Value {
    let disk = &resources.disk;
    json!({
        "cpus": resources.cpus,
        "memory_bytes": resources.memory_bytes,
        "available_bytes": resources.available_bytes,
        "limited": resources.is_limit,
        "files_max": resources.files_max,
        "disk": {
            "name": disk.name,
            "kind": match disk.kind {
                DiskKind::Solid => "flash",
                DiskKind::Rotational => "rotational",
                DiskKind::Unknown => "unknown",
            },
            "free_bytes": disk.free_bytes,
            "reads_per_s": disk.measured.and_then(|probe| probe.reads_per_s),
            "writes_per_s": disk.measured.map(|probe| probe.writes_per_s),
            "direct": disk.measured.map(|probe| probe.is_direct),
        },
    })
}

fn memory_value(memory: &MemoryPlan) -> Value {
    json!({
        "budget_bytes": memory.budget_bytes,
        "buffer_pool_bytes": memory.pool_bytes,
        "control_bytes": memory.control_bytes,
        "connections": memory.connections,
        "session_bytes": memory.session_bytes,
        "program_bytes": memory.base_bytes,
        "performance_schema_bytes": memory.instruments_bytes,
        "log_buffer_bytes": memory.log_buffer_bytes,
        "spent_bytes": memory.spent_bytes(),
    })
}

fn option_value(option: &Sized) -> Value {
    json!({
        "name": option.name,
        "value": option.value,
        "reason": option.reason,
        "source": option.source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_keep_to_80_columns() {
        let mut text = String::new();
        remark(&mut text, &"words and ".repeat(30));
        assert!(text.lines().all(|line| line.starts_with('#') && line.len() <= WIDTH), "{text}");
        assert!(text.lines().count() > 3);
    }
}
