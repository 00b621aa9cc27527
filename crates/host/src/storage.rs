//! Devices and file systems: how full they are, who works on them, and making them anew.
//!
//! - [`Percent`], [`PercentRange`]: shares of a device's space.
//! - [`Mount`]: what is mounted where. [`Device`], [`Usage`]: a block device and who works on it.
//!   `signature`: what a device holds, by the marks on it.
//! - [`Fill`], [`require_room`]: how full a file system is. [`fill_to`]: making it fuller.
//! - [`Format`]: making a file system, with every reason not to. It looks, decides and only then
//!   acts; the decision is [`FormatPlan`].
//! - [`Image`]: a file that stands for a disk, on a loop device.

mod device;
mod error;
mod fill;
mod filler;
mod format;
mod image;
mod mount;
mod share;
mod signature;

pub use device::{Device, DeviceNumber, Usage};
pub use error::StorageError;
pub use fill::{Fill, require_room};
pub use filler::{Filling, fill_to, filler, remove as remove_filler};
pub use format::{FileSystem, Format, FormatPlan};
pub use image::{IMAGE_BYTES_MIN, Image, device_of, require_root, unmount};
pub use mount::Mount;
pub use share::{Percent, PercentError, PercentRange};
