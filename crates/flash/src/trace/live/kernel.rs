//! The program in the kernel: loaded, attached, read, counted.

use super::{misses::misses, record};
use crate::trace::{
    Event,
    place::{Place, PlaceError},
};
use aya::{
    Btf, Ebpf, EbpfLoader,
    maps::{MapData, PerCpuArray, RingBuf},
    programs::{BtfTracePoint, Program},
};
use std::{error::Error, fs, io, os::fd::AsFd};

/// The compiled program; scripts/build-bpf makes it of bpf/block_trace.bpf.c.
static PROGRAM: &[u8] = aya::include_bytes_aligned!("../../../bpf/block_trace.bpf.o");

const TRACEPOINT: &str = "block_bio_queue";
const TYPES: &str = "/sys/kernel/btf/vmlinux";

/// Why a device cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// The device.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The ring buffer's size.
    #[error("a ring buffer of {0} bytes: it must be a power of two from 4096 to 1073741824")]
    Ring(u32),
    /// The kernel does not describe its structures.
    #[error(
        "{TYPES}: {source}; watching the block layer takes a kernel that is built with \
         CONFIG_DEBUG_INFO_BTF"
    )]
    Types {
        /// What the system said.
        source: io::Error,
    },
    /// The kernel does not allow it.
    #[error(
        "the kernel does not let this user watch the block layer ({0}); run it as root, or with \
             the capabilities CAP_BPF and CAP_PERFMON (in a container, both must be granted to it)"
    )]
    NotPermitted(String),
    /// The kernel does not accept the program.
    #[error(
        "the kernel does not take the program that watches the block layer; Linux 5.12 or later \
             is needed: {0}"
    )]
    Refused(String),
}

/// Why events cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The ring holds something else.
    #[error("the ring buffer holds {0} bytes that are no event")]
    Record(usize),
    /// The count of lost events.
    #[error("the kernel does not tell how many events were lost: {0}")]
    Lost(String),
}

/// The program at work.
pub(super) struct Watch {
    /// Taken away when nothing more is to be watched.
    program: Option<Ebpf>,
    ring: RingBuf<MapData>,
    lost: PerCpuArray<MapData, u64>,
    /// Events that the program missed, when it was taken away.
    missed: u64,
    carries_hints: bool,
}

impl Watch {
    pub(super) fn start(place: &Place, ring_bytes: u32) -> Result<Self, AttachError> {
        if !ring_bytes.is_power_of_two() || !(1 << 12..=1 << 30).contains(&ring_bytes) {
            return Err(AttachError::Ring(ring_bytes));
        }
        let types = fs::read(TYPES).map_err(|source| AttachError::Types { source })?;
        let btf = Btf::from_sys_fs().map_err(refused)?;
        let end_sector = place.start_sector.saturating_add(place.sectors);
        // Device numbers of the kernel are of 12 and 20 bits.
        let disk = (place.disk.0 as i32, place.disk.1 as i32);
        let mut program = EbpfLoader::new()
            .btf(Some(&btf))
            .set_global("DISK_MAJOR", &disk.0, true)
            .set_global("DISK_MINOR", &disk.1, true)
            .set_global("SECTOR_FIRST", &place.start_sector, true)
            .set_global("SECTOR_END", &end_sector, true)
            .set_max_entries("EVENTS", ring_bytes)
            .load(PROGRAM)
            .map_err(refused)?;
        let tracepoint = program.program_mut(TRACEPOINT).ok_or_else(|| absent(TRACEPOINT))?;
        let tracepoint: &mut BtfTracePoint = tracepoint.try_into().map_err(refused)?;
        tracepoint.load(TRACEPOINT, &btf).map_err(refused)?;
        tracepoint.attach().map_err(refused)?;
        let mut map = |name| program.take_map(name).ok_or_else(|| absent(name));
        let ring = RingBuf::try_from(map("EVENTS")?).map_err(refused)?;
        let lost = PerCpuArray::try_from(map("LOST")?).map_err(refused)?;
        let carries_hints = names(&types, b"\0bi_write_hint\0");
        Ok(Self { program: Some(program), ring, lost, missed: 0, carries_hints })
    }

    pub(super) fn carries_hints(&self) -> bool {
        self.carries_hints
    }

    pub(super) fn is_attached(&self) -> bool {
        self.program.is_some()
    }

    pub(super) fn detach(&mut self) -> Result<(), ReadError> {
        self.missed = self.missed()?;
        self.program = None;
        Ok(())
    }

    /// The next event in the ring; none if it is empty.
    pub(super) fn next(&mut self, start_sector: u64) -> Result<Option<Event>, ReadError> {
        let Some(bytes) = self.ring.next() else { return Ok(None) };
        match record::event(&bytes, start_sector) {
            Some(event) => Ok(Some(event)),
            None => Err(ReadError::Record(bytes.len())),
        }
    }

    pub(super) fn lost(&self) -> Result<u64, ReadError> {
        let counts = self.lost.get(&0, 0);
        let counts = counts.map_err(|error| ReadError::Lost(in_full(&error)))?;
        Ok(counts.iter().sum::<u64>() + self.missed()?)
    }

    fn missed(&self) -> Result<u64, ReadError> {
        let Some(program) = &self.program else { return Ok(self.missed) };
        let unknown = |error: &dyn Error| ReadError::Lost(in_full(error));
        let Some(Program::BtfTracePoint(program)) = program.program(TRACEPOINT) else {
            return Ok(0);
        };
        let descriptor = program.fd().map_err(|error| unknown(&error))?;
        misses(descriptor.as_fd()).map_err(|error| unknown(&error))
    }
}

/// Whether the kernel's type information has a string, which stands between zeroes there.
fn names(types: &[u8], string: &[u8]) -> bool {
    types.windows(string.len()).any(|window| window == string)
}

fn absent(name: &str) -> AttachError {
    AttachError::Refused(format!("`{name}` is not in its object file"))
}

/// What an error of the loader means to a person.
fn refused(error: impl Error + 'static) -> AttachError {
    let words = in_full(&error);
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(error) = cause {
        let code = error.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error);
        if code == Some(libc::EPERM) {
            return AttachError::NotPermitted(words);
        }
        cause = error.source();
    }
    AttachError::Refused(words)
}

/// An error with those that it comes from.
fn in_full(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.ends_with(&more) {
            words = format!("{words}: {more}");
        }
        cause = error.source();
    }
    words
}
