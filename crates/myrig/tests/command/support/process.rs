//! What runs on this machine, as anybody can see it.

use rustix::process::{Pid, Signal, kill_process};
use std::{fs, path::Path};

/// A process's arguments, joined by blanks; empty when it is gone.
pub(crate) fn arguments(pid: u32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}

/// Processes that have anything to do with a directory: by their arguments or their environment,
/// which every child of the command inherits.
pub(crate) fn below(dir: &Path) -> Vec<(u32, String)> {
    let dir = dir.to_str().unwrap();
    let pids = fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let concerned = pids.filter(|pid| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        arguments(*pid).contains(dir) || String::from_utf8_lossy(&environment).contains(dir)
    });
    concerned.map(|pid| (pid, arguments(pid))).collect()
}

/// Kills them.
pub(super) fn kill_below(dir: &Path) {
    for (pid, _) in below(dir) {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        // It may have ended by itself.
        let _gone = pid.map(|pid| kill_process(pid, Signal::KILL));
    }
}
