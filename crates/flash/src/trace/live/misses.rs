//! Events for which the kernel did not run the program, because it was at work on the same
//! processor: an interrupt came in between.
#![allow(unsafe_code)]

use std::{
    io,
    os::fd::{AsRawFd, BorrowedFd},
};

const BPF_OBJ_GET_INFO_BY_FD: libc::c_long = 15;

/// Where `recursion_misses` lies in the kernel's `struct bpf_prog_info` (linux/bpf.h).
const MISSES_AT: usize = 208;
const INFO_BYTES: usize = MISSES_AT + 8;

/// The `info` part of the kernel's `union bpf_attr`.
#[repr(C)]
struct Request {
    descriptor: u32,
    info_bytes: u32,
    info: u64,
}

/// How often a program was not run because it was running already; 0 from kernels that do not say.
pub(super) fn misses(program: BorrowedFd) -> io::Result<u64> {
    let mut info = [0_u64; INFO_BYTES / 8];
    let request = Request {
        descriptor: program.as_raw_fd() as u32,
        info_bytes: INFO_BYTES as u32,
        info: info.as_mut_ptr() as u64,
    };
    let bytes = size_of::<Request>();
    // SAFETY: the request is as long as is said and points to room for as many bytes as it names,
    // which is only written during the call.
    let done = unsafe { libc::syscall(libc::SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &request, bytes) };
    match done {
        0 => Ok(info[MISSES_AT / 8]),
        _ => Err(io::Error::last_os_error()),
    }
}
