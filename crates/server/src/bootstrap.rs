//! Making a data directory: MySQL's `--initialize`, MariaDB's `--bootstrap`.

use std::{
    fs::{self, File},
    io,
    path::PathBuf,
    process::Stdio,
    time::Duration,
};

use client::Secret;
use tokio::{
    io::AsyncWriteExt,
    process::{Child, Command},
    time::{Instant, MissedTickBehavior},
};

use crate::{
    account,
    error::Error,
    home::{InstanceName, Layout},
    installation::Installation,
    launch::open_log,
    log::{Cause, LogTail},
    record::{remove, write_private},
};

/// How often the log is read while a server initialises. A full disk makes some servers wait for
/// somebody to free space, for ever if need be; nobody would know.
const LOG_PERIOD: Duration = Duration::from_millis(250);

/// MariaDB's system tables, in the order of its own `mariadb-install-db`.
const MARIADB_SCRIPTS: [&str; 6] = [
    "mysql_system_tables.sql",
    "mysql_performance_tables.sql",
    "mysql_system_tables_data.sql",
    "fill_help_tables.sql",
    "maria_add_gis_sp_bootstrap.sql",
    "mysql_sys_schema.sql",
];

/// What goes to the server's standard input, and the arguments that make it read it.
struct Recipe {
    arguments: Vec<String>,
    stdin: Vec<u8>,
}

/// Makes the data directory of the draft, with the root account. The option file is there.
///
/// # Errors
/// [`Error::Incomplete`] when system tables are missing, [`Error::DiskFull`], and
/// [`Error::Init`] with the end of the server's log.
pub(crate) async fn bootstrap(
    name: &InstanceName,
    draft: &Layout,
    installation: &Installation,
    password: &Secret,
    deadline: Duration,
) -> Result<(), Error> {
    let init_file = draft.dir().join("init.sql");
    let recipe = if installation.release().flavour.is_mysql_like() {
        let sql = account::mysql_sql(password);
        let written = write_private(&init_file, sql.as_bytes());
        written.map_err(|source| Error::io("write", &init_file, source))?;
        mysql(&init_file)
    } else {
        mariadb(installation, password)?
    };
    let log_path = draft.dir().join("log/init.log");
    let (log, _) = open_log(&log_path).map_err(|error| Error::io("create", &log_path, error))?;
    let failed = |ended: String| {
        let log = LogTail::read(&log_path, 0).without(password);
        let cause = log.cause().filter(|cause| *cause == Cause::DiskFull);
        match cause {
            Some(_) => Error::DiskFull { path: draft.data(), log },
            None => {
                let release = installation.release().to_string();
                Error::Init { name: name.clone(), release, ended, log }
            }
        }
    };
    let full = || LogTail::read(&log_path, 0).cause() == Some(Cause::DiskFull);
    let run = run(command(draft, installation, &recipe), recipe.stdin, log, full, deadline);
    match run.await {
        Ok(ended) if ended == SUCCESS => remove(&init_file),
        Ok(ended) => Err(failed(ended)),
        Err(error) => Err(failed(error.to_string())),
    }
}

const SUCCESS: &str = "exit status: 0";

fn mysql(init_file: &std::path::Path) -> Recipe {
    let init_file = format!("--init-file={}", init_file.display());
    Recipe { arguments: vec!["--initialize-insecure".into(), init_file], stdin: Vec::new() }
}

fn mariadb(installation: &Installation, password: &Secret) -> Result<Recipe, Error> {
    let missing =
        |path: PathBuf| Error::Incomplete { path, release: installation.release().to_string() };
    let share =
        installation.share().ok_or_else(|| missing(installation.basedir().join("share/mysql")))?;
    // The bootstrap reads one statement a line, and these may not share one.
    let mut sql = b"CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n".to_vec();
    for script in MARIADB_SCRIPTS.map(|script| share.join(script)) {
        let text = match fs::read(&script) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(missing(script)),
            text => text.map_err(|source| Error::io("read", &script, source))?,
        };
        sql.extend(text);
        sql.push(b'\n');
    }
    sql.extend(account::mariadb_sql(password).into_bytes());
    let arguments = [
        "--bootstrap",
        "--log-warnings=0",
        "--enforce-storage-engine=",
        // A help text is longer than a small limit among the caller's settings would let pass.
        "--max-allowed-packet=16M",
        "--net-buffer-length=16K",
    ];
    Ok(Recipe { arguments: arguments.map(str::to_owned).to_vec(), stdin: sql })
}

fn command(draft: &Layout, installation: &Installation, recipe: &Recipe) -> Command {
    // The option file names the places where the instance will be; it is still in the making.
    let places = [
        ("datadir", draft.data()),
        ("tmpdir", draft.tmp()),
        ("secure-file-priv", draft.tmp()),
        ("socket", draft.socket()),
        ("pid-file", draft.pid()),
    ];
    let mut command = Command::from(installation.command(&draft.options()));
    command
        .args(places.map(|(name, path)| format!("--{name}={}", path.display())))
        .args(&recipe.arguments)
        .current_dir(draft.dir())
        .kill_on_drop(true);
    command
}

/// Runs the command to its end and tells how it ended, in words. Ends it early when the deadline
/// passes or `full` finds the disk full.
async fn run(
    mut command: Command,
    stdin: Vec<u8>,
    log: File,
    full: impl Fn() -> bool,
    deadline: Duration,
) -> io::Result<String> {
    let given_up = Instant::now() + deadline;
    command.stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log);
    let mut child = command.spawn()?;
    let feeding = feed(child.stdin.take(), stdin);
    tokio::pin!(feeding);
    let mut fed = false;
    let mut ticks = tokio::time::interval(LOG_PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            ended = child.wait() => return Ok(ended?.to_string()),
            // A server that stops reading has failed; its exit status says more than the pipe.
            _ = &mut feeding, if !fed => fed = true,
            _ = ticks.tick() => {
                if full() {
                    return end(child, "ended for lack of space").await;
                }
            }
            () = tokio::time::sleep_until(given_up) => {
                return end(child, &format!("not done within {deadline:?}")).await;
            }
        }
    }
}

async fn feed(pipe: Option<tokio::process::ChildStdin>, bytes: Vec<u8>) -> io::Result<()> {
    match pipe {
        Some(mut pipe) => pipe.write_all(&bytes).await,
        None => Ok(()),
    }
}

async fn end(mut child: Child, words: &str) -> io::Result<String> {
    child.kill().await?;
    Ok(words.to_owned())
}
