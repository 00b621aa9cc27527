//! A real controller, through the kernel's passthrough of admin commands (`linux/nvme_ioctl.h`).
#![allow(unsafe_code)]

use super::{ALL_NAMESPACES, AdminCommands, Command, NvmeError, Status};
use std::{fs::File, io, os::fd::AsRawFd, path::Path};

/// `_IO('N', 0x40)`: the namespace of a block device.
const IOCTL_ID: libc::c_ulong = 0x4e40;
/// `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
const IOCTL_ADMIN_CMD: libc::c_ulong = 0xc048_4e41;
/// A drive that does not answer a log page within that is broken; the kernel resets it.
const TIMEOUT_MS: u32 = 10_000;

/// `struct nvme_passthru_cmd`, 72 bytes.
#[repr(C)]
#[derive(Default)]
struct Passthru {
    opcode: u8,
    flags: u8,
    reserved: u16,
    nsid: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    addr: u64,
    metadata_len: u32,
    data_len: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    timeout_ms: u32,
    result: u32,
}

const _: () = assert!(size_of::<Passthru>() == 72);

/// An open controller (`/dev/nvme0`) or namespace (`/dev/nvme0n1`).
#[derive(Debug)]
pub struct Device {
    file: File,
    namespace: Option<u32>,
}

impl Device {
    /// Opens one.
    ///
    /// # Errors
    /// There is none, it may not be opened, or it is no NVMe device.
    pub fn open(path: &Path) -> Result<Self, NvmeError> {
        let shown = path.display().to_string();
        let real = path.canonicalize();
        let real = real.map_err(|source| NvmeError::Open { path: shown.clone(), source })?;
        // Another driver may give these numbers of ioctl another meaning, so none is tried on it.
        let name = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !(real.starts_with("/dev") && (name.starts_with("nvme") || name.starts_with("ng"))) {
            return Err(NvmeError::NotNvme { path: shown });
        }
        let file = File::open(&real);
        let file = file.map_err(|source| NvmeError::Open { path: shown, source })?;
        // SAFETY: this ioctl takes no pointer; the descriptor is open as long as `file` lives.
        let id = unsafe { libc::ioctl(file.as_raw_fd(), IOCTL_ID) };
        // A controller's own device has no namespace, and says so by an error.
        let namespace = u32::try_from(id).ok().filter(|id| *id > 0);
        Ok(Self { file, namespace })
    }

    /// Gives the kernel a command whose answer is as long as `answer`.
    fn pass(&self, mut passthru: Passthru, answer: &mut [u8]) -> io::Result<(u16, u32)> {
        let too_long = |_| io::Error::from(io::ErrorKind::InvalidInput);
        passthru.data_len = u32::try_from(answer.len()).map_err(too_long)?;
        passthru.addr = answer.as_mut_ptr() as u64;
        passthru.timeout_ms = TIMEOUT_MS;
        // SAFETY: the struct is laid out as the kernel's, its size is in the ioctl's number, and it
        // lives across the call; `addr` and `data_len` are those of a slice that is borrowed
        // mutably meanwhile; every opcode that comes here reads from the controller.
        let status = unsafe {
            libc::ioctl(self.file.as_raw_fd(), IOCTL_ADMIN_CMD, std::ptr::from_mut(&mut passthru))
        };
        match u16::try_from(status) {
            Ok(status) => Ok((status, passthru.result)),
            Err(_) => Err(io::Error::last_os_error()),
        }
    }
}

/// The command's dwords; the answer has so many bytes, a multiple of four.
fn passthru(command: Command, bytes: usize) -> Passthru {
    let dwords_less_one = u32::try_from(bytes / 4).unwrap_or(0).saturating_sub(1);
    let identify = |nsid, cns| Passthru { opcode: 0x06, nsid, cdw10: cns, ..Passthru::default() };
    match command {
        Command::IdentifyNamespace(namespace) => identify(namespace, 0),
        Command::IdentifyController => identify(0, 1),
        Command::ActiveNamespaces => identify(0, 2),
        Command::Log { id, specific } => Passthru {
            opcode: 0x02,
            // Logs of an endurance group are not of namespaces.
            nsid: if specific == 0 { ALL_NAMESPACES } else { 0 },
            cdw10: u32::from(id) | (dwords_less_one & 0xffff) << 16,
            cdw11: dwords_less_one >> 16 | u32::from(specific) << 16,
            ..Passthru::default()
        },
        Command::Directive { namespace, kind, operation } => Passthru {
            opcode: 0x1a,
            nsid: namespace,
            cdw10: dwords_less_one,
            cdw11: u32::from(operation) | u32::from(kind) << 8,
            ..Passthru::default()
        },
        Command::Feature { id, of } => {
            Passthru { opcode: 0x0a, cdw10: id.into(), cdw11: of, ..Passthru::default() }
        }
    }
}

impl AdminCommands for Device {
    fn ask(&mut self, command: Command, answer: &mut [u8]) -> Result<u32, NvmeError> {
        let passed = self.pass(passthru(command, answer.len()), answer);
        match passed.map_err(|source| NvmeError::Io { command, source })? {
            (0, result) => Ok(result),
            (status, _) => Err(NvmeError::Refused { command, status: Status(status) }),
        }
    }

    fn namespace(&self) -> Option<u32> {
        self.namespace
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_log_page_of_an_endurance_group_is_asked_for_by_its_group() {
        let of_group = passthru(Command::Log { id: 0x22, specific: 3 }, 64);
        assert_eq!((of_group.opcode, of_group.nsid), (2, 0));
        assert_eq!((of_group.cdw10, of_group.cdw11), (0x000f_0022, 0x0003_0000));
        let long = passthru(Command::Log { id: 0xc0, specific: 0 }, 1 << 20);
        assert_eq!((long.nsid, long.cdw10, long.cdw11), (ALL_NAMESPACES, 0xffff_00c0, 3));
    }

    #[test]
    fn what_is_no_nvme_device_is_not_sent_commands() {
        for path in ["/dev/null", "/proc/self/exe"] {
            let error = Device::open(Path::new(path)).unwrap_err();
            assert_eq!(error.to_string(), format!("{path} is not an NVMe drive"));
        }
        let absent = Device::open(Path::new("/dev/nvme999n1")).unwrap_err();
        assert!(matches!(absent, NvmeError::Open { .. }), "{absent}");
    }
}
