//! What devices are made of.

use super::{number, text};
use serde::Serialize;
use std::{fs, path::Path};

/// What a device is made of. They are sorted in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Flash behind PCIe or a network, spoken to by NVMe.
    Nvme,
    /// Flash behind SATA, SAS, USB or on a card.
    Ssd,
    /// Discs that turn.
    Rotational,
    /// A hypervisor's: what is behind it is not known here.
    Virtual,
    /// Built on other devices: LVM, dm-crypt, md.
    Stacked,
    /// A file.
    Loop,
    /// Memory, plain or compressed.
    Memory,
    /// Discs of light.
    Optical,
    /// Something else: network block devices, tapes of old.
    Other,
}

/// Makers of disks that are none, by what they write into the vendor's field.
const HYPERVISORS: [&str; 7] = ["QEMU", "VMware", "Msft", "VBOX", "Google", "Xen", "Nutanix"];

impl Kind {
    pub(super) fn of(dir: &Path, name: &str) -> Self {
        let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
        match () {
            () if starts(&["nvme"]) => Self::Nvme,
            () if starts(&["loop"]) => Self::Loop,
            () if starts(&["dm-", "md", "bcache"]) => Self::Stacked,
            () if starts(&["ram", "zram", "pmem"]) => Self::Memory,
            () if starts(&["sr", "scd"]) => Self::Optical,
            () if starts(&["nbd", "rbd", "drbd"]) => Self::Other,
            () if starts(&["vd", "xvd"]) || is_hypervisors(dir) => Self::Virtual,
            () if number(dir, "queue/rotational") == Some(1_u8) => Self::Rotational,
            () if dir.join("device").exists() => Self::Ssd,
            () => Self::Other,
        }
    }

    /// The word for it in a table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Nvme => "NVMe",
            Self::Ssd => "SSD",
            Self::Rotational => "rotational",
            Self::Virtual => "virtual",
            Self::Stacked => "stacked",
            Self::Loop => "loop",
            Self::Memory => "memory",
            Self::Optical => "optical",
            Self::Other => "other",
        }
    }
}

fn is_hypervisors(dir: &Path) -> bool {
    let vendor = text(dir, "device/vendor").unwrap_or_default();
    let driver = fs::read_link(dir.join("device/driver")).unwrap_or_default();
    let driver = driver.file_name().unwrap_or_default().to_string_lossy().into_owned();
    HYPERVISORS.iter().any(|word| vendor.starts_with(word))
        || driver.starts_with("virtio")
        || driver.starts_with("xen")
}
