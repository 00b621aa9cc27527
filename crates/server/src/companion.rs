//! The other programs that come with a server, such as innochecksum.

use crate::installation::{Installation, PROGRAM_DIRS, launcher};
use std::{path::PathBuf, process::Command};

impl Installation {
    /// Where a program that belongs to this server is: beside the server, or elsewhere below its
    /// prefix. None where it is not installed.
    pub fn companion(&self, name: &str) -> Option<PathBuf> {
        let beside = self.mysqld().parent().map(|dir| dir.join(name));
        let below = PROGRAM_DIRS.iter().map(|dir| self.basedir().join(dir).join(name));
        beside.into_iter().chain(below).find(|path| path.is_file())
    }

    /// The same, ready to be run with arguments; by the loader that it was unpacked with, where
    /// the server is run by that.
    pub fn companion_command(&self, name: &str) -> Option<Command> {
        let (program, arguments) = launcher(&self.companion(name)?);
        let mut command = Command::new(program);
        command.args(arguments);
        Some(command)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt};

    #[tokio::test]
    async fn a_companion_is_found_below_the_prefix_and_told_apart_from_one_that_is_not_there() {
        let dir = tempfile::tempdir().unwrap();
        let script = |path: &str, says: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, format!("#!/bin/sh\necho '{says}'\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        let mysqld = script("sbin/mysqld", "mysqld  Ver 8.0.35 for Linux on x86_64 (MySQL)");
        let tool = script("bin/innochecksum", "sound");
        let installation = Installation::at(&mysqld).await.unwrap();
        assert_eq!(installation.companion("innochecksum"), Some(tool));
        let output = installation.companion_command("innochecksum").unwrap().output().unwrap();
        assert_eq!(output.stdout, b"sound\n");
        assert_eq!(installation.companion("ibd2sdi"), None);
    }
}
