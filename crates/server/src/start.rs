//! `start` and `adopt`: a server runs on its own, and we know that it answers.

use std::{fs, io, time::Duration};

use client::Connection;
use host::{Root, Topology};

use crate::{
    data,
    error::Error,
    installation::Installation,
    instance::{Instance, Via},
    launch::{Launched, launch, open_log},
    limits::check_room,
    log::LogTail,
    options, port,
    process::{Hold, Identity, ProcessTable},
    record::{self, InstanceRecord, RunRecord},
    status::{Finding, START, Serving},
};

/// Pause between two questions to a server that does not answer yet.
const ASK_PERIOD: Duration = Duration::from_millis(30);

/// How long a killed server may take to be gone.
const KILL_DEADLINE: Duration = Duration::from_secs(30);

/// Login refusals: a wrong password, and an account of another authentication.
const REFUSALS: [u16; 2] = [1045, 1698];

/// How to start an instance.
#[derive(Clone, Copy, Debug)]
pub struct StartOptions {
    /// Another port from now on; it is kept.
    pub port: Option<u16>,
    /// How long the server may take to answer; crash recovery is part of it.
    pub deadline: Duration,
}

impl Default for StartOptions {
    fn default() -> Self {
        Self { port: None, deadline: Duration::from_secs(120) }
    }
}

impl Instance {
    /// Starts the server, detached from this program, and returns when it answers on its socket.
    /// A crashed instance is started like a stopped one; the server recovers its data. When the
    /// start fails, or its future is dropped, the server is killed: no process is left.
    ///
    /// Needs a Tokio runtime with I/O and time.
    ///
    /// # Errors
    /// [`Error::Running`], [`Error::Orphaned`], [`Error::Busy`], [`Error::PortInUse`],
    /// [`Error::NotAServer`] when its program is gone,
    /// [`Error::Died`] and [`Error::NotReady`] with the end of the server's log,
    /// [`Error::DiskFull`], [`Error::Refused`] when the server no longer takes our password,
    /// [`Error::Data`], and [`Error::Placement`] when it could not be placed or did not keep to
    /// it, [`Error::Beyond`] for settings without room, [`Error::Limit`] and
    /// [`Error::OutOfMemory`] likewise for its size.
    pub async fn start(&mut self, options: &StartOptions) -> Result<Serving, Error> {
        let _lock = self.lock(START)?;
        let name = self.name().clone();
        match Finding::of(self, &ProcessTable::real()) {
            Finding::Ready(Identity { pid, .. }) => return Err(Error::Running { name, pid }),
            Finding::Unaccounted(Identity { pid, .. }) => {
                return Err(Error::Orphaned { name, pid });
            }
            Finding::Dead(_) | Finding::Nothing => self.clear_traces()?,
        }
        self.layout.check_socket()?;
        data::check(&self.layout)?;
        self.record.placement.check(&Topology::of(&Root::real()))?;
        self.settle_installation().await?;
        let InstanceRecord { installation, settings, size, .. } = &self.record;
        check_room(installation.release(), settings, size, &self.layout.data())?;
        self.settle_port(options.port)?;
        let log_path = self.log();
        let (log, log_start) =
            open_log(&log_path).map_err(|source| Error::io("open", &log_path, source))?;
        let mut attempt = Attempt { instance: self, launched: None, log_start };
        let command = self.limited(self.command())?;
        let launched = match launch(command, log, &self.record.placement).await {
            Ok(launched) => launched,
            Err(error) => {
                self.clear_group()?;
                return Err(Error::io("run", self.installation().mysqld(), error));
            }
        };
        let process = launched.process;
        attempt.launched = Some(launched);
        match attempt.succeed(options.deadline).await {
            Ok(()) => attempt.launched = None,
            Err(failure) => return Err(attempt.fail(failure).await),
        }
        Ok(self.serving(process))
    }

    /// Takes an orphan for the instance's own server, once it answers on the instance's socket
    /// with the instance's password.
    ///
    /// # Errors
    /// [`Error::Running`] when it is no orphan, [`Error::NotRunning`], [`Error::Busy`],
    /// [`Error::Refused`], [`Error::Orphaned`] when it does not answer in time.
    pub async fn adopt(&mut self, deadline: Duration) -> Result<Serving, Error> {
        let _lock = self.lock("adopt")?;
        let name = self.name().clone();
        match Finding::of(self, &ProcessTable::real()) {
            Finding::Ready(Identity { pid, .. }) => Err(Error::Running { name, pid }),
            Finding::Unaccounted(process) => {
                let answer = tokio::time::timeout(deadline, self.answers()).await;
                answer.map_err(|_| Error::Orphaned { name, pid: process.pid })??;
                let run = RunRecord { process, ready: true };
                record::write(&self.layout.run_record(), &run)?;
                Ok(self.serving(process))
            }
            Finding::Dead(_) | Finding::Nothing => Err(Error::NotRunning(name)),
        }
    }

    /// Removes the files of a server that is gone, and its group.
    pub(crate) fn clear_traces(&self) -> Result<(), Error> {
        let layout = &self.layout;
        // MySQL locks its socket with a file beside it.
        let socket_lock = layout.socket().with_extension("sock.lock");
        for path in [layout.run_record(), layout.pid(), layout.socket(), socket_lock] {
            record::remove(&path)?;
        }
        self.clear_group()
    }

    /// Sees to it that the server program is still there, and notes its version: packages are
    /// upgraded in place.
    async fn settle_installation(&mut self) -> Result<(), Error> {
        let installation = Installation::at(self.installation().mysqld()).await?;
        if installation != self.record.installation {
            self.record.installation = installation;
            record::write(&self.layout.instance_record(), &self.record)?;
        }
        Ok(())
    }

    /// Sees to it that the port is free, changing to another when told so.
    fn settle_port(&mut self, wanted: Option<u16>) -> Result<(), Error> {
        let port = wanted.unwrap_or(self.record.port);
        match port::is_free(port) {
            Ok(true) => {}
            Ok(false) => return Err(Error::PortInUse { name: self.name().clone(), port }),
            Err(error) => {
                let reason = format!("{port} cannot be listened on: {error}; choose another");
                return Err(Error::Setting { name: "port".into(), reason });
            }
        }
        if port != self.record.port {
            let path = self.layout.options();
            let text = fs::read_to_string(&path);
            let text = text.map_err(|source| Error::io("read", &path, source))?;
            record::replace(&path, options::with_port(&text, port).as_bytes())?;
            self.record.port = port;
            record::write(&self.layout.instance_record(), &self.record)?;
        }
        Ok(())
    }

    fn command(&self) -> std::process::Command {
        let mut command = self.installation().command(&self.layout.options());
        // In the option file, too; here it lets the process table tell whose server it is.
        let mut data = std::ffi::OsString::from("--datadir=");
        // Its real name: the process table knows the server by it.
        let dir = self.layout.data();
        data.push(dir.canonicalize().unwrap_or(dir));
        command.arg(data).current_dir(self.layout.dir());
        command
    }

    /// Asks until the server answers; only a refusal of our account is final.
    async fn answers(&self) -> Result<(), Error> {
        let target = self.target(Via::Socket)?;
        loop {
            match ask(&target).await {
                Ok(()) => return Ok(()),
                Err(source) if REFUSALS.contains(&source.code()) => {
                    let (name, password_file) = (self.name().clone(), self.password_file());
                    return Err(Error::Refused { name, password_file, source });
                }
                Err(_) => tokio::time::sleep(ASK_PERIOD).await,
            }
        }
    }
}

async fn ask(target: &client::Target) -> Result<(), client::Error> {
    let mut connection = Connection::connect(target).await?;
    connection.query("SELECT 1").await?;
    connection.close().await;
    Ok(())
}

/// Why a start has failed, before its server is gone and its log complete.
enum Failure {
    Died(String),
    Late(Duration),
    Other(Error),
}

/// A server that has been started and has not answered yet. Killed when it is dropped.
struct Attempt<'a> {
    instance: &'a Instance,
    launched: Option<Launched>,
    log_start: u64,
}

impl Attempt<'_> {
    async fn succeed(&mut self, deadline: Duration) -> Result<(), Failure> {
        let Some(launched) = &mut self.launched else {
            return Err(Failure::Died("never began".into()));
        };
        let path = self.instance.layout.run_record();
        let mut run = RunRecord { process: launched.process, ready: false };
        record::write(&path, &run).map_err(Failure::Other)?;
        tokio::select! {
            ended = &mut launched.ended => {
                return Err(Failure::Died(ended.unwrap_or_else(|_| "its end was missed".into())));
            }
            answer = self.instance.answers() => answer.map_err(Failure::Other)?,
            () = tokio::time::sleep(deadline) => return Err(Failure::Late(deadline)),
        }
        let placement = &self.instance.record.placement;
        let kept = placement.is_kept_by(run.process.pid, &Root::real());
        kept.map_err(|error| Failure::Other(error.into()))?;
        self.instance.check_limits(run.process.pid).map_err(Failure::Other)?;
        run.ready = true;
        record::write(&path, &run).map_err(Failure::Other)
    }

    /// Ends the server and tells what went wrong.
    async fn fail(mut self, failure: Failure) -> Error {
        let instance = self.instance;
        if let Some(launched) = self.launched.take()
            && let Err(error) = end(launched).await
        {
            return error.into_error(instance);
        }
        let fatal = instance.fatal_limit();
        if let Err(error) = instance.clear_traces() {
            return error;
        }
        if let Some(fatal) = fatal {
            return fatal;
        }
        let log = LogTail::read(&instance.log(), self.log_start);
        let name = instance.name().clone();
        match (failure, log.cause()) {
            (Failure::Other(error), _) => error,
            (_, Some(cause)) => {
                Error::from_log(cause, &name, instance.port(), &instance.data_dir(), log)
            }
            (Failure::Died(ended), None) => Error::Died { name, ended, log },
            (Failure::Late(deadline), None) => Error::NotReady { name, deadline, log },
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let Some(launched) = &self.launched else { return };
        // The future was dropped. Nothing can be told to anybody; status will show what stays.
        if let Ok(Some(hold)) = Hold::take(launched.process)
            && hold.kill().is_ok()
            && hold.ended_within_blocking(KILL_DEADLINE).unwrap_or(false)
        {
            let _ = self.instance.clear_traces();
        }
    }
}

/// A process that would not go.
struct Unmoved {
    pid: u32,
    source: io::Error,
}

impl Unmoved {
    fn into_error(self, instance: &Instance) -> Error {
        Error::Process { name: instance.name().clone(), pid: self.pid, source: self.source }
    }
}

/// Kills a server that has failed to start, if it still lives.
async fn end(launched: Launched) -> Result<(), Unmoved> {
    let pid = launched.process.pid;
    let unmoved = |source| Unmoved { pid, source };
    let Some(hold) = Hold::take(launched.process).map_err(unmoved)? else { return Ok(()) };
    hold.kill().map_err(unmoved)?;
    match hold.ended_within(KILL_DEADLINE).await.map_err(unmoved)? {
        true => Ok(()),
        false => Err(unmoved(io::ErrorKind::TimedOut.into())),
    }
}
