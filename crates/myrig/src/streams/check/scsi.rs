//! What becomes of a hint at a SCSI drive, which SAS and UFS drives are, too: by the kernel's
//! version, and by what the drive says that the kernel has kept in `/sys`.

use super::{
    device::Device,
    kernel::Era,
    layer::{Layer, Reach},
    machine::Machine,
};

/// The page of vital product data with the limits' extension, as the kernel has read it from the
/// drive; absent where the drive has none.
const LIMITS_EXTENSION: &str = "device/vpd_pgb7";

/// The byte and the bit of that page that say that the drive has permanent streams with a lifetime
/// each (RSCS, reduced stream control, SBC-5).
const RSCS: (usize, u8) = (5, 1);

/// The layer of a SCSI drive.
pub(super) fn layer(device: &Device, machine: &Machine<'_>) -> Layer {
    let kernel = machine.kernel;
    let this = |hint, words: String| Layer::known("drive", &device.name, hint, words);
    if device.number_in("queue/rotational") == Some(1) {
        return this(Reach::Stops, "discs that turn: no flash".to_owned())
            .but("put the data on flash");
    }
    if !matches!(kernel.era(), Era::Restored | Era::WriteStreams) {
        return this(Reach::Stops, format!("{kernel} tells SCSI drives no hints"))
            .but("Linux 6.9 or later, and a drive with permanent streams");
    }
    match device.bytes(LIMITS_EXTENSION) {
        Some(page) if page.get(RSCS.0).is_some_and(|byte| byte & RSCS.1 != 0) => this(
            Reach::Passes,
            format!(
                "the drive has permanent streams (RSCS): {kernel} gives it a write's hint as its \
                 group number, up to as many as it has (`permanent stream count` in dmesg)"
            ),
        ),
        Some(_) => without(device, "its Block Limits Extension page does not say RSCS"),
        None => without(device, "it has no Block Limits Extension page (B7h)"),
    }
}

/// A drive to which the kernel sends group number 0 with every write.
fn without(device: &Device, why: &str) -> Layer {
    let words = format!("the drive has no permanent streams: {why}");
    Layer::known("drive", &device.name, Reach::Stops, words)
        .but("use a UFS or SCSI drive with permanent streams (SBC-5 constrained streams)")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{super::device::tests::tree, super::kernel::Kernel, *};
    use host::Root;

    fn told(release: &str, files: &[(&str, &str)]) -> Layer {
        let dir = tree(&[("sda", "8:0", files)]);
        let root = Root::at(dir.path());
        let device = Device::of((8, 0), &root).unwrap();
        let ask = |_: &Device| unreachable!("no NVMe drive");
        let kernel = Kernel::parse(release).unwrap();
        layer(&device, &Machine { kernel, root: &root, ask_streams: &ask })
    }

    #[test]
    fn a_scsi_drive_is_known_by_the_page_that_the_kernel_decides_by() {
        let page = |rscs: &'static str| [("device/vpd_pgb7", rscs)];
        let (with, without) = (page("\0\u{37}\0\u{3c}\0\u{1}"), page("\0\u{37}\0\u{3c}\0\0"));
        for (release, files, hint, words) in [
            ("6.9", &with[..], Reach::Passes, "group number"),
            ("6.18", &with[..], Reach::Passes, "permanent stream count"),
            ("6.18", &without[..], Reach::Stops, "does not say RSCS"),
            ("6.18", &page("\0\u{37}\0\0")[..], Reach::Stops, "does not say RSCS"),
            ("6.18", &[], Reach::Stops, "no Block Limits Extension page"),
            ("6.8", &with[..], Reach::Stops, "Linux 6.8 tells SCSI drives no hints"),
            ("5.10", &with[..], Reach::Stops, "Linux 5.10 tells SCSI drives no hints"),
            ("6.18", &[("queue/rotational", "1\n")], Reach::Stops, "discs that turn"),
        ] {
            let layer = told(release, files);
            assert_eq!(layer.hint, hint, "{release}: {layer:?}");
            assert!(layer.words.contains(words), "{layer:?}");
            assert_eq!(layer.remedy.is_none(), hint == Reach::Passes, "{layer:?}");
        }
    }
}
