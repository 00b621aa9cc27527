//! Processor time of a server on this machine, ours or not.

use client::{Connection, Target};
use host::ProcessStat;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Names that a server's process has: its program's, or that of the loader it was started by.
const NAMES: [&str; 4] = ["mariadbd", "mysqld", "tidb-server", "ld-linux"];

/// The process of a server, as its processor time is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerProcess {
    /// Its directory in `/proc`.
    dir: PathBuf,
}

impl ServerProcess {
    /// The process behind `target`; none where it is on another machine, has several members, or
    /// does not say by its PID file which process it is.
    pub async fn of(target: &Target) -> Option<Self> {
        let [endpoint] = target.endpoints.as_slice() else { return None };
        if !endpoint.is_local() {
            return None;
        }
        let mut connection = Connection::connect(target).await.ok()?;
        let found = Self::by_asking(&mut connection, target).await;
        connection.close().await;
        Some(found?.0)
    }

    /// The process and the data directory of the server that `connection` leads to, under the
    /// same conditions.
    pub(crate) async fn by_asking(
        connection: &mut Connection,
        target: &Target,
    ) -> Option<(Self, PathBuf)> {
        if !matches!(target.endpoints.as_slice(), [endpoint] if endpoint.is_local()) {
            return None;
        }
        let row = connection.query_one("SELECT @@pid_file, @@datadir").await.ok()??;
        let (file, data) = (row.text(0)?, PathBuf::from(row.text(1)?));
        // Joining leaves an absolute path as it is.
        let process = Self::by_file(Path::new("/proc"), &data.join(file))?;
        Some((process, data))
    }

    /// Its number.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.dir.file_name()?.to_str()?.parse().ok()
    }

    /// The process whose number is in `file`, with the processes of the machine at `root`.
    fn by_file(root: &Path, file: &Path) -> Option<Self> {
        let pid: u32 = fs::read_to_string(file).ok()?.trim().parse().ok()?;
        let dir = root.join(pid.to_string());
        // A file may be left from before, or from another container.
        let name = fs::read_to_string(dir.join("comm")).ok()?;
        NAMES.iter().any(|known| name.starts_with(known)).then_some(Self { dir })
    }

    /// User and system time since its start, seconds; none when it has ended.
    pub fn cpu_s(&self) -> Option<f64> {
        let stat = fs::read_to_string(self.dir.join("stat")).ok()?;
        let ticks = ProcessStat::parse(&stat)?.cpu_ticks()?;
        Some(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const STAT: &str = "42 (mari) a (db) S 1 42 42 0 -1 4194560 9 0 0 0 150 250 0 0 20 0 9 0 5 0";

    #[test]
    fn only_a_server_s_process_is_taken() {
        let root = tempfile::tempdir().unwrap();
        let process = root.path().join("42");
        fs::create_dir(&process).unwrap();
        fs::write(process.join("stat"), STAT).unwrap();
        let file = root.path().join("server.pid");
        fs::write(&file, "42\n").unwrap();
        let found = || ServerProcess::by_file(root.path(), &file);
        fs::write(process.join("comm"), "vim\n").unwrap();
        assert_eq!(found(), None);
        fs::write(process.join("comm"), "mariadbd\n").unwrap();
        let ticks = rustix::param::clock_ticks_per_second() as f64;
        assert_eq!(found().unwrap().cpu_s(), Some(400.0 / ticks));
        let found = found().unwrap();
        fs::remove_dir_all(&process).unwrap();
        assert_eq!(found.cpu_s(), None);
    }
}
