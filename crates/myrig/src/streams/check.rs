//! `myrig streams check`: whether a hint reaches the flash here, how far it gets, and what would
//! make it work.
//!
//! # Layers
//! `target`: what is asked about; `call`: whether the kernel takes a hint; `measure`: what comes
//! out at the block layer, by a trace of real writes; `file_system`, `kernel`: what is known where
//! that cannot be tried; `device`, `drive`, `nvme`, `scsi`: the way down from there; `machine`: who
//! is asked; `layer`, `view`: how it is told.

mod call;
mod device;
mod drive;
mod file_system;
mod kernel;
mod layer;
mod machine;
mod measure;
mod nvme;
mod scsi;
mod target;
mod view;

use crate::{
    args::StreamsCheckArgs,
    failure::{Failure, Status},
    output::Output,
};
use anyhow::Context;
use device::Device;
use host::Root;
use kernel::Kernel;
use layer::{Layer, Reach, outcome, verdict};
use machine::Machine;
use serde_json::json;
use target::Target;

pub(super) fn run(args: &StreamsCheckArgs, output: &Output) -> Result<Status, Failure> {
    let root = Root::real();
    let release = root.text("proc/sys/kernel/osrelease").unwrap_or_default();
    let kernel = Kernel::parse(&release)
        .with_context(|| format!("`{release}` is no version of Linux that is understood"))?;
    let target = Target::at(&args.path, &root)?;
    let watching = output.spinner("writing files with hints");
    let ask_streams = |device: &Device| machine::ask_streams(device, &root);
    let machine = Machine { kernel, root: &root, ask_streams: &ask_streams };
    let (layers, remark) = layers(&target, &machine);
    watching.finish_and_clear();
    let (reach, decisive) = outcome(&layers);
    let value = json!({
        "schema": "myrig.streams-check/1",
        "path": args.path,
        "target": target.words(),
        "kernel": release,
        "hint": reach,
        "verdict": verdict(&layers),
        "remedy": decisive.and_then(|layer| layer.remedy.as_ref()),
        "remark": remark,
        "layers": layers,
    });
    let what = format!("{}, {kernel}", target.words());
    output.result(&value, &view::text(&what, &layers, output.style()))?;
    if let Some(remark) = remark.filter(|_| !output.json()) {
        output.note(&remark);
    }
    Ok(if reach == Reach::Passes { Status::Good } else { Status::Bad })
}

/// The layers from the top; with why they were not tried, where they were not.
fn layers(target: &Target, machine: &Machine<'_>) -> (Vec<Layer>, Option<String>) {
    let Machine { kernel, root, .. } = *machine;
    let device = target.device().and_then(|number| Device::of(number, root));
    let below = |direct: bool| {
        device.as_ref().map(|device| drive::layers(device, direct, machine)).unwrap_or_default()
    };
    let Target::Files { directory, file_system, device: number } = target else {
        return (below(true), None);
    };
    let mut layers = vec![call::layer(directory)];
    let mut known = file_system::layer(file_system, kernel);
    let Some((number, device)) = number.zip(device.as_ref()) else {
        if known.hint == Reach::Passes {
            known = Layer { hint: Reach::Unknown, ..known };
        }
        layers.push(known);
        return (layers, None);
    };
    let mut devices = below(false);
    let tried = match file_system::tells_places(file_system) {
        true => measure::measure(directory, number, device, root),
        false => Err(format!("{file_system} does not tell where on the device its files lie")),
    };
    let remark = match tried {
        Ok(seen) => {
            known = seen.file_system(known);
            seen.devices(&mut devices);
            None
        }
        Err(why) => Some(format!("not measured, told by the kernel's version: {why}")),
    };
    layers.push(known);
    layers.extend(devices);
    (layers, remark)
}
