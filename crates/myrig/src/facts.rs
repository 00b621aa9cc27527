//! What a report says about the server and the machine.

use client::{Connection, Endpoint, Error, Target};
use host::{Root, Topology};
use lab::record::{HostFacts, ServerFacts};
use std::{fs, path::Path};

/// Variables that bear on performance; a server reports those it has.
const VARIABLES: &str = "'autocommit','binlog_format','binlog_row_image','bulk_insert_buffer_size',\
    'character_set_server','collation_server','innodb_adaptive_flushing',\
    'innodb_adaptive_hash_index','innodb_buffer_pool_instances','innodb_buffer_pool_size',\
    'innodb_change_buffering','innodb_checksum_algorithm','innodb_dedicated_server',\
    'innodb_doublewrite','innodb_file_per_table','innodb_flush_log_at_trx_commit',\
    'innodb_flush_method','innodb_flush_neighbors','innodb_io_capacity','innodb_io_capacity_max',\
    'innodb_lock_wait_timeout','innodb_log_buffer_size','innodb_log_file_size',\
    'innodb_log_files_in_group','innodb_log_writer_threads','innodb_max_dirty_pages_pct',\
    'innodb_numa_interleave','innodb_page_cleaners','innodb_page_size','innodb_purge_threads',\
    'innodb_read_io_threads','innodb_redo_log_capacity','innodb_snapshot_isolation',\
    'innodb_spin_wait_delay','innodb_stats_persistent','innodb_sync_spin_loops',\
    'innodb_thread_concurrency','innodb_use_native_aio','innodb_write_io_threads','log_bin',\
    'max_connections','max_prepared_stmt_count','performance_schema','query_cache_size',\
    'query_cache_type','sync_binlog','table_open_cache','thread_cache_size','thread_handling',\
    'transaction_isolation','tx_isolation','version_comment','version_compile_machine'";

/// Asks the server what it is.
pub(crate) async fn server(target: &Target) -> Result<ServerFacts, Error> {
    let mut connection = Connection::connect(target).await?;
    let sql = format!("SHOW GLOBAL VARIABLES WHERE Variable_name IN ({VARIABLES})");
    let rows = connection.query(&sql).await?;
    let variables: std::collections::BTreeMap<String, String> =
        rows.iter().filter_map(|row| Some((row.text(0)?, row.text(1)?))).collect();
    let version = connection.query_one("SELECT VERSION()").await?;
    let version = version.and_then(|row| row.text(0)).unwrap_or_default();
    let tls = connection.query_one("SHOW SESSION STATUS LIKE 'Ssl_version'").await?;
    let tls = tls.and_then(|row| row.text(1)).unwrap_or_default();
    connection.close().await;
    let comment = variables.get("version_comment").cloned().unwrap_or_default();
    Ok(ServerFacts {
        flavour: flavour(&version, &comment).into(),
        version,
        endpoints: target.endpoints.iter().map(ToString::to_string).collect(),
        tls,
        variables,
        ..ServerFacts::default()
    })
}

fn flavour(version: &str, comment: &str) -> &'static str {
    let has = |word: &str| version.contains(word) || comment.contains(word);
    match () {
        () if has("TiDB") => "TiDB",
        () if has("MariaDB") => "MariaDB",
        () if has("Percona") => "Percona Server",
        () => "MySQL",
    }
}

/// Reads what the machine is, from the directory tree at `root` (`/` for the real one).
pub(crate) fn host(root: &Path, target: &Target) -> HostFacts {
    let shared_with_server = target.endpoints.iter().all(Endpoint::is_local);
    HostFacts { shared_with_server, ..machine(root) }
}

/// The same where the server is on this machine.
pub(crate) fn machine(root: &Path) -> HostFacts {
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let cpuinfo = read("proc/cpuinfo");
    let virtual_machine = cpuinfo.lines().any(|line| {
        line.starts_with("flags") && line.split_whitespace().any(|flag| flag == "hypervisor")
    });
    let vendor = read("sys/class/dmi/id/sys_vendor").trim().to_owned();
    let hypervisor = match (virtual_machine, vendor.is_empty()) {
        (false, _) => String::new(),
        (true, true) => "unnamed".into(),
        (true, false) => vendor,
    };
    HostFacts {
        os: field(&read("etc/os-release"), "PRETTY_NAME", '='),
        kernel: read("proc/sys/kernel/osrelease").trim().to_owned(),
        cpu_model: field(&cpuinfo, "model name", ':'),
        cpus: cpuinfo.lines().filter(|line| line.starts_with("processor")).count() as u32,
        memory_bytes: Topology::of(&Root::at(root)).memory_bytes,
        hypervisor,
        shared_with_server: true,
    }
}

/// The value of the first line that begins with `name` and `between`, without its quotes.
fn field(text: &str, name: &str, between: char) -> String {
    let line = text.lines().find_map(|line| {
        let (key, value) = line.split_once(between)?;
        (key.trim() == name).then(|| value.trim().trim_matches('"').to_owned())
    });
    line.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use client::Secret;

    #[test]
    fn flavours_are_told_from_what_the_server_says() {
        assert_eq!(flavour("10.11.19-MariaDB-0+deb12u1", "Debian 12"), "MariaDB");
        assert_eq!(flavour("8.0.36-28", "Percona Server (GPL), Release 28"), "Percona Server");
        assert_eq!(flavour("8.0.11-TiDB-v7.5.0", "TiDB Server"), "TiDB");
        assert_eq!(flavour("9.7.4", "(Debian)"), "MySQL");
    }

    #[test]
    fn the_machine_is_read_from_its_files() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n");
        write("proc/sys/kernel/osrelease", "6.1.0\n");
        write("proc/meminfo", "MemTotal:       1024 kB\nMemFree: 1 kB\n");
        let cpu = "processor\t: 0\nmodel name\t: CPU X\nflags\t\t: fpu hypervisor\n\n";
        write("proc/cpuinfo", &cpu.repeat(2));
        write("sys/class/dmi/id/sys_vendor", "QEMU\n");
        let remote = Endpoint::Tcp { host: "db1".into(), port: 1 };
        let facts = host(root.path(), &Target::new(remote, "u", Secret::default()));
        let expected = HostFacts {
            os: "Debian GNU/Linux 12".into(),
            kernel: "6.1.0".into(),
            cpu_model: "CPU X".into(),
            cpus: 2,
            memory_bytes: 1 << 20,
            hypervisor: "QEMU".into(),
            shared_with_server: false,
        };
        assert_eq!(facts, expected);
    }

    #[test]
    fn a_machine_that_tells_nothing_gives_empty_facts() {
        let root = tempfile::tempdir().unwrap();
        let local = Endpoint::Tcp { host: "127.0.0.1".into(), port: 1 };
        let facts = host(root.path(), &Target::new(local, "u", Secret::default()));
        assert_eq!(facts, HostFacts { shared_with_server: true, ..HostFacts::default() });
    }
}
