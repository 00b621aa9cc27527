//! `myrig ssd info`: what drives are, what they know of placement, how their WAF can be read.

use super::device::Place;
use crate::{
    args::SsdInfoArgs,
    failure::{Failure, Status},
    output::Output,
};
use anyhow::Context;
use flash::{
    drive::{
        Info,
        find::{drives, kernel_write_streams},
    },
    nvme::{Recording, fdp::Fdp, fdp::HandleUse, identify::Namespace, streams::Streams},
};
use host::Bytes;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What is told of a drive.
#[derive(Serialize)]
struct Told {
    device: PathBuf,
    /// Write streams that the kernel offers on it.
    kernel_write_streams: Option<u32>,
    info: Option<Info>,
    error: Option<String>,
}

#[derive(Serialize)]
struct All {
    schema: &'static str,
    drives: Vec<Told>,
}

pub(super) fn run(args: &SsdInfoArgs, output: &Output) -> Result<Status, Failure> {
    let told = match Place::of(args.device.as_ref(), args.recorded.as_ref()) {
        Some(place) => vec![one(&place, args.record.as_deref())?],
        None => {
            drives(Path::new("/")).context("/sys/class/nvme")?.into_iter().map(of_all).collect()
        }
    };
    let text = match told.is_empty() {
        true => {
            "no NVMe drives here; a simulated one needs none: `myrig ssd simulate`\n".to_owned()
        }
        false => told.iter().map(words).collect(),
    };
    // A drive that could not be asked is told among the others, and is no good answer.
    let failed = told.iter().any(|told| told.error.is_some());
    output.result(&All { schema: "myrig.ssd-info/1", drives: told }, &text)?;
    Ok(if failed { Status::NotDone } else { Status::Good })
}

fn one(place: &Place, record: Option<&Path>) -> Result<Told, Failure> {
    let mut commands = place.open_or_explain()?;
    let info = match record {
        Some(dir) => {
            let recording = Recording::new(commands, dir);
            Info::read(&mut recording.with_context(|| dir.display().to_string())?)
        }
        None => Info::read(&mut commands),
    };
    let shown = place.path().display().to_string();
    let info = info.map_err(|error| Failure::from(error).at(&shown))?;
    Ok(told(place.path().to_owned(), Ok(info)))
}

fn of_all(device: PathBuf) -> Told {
    let place = Place::Device(device.clone());
    let read = || Ok::<_, anyhow::Error>(Info::read(&mut place.open()?)?);
    told(device, read().map_err(|error| error.to_string()))
}

fn told(device: PathBuf, info: Result<Info, String>) -> Told {
    let (info, error) = match info {
        Ok(info) => (Some(info), None),
        Err(error) => (None, Some(error)),
    };
    let kernel_write_streams = kernel_write_streams(Path::new("/"), &device);
    Told { device, kernel_write_streams, info, error }
}

/// A drive, a line for each thing that can be said of it.
fn words(told: &Told) -> String {
    let device = told.device.display();
    let Some(info) = &told.info else {
        return format!("{device}: {}\n", told.error.as_deref().unwrap_or("not asked"));
    };
    let about = &info.controller;
    let mut lines = vec![format!("{device}  {}, serial {}", about.model, about.serial)];
    let capacity = about.capacity_bytes.map(|bytes| format!("{} of flash, ", size(bytes)));
    let version = if about.nvme_version.is_empty() { "before 1.2" } else { &about.nvme_version };
    lines.push(format!(
        "{}NVMe {version}, firmware {}, vendor {:#06x}",
        capacity.unwrap_or_default(),
        about.firmware,
        about.vendor_id
    ));
    for space in &info.namespaces {
        lines.extend(namespace(&space.namespace));
        lines.push(format!("streams: {}", streams(&space.streams)));
    }
    lines.extend(match (about.fdp, info.fdp.is_empty()) {
        (false, _) => vec!["FDP: not known to this drive".to_owned()],
        (true, true) => vec!["FDP: known, but its namespaces are in no endurance group".to_owned()],
        (true, false) => info.fdp.iter().flat_map(fdp).collect(),
    });
    lines.extend(told.kernel_write_streams.map(|streams| match streams {
        0 => "kernel: offers no write streams on it".to_owned(),
        _ => format!("kernel: offers {streams} write streams on it"),
    }));
    lines.extend(info.smart.map(|smart| {
        format!(
            "life: {}% used, {} h with power, {} written by hosts",
            smart.used_percent,
            smart.power_on_hours,
            size(smart.host_written_bytes)
        )
    }));
    lines.push(match &info.source {
        Some(source) => format!("WAF from: {source}"),
        None => "WAF: cannot be read, because".to_owned(),
    });
    lines.extend(info.no_source.iter().map(|reason| format!("    {reason}")));
    let life = info.totals.and_then(|totals| totals.factor());
    lines.extend(life.map(|factor| format!("WAF of its whole life: {factor:.3}")));
    lines.join("\n    ") + "\n"
}

fn namespace(space: &Namespace) -> [String; 2] {
    let format = |(at, format): (usize, &flash::nvme::identify::Format)| {
        let current = if at == usize::from(space.format) { " (now)" } else { "" };
        let metadata = match format.metadata_bytes {
            0 => String::new(),
            bytes => format!("+{bytes}"),
        };
        (format.data_bytes > 0).then(|| format!("{}{metadata}{current}", format.data_bytes))
    };
    let formats: Vec<String> = space.formats.iter().enumerate().filter_map(format).collect();
    let group = match space.endurance_group {
        0 => String::new(),
        group => format!(", endurance group {group}"),
    };
    let (all, used) = (size(space.size_bytes), size(space.used_bytes));
    [
        format!("namespace {}: {all}, {used} in use{group}", space.id),
        format!("blocks: {}", formats.join(", ")),
    ]
}

fn streams(streams: &Streams) -> String {
    if !streams.supported {
        return "not known to this drive".to_owned();
    }
    let limits = streams.limits.map(|limits| {
        format!(
            "; {} at most, {} free; best written by {} blocks, freed by {}",
            limits.streams_max,
            limits.available,
            limits.write_blocks,
            u64::from(limits.write_blocks) * u64::from(limits.granule_writes)
        )
    });
    let state = if streams.enabled { "switched on" } else { "switched off" };
    state.to_owned() + &limits.unwrap_or_default()
}

fn fdp(fdp: &Fdp) -> Vec<String> {
    let group = fdp.group;
    if !fdp.enabled {
        return vec![format!("FDP: switched off in endurance group {group}")];
    }
    let count = |what| fdp.handles.iter().filter(|handle| **handle == what).count();
    let mut lines = vec![format!(
        "FDP: switched on in endurance group {group}, {} of {} handles used by hosts",
        count(HandleUse::Host),
        fdp.handles.len()
    )];
    lines.extend(fdp.configuration.as_ref().map(|configuration| {
        format!(
            "FDP configuration {}: reclaim units of {}; groups: {}; isolated handles: {}",
            configuration.index,
            Bytes(configuration.reclaim_unit_bytes),
            configuration.reclaim_groups,
            configuration.persistently_isolated
        )
    }));
    lines
}

/// What a drive says may be more than fits; nobody has so much.
pub(super) fn size(bytes: u128) -> String {
    Bytes(u64::try_from(bytes).unwrap_or(u64::MAX)).to_string()
}
