//! What each device on the way down does with the hint of a write, by what it is and by the
//! kernel's version.

use super::{
    device::{Device, Kind},
    kernel::{Era, Kernel},
    layer::{Layer, Reach},
};
use host::Root;

/// Devices are stacked a few deep; the limit is against a tree made to go round.
const DEPTH: usize = 8;

/// Layers of `device` and of all that it stands on, from the top. `direct` is for writes to the
/// device itself, past any file system.
pub(super) fn layers(device: &Device, kernel: Kernel, direct: bool, root: &Root) -> Vec<Layer> {
    let mut layers = Vec::new();
    let mut row = vec![device.clone()];
    for _ in 0..DEPTH {
        let mut below: Vec<Device> = Vec::new();
        for device in &row {
            layers.push(layer(device, kernel, direct, root));
            below.extend(device.below(root));
        }
        below.dedup();
        if below.is_empty() {
            break;
        }
        row = below;
    }
    layers
}

fn layer(device: &Device, kernel: Kernel, direct: bool, root: &Root) -> Layer {
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
        Kind::Nvme => nvme(device, kernel, direct, root),
        Kind::Ata => drive(device, Reach::Stops, "ATA has no streams".to_owned())
            .but("use an NVMe drive with streams or FDP, or a SCSI one with permanent streams"),
        Kind::Scsi => scsi(device, kernel),
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

fn nvme(device: &Device, kernel: Kernel, direct: bool, root: &Root) -> Layer {
    let this = |hint, words: String| drive(device, hint, words);
    let streams = device.number_in("queue/max_write_streams").unwrap_or(0);
    match kernel.era() {
        Era::Before => this(Reach::Stops, format!("{kernel} has no hints"))
            .but("use Linux 4.13 to 5.17 with nvme_core.streams=1"),
        Era::Directives => directives(device, root),
        Era::Dropped | Era::Restored => this(
            Reach::Stops,
            format!("{kernel} tells NVMe drives no hints (taken out in 5.18)"),
        )
        .but(
            "use Linux 4.13 to 5.17 with nvme_core.streams=1 and a drive with streams, or from \
             6.16 on a drive with FDP, which io_uring or a whole device can address",
        ),
        Era::WriteStreams if direct && streams > 0 => this(
            Reach::Passes,
            format!("a direct write's hint chooses one of {streams} write streams of the drive"),
        ),
        Era::WriteStreams => {
            let has = match streams {
                0 => "and this drive offers no write streams (max_write_streams 0)".to_owned(),
                some => format!("only whole devices and io_uring choose one of its {some} streams"),
            };
            let words = format!("{kernel} takes no hint of a file to an NVMe drive; {has}");
            this(Reach::Stops, words).but(match streams {
                0 => {
                    "a drive with FDP that is switched on (`myrig ssd info`), and a file system \
                     that chooses write streams; or Linux 4.13 to 5.17 with nvme_core.streams=1"
                }
                _ => {
                    "write to the device itself, or by io_uring with write_stream; or a later \
                     kernel whose file system chooses write streams"
                }
            })
        }
    }
}

/// Linux 4.13 to 5.17: the streams directive, off unless a parameter of the module says otherwise.
fn directives(device: &Device, root: &Root) -> Layer {
    let parameter = root.text("sys/module/nvme_core/parameters/streams");
    match parameter.as_deref() {
        Some("Y" | "1") => drive(
            device,
            Reach::Unknown,
            "nvme_core.streams is on: hints become streams if the drive has the streams directive"
                .to_owned(),
        )
        .but("see whether it has: `myrig ssd info`, or `nvme dir-receive DEVICE -D 0 -O 1 -H`"),
        _ => drive(device, Reach::Stops, "nvme_core.streams is off".to_owned())
            .but("boot with nvme_core.streams=1, or load the module nvme_core with streams=1"),
    }
}

fn scsi(device: &Device, kernel: Kernel) -> Layer {
    let this = |hint, words: String| drive(device, hint, words);
    if device.number_in("queue/rotational") == Some(1) {
        return this(Reach::Stops, "discs that turn: no flash".to_owned())
            .but("put the data on flash");
    }
    match kernel.era() {
        Era::Restored | Era::WriteStreams => this(
            Reach::Unknown,
            format!(
                "{kernel} tells SCSI and UFS drives hints as groups, if the drive says that it has \
                 permanent streams"
            ),
        )
        .but("see whether it says so: `sg_modes --page=0x0a,0x05 DEVICE` lists them"),
        _ => this(Reach::Stops, format!("{kernel} tells SCSI drives no hints"))
            .but("Linux 6.9 or later, and a drive with permanent streams"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{super::device::tests::tree, *};

    fn told(release: &str, direct: bool, files: &[(&str, &str)]) -> Layer {
        let dir = tree(&[("nvme0n1", "259:0", files)]);
        let root = Root::at(dir.path());
        let device = Device::of((259, 0), &root).unwrap();
        let kernel = Kernel::parse(release).unwrap();
        layers(&device, kernel, direct, &root).remove(0)
    }

    #[test]
    fn an_nvme_drive_depends_on_the_kernel() {
        let fdp = [("queue/max_write_streams", "7\n")];
        for (release, direct, files, hint, words) in [
            ("4.9", false, &[][..], Reach::Stops, "has no hints"),
            ("4.19", false, &[], Reach::Stops, "nvme_core.streams is off"),
            ("6.1", false, &[], Reach::Stops, "taken out in 5.18"),
            ("6.12", true, &[], Reach::Stops, "taken out in 5.18"),
            ("6.18", false, &[], Reach::Stops, "max_write_streams 0"),
            ("6.18", false, &fdp, Reach::Stops, "one of its 7 streams"),
            ("6.18", true, &fdp, Reach::Passes, "one of 7 write streams"),
        ] {
            let layer = told(release, direct, files);
            assert_eq!(layer.hint, hint, "{release} {direct}: {layer:?}");
            assert!(layer.words.contains(words), "{release} {direct}: {layer:?}");
            assert!(layer.remedy.is_some() || hint == Reach::Passes, "{release} {direct}");
        }
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
        let device = Device::of((253, 0), &root).unwrap();
        let layers = layers(&device, Kernel::parse("5.10").unwrap(), false, &root);
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
        let device = Device::of((253, 0), &root).unwrap();
        assert_eq!(layers(&device, Kernel::parse("6.18").unwrap(), false, &root).len(), DEPTH);
    }
}
