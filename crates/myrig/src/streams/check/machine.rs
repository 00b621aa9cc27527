//! What a check looks at: the kernel's version, its files, and drives that can be asked.

use super::{device::Device, kernel::Kernel, measure};
use flash::nvme::{self, AdminCommands, NvmeError, identify::Controller, streams::Streams};
use host::Root;

/// The machine; a test makes one up.
#[derive(Clone, Copy)]
pub(super) struct Machine<'a> {
    pub(super) kernel: Kernel,
    pub(super) root: &'a Root,
    /// Asks an NVMe drive for its streams, or says in words why it could not.
    pub(super) ask_streams: &'a dyn Fn(&Device) -> Result<StreamsAnswer, String>,
}

/// What an NVMe drive says of its streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StreamsAnswer {
    /// The controller knows directives.
    pub(super) directives: bool,
    /// What the namespace says of that of streams.
    pub(super) streams: Streams,
}

impl Machine<'_> {
    /// What a drive says of its streams.
    pub(super) fn streams_of(&self, device: &Device) -> Result<StreamsAnswer, String> {
        (self.ask_streams)(device)
    }
}

/// Asks a real drive, which only root may.
pub(super) fn ask_streams(device: &Device, root: &Root) -> Result<StreamsAnswer, String> {
    let file = measure::file_of(device.number, root).ok_or("it has no file in /dev")?;
    let opened = nvme::Device::open(&file);
    opened.and_then(|mut drive| answer(&mut drive)).map_err(|error| error.to_string())
}

fn answer(drive: &mut impl AdminCommands) -> Result<StreamsAnswer, NvmeError> {
    let directives = Controller::read(drive)?.directives;
    let streams = match drive.namespace() {
        Some(namespace) if directives => Streams::read(drive, namespace)?,
        _ => Streams::default(),
    };
    Ok(StreamsAnswer { directives, streams })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use flash::nvme::Recorded;
    use std::fs;

    #[test]
    fn what_a_drive_answers_is_what_was_recorded_of_one() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).unwrap();
        let mut controller = [0; 4096];
        // OACS, bit 5.
        controller[256] = 1 << 5;
        write("identify-controller.bin", &controller);
        write("identify-namespace-1.bin", &[0; 4096]);
        let asked = || answer(&mut Recorded::open(dir.path()).unwrap()).unwrap();
        assert_eq!(asked(), StreamsAnswer { directives: true, ..StreamsAnswer::default() });
        let mut identify = [0; 4096];
        (identify[0], identify[32]) = (2, 2);
        write("directive-0-1-namespace-1.bin", &identify);
        let mut limits = [0; 32];
        (limits[0], limits[2]) = (16, 12);
        write("directive-1-1-namespace-1.bin", &limits);
        let StreamsAnswer { directives, streams } = asked();
        assert!(directives && streams.supported && streams.enabled);
        assert_eq!(streams.limits.unwrap().available, 12);
    }
}
