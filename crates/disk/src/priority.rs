//! Standing back: reads that others go before.

#![allow(unsafe_code)]

use std::io;

/// `IOPRIO_WHO_PROCESS` of `linux/ioprio.h`: a thread, the caller for 0.
const WHO_THREAD: libc::c_int = 1;
/// `IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0)`.
const IDLE: libc::c_int = 3 << 13;
/// The lowest priority that processors are given by.
const NICEST: i32 = 19;

/// Lets the calling thread, and all that it starts from now on, read only when nobody else wants
/// the disk, and run only when nobody else wants the processor. The former is heeded by the I/O
/// scheduler `bfq` only; the others take no notice.
///
/// # Errors
/// What the kernel says.
pub fn stand_back() -> io::Result<()> {
    // SAFETY: the call takes three numbers and no memory.
    let answer = unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_THREAD, 0, IDLE) };
    if answer == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call takes three numbers and no memory.
    let answer = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICEST) };
    if answer == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::thread;

    #[test]
    fn a_thread_that_stands_back_is_nice_and_idle_and_so_are_its_children() {
        let asked = || {
            // SAFETY: the calls take numbers and no memory.
            unsafe {
                let nice = libc::getpriority(libc::PRIO_PROCESS, 0);
                (nice, libc::syscall(libc::SYS_ioprio_get, WHO_THREAD, 0))
            }
        };
        let told = thread::spawn(move || {
            stand_back().unwrap();
            thread::spawn(asked).join().unwrap()
        });
        assert_eq!(told.join().unwrap(), (NICEST, libc::c_long::from(IDLE)));
    }
}
