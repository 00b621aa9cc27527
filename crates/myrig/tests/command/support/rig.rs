//! A home for the command, of its own and thrown away.

use super::{
    command::{Ended, Running},
    process,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How long the kernel may take to clear a killed server away.
const CLEARED_WITHIN: Duration = Duration::from_secs(5);

/// Where this test program keeps everything.
static BASE: LazyLock<Base> = LazyLock::new(Base::make);

struct Base {
    dir: PathBuf,
    /// Reads its standard input, which ends when we do, however that comes about.
    _reaper: Child,
}

impl Base {
    /// Servers are shared by tests and outlive them all; a small shell outlives this program and
    /// ends what is left, even after a SIGKILL.
    fn make() -> Self {
        let dir = env::temp_dir().join(format!("myrig-command-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let script = r#"
            trap '' INT TERM HUP
            cat > /dev/null
            for process in /proc/[0-9]*; do
                [ "${process#/proc/}" = $$ ] && continue
                grep -qsF "$0" "$process/cmdline" && kill -KILL "${process#/proc/}"
            done
            for mount in "$0"/*/disk; do umount -l "$mount" 2> /dev/null; done
            rm -rf "$0""#;
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(script).arg(&dir).stdin(Stdio::piped());
        shell.stdout(Stdio::null()).stderr(Stdio::null());
        Self { _reaper: shell.spawn().unwrap(), dir }
    }
}

/// A directory to be at home in. Dropping it ends whatever still runs in it.
pub(crate) struct Rig {
    dir: PathBuf,
    home: PathBuf,
}

impl Rig {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let dir = BASE.dir.join(number.to_string());
        fs::create_dir(&dir).unwrap();
        let home = dir.join("home");
        Self { dir, home }
    }

    /// The same with its MYRIG_HOME elsewhere.
    pub(crate) fn with_home(mut self, home: PathBuf) -> Self {
        self.home = home;
        self
    }

    /// HOME, the working directory and TMPDIR of the command.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// MYRIG_HOME.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// The command with the words of `line`, ready to run.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_myrig"));
        command.args(line.split_whitespace()).current_dir(&self.dir);
        command.env("HOME", &self.dir).env("TMPDIR", &self.dir).env("MYRIG_HOME", &self.home);
        for name in ["MYSQL_PWD", "MYRIG_DEPS", "XDG_DATA_HOME", "NO_COLOR"] {
            command.env_remove(name);
        }
        command
    }

    /// Starts it.
    pub(crate) fn start(&self, line: &str) -> Running {
        Running::start(self.command(line), line)
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, line: &str) -> Ended {
        self.start(line).wait()
    }

    /// Fails when a process is left that has anything to do with this directory. The kernel may
    /// take a moment to clear one away that was killed.
    pub(crate) fn nothing_runs(&self) {
        let begun = Instant::now();
        loop {
            let left = process::below(&self.dir);
            if left.is_empty() {
                return;
            }
            assert!(begun.elapsed() < CLEARED_WITHIN, "left behind: {left:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        process::kill_below(&self.dir);
        // What is still going away is left to the reaper.
        let _later = fs::remove_dir_all(&self.dir);
    }
}
