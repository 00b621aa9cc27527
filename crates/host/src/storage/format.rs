//! Making a file system on a device, and every reason not to.

use std::{
    fs, io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde::Serialize;

use super::{
    device::{self, Device, Usage},
    error::StorageError,
    signature,
};
use crate::root::Root;

/// Directories without which a machine does not start, or is nobody's.
const SYSTEM: [&str; 7] = ["/", "/boot", "/boot/efi", "/usr", "/var", "/etc", "/home"];

/// Where programs for the administrator are when they are not on the search path.
const PROGRAM_DIRS: [&str; 3] = ["/usr/sbin", "/sbin", "/usr/local/sbin"];

/// A file system that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileSystem {
    /// XFS, as the procedures have it; it shares blocks between copies.
    Xfs,
    /// ext4.
    Ext4,
}

/// What is to be made, and what may be lost for it.
#[derive(Clone, Debug)]
pub struct Format {
    /// The device.
    pub device: PathBuf,
    /// The devices that were named as to be destroyed, each as often as it was named.
    pub destroy: Vec<PathBuf>,
    /// The file system.
    pub file_system: FileSystem,
    /// Where to mount it.
    pub mount: Option<PathBuf>,
    /// Directories whose device stays as it is, whatever is said: the home of whoever asks.
    pub vital: Vec<PathBuf>,
}

/// What will be done to a device that may be formatted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FormatPlan {
    /// The device, without links.
    pub device: PathBuf,
    /// Its size, bytes.
    pub size_bytes: u64,
    /// What is on it and will be lost, in words.
    pub loses: Vec<String>,
    /// Commands, one after the other.
    pub commands: Vec<Vec<String>>,
}

impl FileSystem {
    pub(super) fn program(self) -> (&'static str, &'static str) {
        match self {
            Self::Xfs => ("mkfs.xfs", "xfsprogs"),
            Self::Ext4 => ("mkfs.ext4", "e2fsprogs"),
        }
    }
}

impl Format {
    /// Looks at the device and decides; changes nothing.
    ///
    /// # Errors
    /// [`StorageError::NoDevice`], [`StorageError::NotAsked`], [`StorageError::Vital`],
    /// [`StorageError::InUse`], [`StorageError::HoldsData`], [`StorageError::MountPoint`],
    /// [`StorageError::NoProgram`], [`StorageError::Io`].
    pub fn plan(&self, root: &Root) -> Result<FormatPlan, StorageError> {
        let (device, usage, held) = self.examine(root)?;
        let loses = losses(&usage, &held);
        let commands = self.commands(&device, &usage, &held)?;
        Ok(FormatPlan { device: device.path, size_bytes: usage.size_bytes, loses, commands })
    }

    /// Whether what is on the device may be destroyed, by the same checks and whatever is to be put
    /// there; changes nothing. A device that is mounted passes when it was named twice.
    ///
    /// # Errors
    /// As [`Format::plan`], of [`StorageError::HoldsData`] and before.
    pub fn may_destroy(&self, root: &Root) -> Result<Usage, StorageError> {
        self.examine(root).map(|(_, usage, _)| usage)
    }

    fn examine(&self, root: &Root) -> Result<(Device, Usage, Vec<&'static str>), StorageError> {
        let device = Device::open(&self.device)?;
        let told = self.times_told(&device)?;
        self.refuse_vital(&device, root)?;
        let failed = |error| StorageError::io("look at", &device.path, error);
        let usage = device.usage(root).map_err(failed)?;
        refuse_used(&device, &usage)?;
        let held = signature::probe(&device.path, usage.size_bytes).map_err(failed)?;
        let loses = losses(&usage, &held);
        if told < 2 && !loses.is_empty() {
            let found = loses.join(" and ");
            return Err(StorageError::HoldsData { device: self.device.clone(), found });
        }
        if usage.mounts.is_empty() {
            refuse_claimed(&device)?;
        }
        Ok((device, usage, held))
    }

    fn times_told(&self, device: &Device) -> Result<usize, StorageError> {
        let is_it =
            |path: &Path| Device::open(path).is_ok_and(|named| named.number == device.number);
        match self.destroy.iter().find(|path| !is_it(path)) {
            None if !self.destroy.is_empty() => Ok(self.destroy.len()),
            other => {
                let named = other.map(|other| format!("; {} was named", other.display()));
                let named = named.unwrap_or_default();
                Err(StorageError::NotAsked { device: self.device.clone(), named })
            }
        }
    }

    fn refuse_vital(&self, device: &Device, root: &Root) -> Result<(), StorageError> {
        let own = self.vital.iter().map(PathBuf::as_path);
        for path in SYSTEM.into_iter().map(Path::new).chain(own) {
            // A home that does not exist yet will be made below what does.
            let there = path.ancestors().find(|path| path.exists()).unwrap_or(path);
            let on = device::holding(there, root);
            if on.is_some_and(|number| device.carries(number, root)) {
                let device = self.device.clone();
                return Err(StorageError::Vital { device, path: path.to_owned() });
            }
        }
        Ok(())
    }

    fn commands(
        &self,
        device: &Device,
        usage: &Usage,
        held: &[&str],
    ) -> Result<Vec<Vec<String>>, StorageError> {
        let path = device.path.display().to_string();
        let command = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut commands = Vec::new();
        for point in &usage.mounts {
            commands.push(command(&["umount", &point.display().to_string()]));
        }
        if !held.is_empty() {
            commands.push(command(&["wipefs", "--all", "--force", "--quiet", &path]));
        }
        let (program, package) = self.file_system.program();
        refuse_absent(program, package)?;
        commands.push(match self.file_system {
            FileSystem::Xfs => command(&[program, "-q", "-f", &path]),
            FileSystem::Ext4 => command(&[program, "-q", "-F", &path]),
        });
        if let Some(point) = &self.mount {
            check_mount_point(point, &usage.mounts)?;
            commands.push(command(&["mount", &path, &point.display().to_string()]));
        }
        Ok(commands)
    }

    /// Carries the plan out, after deciding once more: a device may have been taken since.
    ///
    /// # Errors
    /// As [`Format::plan`], and [`StorageError::Failed`] with the words of the program; what has
    /// been done until then stays done.
    pub fn carry_out(&self, root: &Root) -> Result<FormatPlan, StorageError> {
        let plan = self.plan(root)?;
        let device = Device { path: plan.device.clone(), ..Device::open(&self.device)? };
        for command in &plan.commands {
            // Once nothing is mounted, nobody else may have it either.
            if command[0] == "wipefs" || command[0].starts_with("mkfs") {
                refuse_claimed(&device)?;
            }
            if let ("mount", Some(point)) = (&*command[0], &self.mount) {
                fs::create_dir_all(point).map_err(|e| StorageError::io("create", point, e))?;
            }
            run(command)?;
        }
        Ok(plan)
    }
}

fn losses(usage: &Usage, held: &[&str]) -> Vec<String> {
    let mounts = usage.mounts.iter().map(|point| format!("is mounted at {}", point.display()));
    let partitions = match usage.partitions.is_empty() {
        true => None,
        false => Some(format!("has the partitions {}", usage.partitions.join(", "))),
    };
    let holds = held.iter().map(|what| format!("holds {what}"));
    mounts.chain(partitions).chain(holds).collect()
}

/// What nobody can want to pull from under a running system, however often it is said.
fn refuse_used(device: &Device, usage: &Usage) -> Result<(), StorageError> {
    let used = |used: String, way_out: &str| {
        Err(StorageError::InUse { device: device.path.clone(), used, way_out: way_out.to_owned() })
    };
    if usage.read_only {
        return used("cannot be written".into(), "see `blockdev --setrw`");
    }
    if usage.swap {
        return used("is swap space in use".into(), "`swapoff` ends that");
    }
    if !usage.holders.is_empty() {
        let holders = usage.holders.join(", ");
        let way_out = "take that apart first (`lsblk` shows it; vgchange -an, mdadm --stop …)";
        return used(format!("carries {holders}"), way_out);
    }
    Ok(())
}

/// The kernel lets one at a time have a device for itself: a file system, an array, a program.
fn refuse_claimed(device: &Device) -> Result<(), StorageError> {
    let mut options = fs::OpenOptions::new();
    let exclusive = rustix::fs::OFlags::EXCL.bits().cast_signed();
    match options.read(true).write(true).custom_flags(exclusive).open(&device.path) {
        Ok(_claim) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::ResourceBusy => Err(StorageError::InUse {
            device: device.path.clone(),
            used: "is in use by the kernel or a program".into(),
            way_out: "`lsblk` and `fuser -v` tell by which".into(),
        }),
        Err(error) => Err(StorageError::io("open", &device.path, error)),
    }
}

fn check_mount_point(point: &Path, freed: &[PathBuf]) -> Result<(), StorageError> {
    let refuse = |reason| Err(StorageError::MountPoint { path: point.to_owned(), reason });
    if !point.is_absolute() {
        return refuse("give the whole path, from / on");
    }
    if freed.iter().any(|freed| freed == point) || !point.exists() {
        return Ok(());
    }
    match fs::read_dir(point).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => refuse("it is not empty, and what is in it would be hidden"),
        Err(_) => refuse("it is no directory that can be read"),
    }
}

pub(super) fn refuse_absent(
    program: &'static str,
    package: &'static str,
) -> Result<(), StorageError> {
    let tried = Command::new(found(program)).arg("-V").stdin(Stdio::null()).output();
    match tried {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(StorageError::NoProgram { program, package })
        }
        _ => Ok(()),
    }
}

fn found(program: &str) -> PathBuf {
    let mut places = PROGRAM_DIRS.iter().map(|dir| Path::new(dir).join(program));
    places.find(|path| path.is_file()).unwrap_or_else(|| program.into())
}

pub(super) fn run(command: &[String]) -> Result<(), StorageError> {
    let failed = |ended: String, said: String| {
        Err(StorageError::Failed { command: command.join(" "), ended, said })
    };
    let mut child = Command::new(found(&command[0]));
    match child.args(&command[1..]).stdin(Stdio::null()).output() {
        Err(error) => failed(error.to_string(), String::new()),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rfind(|line| !line.trim().is_empty());
            let said = last.map(|line| format!(": {}", line.trim())).unwrap_or_default();
            failed(output.status.to_string(), said)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn device() -> Device {
        Device { path: "/dev/sdz".into(), number: (8, 400) }
    }

    #[test]
    fn a_device_that_carries_others_is_never_taken() {
        let words = |usage: Usage| refuse_used(&device(), &usage).unwrap_err().to_string();
        let held = Usage { holders: vec!["md0".into()], ..Usage::default() };
        assert!(words(held).contains("carries md0"));
        assert!(words(Usage { swap: true, ..Usage::default() }).contains("swapoff"));
        assert!(words(Usage { read_only: true, ..Usage::default() }).contains("--setrw"));
        refuse_used(&device(), &Usage::default()).unwrap();
    }

    #[test]
    fn a_mount_point_must_be_absolute_and_empty_or_become_free() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("precious"), "").unwrap();
        assert!(check_mount_point(dir.path(), &[]).is_err());
        assert!(check_mount_point(Path::new("data"), &[]).is_err());
        check_mount_point(dir.path(), &[dir.path().to_owned()]).unwrap();
        check_mount_point(&dir.path().join("new"), &[]).unwrap();
    }

    #[test]
    fn what_is_no_device_is_left_alone_whatever_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("image");
        fs::write(&file, "precious").unwrap();
        let format = Format {
            device: file.clone(),
            destroy: vec![file.clone(), file.clone()],
            file_system: FileSystem::Ext4,
            mount: None,
            vital: Vec::new(),
        };
        let error = format.carry_out(&Root::real()).unwrap_err();
        assert!(matches!(error, StorageError::NoDevice(_)), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    }
}
