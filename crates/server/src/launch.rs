//! Starting a server's process so that it outlives us, without leaving a zombie while we live.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::{fs::OpenOptionsExt, process::CommandExt},
    path::Path,
    process::{Command, Stdio},
    thread,
};

use host::Placement;
use tokio::sync::oneshot;

use crate::process::{Identity, ProcessTable};

/// A process that has been started.
#[derive(Debug)]
pub(crate) struct Launched {
    /// Which one.
    pub(crate) process: Identity,
    /// How it ended, in words, as soon as it has.
    pub(crate) ended: oneshot::Receiver<String>,
}

/// Opens a log to write at its end, and tells where that is.
pub(crate) fn open_log(path: &Path) -> io::Result<(File, u64)> {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    let end = file.metadata()?.len();
    Ok((file, end))
}

/// Starts a command in a process group of its own, which a Ctrl-C at our terminal does not reach,
/// with nothing to read and `log` to write to. A thread starts it and waits for its end, so that it
/// is reaped whether or not anybody still asks; it has placed itself before, for the child to
/// inherit that.
pub(crate) async fn launch(
    mut command: Command,
    log: File,
    placement: &Placement,
) -> io::Result<Launched> {
    let placement = placement.clone();
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0);
    let (begun, has_begun) = oneshot::channel();
    let (end, ended) = oneshot::channel();
    thread::Builder::new().name("reaper".into()).spawn(move || {
        let spawned = placement.take().map_err(io::Error::other).and_then(|()| command.spawn());
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) => {
                // A receiver that is gone no longer wants to know; the same below.
                let _ = begun.send(Err(error));
                return;
            }
        };
        drop(command);
        // Not reaped yet, so that its entry is there even if it has ended.
        let process = ProcessTable::real().identity_of_unreaped(child.id());
        if let Err(Ok(_unwanted)) =
            begun.send(process.ok_or_else(|| io::ErrorKind::NotFound.into()))
        {
            // The start was given up in this very instant: nobody knows of the process but us.
            let _ = child.kill();
        }
        let _ = end.send(match child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        });
    })?;
    let process = has_begun.await.map_err(|_| io::Error::other("the waiting thread died"))??;
    Ok(Launched { process, ended })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn the_end_is_told_and_no_zombie_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        std::fs::write(&path, "before\n").unwrap();
        let (log, end) = open_log(&path).unwrap();
        assert_eq!(end, 7);
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2; exit 3"]);
        let launched = launch(command, log, &Placement::default()).await.unwrap();
        assert_eq!(launched.ended.await.unwrap(), "exit status: 3");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "before\nout\nerr\n");
        assert_eq!(ProcessTable::real().identity_of_unreaped(launched.process.pid), None);
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let (log, _) = open_log(&dir.path().join("log")).unwrap();
        let error =
            launch(Command::new("/nonexistent"), log, &Placement::default()).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
