//! `stop`, `kill` and `remove`: the end of a server, and of an instance.

use std::{fs, io::ErrorKind, time::Duration};

use crate::{
    data,
    error::Error,
    instance::Instance,
    process::{Hold, ProcessTable},
    status::Finding,
};

/// What a `stop` or `kill` found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The server was running and has ended.
    Ended {
        /// The process that it was.
        pid: u32,
    },
    /// There was no server.
    WasStopped,
    /// There was no server, and the last one had crashed; its traces have been cleared.
    HadCrashed,
}

impl Instance {
    /// Shuts the server down, an orphan too, and waits for its end.
    ///
    /// # Errors
    /// [`Error::StillRunning`] when it has not ended in time (it goes on shutting down),
    /// [`Error::Busy`], [`Error::Process`].
    pub async fn stop(&mut self, deadline: Duration) -> Result<Stopped, Error> {
        self.end("stop", deadline, Hold::terminate).await
    }

    /// Ends the server at once, as a crash would, and waits for its end. What it had committed is
    /// recovered by the next start.
    ///
    /// # Errors
    /// As [`Instance::stop`].
    pub async fn kill(&mut self, deadline: Duration) -> Result<Stopped, Error> {
        self.end("kill", deadline, Hold::kill).await
    }

    async fn end(
        &mut self,
        verb: &str,
        deadline: Duration,
        signal: fn(&Hold) -> std::io::Result<()>,
    ) -> Result<Stopped, Error> {
        let _lock = self.lock(verb)?;
        let finding = Finding::of(self, &ProcessTable::real());
        let Some(process) = finding.process() else {
            self.clear_traces()?;
            return Ok(match finding {
                Finding::Dead(_) => Stopped::HadCrashed,
                _ => Stopped::WasStopped,
            });
        };
        let pid = process.pid;
        let failed = |source| Error::Process { name: self.name().clone(), pid, source };
        // Nothing to hold: it has ended by itself since we looked.
        if let Some(hold) = Hold::take(process).map_err(failed)? {
            signal(&hold).map_err(failed)?;
            if !hold.ended_within(deadline).await.map_err(failed)? {
                return Err(Error::StillRunning { name: self.name().clone(), pid, deadline });
            }
        }
        self.clear_traces()?;
        Ok(Stopped::Ended { pid })
    }

    /// Deletes the instance with all its data.
    ///
    /// # Errors
    /// [`Error::Running`] or [`Error::Orphaned`] when a server works on it, [`Error::Busy`].
    pub async fn remove(mut self) -> Result<(), Error> {
        let _lock = self.lock("remove")?;
        self.refuse_while_served()?;
        let name = self.name().clone();
        self.clear_group()?;
        data::remove(&self.layout)?;
        // Under another name it no longer is an instance, however far the deletion gets.
        let removed = self.home.removed(&name);
        let dir = removed.dir().to_owned();
        if dir.exists() {
            delete(&dir).await?;
        }
        let moved = fs::rename(self.layout.dir(), &dir);
        moved.map_err(|source| Error::io("remove", self.layout.dir(), source))?;
        delete(&dir).await
    }
}

async fn delete(dir: &std::path::Path) -> Result<(), Error> {
    match tokio::fs::remove_dir_all(dir).await {
        // An init that found it may have been quicker.
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", dir, error)),
        _ => Ok(()),
    }
}
