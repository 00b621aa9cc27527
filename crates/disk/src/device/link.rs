//! How a device is connected.

use super::text;
use serde::Serialize;
use std::path::Path;

/// A link of PCI Express, as it runs and as it could.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Lanes, and how many there could be.
    pub lanes: u32,
    /// How many lanes there could be.
    pub lanes_max: Option<u32>,
    /// Speed of a lane in the kernel's words: `16.0 GT/s PCIe`.
    pub speed: String,
    /// What it could be.
    pub speed_max: Option<String>,
}

impl Link {
    /// The link of the nearest device above that has one: an NVMe drive's own, a controller's.
    pub(super) fn above(dir: &Path) -> Option<Self> {
        let real = dir.canonicalize().ok()?;
        let mut levels = real.ancestors().take_while(|above| above.file_name().is_some());
        levels.find_map(|above| {
            let speed = text(above, "current_link_speed").filter(|speed| speed != "Unknown")?;
            let lanes = |name| text(above, name)?.parse().ok().filter(|lanes| *lanes > 0);
            Some(Self {
                lanes: lanes("current_link_width")?,
                lanes_max: lanes("max_link_width"),
                speed,
                speed_max: text(above, "max_link_speed"),
            })
        })
    }

    /// Whether it runs slower than it could, as in a wrong slot.
    pub fn is_reduced(&self) -> bool {
        self.lanes_max.is_some_and(|lanes| lanes > self.lanes)
            || self.speed_max.as_ref().is_some_and(|speed| *speed != self.speed)
    }
}
