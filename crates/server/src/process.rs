//! Processes: which ones serve a data directory, and a hold on one of them.
//!
//! A process is known by its number and its start time together, since numbers are used again.

use std::{
    fs, io,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use host::ProcessStat;
use rustix::{
    event::{PollFd, PollFlags, Timespec},
    process::{Pid, PidfdFlags, Signal},
};
use serde::{Deserialize, Serialize};

/// Arguments in front of a server's own: loader, its option and value, program.
const PROGRAM_POSITIONS: usize = 4;

/// How often the end of a process is asked for.
const END_PERIOD: Duration = Duration::from_millis(10);

/// One process, told apart from later ones with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// Process number.
    pub(crate) pid: u32,
    /// Start time in clock ticks since boot, field 22 of `/proc/PID/stat`.
    pub(crate) start_ticks: u64,
}

/// The processes of the machine, as `/proc` shows them.
#[derive(Clone, Debug)]
pub(crate) struct ProcessTable {
    root: PathBuf,
}

impl ProcessTable {
    /// The processes of this machine.
    pub(crate) fn real() -> Self {
        Self::at(Path::new("/proc"))
    }

    /// A table in the form of `/proc` at `root`.
    pub(crate) fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The process that has this number now, unless it has ended.
    pub(crate) fn identity(&self, pid: u32) -> Option<Identity> {
        let stat = self.stat(pid)?;
        (!stat.has_ended()).then_some(Identity { pid, start_ticks: stat.start_ticks })
    }

    /// The process that has this number, ended or not, as long as nobody has waited for its end.
    pub(crate) fn identity_of_unreaped(&self, pid: u32) -> Option<Identity> {
        Some(Identity { pid, start_ticks: self.stat(pid)?.start_ticks })
    }

    fn stat(&self, pid: u32) -> Option<Stat> {
        // The name of a process need not be UTF-8.
        let text = fs::read(self.file(pid, "stat")).ok()?;
        Stat::parse(&String::from_utf8_lossy(&text))
    }

    /// True while this very process lives.
    pub(crate) fn is_alive(&self, process: Identity) -> bool {
        self.identity(process.pid) == Some(process)
    }

    /// When the process started, where the table tells when the machine did.
    pub(crate) fn started(&self, process: Identity) -> Option<SystemTime> {
        let text = fs::read_to_string(self.root.join("stat")).ok()?;
        let boot_s = text.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok();
        let since_boot_ms =
            process.start_ticks.checked_mul(1000)? / rustix::param::clock_ticks_per_second();
        let boot = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(boot_s?))?;
        boot.checked_add(Duration::from_millis(since_boot_ms))
    }

    /// A database server at work on a data directory.
    pub(crate) fn server_on(&self, data: &Path) -> Option<Identity> {
        let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
        let numbers = fs::read_dir(&self.root).into_iter().flatten().flatten();
        numbers
            .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
            .filter(|pid| self.serves(*pid, &data))
            .find_map(|pid| self.identity(pid))
    }

    /// True when the process is a server whose data directory is `data`. Servers go to their data
    /// directory on start; until they have, or where that cannot be seen, their arguments tell.
    fn serves(&self, pid: u32, data: &Path) -> bool {
        let arguments = fs::read(self.file(pid, "cmdline")).unwrap_or_default();
        let mut arguments = arguments.split(|byte| *byte == 0);
        if !arguments.by_ref().take(PROGRAM_POSITIONS).any(is_server) {
            return false;
        }
        let at_home = fs::read_link(self.file(pid, "cwd")).is_ok_and(|cwd| cwd == data);
        let argument = [b"--datadir=", data.as_os_str().as_bytes()].concat();
        at_home
            || fs::read(self.file(pid, "cmdline"))
                .is_ok_and(|all| all.split(|byte| *byte == 0).any(|given| given == argument))
    }

    fn file(&self, pid: u32, name: &str) -> PathBuf {
        self.root.join(pid.to_string()).join(name)
    }
}

/// True for the path of a server program, not of the scripts that start one.
fn is_server(argument: &[u8]) -> bool {
    let name = argument.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let script = [b"_safe".as_slice(), b"-safe", b"_multi", b"-multi"];
    ["mysqld", "mariadbd"].iter().any(|program| name.starts_with(program.as_bytes()))
        && !script.iter().any(|ending| name.ends_with(ending))
}

/// What is needed of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    state: char,
    threads: u64,
    start_ticks: u64,
}

impl Stat {
    fn parse(text: &str) -> Option<Self> {
        let stat = ProcessStat::parse(text)?;
        // Field 20 is the number of threads, 22 the start time.
        let (threads, start_ticks) = (stat.number(20)?, stat.number(22)?);
        Some(Self { state: stat.state()?, threads, start_ticks })
    }

    /// A zombie has ended, but not while threads beside its first one still live: until they too
    /// are gone, the process holds its port and the locks on its files.
    fn has_ended(&self) -> bool {
        self.state == 'X' || (self.state == 'Z' && self.threads <= 1)
    }
}

/// A hold on a process: signals through it can never hit another one.
#[derive(Debug)]
pub(crate) struct Hold {
    fd: OwnedFd,
}

impl Hold {
    /// Takes hold of a process; `None` when it has ended.
    pub(crate) fn take(process: Identity) -> io::Result<Option<Self>> {
        let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else {
            return Ok(None);
        };
        let fd = match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
            Err(rustix::io::Errno::SRCH) => return Ok(None),
            fd => fd?,
        };
        // The number may have passed to another process before it was opened.
        Ok(ProcessTable::real().is_alive(process).then_some(Self { fd }))
    }

    /// Asks the server to shut down.
    pub(crate) fn terminate(&self) -> io::Result<()> {
        self.signal(Signal::TERM)
    }

    /// Ends the process at once.
    pub(crate) fn kill(&self) -> io::Result<()> {
        self.signal(Signal::KILL)
    }

    fn signal(&self, signal: Signal) -> io::Result<()> {
        match rustix::process::pidfd_send_signal(&self.fd, signal) {
            Err(rustix::io::Errno::SRCH) => Ok(()),
            sent => Ok(sent?),
        }
    }

    /// Waits for the end of the process; false when it has not come by then.
    pub(crate) async fn ended_within(&self, time: Duration) -> io::Result<bool> {
        // Asking now and then costs less than it seems: the alternative, to register the
        // descriptor with the runtime, is unsafe code for ten milliseconds of a shutdown.
        let mut ticks = tokio::time::interval(END_PERIOD);
        let given_up = tokio::time::Instant::now() + time;
        loop {
            ticks.tick().await;
            if self.ended_within_blocking(Duration::ZERO)? {
                return Ok(true);
            }
            if tokio::time::Instant::now() >= given_up {
                return Ok(false);
            }
        }
    }

    /// The same where nothing can be awaited.
    pub(crate) fn ended_within_blocking(&self, time: Duration) -> io::Result<bool> {
        let mut polled = [PollFd::new(&self.fd, PollFlags::IN)];
        let time = Timespec::try_from(time).map_err(|_| io::ErrorKind::InvalidInput)?;
        Ok(rustix::event::poll(&mut polled, Some(&time))? > 0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::symlink;

    use super::*;
    use proptest::prelude::*;

    fn stat(name: &str, state: char, threads: u64, ticks: u64) -> String {
        let zeros = "0 ".repeat(16);
        format!("1 ({name}) {state} {zeros}{threads} 0 {ticks} 0 0")
    }

    fn process(root: &Path, pid: u32, state: char, arguments: &[&str], cwd: &Path) {
        let dir = root.join(pid.to_string());
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("stat"), stat("my) sqld", state, 1, 777)).unwrap();
        fs::write(dir.join("cmdline"), arguments.join("\0") + "\0").unwrap();
        symlink(cwd, dir.join("cwd")).unwrap();
    }

    #[test]
    fn a_server_is_found_by_its_directory_or_its_arguments() {
        let dir = tempfile::tempdir().unwrap();
        let (proc, data) = (dir.path().join("proc"), dir.path().join("data"));
        fs::create_dir(&data).unwrap();
        let data = data.canonicalize().unwrap();
        let table = ProcessTable::at(&proc);
        let argument = format!("--datadir={}", data.display());
        process(&proc, 1, 'S', &["bash"], &data);
        process(&proc, 2, 'S', &["/bin/sh", "/usr/bin/mysqld_safe", &argument], &data);
        process(&proc, 3, 'S', &["/usr/sbin/mariadbd"], Path::new("/"));
        process(&proc, 4, 'Z', &["/usr/sbin/mariadbd", &argument], &data);
        assert_eq!(table.server_on(&data), None);

        let loader = ["/r/ld.so", "--library-path", "/r", "/r/mysqld", "--defaults-file=x"];
        process(&proc, 5, 'S', &loader, &data);
        assert_eq!(table.server_on(&data), Some(Identity { pid: 5, start_ticks: 777 }));
        fs::remove_dir_all(proc.join("5")).unwrap();
        process(&proc, 6, 'S', &["/usr/sbin/mariadbd", &argument], Path::new("/"));
        assert_eq!(table.server_on(&data).map(|it| it.pid), Some(6));
    }

    #[test]
    fn a_later_process_with_the_same_number_is_another_one() {
        let dir = tempfile::tempdir().unwrap();
        process(dir.path(), 9, 'S', &["mysqld"], Path::new("/"));
        let table = ProcessTable::at(dir.path());
        assert!(table.is_alive(Identity { pid: 9, start_ticks: 777 }));
        assert!(!table.is_alive(Identity { pid: 9, start_ticks: 776 }));
        assert!(!table.is_alive(Identity { pid: 10, start_ticks: 777 }));
    }

    #[test]
    fn a_zombie_with_threads_has_not_ended() {
        let ended =
            |state, threads| Stat::parse(&stat("a", state, threads, 1)).unwrap().has_ended();
        assert!(ended('Z', 1) && ended('X', 1));
        assert!(!ended('Z', 2) && !ended('S', 1));
    }

    #[test]
    fn this_process_is_alive_and_started_in_the_past() {
        let table = ProcessTable::real();
        let me = table.identity(std::process::id()).unwrap();
        assert!(table.is_alive(me));
        let started = table.started(me).unwrap();
        // The kernel's boot time has whole seconds only.
        assert!(started < SystemTime::now() + Duration::from_secs(2));
        assert!(started > SystemTime::now() - Duration::from_secs(24 * 3600));
    }

    #[test]
    fn a_hold_tells_when_the_process_has_ended() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let identity = ProcessTable::real().identity(child.id()).unwrap();
        let hold = Hold::take(identity).unwrap().unwrap();
        assert!(!hold.ended_within_blocking(Duration::from_millis(1)).unwrap());
        hold.kill().unwrap();
        assert!(hold.ended_within_blocking(Duration::from_secs(20)).unwrap());
        assert!(!ProcessTable::real().is_alive(identity), "a zombie is not alive");
        child.wait().unwrap();
        assert!(Hold::take(identity).unwrap().is_none());
    }

    proptest! {
        #[test]
        fn any_process_name_leaves_the_fields_readable(
            name in "[^\0]{0,15}", threads: u64, start_ticks: u64,
        ) {
            let found = Stat::parse(&stat(&name, 'S', threads, start_ticks));
            prop_assert_eq!(found, Some(Stat { state: 'S', threads, start_ticks }));
        }

        #[test]
        fn any_text_gives_an_answer(text in "(?s).{0,60}") {
            let _answer = Stat::parse(&text);
        }
    }
}
