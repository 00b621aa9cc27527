//! The system calls that place a thread.

#![allow(unsafe_code)]

use super::MemoryPolicy;
use crate::cpu_set::CpuSet;
use rustix::thread::{CpuSet as Mask, Pid, sched_getaffinity, sched_setaffinity};
use std::{ffi::c_ulong, io};

/// Policies of set_mempolicy(2), `linux/mempolicy.h`.
const MPOL_PREFERRED: i32 = 1;
const MPOL_BIND: i32 = 2;
const MPOL_INTERLEAVE: i32 = 3;

/// Nodes that a mask has room for; the kernel itself stops at 1,024.
const NODES_MAX: usize = 1024;

/// Lets the calling thread run on these processors only.
pub(super) fn run_on(cpus: &CpuSet) -> io::Result<()> {
    Ok(sched_setaffinity(None, &mask(cpus)?)?)
}

/// Lets a thread, by its number, run on these processors only.
pub(super) fn run_thread_on(thread: u32, cpus: &CpuSet) -> io::Result<()> {
    Ok(sched_setaffinity(Some(numbered(thread)?), &mask(cpus)?)?)
}

/// Where a thread, by its number, may run; none where that is nowhere that a mask has room for.
pub(super) fn processors_of(thread: u32) -> io::Result<Option<CpuSet>> {
    let mask = sched_getaffinity(Some(numbered(thread)?))?;
    Ok(CpuSet::of((0..Mask::MAX_CPU).filter(|cpu| mask.is_set(*cpu)).map(|cpu| cpu as u32)))
}

fn numbered(thread: u32) -> io::Result<Pid> {
    let number = i32::try_from(thread).ok().and_then(Pid::from_raw);
    number.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

fn mask(cpus: &CpuSet) -> io::Result<Mask> {
    let mut mask = Mask::new();
    for cpu in cpus.iter() {
        if cpu as usize >= Mask::MAX_CPU {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        mask.set(cpu as usize);
    }
    Ok(mask)
}

/// Lets the calling thread allocate its memory by this policy.
pub(super) fn allocate_from(policy: &MemoryPolicy) -> io::Result<()> {
    const BITS: usize = c_ulong::BITS as usize;
    let mode = match policy {
        MemoryPolicy::Bind(_) => MPOL_BIND,
        MemoryPolicy::Interleave(_) => MPOL_INTERLEAVE,
        MemoryPolicy::Preferred(_) => MPOL_PREFERRED,
    };
    let mut mask: [c_ulong; NODES_MAX / BITS] = [0; NODES_MAX / BITS];
    for node in policy.nodes().iter().map(|node| node as usize) {
        *mask.get_mut(node / BITS).ok_or(io::ErrorKind::InvalidInput)? |= 1 << (node % BITS);
    }
    // The kernel takes the number of bits to be one more than it reads.
    let bits: c_ulong = NODES_MAX as c_ulong + 1;
    // SAFETY: the call reads `bits - 1` bits from `mask`, which holds as many and lives through
    // it, and changes nothing but the policy of this thread.
    let done = unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, mask.as_ptr(), bits) };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
