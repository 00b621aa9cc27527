//! Where the counts of drives come from: simulated ones that are fed with what the device is
//! written, and the device's own log.

use super::drives::Simulated;
use flash::{
    drive::{Drive, DriveError},
    live::LiveDrives,
    nvme::Device,
    replay::Setup,
    trace::live::{AttachError, Options, Tracer},
    waf::{Meter, Reading},
};
use lab::experiment::Fault;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Ring buffer for looking whether there can be one.
const RING_MIN_BYTES: u32 = 4096;

/// Everything that is asked.
pub(super) struct Source {
    drives: Option<LiveDrives>,
    log: Option<Drive<Device>>,
}

impl Source {
    /// Begins to feed simulated drives with what a device is written from now on, and opens its
    /// log where that is asked for.
    ///
    /// # Errors
    /// The block layer cannot be watched, or the device has no log that is known.
    pub(super) fn open(device: &Path, drives: &[Simulated], log: bool) -> Result<Self, Fault> {
        let log = log.then(|| self::log(device)).transpose()?;
        if drives.is_empty() {
            return Ok(Self { drives: None, log });
        }
        let tracer = Tracer::attach(device, &Options::default());
        let tracer = tracer.map_err(|error| format!("measure.flash.simulate: {error}"))?;
        let setup = |it: &Simulated| Setup { drive: it.options, placement: it.placement.clone() };
        let setups: Vec<Setup> = drives.iter().map(setup).collect();
        // The file system has just been made, and its first writes are a few of the journal.
        let drives = LiveDrives::start(tracer, &setups, &[], None)?;
        Ok(Self { drives: Some(drives), log })
    }

    /// What every drive has written so far: those that are simulated, then the log.
    ///
    /// # Errors
    /// The simulated drives are not fed any more, or the drive does not answer.
    pub(super) fn read(&mut self) -> Result<Vec<Reading>, Fault> {
        let mut readings = Vec::new();
        if let Some(drives) = &self.drives {
            if !drives.is_running() {
                return Err("the simulated drives are not fed any more".into());
            }
            readings = drives.readings();
        }
        if let Some(log) = &mut self.log {
            readings.push(log.read()?);
        }
        Ok(readings)
    }

    /// The log that is read, in words.
    pub(super) fn log(&self) -> Option<String> {
        self.log.as_ref().map(|drive| drive.source().to_string())
    }

    /// Why the counts are not of all that was written, a sentence each.
    pub(super) fn end(self) -> Vec<String> {
        let Some(drives) = self.drives else { return Vec::new() };
        match drives.stop() {
            Ok(end) => end.status.remark().map(|words| format!("{words}.")).into_iter().collect(),
            Err(error) => vec![format!("The simulated drives ended early: {error}.")],
        }
    }
}

/// The drive of a device, whose log can be read.
///
/// # Errors
/// It has none that is known.
pub(super) fn log(device: &Path) -> Result<Drive<Device>, Fault> {
    let drive = Device::open(device).map_err(DriveError::from).and_then(Drive::detect);
    drive.map_err(|error| format!("measure.flash.log: {error}").into())
}

/// Whether the block layer can be watched here, by watching a device for a moment.
///
/// # Errors
/// Why not, and what would help.
pub(super) fn check_tracing() -> Result<(), Fault> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let mut devices: Vec<PathBuf> =
        entries.map(|entry| Path::new("/dev").join(entry.file_name())).collect();
    devices.sort();
    let options = Options { ring_bytes: RING_MIN_BYTES, ..Options::default() };
    for device in devices {
        match Tracer::attach(&device, &options) {
            // This one cannot be looked at; another may.
            Err(AttachError::Place(_)) => {}
            Err(error) => return Err(format!("measure.flash.simulate: {error}").into()),
            Ok(_) => return Ok(()),
        }
    }
    Ok(())
}
