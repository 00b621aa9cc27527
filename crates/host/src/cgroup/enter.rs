//! Starting a program inside a group.

use super::Group;
use crate::root::Root;
use std::process::Command;

/// Enters each of the groups by name, then becomes the program. The process stays the same one, so
/// that whoever has started it can wait for it; nothing of the program runs outside.
const ENTER: &str = "n=$1; shift
while [ \"$n\" -gt 0 ]; do
  echo $$ > \"$1\" || { echo \"cannot enter the cgroup by $1\" >&2; exit 126; }
  shift; n=$((n - 1))
done
exec \"$@\"";

impl Group {
    /// The same command, run inside the group: program, arguments, directory and environment are
    /// kept; where its input and output go is left to the caller.
    pub fn entered_by(&self, root: &Root, command: &Command) -> Command {
        let entrances = self.entrances(root);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", ENTER, "sh", &entrances.len().to_string()]).args(entrances);
        shell.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        if let Some(dir) = command.get_current_dir() {
            shell.current_dir(dir);
        }
        shell
    }
}
