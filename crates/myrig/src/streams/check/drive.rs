//! What each device on the way down does with the hint of a write, by what it is and by the
//! kernel's version.

use super::{
    device::{Device, Kind},
    kernel::Era,
    layer::{Layer, Reach},
    machine::Machine,
    nvme, scsi,
};

/// Devices are stacked a few deep; the limit is against a tree made to go round.
const DEPTH: usize = 8;

/// Layers of `device` and of all that it stands on, from the top. `direct` is for writes to the
/// device itself, past any file system.
pub(super) fn layers(device: &Device, direct: bool, machine: &Machine<'_>) -> Vec<Layer> {
    let mut layers = Vec::new();
    let mut row = vec![device.clone()];
    for _ in 0..DEPTH {
        let mut below: Vec<Device> = Vec::new();
        for device in &row {
            layers.push(layer(device, direct, machine));
            below.extend(device.below(machine.root));
        }
        below.dedup();
        if below.is_empty() {
            break;
        }
        row = below;
    }
    layers
}

fn layer(device: &Device, direct: bool, machine: &Machine<'_>) -> Layer {
    let kernel = machine.kernel;
    let part = |hint, words: String| Layer::known("device", &device.name, hint, words);
    let nobody = "put the data on a drive that this machine speaks to itself";
    match device.kind() {
        Kind::Loop { file } => part(
            Reach::Stops,
            format!("writes to the file {file} without the hint; a trace of the device sees it"),
        )
        .but("mount a drive itself, not a file; `myrig ssd simulate` simulates one with streams"),
        Kind::Mapper { crypt: false } | Kind::Raid { .. } if kernel.era() == Era::Dropped => part(
            Reach::Stops,
            format!("{kernel} has no hints on block writes that it could hand on"),
        ),
        Kind::Mapper { crypt: false } => {
            part(Reach::Passes, "hands writes on with their hints".to_owned())
        }
        Kind::Mapper { crypt: true } => part(
            Reach::Unknown,
            "encrypts into writes of its own, which may come without the hint".to_owned(),
        )
        .but("trace the drive below while a file with a hint is written (`myrig ssd trace`)"),
        Kind::Raid { level } => match level.as_str() {
            "raid0" | "raid1" | "raid10" | "linear" => {
                part(Reach::Passes, format!("{level} hands writes on with their hints"))
            }
            _ => part(
                Reach::Unknown,
                format!("{level} makes writes of its own, which may come without the hint"),
            )
            .but("use RAID 1 or 10, or let the drives be seen without RAID"),
        },
        Kind::Nvme => nvme::layer(device, direct, machine),
        Kind::Ata => drive(device, Reach::Stops, "ATA has no streams".to_owned())
            .but("use an NVMe drive with streams or FDP, or a SCSI one with permanent streams"),
        Kind::Scsi => scsi::layer(device, machine),
        Kind::Virtual => drive(
            device,
            Reach::Stops,
            "a hypervisor's disk: its protocol has no place for a hint".to_owned(),
        )
        .but("hand the drive to the guest (PCI passthrough), or check on the hypervisor"),
        Kind::Memory => drive(device, Reach::Stops, "memory: no flash".to_owned()).but(nobody),
        Kind::Other => drive(
            device,
            Reach::Unknown,
            "what is behind it is not known to this machine".to_owned(),
        )
        .but(nobody),
    }
}

fn drive(device: &Device, hint: Reach, words: String) -> Layer {
    Layer::known("drive", &device.name, hint, words)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{super::device::tests::tree, super::kernel::Kernel, *};
    use host::Root;

    /// Layers of a device on a machine with this kernel, whose drives may not be asked.
    fn told(number: (u32, u32), release: &str, root: &Root) -> Vec<Layer> {
        let device = Device::of(number, root).unwrap();
        let ask = |_: &Device| Err("only root may".to_owned());
        let kernel = Kernel::parse(release).unwrap();
        layers(&device, false, &Machine { kernel, root, ask_streams: &ask })
    }

    #[test]
    fn the_way_down_goes_through_all_that_a_device_stands_on() {
        let dir = tree(&[
            ("nvme0n1", "259:0", &[]),
            ("sda", "8:0", &[("device/vendor", "ATA"), ("queue/rotational", "0")]),
            (
                "md0",
                "9:0",
                &[
                    ("md/level", "raid1"),
                    ("slaves/nvme0n1", "-> nvme0n1"),
                    ("slaves/sda", "-> sda"),
                ],
            ),
            ("dm-0", "253:0", &[("dm/uuid", "LVM-x"), ("slaves/md0", "-> md0")]),
        ]);
        std::fs::create_dir_all(dir.path().join("sys/module/nvme_core/parameters")).unwrap();
        let parameter = dir.path().join("sys/module/nvme_core/parameters/streams");
        std::fs::write(parameter, "Y\n").unwrap();
        let root = Root::at(dir.path());
        let layers = told((253, 0), "5.10", &root);
        let seen: Vec<_> = layers.iter().map(|layer| (layer.place(), layer.hint)).collect();
        let wanted = [
            ("device dm-0", Reach::Passes),
            ("device md0", Reach::Passes),
            ("drive nvme0n1", Reach::Unknown),
            ("drive sda", Reach::Stops),
        ];
        assert_eq!(seen, wanted.map(|(place, hint)| (place.to_owned(), hint)));
    }

    #[test]
    fn a_tree_that_goes_round_ends() {
        let dir = tree(&[("dm-0", "253:0", &[("dm/uuid", "LVM-x"), ("slaves/dm-0", "-> dm-0")])]);
        let root = Root::at(dir.path());
        assert_eq!(told((253, 0), "6.18", &root).len(), DEPTH);
    }
}
