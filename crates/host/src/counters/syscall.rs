//! What a thread waits for at this moment, from `/proc/PID/task/TID/syscall`.
//!
//! The kernel tells the number of the system call that a sleeping thread is in, and its arguments;
//! the first of those is the file that it reads, writes or syncs. Looked at often enough, this is
//! a profile of waits that no server has to be configured for. It takes the right to trace the
//! process: the same user, or root.

use crate::Root;
use std::{fs, path::PathBuf};

/// What a thread does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileCall {
    /// Reads from it.
    Read,
    /// Writes to it, or makes room in it.
    Write,
    /// Waits until what was written is on the device.
    Sync,
}

/// What a thread is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// On a processor, or waiting for one.
    Runnable,
    /// In a call on a file.
    File(FileCall, PathBuf),
    /// Waiting for something to come over a connection.
    Receive,
    /// Waiting until a connection takes more.
    Send,
    /// Waiting for another thread: a mutex, a condition, a latch.
    Lock,
    /// Waiting for a time to pass.
    Pause,
    /// Something else.
    Other,
}

/// The kinds of calls that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    File(FileCall),
    Receive,
    Send,
    Lock,
    Pause,
}

impl Activity {
    /// Asks about a thread; none where it has ended or may not be looked at.
    pub fn of(root: &Root, pid: u32, tid: u32) -> Option<Self> {
        let text = root.text(format!("proc/{pid}/task/{tid}/syscall"))?;
        let (call, file) = match parse(&text)? {
            Parsed::Runnable => return Some(Self::Runnable),
            Parsed::Call(number, file) => (sort(number), file),
        };
        Some(match call {
            Some(Call::File(call)) => {
                let link = root.path(format!("proc/{pid}/fd/{file}"));
                Self::on_file(call, fs::read_link(link).ok()?)
            }
            Some(Call::Receive) => Self::Receive,
            Some(Call::Send) => Self::Send,
            Some(Call::Lock) => Self::Lock,
            Some(Call::Pause) => Self::Pause,
            None => Self::Other,
        })
    }

    /// A connection is a file, too.
    fn on_file(call: FileCall, file: PathBuf) -> Self {
        let is_socket = file.to_str().is_some_and(|name| name.starts_with("socket:"));
        match (is_socket, call) {
            (true, FileCall::Read) => Self::Receive,
            (true, _) => Self::Send,
            (false, call) => Self::File(call, file),
        }
    }
}

enum Parsed {
    Runnable,
    /// Number of the call, and its first argument.
    Call(i64, u64),
}

/// `running`, or the number of a call and its arguments in hexadecimal; the number is -1 for a
/// thread that sleeps outside of a call.
fn parse(text: &str) -> Option<Parsed> {
    let mut words = text.split_whitespace();
    let number = match words.next()? {
        "running" => return Some(Parsed::Runnable),
        number => number.parse().ok()?,
    };
    let first = words.next().and_then(|word| word.strip_prefix("0x"));
    let first = first.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    Some(Parsed::Call(number, first.unwrap_or(u64::MAX)))
}

fn sort(number: i64) -> Option<Call> {
    use Call::{File, Lock, Pause, Receive, Send};
    use FileCall::{Read, Sync, Write};
    #[cfg(target_arch = "x86_64")]
    match number {
        libc::SYS_poll | libc::SYS_select | libc::SYS_epoll_wait => return Some(Receive),
        _ => {}
    }
    Some(match number {
        libc::SYS_read | libc::SYS_pread64 | libc::SYS_readv | libc::SYS_preadv => File(Read),
        libc::SYS_write | libc::SYS_pwrite64 | libc::SYS_writev | libc::SYS_pwritev => File(Write),
        libc::SYS_fallocate | libc::SYS_ftruncate => File(Write),
        libc::SYS_fsync | libc::SYS_fdatasync | libc::SYS_sync_file_range => File(Sync),
        libc::SYS_ppoll | libc::SYS_pselect6 | libc::SYS_epoll_pwait => Receive,
        libc::SYS_recvfrom | libc::SYS_recvmsg => Receive,
        libc::SYS_sendto | libc::SYS_sendmsg => Send,
        libc::SYS_futex => Lock,
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => Pause,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;
    use std::{os::unix::fs::symlink, path::Path};

    fn activity(syscall: &str) -> Option<Activity> {
        let dir = tempfile::tempdir().unwrap();
        let (task, fd) = (dir.path().join("proc/42/task/43"), dir.path().join("proc/42/fd"));
        fs::create_dir_all(&task).unwrap();
        fs::create_dir_all(&fd).unwrap();
        symlink("/data/ib_logfile0", fd.join("10")).unwrap();
        symlink("socket:[77]", fd.join("17")).unwrap();
        fs::write(task.join("syscall"), syscall).unwrap();
        Activity::of(&Root::at(dir.path()), 42, 43)
    }

    fn call(number: i64, file: u64) -> Option<Activity> {
        activity(&format!("{number} {file:#x} 0x7f00 0x4000 0x0 0x0 0x0 0x7ffd 0x7fc4\n"))
    }

    #[test]
    fn a_call_on_a_file_names_the_file() {
        let redo = Path::new("/data/ib_logfile0").to_owned();
        assert_eq!(
            call(libc::SYS_fdatasync, 10),
            Some(Activity::File(FileCall::Sync, redo.clone()))
        );
        assert_eq!(call(libc::SYS_pwrite64, 10), Some(Activity::File(FileCall::Write, redo)));
        assert_eq!(call(libc::SYS_pread64, 99), None, "the file was closed meanwhile");
    }

    #[test]
    fn connections_locks_and_pauses_are_told_apart() {
        assert_eq!(activity("running\n"), Some(Activity::Runnable));
        assert_eq!(call(libc::SYS_read, 17), Some(Activity::Receive));
        assert_eq!(call(libc::SYS_write, 17), Some(Activity::Send));
        assert_eq!(call(libc::SYS_ppoll, 0), Some(Activity::Receive));
        assert_eq!(call(libc::SYS_futex, 0x7fff), Some(Activity::Lock));
        assert_eq!(call(libc::SYS_clock_nanosleep, 0), Some(Activity::Pause));
        assert_eq!(activity("-1 0x7ffd 0x7fc4\n"), Some(Activity::Other));
        assert_eq!(activity(""), None);
    }

    #[test]
    fn a_thread_of_this_process_that_sleeps_is_seen_to() {
        let (told, tid) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            told.send(rustix::thread::gettid().as_raw_nonzero().get() as u32).unwrap();
            let _the_end = ended.recv();
        });
        let tid = tid.recv().unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        let pid = std::process::id();
        while Activity::of(&Root::real(), pid, tid) != Some(Activity::Lock) {
            assert!(std::time::Instant::now() < deadline, "the thread never waits");
            std::thread::yield_now();
        }
        drop(end);
        thread.join().unwrap();
    }

    proptest! {
        #[test]
        fn any_text_is_an_answer_or_none(text in "(running)?[-0-9]{0,20}( 0x[0-9a-f]{0,20}){0,3}") {
            let _answer = parse(&text);
        }
    }
}
